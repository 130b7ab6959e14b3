#!/bin/sh
# Every trace of a directory, as many at once as there are cores; one report each.
# usage: all.sh DIR OUT
set -eu
dir=${1:?usage: all.sh DIR OUT} out=${2:?usage: all.sh DIR OUT}
mkdir -p "$out"
# shellcheck disable=SC2016 # $1 and $2 are those of the inner shell
find "$dir" -maxdepth 1 -name '*.json.gz' -print0 |
	xargs -0 -P "$(nproc)" -I{} sh -c '
		name=$(basename "$1" .json.gz)
		tl-extract -q "$1" | tl-tree | tl-synth -n | tl-render -f md -o "$2/$name.md"' sh {} "$out"
