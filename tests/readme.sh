#!/bin/bash
# Runs the commands of README.md's console blocks in the folder of the example traces and prints the
# README with their real output in it. usage: tests/readme.sh >README.new
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${TL_BIN:-$root/build}
case $bin in /*) ;; *) bin=$root/$bin ;; esac
[ -s "$bin/examples/decode.json.gz" ] || "$root/examples/traces.sh" "$bin/examples"
export PATH=$bin:$PATH TL_SHARE=$root/share LC_ALL=C
cd "$bin/examples" || exit 3
block=0
while IFS= read -r line; do
	case $line in
	'```console') block=1 ;;
	'```') block=0 ;;
	'$ '*)
		printf '%s\n' "$line"
		[ $block = 1 ] && bash -c "${line#??}" </dev/null
		continue
		;;
	*) [ $block = 0 ] || continue ;;
	esac
	printf '%s\n' "$line"
done <"$root/README.md"
