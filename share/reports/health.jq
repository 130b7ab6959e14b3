# What of a trace can be trusted, what not, why, and what to do when recording the next one.
# Reads what tl-reliability wrote; the remedies are those of share/rules/reliability.jq.
#: answers: what can this trace not tell, why, and how is it recorded better
#: needs: tl-tree | tl-overlap | tl-reliability
include "doubt";
include "reliability";

def verdict: if . == true then "yes" elif . == false then "no" else null end;
def percent: if . == null then null else "\((. * 10 | round) / 10) %" end;
# The codes of warnings that bear on a figure, worst first.
def because($affected): map(select(.severity != "info" and (.affects | index($affected))).code) | join(", ");
def evidence($flag; $because; $figure): if $flag == false and $because != "" then $because else $figure end;

. as $all
| (map(select(.type == "trace"))[0] // {}) as $trace
| (map(select(.type == "reliability"))[0] // null) as $r
| (map(select(.type == "warning")) | sort_by(warning_rank)) as $warnings
| (map(select(.type == "timeline" and (has("device") or has("step") or has("span") | not)))[0] // {}) as $timeline

| {h: "Health of \($trace.source // "-")"},
  ( if $r == null then "tl-reliability has not run on this stream: nothing can be said about it."
    else
      {columns: [{name: "can it be trusted"}, {name: "verdict"}, {name: "evidence", wrap: true}],
       rows: [
         ["idle and busy time", ($r.idle_reliable | verdict),
          evidence($r.idle_reliable; $warnings | because("idle");
            if $timeline.idle_share == null then null else "\($timeline.idle_share | percent) idle" end)],
         ["GPU time per operator", ($r.attribution_reliable | verdict),
          ( if $r.attributed_share == null then evidence($r.attribution_reliable; $warnings | because("attribution"); null)
            else "\($r.attributed_share | percent) of the kernel time belongs to an operator" end )],
         ["durations", ($r.duration_reliable | verdict), evidence($r.duration_reliable; $warnings | because("duration"); null)],
         ( if ($r.graph_launches // 0) > 0 and ($r | has("graph_launches_recorded"))
           then ["graph replays", null, "\($r.graph_launches_recorded) of \($r.graph_launches) launches have GPU ops in the file"]
           else empty end )]},
      ( $all | doubts ),
      ( ($warnings | map(. as $w | .code | explain | select(. != null) | "- \($w.code): \(.remedy)")) as $remedies
        | if ($remedies | length) > 0
          then {h: "For the next trace"}, ($remedies | join("\n"))
          else "Nothing was found that spoils this trace." end ),
      ( if ($r.untestable | length) > 0
        then "Not testable with what the stream holds: \($r.untestable | join(", "))." else empty end )
    end )
