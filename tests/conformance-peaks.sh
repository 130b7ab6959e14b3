#!/bin/bash
# On real traces: no row is faster than its device, and every modelled row with recorded shapes has
# figures. Exceptions stand in tests/fixtures/peaks.tsv, each with its reason.
# usage: TL_TRACES=DIR tests/conformance-peaks.sh
cd "$(dirname "$0")/.." || exit 3
dir=${TL_TRACES:?the folder of traces}
bin=${TL_BIN:-build}
passed=0 failed=0
for t in "$dir"/*.json.gz; do
	name=$(basename "$t" .json.gz)
	found=$("$bin/tl-extract" -q "$t" | "$bin/tl-tree" | "$bin/tl-synth" -n -q | jq -r --arg t "$name" '
		select(.type == "op") |
		if (.roofline_share // 0) > 100 and .bound == "compute" then [$t, "over the peak", .name]
		elif .kind == "model" and (.input_dims // [] | flatten | length) > 0 and .gflops == null and .bytes == null
		then [$t, "no figures", .name]
		else empty end | @tsv' | sort -u)
	left=$(grep -vxFf <(grep -v '^#' tests/fixtures/peaks.tsv | cut -f1-3) <<<"$found" | grep .)
	if [ -z "$left" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s\n' "$left"
	fi
done
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
