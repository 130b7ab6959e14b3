# Norms and their backward. n elements; c channels (batch, group, instance), or elements that share one weight vector (layer, RMS).
include "models_lib";

# Layer and group norms always compute their statistics; the others say so in a flag. The reference takes every recorded
# flag for true, "False" too.
def trained:
  if .training == null then true elif .rules == "reference" then (.args[.training] | length > 0) else value(.training) == true end;

# Elements of a recorded shape ("[3, 4]": 12).
def elements_of(i): value(i) | if type == "array" then product else . * 1 end;

# c: elements of the normalised shape (layer; those of the weight where it was not recorded), the last dimension (last),
# or channels (over groups where they are said).
def channels($x):
  if .layer then attempt(elements_of(.layer)) // (attempt(.dims[.gamma]) | select(length > 0) | product)
  elif .last then $x[-1] else $x[1] / (value(.groups) // 1) end;

# 6c + 2n (+ 3n in training); input and result once, 2c (+ weight, bias, + 2c in training).
# The reference takes weight and bias for given.
def norm:
  (if .name | startswith("aten::native_g") then 1 else .gamma end) as $gamma
  | . + {c: channels(.dims[0]), training: bit(trained),
      affine: (if .rules == "reference" then 2 else bit(given($gamma)) + bit(given($gamma + 1)) end)}
  | figure(0; "vector"; "6 c + 2 n0 + 3 training n0"; "2 n0 w0 + 2 c w0 + affine c w0 + 2 training c w0");

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
