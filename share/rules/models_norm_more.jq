# RMS norms of PyTorch and their backward. n elements, c as in models_norm.jq.
include "models_lib";
include "models_norm";

# aten::_fused_rms_norm(x, shape, weight): (n / c)(2c + 2) + n, 2n with a weight; input and result once, the weights.
def rms_norm_fused:
  . + {c: channels(.dims[0]), weight: bit(.rules == "reference" or given(2))} | . + {rows: (.elements[0] / .c)}
  | figure(0; "vector"; "3 n0 + 2 rows + weight n0"; "2 n0 w0 + weight c w0");

# (gradient, x, shape, ., weight, mask): n + n (weight) + 6n (input's gradient) + for the weight's gradient n, 2n for
# more rows than one; three times n, the weights twice. A row that stands for its forward op has x, shape, weight.
def rms_norm_backward:
  bit(.backward | not) as $at | ((if $at == 1 then value(5) else null end) // [true, true]) as $mask
  | . + {n: .elements[$at], w: .width[$at], c: elements_of($at + 1), in: bit($mask[0]),
      weight: bit(.rules == "reference" or given(2 + 2 * $at))}
  | . + {gradient: (.weight * bit($mask[1]) * (1 + bit(.n > .c)))}
  | figure($at; "vector"; "n + weight n + 6 in n + gradient n"; "3 n w + 2 weight c w");
