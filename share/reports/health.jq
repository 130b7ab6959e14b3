# What of a trace can be trusted, what not, why, and what to do when recording the next one.
# Reads what tl-reliability wrote; the remedies are those of share/rules/reliability.jq.
include "doubt";
include "reliability";

def verdict: if . == true then "yes" elif . == false then "no" else null end;
def percent: if . == null then null else "\((. * 10 | round) / 10) %" end;
def graphs: if (.graph_launches // 0) == 0 then "no graph launches"
  elif has("graph_launches_recorded")
  then "\(.graph_launches_recorded) of \(.graph_launches) graph launches have GPU ops in the file"
  else "\(.graph_launches) graph launches" end;

. as $all
| (map(select(.type == "trace"))[0] // {}) as $trace
| (map(select(.type == "reliability"))[0] // null) as $r
| (map(select(.type == "warning")) | sort_by(warning_rank)) as $warnings
| (map(select(.type == "timeline" and (has("device") or has("step") or has("span") | not)))[0] // {}) as $timeline

| {h: "Health of \($trace.source // "-")"},
  ( if $r == null then "tl-reliability has not run on this stream: nothing can be said about it."
    else
      {columns: [{name: "can it be trusted"}, {name: "verdict"}, {name: "evidence"}],
       rows: [
         ["idle and busy time", ($r.idle_reliable | verdict),
          ( if $timeline.idle_share != null then "\($timeline.idle_share | percent) idle" else $r | graphs end )],
         ["GPU time per operator", ($r.attribution_reliable | verdict),
          ( if $r.attributed_share == null then null else "\($r.attributed_share | percent) of the kernel time belongs to an operator" end )],
         ["durations", ($r.duration_reliable | verdict), null]]},
      ( $all | doubts ),
      ( ($warnings | map(. as $w | .code | explain | select(. != null) | [$w.code, .remedy])) as $remedies
        | if ($remedies | length) > 0
          then {h: "For the next trace"}, {columns: [{name: "code"}, {name: "what to do"}], rows: $remedies}
          else "Nothing was found that spoils this trace." end ),
      ( if ($r.untestable | length) > 0
        then "Not testable with what the stream holds: \($r.untestable | join(", "))." else empty end )
    end )
