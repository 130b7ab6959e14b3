#!/bin/sh
# The kernels that take most time, with the operator that owns them: us, launches, operator, kernel.
# usage: top-kernels.sh TRACE [N]
set -eu
tl-extract -q "${1:?usage: top-kernels.sh TRACE [N]}" | tl-tree | tl-synth -n |
	jq -r 'select(.type == "op") | .name as $op | .gpu_ops[] | [.dur // 0, $op, .name] | @tsv' |
	awk -F'\t' '{ us[$2 FS $3] += $1; n[$2 FS $3]++ }
		END { for (k in us) printf "%.3f\t%d\t%s\n", us[k], n[k], k }' |
	LC_ALL=C sort -t "$(printf '\t')" -k1,1rn -k3 | head -n "${2:-10}"
