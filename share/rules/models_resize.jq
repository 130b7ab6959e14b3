# Resizing and padding.
include "models_lib";

# The result has the given spatial size (C1), or is padded (C1: last dimension first, before and after), or, where
# there is only a scale (C2), floor(size x scale). The reference knows no scale. n operations; input and result once.
def resize:
  .dims[0] as $x | value(1) as $c | value(2) as $scale
  | . + {n: (if .pad then [range($x | length) as $i | (($x | length) - 1 - $i) * 2 | $x[$i] + ($c[.] // 0) + ($c[. + 1] // 0)]
          elif $c then $x[:2] + $c
          elif .rules == "reference" or ($scale | length) != ($x | length - 2) then error("no size")
          else $x[:2] + [range($scale | length) as $i | $x[$i + 2] * $scale[$i] | floor] end | product)}
  | figure(0; "vector"; "n"; "n0 w0 + n w0");
