#!/bin/sh
# What changed between two traces: operators by the GPU time that they gained or lost, in us.
# usage: compare.sh BEFORE AFTER [N]
set -eu
: "${2:?usage: compare.sh BEFORE AFTER [N]}"
groups() {
	tl-extract -q "$1" | tl-tree | tl-synth -n --group=name |
		jq -r --arg s "$2" 'select(.type == "op_group") | [$s, .name, .gpu_us, .count] | @tsv'
}
{
	groups "$1" -1
	groups "$2" 1
} | awk -F'\t' '{ d[$2] += $1 * $3; if ($1 < 0) a[$2] = $3; else b[$2] = $3 }
		END { for (k in d) printf "%.3f\t%.3f\t%.3f\t%s\n", d[k], a[k], b[k], k }' |
	LC_ALL=C sort -t "$(printf '\t')" -k1,1rn -k4 | { echo "change	before	after	operator"; awk '$1 != 0' | head -n "${3:-20}"; }
