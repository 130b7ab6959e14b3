#!/bin/bash
# Ratios of one run: tl against gzip, jq and wc on the same bytes. Timings are no tests.
# usage: tests/bench/bench.sh [TRACE.json.gz]   (default: TL_BENCH, else a made trace of 300,000 events)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${TL_BIN:-$root/build}
case $bin in /*) ;; *) bin=$root/$bin ;; esac
PATH=$bin:$PATH
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT
runs=${RUNS:-5}

# groups of op, launch and kernel: N events on stdout, over S streams
made() {
	awk -v n="$1" -v s="${2:-1}" 'BEGIN {
		print "{\"schemaVersion\": 1, \"traceEvents\": ["
		for (i = 0; i < n / 3; i++) {
			t = i * 10
			printf "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 100, \"tid\": 100, \"ts\": %.0f.125, \"dur\": 8.500, \"args\": {\"External id\": %d, \"Input Dims\": [[64, 64], [64, 64]], \"Input type\": [\"float\", \"float\"]}},\n", t, i + 1
			printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 100, \"tid\": 100, \"ts\": %.0f.250, \"dur\": 2.000, \"args\": {\"cbid\": 211, \"correlation\": %d, \"External id\": %d}},\n", t + 1, i + 1, i + 1
			printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ampere_sgemm_64x64_nn\", \"pid\": 0, \"tid\": %d, \"ts\": %.0f.000, \"dur\": %d.000, \"args\": {\"device\": 0, \"stream\": %d, \"correlation\": %d, \"External id\": %d}}%s\n", 7 + i % s, t + 4, 6 + 9 * (s > 1) * s, 7 + i % s, i + 1, i + 1, (i + 1 < n / 3) ? "," : ""
		}
		print "]}"
	}'
}

# N events: frames that all stay open, launches below all of them, and kernels of which every other has
# no launch
framed() {
	awk -v n="$1" 'BEGIN {
		print "{\"traceEvents\": ["
		for (i = 0; i < n / 3; i++) {
			printf "{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"f%d.py(%d): f\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 100000000},\n", i % 500, i % 90, i
			printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 2, \"args\": {\"correlation\": %d}},\n", 1000000 + i * 10, i + 1
			printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%d\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 5, \"args\": {\"stream\": 7, \"correlation\": %d}},\n", i % 300, 1000000 + i * 10, i % 2 ? i + 1 : 100000000 + i
		}
		print "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"made\"}}]}"
	}'
}

# median of $runs wall times of a shell command, in seconds
clock() {
	for _ in $(seq "$runs"); do
		local a=$EPOCHREALTIME
		bash -c "$1" >/dev/null 2>&1
		local b=$EPOCHREALTIME
		awk -v a="$a" -v b="$b" 'BEGIN { print b - a }'
	done | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row NAME SECONDS BASE: one line of the table
row() {
	awk -v n="$1" -v s="$2" -v b="$3" 'BEGIN { printf "%-52s %8.3f s %8.2f\n", n, s, s / b }'
}

peak() {
	/usr/bin/time -f %M bash -c "$1" 2>&1 >/dev/null | tail -n 1
}

trace=${1:-${TL_BENCH:-}}
if [ -z "$trace" ]; then
	trace=$tmp/made.json.gz
	made 300000 | gzip >"$trace"
fi
gunzip -c "$trace" >"$tmp/plain.json"
tl-extract -q "$trace" >"$tmp/stream"
tl-tree "$tmp/stream" >"$tmp/tree"
printf '%s: %d bytes inflated, %d records\n\n' "$trace" "$(wc -c <"$tmp/plain.json")" "$(wc -l <"$tmp/stream")"
printf '%-52s %10s %8s\n' 'median of '"$runs" time ratio
gz=$(clock "gzip -dc $trace")
row 'gzip -dc (the base)' "$gz" "$gz"
row 'tl-extract' "$(clock "tl-extract -q $trace")" "$gz"
row 'tl-extract, plain JSON' "$(clock "tl-extract -q $tmp/plain.json")" "$gz"
row 'tl-extract | cat' "$(clock "tl-extract -q $trace | cat")" "$gz"
row 'wc -l on the stream' "$(clock "wc -l $tmp/stream")" "$gz"
row 'tl-tree' "$(clock "tl-tree $tmp/stream")" "$gz"
row 'tl-synth -n' "$(clock "tl-synth -n $tmp/tree")" "$gz"
[ -x "$bin/tl-sourcemap" ] && row 'tl-sourcemap' "$(clock "tl-sourcemap $tmp/stream")" "$gz"
[ -x "$bin/tl-overlap" ] && row 'tl-overlap' "$(clock "tl-overlap $tmp/stream")" "$gz"
[ -x "$bin/tl-reliability" ] && row 'tl-reliability' "$(clock "tl-reliability $tmp/stream")" "$gz"
row 'tl-render -f chrome' "$(clock "tl-render -f chrome $tmp/tree")" "$gz"
row 'extract | tree | synth | render' "$(clock "tl-extract -q $trace | tl-tree | tl-synth | tl-render -f md")" "$gz"
runs=1
row 'jq -c .traceEvents[] (one run)' "$(clock "jq -c '.traceEvents[]?' $tmp/plain.json")" "$gz"
row 'python3 json.load (one run)' "$(clock "python3 -c 'import json,sys; json.load(open(sys.argv[1]), strict=False)' $tmp/plain.json")" "$gz"
printf '\npeak memory, KiB: tl-extract %s, tl-tree %s, tl-synth %s\n' \
	"$(peak "tl-extract -q $trace")" "$(peak "tl-tree $tmp/stream")" "$(peak "tl-synth -n $tmp/tree")"

printf '\nwhat the rules cost, against jq -n 1:\n'
runs=15
"$root/examples/traces.sh" "$tmp" >/dev/null
jq=$(clock 'jq -n 1')
row 'jq -n 1' "$jq" "$jq"
for example in decode train-rank0; do
	tl-extract -q "$tmp/$example.json.gz" | tl-tree -q >"$tmp/small"
	row "$example: tl-tree, which has no rules" "$(clock "tl-tree -q $tmp/small")" "$jq"
	row "$example: tl-synth -n" "$(clock "tl-synth -qn $tmp/small")" "$jq"
done
runs=5
made 15000 | awk '{ gsub(/\[\[64, 64\]/, "[[" ++n ", 64]") } 1' | tl-extract -q | tl-tree -q >"$tmp/small"
row '5,000 distinct products: tl-synth -n' "$(clock "tl-synth -qn $tmp/small")" "$jq"

printf '\nlinear? 10 times the events, time ratio:\n'
runs=5
for n in 60000 600000; do
	made $n >"$tmp/$n.json"
	tl-extract -q "$tmp/$n.json" >"$tmp/$n.stream"
	tl-tree "$tmp/$n.stream" >"$tmp/$n.tree"
	framed $n | tl-extract -q >"$tmp/$n.framed"
done
ratio() {
	local a b
	a=$(clock "$1 $tmp/60000.$2") b=$(clock "$1 $tmp/600000.$2")
	awk -v n="$1" -v a="$a" -v b="$b" 'BEGIN { printf "%-52s %8.2f\n", n, b / a }'
}
ratio 'tl-extract -q' json
ratio tl-tree stream
ratio 'tl-synth -n' tree
[ -x "$bin/tl-sourcemap" ] && ratio 'tl-sourcemap' stream
[ -x "$bin/tl-sourcemap" ] && ratio 'tl-sourcemap' framed
[ -x "$bin/tl-sourcemap" ] && ratio 'tl-sourcemap --guess-by-time' framed
[ -x "$bin/tl-overlap" ] && ratio 'tl-overlap' stream
if [ -x "$bin/tl-overlap" ]; then
	printf '\ntl-overlap, 300,000 GPU ops on 64 streams against 1:\n'
	for s in 1 64; do
		made 900000 $s >"$tmp/s.json"
		tl-extract -q --cat kernel --args none "$tmp/s.json" >"$tmp/s$s.stream"
	done
	a=$(clock "tl-overlap $tmp/s1.stream") b=$(clock "tl-overlap $tmp/s64.stream")
	row '1 stream' "$a" "$a"
	row '64 streams' "$b" "$a"
fi
exit 0
