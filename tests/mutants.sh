#!/bin/bash
# Do the tests notice when the code is wrong? Changes one operator or constant of lib/ at a time
# (tests/mutants.awk), builds a copy, and runs the tests of its room until one fails that passes
# without the change. What no test notices is printed as FILE:LINE: before -> after: a missing test,
# or a change that makes no difference. Last line: N killed, N survived, N did not build.
#
# usage: make mutants [N=50] [SEED=1] [FILES='lib/trace/*.c'] [JOBS=2] [TESTS='tests/tl-tree.bats ...']
#
# The copies are in a folder of their own and go away at the end; the work tree stays as it is.
set -u
cd "$(dirname "$0")/.." || exit 3
n=${N:-50} seed=${SEED:-1} jobs=${JOBS:-$(nproc)}
build=${TL_BIN:-build}
read -ra files <<<"${FILES:-$(echo lib/*/*.c)}"
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# tests_of FILE: what is most likely to notice, the fastest first
tests_of() {
	local room=()
	case $1 in
	lib/window/* | */cupti*) room=(tl-window) ;;
	lib/perfetto/in* | */wire.c) room=(pftrace-in) ;;
	lib/perfetto/*) room=(tl-render-pftrace pftrace-in) ;;
	*annotate*) room=(tl-annotate) ;;
	lib/report/*) room=(tl-render triage) ;;
	*fusion*) room=(fusion) ;;
	lib/overlap/* | */clip.c) room=(agree tl-overlap) ;;
	lib/reliability/*) room=(agree tl-reliability) ;;
	lib/sourcemap/*) room=(agree tl-sourcemap) ;;
	lib/synth/* | */arch.c) room=(agree tl-synth) ;;
	lib/trace/*) room=(unit agree tl-tree) ;;
	lib/rules/*) room=(unit agree tl-sourcemap tl-overlap) ;;
	lib/chrome/* | lib/format/* | lib/extract/*) room=(tl-extract tl-render) ;;
	*) room=(unit tl-extract tl-tree pipes) ;;
	esac
	if [ -n "${TESTS:-}" ]; then
		echo "$TESTS"
	else
		printf 'tests/%s.bats ' "${room[@]}"
	fi
}

# copy JOB: the sources and what was built of them, with their times
copy() {
	local built
	mkdir -p "$tmp/$1/tmp" "$tmp/$1/build"
	cp -a Makefile lib tools share tests examples README.md "$tmp/$1/"
	for built in "$build"/*; do
		case ${built##*/} in asan | fuzz) ;; *) cp -a "$built" "$tmp/$1/build/" ;; esac
	done
}

# bats_of JOB TESTFILE SECONDS: TAP of the file in that copy, for no longer than that. Whatever the
# tests started goes with them, and takes no more than a reasonable share of memory and disk.
bats_of() {
	(
		cd "$tmp/$1" || exit 3
		ulimit -v 4000000 -f 1000000
		unset TL_BIN TL_GOLDEN
		TMPDIR=$tmp/$1/tmp TL_AGREE_N=${TL_AGREE_N:-20} exec timeout -k 2 "$3" bats --formatter tap "$2" 2>&1
	)
}

names_of_failed='/^not ok / { sub(/^not ok [0-9]+ /, ""); print }'

# baseline JOB TESTFILE: names of the tests that fail as it is, and how long it takes
baseline() {
	local from=$SECONDS
	bats_of "$1" "$2" 600 | awk "$names_of_failed" >"$tmp/fails.${2##*/}"
	echo $((SECONDS - from)) >"$tmp/seconds.${2##*/}"
}

# notices JOB TESTFILE: true when a test fails that passed before, or does not come to an end
notices() {
	local limit=$((10 + 3 * $(cat "$tmp/seconds.${2##*/}"))) out=$tmp/$1/tap pid verdict
	mkfifo "$out"
	set -m # a process group of its own, to be ended as one
	bats_of "$1" "$2" "$limit" >"$out" &
	pid=$!
	set +m
	awk -v fails="$tmp/fails.${2##*/}" "BEGIN { while ((getline name <fails) > 0) known[name] }
		/^1\\.\\./ { planned = substr(\$1, 4) } /^(not )?ok / { seen++ }
		/^not ok / { sub(/^not ok [0-9]+ /, \"\"); if (!(\$0 in known)) { failed = 1; exit } }
		END { exit failed || seen < planned || !planned ? 0 : 1 }" "$out"
	verdict=$?
	kill -- "-$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	rm -rf "$out" "$tmp/$1/tmp"
	mkdir "$tmp/$1/tmp"
	return $verdict
}

# trim TEXT: without the white space around it
trim() { sed -E 's/^[[:space:]]+|[[:space:]]+$//g' <<<"$1"; }

# make_of JOB FILE: what the tests of the file run
make_of() {
	local targets=all
	[[ $(tests_of "$2") = *unit* ]] || targets=$(cd "$tmp/$1" && echo build/tl-*)
	# shellcheck disable=SC2086
	make -s -C "$tmp/$1" CFLAGS=-O0 $targets >"$tmp/$1/make" 2>&1
}

# try JOB FILE LINE COLUMN LENGTH TO: one change; says what became of it
try() {
	local dir=$tmp/$1 file=$2 object=build/${2%.c}.o verdict=survived before after t
	before=$(sed -n "$3p" "$file")
	after=${before:0:$4-1}$6${before:$4-1+$5}
	cp -p "$dir/$object" "$dir/object" && cp -p "$file" "$dir/source" || exit 3
	AFTER=$after awk -v at="$3" 'FNR == at { print ENVIRON["AFTER"]; next } { print }' "$file" >"$dir/$file"
	if make_of "$1" "$file"; then
		for t in $(tests_of "$file"); do
			notices "$1" "$t" && verdict="killed by ${t##*/}" && break
		done
	else
		verdict='did not build'
	fi
	mv "$dir/source" "$dir/$file" && mv "$dir/object" "$dir/$object" || exit 3
	echo "$verdict: $file:$3: $(trim "$before") -> $(trim "$after")"
}

awk -v seed="$seed" -f tests/mutants.awk "${files[@]}" >"$tmp/all"
for ((job = 1; job <= jobs; job++)); do copy "$job"; done
mapfile -t needed < <(head -n "$n" "$tmp/all" | cut -f 1 | sort -u | while read -r file; do tests_of "$file"; echo; done |
	tr -s ' ' '\n' | grep . | sort -u)
for ((job = 1; job <= jobs; job++)); do
	for ((k = job - 1; k < ${#needed[@]}; k += jobs)); do baseline "$job" "${needed[k]}"; done &
done
wait
for ((job = 1; job <= jobs; job++)); do
	head -n "$n" "$tmp/all" | awk -v job="$job" -v jobs="$jobs" 'NR % jobs == job % jobs' |
		while IFS=$'\t' read -r file line column length to; do
			try "$job" "$file" "$line" "$column" "$length" "$to" </dev/null
		done &
done | tee "$tmp/verdicts" | grep -v '^survived' >&2
sed -n 's/^survived: //p' "$tmp/verdicts" | sort -t: -k1,1 -k2,2n
count() { grep -c "^$1" "$tmp/verdicts"; }
printf '%d killed, %d survived, %d did not build\n' "$(count killed)" "$(count survived)" "$(count 'did not build')"
