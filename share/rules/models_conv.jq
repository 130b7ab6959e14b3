# Convolutions and pooling. x (N, C, spatial), w (Cout, C / groups, kernel); transposed: w (C, Cout / groups, kernel).
include "models_lib";

# The result's shape, where stride, padding, dilation, transposed, output padding and groups are the arguments from $at on.
# Sizes: floor((i + 2p - d (k - 1) - 1) / s + 1); transposed (i - 1) s - 2p + d (k - 1) + op + 1.
# The reference gives the result of a transposed convolution w[1] channels whatever the groups.
def conv_shape($x; $w; $at; $transposed):
  ($x | length - 2) as $n
  | [$x[0], if $transposed then $w[1] * if .rules == "reference" then 1 else value($at + 5) // 1 end else $w[0] end]
    + [[values($at; $n; 1), values($at + 1; $n; 0), values($at + 2; $n; 1), values($at + 4; $n; 0), $x[2:], $w[2:]] | transpose[]
       | (.[2] * (.[5] - 1)) as $reach
       | if $transposed then (.[4] - 1) * .[0] - 2 * .[1] + $reach + .[3] + 1 else (.[4] + 2 * .[1] - $reach - 1) / .[0] + 1 | floor end];

# Every element of the result (transposed: of x) takes 2 prod(w[1:]) operations: product.
# forward: product (+ result with a bias); x, w and the result once (+ Cout with a bias).
# backward: product for x's gradient, 2 prod(w) N spatial(result; transposed: x) for w's, result for the bias's;
# x, w and the result once for either gradient, + result + Cout for the bias's.
def conv_of($i; $at; $gradients; $bias):
  .dims[$i] as $x | .dims[$i + 1] as $w | (value($at + 3) == true) as $transposed
  | conv_shape($x; $w; $at; $transposed) as $y | (if $transposed then $x else $y end) as $each
  | . + {x: ($x | product), f: ($w | product), y: ($y | product), channels: $y[1], taps: ($w[1:] | product), each: ($each | product),
      spatial: ($x[0] * ($each[2:] | product)), bias: bit($bias), w: .width[$i], in: bit($gradients[0]), weight: bit($gradients[1])}
  | . + {both: (.in + .weight)}
  | if $gradients
    then figure($i; "matrix"; "2 taps each in + 2 f spatial weight + bias y"; "x w both + f w both + y w both + bias y w + bias channels w")
    else figure($i; "matrix"; "2 taps each + bias y"; "x w + f w + y w + bias channels w") end
  | . + {params: {x: $x, w: $w, y: $y, bias: ($bias == true)}};

# x, w, bias are arguments 0 to 2; the reference never sees the bias of aten::convolution.
def conv:
  require(.types[0] == .types[1] and (.dims[0] | length) > 2 and (.dims[0] | length) == (.dims[1] | length))
  | conv_of(0; 3; if .backward then [true, true] else null end; .bias == 1 or .rules != "reference" and given(2));

# aten::convolution_backward: gradient 0, x 1, w 2, mask of the gradients 10. The reference takes x's and w's whatever
# the mask says.
def conv_backward:
  (if .rules == "reference" then null else value(10) end // [true, true, false]) as $mask | conv_of(1; 4; $mask; $mask[2]);

# The last 2 dimensions pooled: floor (ceil where argument ceil says so) of (i + 2p - d (k - 1) - 1) / s + 1.
# A window's elements for each of the result; the input and the result once (+ position bytes each).
def pool:
  . as $p | .dims[0] as $x | bit(value($p.ceil) == true) as $ceil
  | values($p.kernel; 2; 1) as $k
  | . + {position: ($p.position // 0), window: ($k | product),
      n: (($x[:-2] | product) * ([[$k, values($p.stride; 2; null), values($p.padding; 2; 0), values($p.dilation; 2; 1), $x[-2:]] | transpose[]
        | (.[4] + 2 * .[2] - .[3] * (.[0] - 1) - 1) / (.[1] // .[0]) | if $ceil == 1 then ceil else floor end + 1] | product))}
  | figure(0; "vector"; "n window"; "n0 w0 + n w0 + n position");

# Pooled to the size in C1: every element of the input once; input and result once.
def adaptive_pool:
  . + {n: ((.dims[0][:-2] | product) * (values(1; 2; 1) | product))} | figure(0; "vector"; "n0"; "n0 w0 + n w0");
