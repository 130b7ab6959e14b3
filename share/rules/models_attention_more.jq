# Attention over sequences of several lengths, or over the rows of an alignment. Names as in models_attention.jq.
include "models_lib";
include "models_attention";

# Queries, keys, values (T, heads, size) of n sequences. Of their lengths only the longest is known: one of that
# length, and n - 1 of the mean length of the rest, rounded down.
def attention_varlen:
  . as $p | .dims[$p.q] as $q | .dims[$p.q + 1] as $k | causal as $causal
  | (.dims[$p.cu_q][0] - 1) as $n | value($p.max_q) as $mq | value($p.max_k) as $mk
  | require($n == .dims[$p.cu_k][0] - 1 and $n > 0 and $q[2] == $k[2])
  | ([$n - 1, 1] | max) as $rest | (($q[0] - $mq) / $rest | floor) as $rq | (($k[0] - $mk) / $rest | floor) as $rk
  | ($mk * attended($causal; $mq; $mk)) as $keys
  | (if $n == 1 then 0 else ($n - 1) * $rk * attended($causal; $rq; $rk) end) as $rkeys
  | attention_of({h: $q[1], g: $k[1], d: $q[2], e: .dims[$p.q + 2][2], rows: $q[0], cols: $k[0],
      keys: ($keys + $rkeys), scores: ($keys * $mq + $rkeys * $rq)});

# (B, S, R, heads, size): B S sequences of length R.
def attention_evoformer:
  .dims[0] as $q | ($q[0] * $q[1] * $q[2]) as $rows
  | attention_of({h: $q[3], g: $q[3], d: $q[4], e: $q[4], rows: $rows, cols: $rows, keys: $rows, scores: ($rows * $q[2])});
