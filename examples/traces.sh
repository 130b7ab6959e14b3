#!/bin/sh
# Makes the example traces: small, deterministic, with the shape of real ones.
# usage: examples/traces.sh DIR
#   DIR/train-rank0.json.gz, train-rank1.json.gz   two ranks of a transformer's training, 3 steps
#   DIR/decode.json.gz                             a decoder whose steps are CUDA graph replays
set -eu
dir=${1:?usage: traces.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
# gzip -n: no time, no name, so that the same bytes come out every time
for rank in 0 1; do
	LC_ALL=C awk -v rank="$rank" -v steps=3 -v layers=4 -f "$here/trace.awk" -f "$here/train.awk" |
		gzip -n >"$dir/train-rank$rank.json.gz"
done
LC_ALL=C awk -v rank=0 -v steps=6 -v layers=6 -f "$here/trace.awk" -f "$here/decode.awk" |
	gzip -n >"$dir/decode.json.gz"
