# Attention over sequences of several lengths. Names as in models_attention.jq.
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

# A server's batch: queries (T, h, d), keys (., g, d), values (., g, e). The annotation gives sums over its requests in
# the prefill (context) and in the decode (generation) phase, of their queries, keys, and products:
# "context_N(sq..sk..sqsq..sqsk..)_generation_M(sq..sk..sqsq..sqsk..)".
# h (2 qk - qq of the prefill + 2 qk of the decode) (d + e) operations; queries, their results and the new keys and
# values with the queries' size, the keys and values of the cache with the keys' size.
# Without the annotation only n sequences of one length are known: T = n longest; for a paged cache, whose size says
# nothing, a causal mask with q = k.
def attention_serving:
  . as $p | .dims[0] as $q | .dims[1] as $k
  | {h: $q[1], g: $k[1], d: $q[2], e: .dims[2][2]} as $size
  | [.annotation // "" | scan("sq([0-9]+)sk([0-9]+)sqsq([0-9]+)sqsk([0-9]+)")[] | tonumber] as $s
  | if ($s | length) == 8 then
      . + $size + {prefill: (2 * $s[3] - $s[2]), decode: $s[7], new: ($s[0] + $s[4]), cached: ($s[1] - $s[0] + $s[5] - $s[4])}
      | figure(0; "matrix"; "h prefill d + h prefill e + 2 h decode d + 2 h decode e";
          "new h d w0 + new h e w0 + new g d w0 + new g e w0 + cached g d w1 + cached g e w1") + {params: $size}
    else
      (.dims[3][0] - 1) as $n | value($p.max_q) as $mq | value($p.max_k) as $mk | causal as $causal
      | require(.rules != "reference" and $n > 0 and $q[0] == $n * $mq
          and if $p.paged then $causal != false and $mq == $mk else $k[0] == $n * $mk end)
      | ($n * $mk * attended($causal; $mq; $mk)) as $keys
      | attention_of($size + {rows: ($n * $mq), cols: ($n * $mk), keys: $keys, scores: ($keys * $mq)})
    end;
