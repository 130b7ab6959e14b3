#!/bin/sh
# An Nsight Systems report through the suite: what ran on the GPU, which operators and NVTX ranges it
# belongs to, and how far the figures can be trusted.
#
# usage: nsys.sh REPORT.sqlite|REPORT.nsys-rep [tl-render option]...
#
# A .nsys-rep is exported first (needs nsys); a .sqlite needs sqlite3 alone, and is not changed.
# Trace with: nsys profile -t cuda,nvtx --cuda-graph-trace=node ...
set -eu

[ $# -ge 1 ] || {
	sed -n '5s/^# //p' "$0" >&2
	exit 2
}
report=$1
shift
share=${TL_SHARE:-$(dirname "$0")/../../share}
[ -r "$share/nsys/window.sql" ] || share=$(dirname "$(command -v tl-extract)")/../share/tl

case $report in
*.nsys-rep)
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	nsys export --type sqlite --output "$tmp/report.sqlite" "$report" >&2
	report=$tmp/report.sqlite
	;;
esac

[ -r "$report" ] || {
	echo "nsys.sh: $report: cannot be read" >&2
	exit 3
}

sqlite3 -batch "$report" <"$share/nsys/window.sql" |
	tl-extract --window - |
	tl-tree |
	tl-synth |
	tl-overlap |
	tl-reliability |
	tl-render "$@"
