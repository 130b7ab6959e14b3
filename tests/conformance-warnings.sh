#!/bin/sh
# All warnings of tl-reliability over a folder of real traces, against tests/fixtures/warnings.tsv: a new
# warning is a false alarm until it is argued true there. Only for where the traces are at hand.
#
#     usage: TL_TRACES=DIR tests/conformance-warnings.sh      or: tests/conformance-warnings.sh DIR
#
# TL_BIN: where the tools are (build). TL_GOLDEN=1 rewrites the table, the comments in it stay.
# Ends with 'N passed, N failed, N skipped' (traces); exit status 1 if any failed.
set -u
cd "$(dirname "$0")/.." || exit 3
dir=${1:-${TL_TRACES:-}}
golden=tests/fixtures/warnings.tsv
PATH=${TL_BIN:-build}:$PATH
if [ -z "$dir" ] || [ ! -d "$dir" ]; then
	echo "conformance-warnings: no folder of traces (TL_TRACES)" >&2
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT

for f in "$dir"/*.json.gz; do
	name=$(basename "$f" .json.gz)
	tl-extract -q "$f" | tl-tree -q | tl-overlap -q | tl-reliability -q -n | jq -r --arg f "$name" '
		if .type == "warning" then [$f, .code, .severity, .count, .event // "-"]
		elif .type == "reliability" then [$f, "=", .idle_reliable, .attribution_reliable, .duration_reliable]
		else empty end | map(if . == null then "?" else . end) | @tsv' >>"$tmp/all"
done
if [ -n "${TL_GOLDEN:-}" ]; then
	grep '^#' "$golden" >"$tmp/new"
	cat "$tmp/all" >>"$tmp/new"
	cp "$tmp/new" "$golden"
fi
grep -v '^#' "$golden" >"$tmp/want"
passed=0 failed=0
cut -f1 "$tmp/want" "$tmp/all" | sort -u >"$tmp/names"
while read -r name; do
	awk -F'\t' -v n="$name" '$1 == n' "$tmp/want" >"$tmp/a"
	awk -F'\t' -v n="$name" '$1 == n' "$tmp/all" >"$tmp/b"
	if diff "$tmp/a" "$tmp/b" >"$tmp/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		sed "s/^/$name: /" "$tmp/diff"
	fi
done <"$tmp/names"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
