# Matrix products: A (m, k) times the other operand (k, n), or (n, k) where the table says nk; b batches of them.
include "models_lib";

# 2mnk operations per batch (+ mn with a bias); A, B and the result once, all with A's element size (+ n with a bias).
# r: all rows of A
def gemm:
  .p as $p
  | (if $p.find then [.dims[] | select(length == 2)] else [.dims[$p.a, $p.b]] end) as $d
  | . + {b: (if $p.batch then $d[1][0] else 1 end), r: ($d[0][:-1] | product), k: $d[0][-1],
      n: $d[1][if $p.nk then -2 else -1 end], w: .width[$p.a // 0]}
  | figure($p.a // 0; "matrix"; "2 r k n" + if $p.bias then " + r n" else "" end;
      "r k w + b k n w + r n w" + if $p.bias then " + b n w" else "" end) + {params: {b, m: $d[0][-2], n, k}};
