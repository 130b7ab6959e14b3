#!/bin/sh
# One line a rank: busy, communication, exposed communication, in ms; the rank that waits least in
# its collectives is the one that the others wait for. usage: ranks.sh TRACE|DIR...
set -eu
: "${1:?usage: ranks.sh TRACE|DIR...}"
tl-extract -q --no-python --args none "$@" | tl-overlap -n |
	jq -r 'if .type == "trace" then {trace, name: (.rank // .source)}
		elif .type == "timeline" and .device == null then {trace, row: [.busy_us, .comm_us, .exposed_comm_us]}
		else empty end | [.trace, .name // "", (.row // [] | .[])] | @tsv' |
	awk -F'\t' 'BEGIN { print "rank\tbusy\tcomm\texposed" } $2 != "" { name[$1] = $2; next }
		{ printf "%s\t%.3f\t%.3f\t%.3f\n", name[$1], $3 / 1000, $4 / 1000, $5 / 1000 }'
