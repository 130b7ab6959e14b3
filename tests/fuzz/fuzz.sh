#!/bin/bash
# Builds the fuzz targets (tests/fuzz/*.c) with clang's sanitizers and runs each for FUZZ_SECONDS
# (default 60), starting from tests/fuzz/seeds/TARGET and tests/fixtures/fuzz/TARGET. What they find
# to be new is kept in build/fuzz/corpus. Exit 1 when one crashes: its input becomes a file in
# tests/fixtures/fuzz/TARGET, which tests/fuzz.bats gives to the tools.
# usage: tests/fuzz/fuzz.sh [TARGET]...
cd "$(dirname "$0")/../.." || exit 3
build=build/fuzz
flags=(-O1 -g -fno-omit-frame-pointer -fsanitize='address,undefined' -fno-sanitize-recover=all)
make -s BUILD=$build CC=clang CFLAGS="${flags[*]} -fsanitize=fuzzer-no-link" $build/libtl.a || exit 3

compile() {
	clang -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers "${flags[@]}" -fsanitize=fuzzer \
		-o "$build/$1" "tests/fuzz/$1.c" $build/libtl.a -ljq -lprotobuf-c -lz -lm -pthread
}

run() {
	local corpora=("$build/corpus/$1") d
	mkdir -p "$build/corpus/$1"
	for d in "tests/fuzz/seeds/$1" "tests/fixtures/fuzz/$1"; do
		[ -d "$d" ] && corpora+=("$d")
	done
	"$build/$1" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
		-dict=tests/fuzz/words.dict -close_fd_mask=2 -print_final_stats=1 -artifact_prefix="$build/$1-" \
		"${corpora[@]}" >"$build/$1.log" 2>&1
}

if [ $# = 0 ]; then
	mapfile -t all < <(basename -s .c tests/fuzz/*.c)
	set -- "${all[@]}"
fi
failed=()
for target; do
	compile "$target" || exit 3
	if run "$target"; then
		echo "$target: $(awk '/number_of_executed_units/ { print $2 }' "$build/$target.log") runs in ${FUZZ_SECONDS:-60} s"
	else
		tail -40 "$build/$target.log"
		failed+=("$target")
	fi
done
[ ${#failed[@]} = 0 ] || { echo "crashed: ${failed[*]}"; exit 1; }
