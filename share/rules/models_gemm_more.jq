# Matrix products of operands of a byte or less, Transformer Engine's, and groups of products.
include "models_lib";
include "models_gemm";

# The first two matrices among the arguments.
def gemm_found: . + {a: 0, b: 1} | .dims |= [.[] | select(length == 2)] | gemm;

# The same where A and B may have one byte per element or less, the result two then. packa, packb: that many elements of
# k in a recorded one. transa, transb: where the arguments say that an operand is transposed.
def gemm_quantized:
  def set($at): value($at) | . == true or . == 1;
  . as $p | .dims[$p.a] as $x | .dims[$p.b] as $y
  | (if set($p.transa) then [$x[1], $x[0]] else $x end) as $a
  | (if $p.nk or set($p.transb) then [$y[-1], $y[-2]] else $y[-2:] end) as $b
  | . + {r: ($a[:-1] | product), k: ($a[-1] * ($p.packa // 1)), n: $b[1], x: ($x | product), wx: .width[$p.a], y: ($y | product), wy: .width[$p.b],
      bias: bit($p.bias_if == (.dims | length))}
  | require(.k == $b[0] * ($p.packb // 1) and ($p.same == null or .wx == .wy))
  | . + {o: ($p.out // if .wx == 1 then 2 else .wx end)}
  | figure($p.a; "matrix"; "2 r k n + bias r n"; "x wx + y wy + r n o") + {params: {m: $a[-2], n, k}};

# Transformer Engine: A is argument 0, B 5, the result 10; whether they are transposed 4 and 9; the bias 14, its type 18.
# 2mnk (+ mn with a bias); A, B and the result once, each with its size (+ n of the bias)
def gemm_te:
  bit(.args[4] == "1") as $t
  | . + {m: .dims[0][1 - $t], k: .dims[0][$t], n: .dims[5][bit(.args[9] == "1")], bias: bit(.args[14] // "" | . != "")}
  | figure(0; "matrix"; "2 m n k + bias m n"; "m k w0 + k n w5 + m n w10" + if .bias == 1 then " + n w18" else "" end)
    + {params: {m, n, k}};

# Groups of products, as two tensors, or as two lists of them.
# X (m, k), weights (g, k, n) or (g, n, k): 2mkn; X and the weights once, and the result (two bytes where X has one).
# outer, the gradient of the weights: (m, k), (m, n): 2mkn; both once, and the result (k, n).
# Backward: the flops twice, every operand twice.
def gemm_grouped:
  . as $p
  | . + ([[.dims[0, 1] | if .[0] | type == "array" then . else [.] end] | transpose[] | .[0] as $x | .[1] as $y
      | (if $p.outer then $y[1] elif $y[-2] == $x[1] then $y[-1] elif $y[-1] == $x[1] then $y[-2] else error("no common k") end) as $n
      | {products: ($x[0] * $x[1] * $n), in: ($x[0] * $x[1] + ($y | product)), out: ($n * $x[bit($p.outer)])}]
    | {products: (map(.products) | add), in: (map(.in) | add), out: (map(.out) | add)})
  | . + {o: (if .width[0] == 1 and ($p.backward | not) then 2 else .width[0] end), times: (1 + bit($p.backward))}
  | figure(0; "matrix"; "2 products times"; "in w0 times + out o times");
