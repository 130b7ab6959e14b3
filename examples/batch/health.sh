#!/bin/sh
# One line per trace file of a directory (and below it): verdict, GPU ops, graph launches, what was found.
# A quick pass in constant memory: minutes for a directory of gigabytes. It cannot see everything: "ok" says
# that it found nothing, and a trace with graph launches deserves the full tl-reliability.
#
#     usage: health.sh [DIR]...      | sort     to see the worst first
#
# The columns are separated by tabs: verdict (error, warning, info, ok, unreadable), file, GPU ops, graph launches,
# codes.
# Exit status 1 when a file could not be read.
set -u
[ $# -gt 0 ] || set -- .
PATH=${TL_BIN:-$(dirname "$0")/../../build}:$PATH

line() {
	tl-extract -q "$1" 2>/dev/null | tl-reliability -q --quick -n 2>/dev/null |
		jq -rs --arg file "$1" '
			map(select(.type == "warning" and (.code | IN("steps_missing", "partial_file_set") | not))) as $w
			| if any(.[]; .type == "trace") then
				[ (["error", "warning", "info"] | map(select(. as $s | any($w[]; .severity == $s))) | .[0] // "ok"),
				  $file,
				  (map(select(.type == "end").gpu_ops // 0) | add // 0),
				  (map(select(.type == "reliability").graph_launches) | add // 0),
				  ($w | map(.code) | unique | join(" ")) ]
			  else ["unreadable", $file, "", "", ""] end
			| @tsv'
}

list=$(mktemp) || exit 3
trap 'rm -f "$list"' EXIT
find "$@" -type f \( -name '*.json' -o -name '*.json.gz' \) | LC_ALL=C sort >"$list"
status=0
while IFS= read -r file; do
	out=$(line "$file")
	printf '%s\n' "$out"
	case $out in unreadable*) status=1 ;; esac
done <"$list"
exit $status
