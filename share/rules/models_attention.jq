# Attention. h query heads, g heads of keys and values, sequences of q queries and k keys, head sizes d and e (values).
include "models_lib";

# Share of the q x k scores that a causal mask leaves, as areas: one half where the lengths are equal. Else the mask's
# diagonal starts at the top left (aten), or ends at the bottom right (flash_attn, aiter). The reference knows only
# equal lengths.
def attended($causal; q; k):
  if $causal | not then 1
  elif q == k then 0.5
  elif .rules == "reference" then error("causal with two lengths")
  else ([q, k] | min / max / 2) | if (q < k) == ($causal == "top_left") then . else 1 - . end
  end;

def causal: if value(.causal) == true or .causal_default and .args[.causal] == null then .from // "bottom_right" else false end;

# What every attention does. $size: h, g, d, e; rows, cols = queries and keys in all; scores, keys = the sums over the
# sequences of share q k and of share k.
# Forward: 2hqk (d + e) operations; backward: 2hqk (2d + 2e, + d where flash computes the scores anew), + k (d + e) for
# each further query head that shares keys; times the share that is attended.
# Forward: queries, keys, values and the result once; backward: these and the result's gradient read, three gradients
# written. The reference takes two bytes per element in the forward pass, whatever the type.
def attention_of($size):
  (.q // 0) as $q
  | . + $size + {wq: .width[$q], wk: .width[$q + 1], wv: .width[$q + 2]}
  | if .backward
    then . + {again: bit(.flash), shared: (.h / .g | floor - 1)}
      | figure($q; "matrix"; "4 h scores d + 4 h scores e + 2 again h scores d + shared keys d + shared keys e";
          "2 rows h d wq + 2 cols g d wq + 2 cols g e wq + rows h e wq")
    else (if .rules == "reference" then . + {wq: 2, wk: 2, wv: 2} else . end)
      | figure($q; "matrix"; "2 h scores d + 2 h scores e"; "rows h d wq + cols g d wk + cols g e wv + rows h e wq") end
  | . + {params: $size};

# Queries, keys, values from argument q on: (B, heads, N, size) where seq is 2, (B, N, heads, size) where it is 1.
def attention:
  .seq as $n | .dims[.q] as $q | .dims[.q + 1] as $k | .dims[.q + 2] as $v
  | require([$q[0, 3], ($q | length)] == [$k[0, 3], 4] and $k[:3] == $v[:3])
  | ($k[0] * $k[$n] * attended(causal; $q[$n]; $k[$n])) as $keys
  | attention_of({h: $q[3 - $n], g: $k[3 - $n], d: $q[3], e: $v[3], rows: ($q[0] * $q[$n]), cols: ($k[0] * $k[$n]),
      keys: $keys, scores: ($keys * $q[$n])});
