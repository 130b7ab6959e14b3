#!/bin/sh
# Folded call stacks of GPU time (stack;of;names ns), for flamegraph.pl, inferno or speedscope.
# usage: folded.sh TRACE >stacks.folded
set -eu
tl-extract -q "${1:?usage: folded.sh TRACE}" | tl-tree | tl-synth -n |
	jq -r 'select(.type == "op") | (.call_stack + [.gpu_ops[0].name]) as $s
		| [($s | map(gsub(";"; ",")) | join(";")), (.gpu_us * 1000 | round)] | join(" ")' |
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); ns[$0] += n } END { for (k in ns) printf "%s %.0f\n", k, ns[k] }' | LC_ALL=C sort
