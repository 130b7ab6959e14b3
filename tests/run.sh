#!/bin/sh
# Runs every tests/*.bats and ends with one line: N passed, N failed, N skipped. Exit 1 if any failed.
# usage: tests/run.sh [FILE.bats]...
cd "$(dirname "$0")/.." || exit 3
[ $# -gt 0 ] || set -- tests/*.bats
# several files at a time, where GNU parallel is there; the tests of one file one after the other
cores=$(nproc)
if [ "$cores" -gt 1 ] && [ $# -gt 1 ] && parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
	set -- --jobs "$cores" --no-parallelize-within-files "$@"
fi
out=$(mktemp) || exit 3
trap 'rm -f "$out"' EXIT
bats --formatter tap --print-output-on-failure "$@" 2>&1 | tee "$out" | grep -v '^ok ' || :
awk '
	/^1\.\./ { planned = substr($1, 4) + 0 }
	/^ok .*# skip/ { skipped++; next }
	/^ok / { passed++ }
	/^not ok / { failed++ }
	END {
		missing = planned - passed - failed - skipped
		if (missing > 0) failed += missing
		if (planned == 0) failed++
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0
	}' "$out"
