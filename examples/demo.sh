#!/bin/sh
# The main job on a bundled example: a training trace, read, linked, summed up.
# usage: examples/demo.sh    (make demo builds and runs it)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${TL_BIN:-$here/../build}" && pwd)
dir=$bin/examples
[ -s "$dir/decode.json.gz" ] || "$here/traces.sh" "$dir"
PATH=$bin:$PATH
cat <<END
\$ tl-extract train-rank0.json.gz | tl-tree | tl-synth | tl-render

END
cd "$dir"
tl-extract train-rank0.json.gz | tl-tree | tl-synth | tl-render
cat <<END

The traces are in $dir; the tools are in $bin. Next: man share/man/tl.1
END
