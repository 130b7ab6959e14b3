#!/bin/sh
# One line a step: window, busy, exposed communication, in ms. usage: steps.sh TRACE
set -eu
tl-extract -q "${1:?usage: steps.sh TRACE}" | tl-tree | tl-overlap -n --by-step |
	jq -r 'select(.type == "timeline" and .step != null and .device != null)
		| [.step, .window_us / 1000, .busy_us / 1000, .exposed_comm_us / 1000] | @tsv' |
	awk -F'\t' 'BEGIN { print "step\twindow\tbusy\texposed" } { printf "%s\t%.3f\t%.3f\t%.3f\n", $1, $2, $3, $4 }'
