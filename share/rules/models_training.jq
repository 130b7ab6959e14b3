# The backward of norms and of embeddings, and RMS norms of PyTorch. n elements, c as in models_norm.jq.
include "models_lib";
include "models_norm";

# 4n + 3c out of training, + for the input's gradient 5n in training, without it 2n.
# The result's gradient (and, in training, the input, for the input's gradient) read, n written; c in training, + for
# the weight c, and in training c, 2c with a bias.
# x is argument 1 (the gradient is 0); 0 for miopen_ and cudnn_batch_norm_backward, and for a row that stands for its
# forward op and has that one's arguments.
def norm_backward:
  (.name | _match_impl("::(miopen|cudnn)_batch_norm_b"; null; true)) as $always
  | bit(.backward or $always | not) as $at
  | ((if .backward then null else value(.mask) end) // [true, true, true]) as $mask
  | (if .by_mask or .rules != "reference" then $mask else [null, true, true] end) as $affine
  | . + {n: .elements[$at], c: channels(.dims[$at]), w: .width[$at], training: bit($always or trained),
      in: bit($mask[0]), weight: bit($affine[1]), bias: bit($affine[2])}
  | . + {eval: (1 - .training), kept: (1 - .in)}
  | figure($at; "vector"; "4 n + 3 eval c + 5 in training n + 2 kept n";
      "2 n w + in training n w + training c w + weight c w + weight training c w + weight bias training c w");

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

# embedding_dense_backward(gradient, positions, v): n0 sums; the gradient and the positions read, v rows written.
def embedding_backward:
  . + {v: value(2), row: .dims[0][-1]} | figure(0; "vector"; "n0"; "n0 w0 + v row w0 + n1 w1");
