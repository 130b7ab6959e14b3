# Mixtures of experts, and what else a language model needs: cross entropy, state spaces.
include "models_lib";

# t tokens of k elements sent to where their expert is, or back: no operations; every element once.
def moe_comm: . + {t: .dims[0][0], k: .dims[0][1]} | figure(0; "matrix"; "0"; "t k w0");

# The experts' products of one layer, or one half of it: t tokens with topk of e experts each; up takes k (hidden) to n
# (2n when gated), down n to k. 2tkn topk for down, the same or twice for up, + tk (2 topk - 1) for the sum where one
# kernel does both. Of the experts active = e (1 - ((e - topk) / e)^t) are expected to be read, kn each (2kn for a gated
# up); tokens: tk, or topk tn between the halves.
# p: x, the weights up (e, n or 2n, k) and down (e, k, n), y the result, topk its number, or routes: a tensor (t, topk).
def moe:
  . as $p | .dims[$p.up // 99] as $u | .dims[$p.down // 99] as $d | .dims[$p.y // 99] as $y | .dims[$p.routes // 99] as $routes
  | . + {e: ($u // $d)[0], k: (if $u then $u[2] else $d[1] end), up: bit($u), down: bit($d), w: .width[$p.x], wu: .width[$p.up // $p.down],
      n: (if $d then $d[2] elif $y then $y[-1] else $u[1] / ($p.ratio // 1) end),
      topk: (if $routes then $routes[1] else value($p.topk) end),
      t: (if $routes then $routes[0] elif $u then .dims[$p.x][0] else $y[0] end)}
  | require(.topk > 0 and .e >= .topk and ($u == null or .dims[$p.x][-1] == .k))
  | . + {gates: (.up * (1 + bit($u and $u[1] == 2 * .n))), both: (.up * .down), less: (0 - .up * .down), active: (.e * (1 - pow((.e - .topk) / .e; .t)))}
  | figure($p.x; "matrix"; "2 t k n topk gates + 2 t k n topk down + 2 both t k topk + less t k";
      "up t k w + down t k w + active k n wu gates + active k n wu down" + if .both == 0 then " + t n topk w" else "" end);

# a (., k), b (e, n, k), c (t, topk, n): 2 t topk n k; a and c once, the active experts' weights.
def moe_gemm:
  .dims[1] as $b | .dims[2] as $c
  | . + {k: $b[2], n: $b[1], active: ($b[0] * (1 - pow(($b[0] - $c[1]) / $b[0]; $c[0])))}
  | figure(0; "matrix"; "2 n2 k"; "n0 w0 + n2 w0 + active n k w1");

# logits (t, ., v): 5tv; the logits once, 8t of labels, 4t of losses.
def cross_entropy: . + {t: .dims[0][0], v: .dims[0][-1]} | figure(0; "vector"; "5 t v"; "n0 w0 + 12 t");

# x (b, c, l), w (c, k): 2bclk; x and the result once, w (+ c with a bias).
def causal_conv1d:
  . + {k: .dims[1][1], bias: bit(given(2)), c: .dims[1][0]} | figure(0; "vector"; "2 n0 k"; "2 n0 w0 + n1 w0 + bias c w0");

# x (b, t, row), convolution (cc, k), h heads (D3) of size p (C15: 64), chunk c (C6: 128), groups g (C16: 1),
# state n = (row - 2hp - h) / 2g: 2b cc tk + 2bgtcn + 2bhtcp + 4bhtnp; x, the convolution and its bias, the result,
# three vectors of h floats. Backward twice.
def mamba:
  . + {b: .dims[0][0], t: .dims[0][1], row: .dims[0][2], cc: .dims[1][0], h: .dims[3][0], s: (value(15) // 64), c: (value(6) // 128), g: (value(16) // 1),
    times: (1 + bit(.backward))}
  | . + {n: ((.row - 2 * .h * .s - .h) / (2 * .g))}
  | figure(0; "matrix"; "2 times b t n1 + 2 times b g t c n + 2 times b h t c s + 4 times b h t n s";
      "times n0 w0 + times n1 w0 + times cc w0 + times b t h s w0 + 12 times h");
