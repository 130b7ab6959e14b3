# Attention over the batch of a server. Names as in models_attention.jq.
include "models_lib";
include "models_attention";

# A server's batch: queries (T, h, d), keys (., g, d), values (., g, e). The annotation gives sums over its requests in
# the prefill (context) and in the decode (generation) phase, of their queries, keys, and products:
# "context_N(sq..sk..sqsq..sqsk..)_generation_M(sq..sk..sqsq..sqsk..)".
# h (2 qk - qq of the prefill + 2 qk of the decode) (d + e) operations; queries, their results and the new keys and
# values with the queries' size, the keys and values of the cache with the keys' size.
# Without the annotation only n sequences of one length are known: T = n longest; for a paged cache, whose size says
# nothing, a causal mask with q = k.
def attention_serving:
  .dims[0] as $q | .dims[1] as $k
  | {h: $q[1], g: $k[1], d: $q[2], e: .dims[2][2]} as $size
  | [.annotation | strings | scan("sq([0-9]+)sk([0-9]+)sqsq([0-9]+)sqsk([0-9]+)")[] | tonumber] as $s
  | if ($s | length) == 8 then
      . + $size + {prefill: (2 * $s[3] - $s[2]), decode: $s[7], new: ($s[0] + $s[4]), cached: ($s[1] - $s[0] + $s[5] - $s[4])}
      | figure(0; "matrix"; "h prefill d + h prefill e + 2 h decode d + 2 h decode e";
          "new h d w0 + new h e w0 + new g d w0 + new g e w0 + cached g d w1 + cached g e w1") + {params: $size}
    else
      (.dims[3][0] - 1) as $n | value(.max_q) as $mq | value(.max_k) as $mk | causal as $causal
      | require(.rules != "reference" and $n > 0 and $q[0] == $n * $mq
          and if .paged then $causal != false and $mq == $mk else $k[0] == $n * $mk end)
      | ($n * $mk * attended($causal; $mq; $mk)) as $keys
      | attention_of($size + {rows: ($n * $mq), cols: ($n * $mk), keys: $keys, scores: ($keys * $mq)})
    end;
