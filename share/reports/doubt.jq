# What reports say about doubts, the same in all of them:
#
#     include "doubt";
#     ..., doubts, ...
#
# `doubts`: the blocks of the section DATA RELIABILITY, from the array that a report reads; nothing where
# tl-reliability found nothing, or has not run.

def warning_rank: {error: 0, warning: 1, info: 2}[.severity] // 3;

# What tl-reliability calls not reliable, as words.
def unreliable:
  [ if .idle_reliable == false then "idle and busy time" else empty end,
    if .attribution_reliable == false then "the attribution of GPU time to operators" else empty end,
    if .duration_reliable == false then "durations" else empty end ];

def doubts:
  (map(select(.type == "reliability"))[0] // {}) as $r
  | (map(select(.type == "warning")) | to_entries | sort_by((.value | warning_rank), .key) | map(.value)) as $warnings
  | ($r | unreliable) as $what
  | if ($what | length) == 0 and ($warnings | length) == 0 then empty
    else
      {h: "DATA RELIABILITY"},
      ( if ($what | length) > 0
        then "Not reliable in this trace: \($what | join(", "))\(if $r.reason then " (\($r.reason))" else "" end)."
          + (if $r.idle_reliable == false then " Idle and busy time are not shown." else "" end)
        else empty end ),
      ( if ($warnings | length) > 0
        then {columns: [{name: "severity"}, {name: "code"}, {name: "count", num: 0}, {name: "what it means", wrap: true}],
              rows: ($warnings | map([.severity, .code, .count, .message]))}
        else empty end )
    end;
