# Matrix products: A (m, k) times the other operand (k, n), or (n, k) where the table says nk; b batches of them.
include "models_lib";

# 2mnk operations per batch (+ mn with a bias); A, B and the result once, all with A's element size (+ n with a bias).
# r: all rows of A
def gemm:
  .dims[.a] as $x | .dims[.b] as $y
  | . + {b: (if .batch then $y[0] else 1 end), r: ($x[:-1] | product), k: $x[-1], n: $y[if .nk then -2 else -1 end], w: .width[.a]}
  | figure(.a; "matrix"; "2 r k n + bias r n"; "r k w + b k n w + r n w + bias b n w") + {params: {b, m: $x[-2], n, k}};
