# What is worth a look, the same in all reports that say so:
#
#     include "stake";
#     ... at_stake[:5]
include "sites";

def least: 1; # percent: what takes less is counted, not listed

# The timeline of all devices.
def pooled: map(select(.type == "timeline" and (has("device") or has("step") or has("span") | not)))[0] // {};

# What is at stake, the most first: [share of the time that it bears on, finding, kernel or pattern, where].
def at_stake:
  pooled as $t
  | [ ( if ($t.idle_share // 0) >= 10
        then [$t.idle_share, "idle: see report gaps (tl-overlap --gaps)", null, null] else empty end ),
      ( ($t.exposed_comm_us | share_of($t.busy_us)) as $share
        | if ($share // 0) >= least then [$share, "communication that nothing hides", null, null] else empty end ),
      ( ($t.exposed_memcpy_us | share_of($t.busy_us)) as $share
        | if ($share // 0) >= least then [$share, "copies that nothing hides", null, null] else empty end ),
      ( .[] | select(.type == "action" and .verdict == "headroom" and (.priority == "P1" or .priority == "P2"))
        | [.share, "runs exposed: \(.recommendation)", .name, .scope] ),
      ( .[] | select(.type == "fusion" and .confidence == "confirmed" and .share >= least)
        | [.share, "could be one kernel", .pattern, .scope] ) ]
  | to_entries | sort_by(-.value[0], .key) | map(.value);
