# Why the GPU waits: the longest idle gaps of each device, what stands before and after them, and
# whether the host launched too late or the device had the work already. Needs tl-overlap --gaps N.
#: answers: why does the GPU wait
#: needs: tl-tree | tl-overlap --gaps 20 | tl-reliability
include "figures";
include "device";
include "doubt";

def share($of): if . == null or ($of // 0) <= 0 then null else 100 * . / $of end;
def causes: {host: "the host was late: the next launch began after the gap did",
  device: "the device waited: the next op was launched before the gap began",
  both: "the next launch was under way when the gap began"};
def cause: if .cause == null then "not known: no launch of the next op is in the trace" else causes[.cause] end;

. as $all
| (records("trace")[0] // {}) as $trace
| records("gap") as $gaps
| (records("timeline") | map(select(has("device") and (has("step") or has("span") | not)))) as $timelines
| ($timelines | map({key: device, value: .idle_us}) | from_entries) as $idle
| (if ($gaps | length) > 0 then $gaps | map(device) | unique else [] end) as $devices

| {h: "Idle gaps of \($trace.source // "-")"},
  ( $all | doubts ),
  ( if ($timelines | length) == 0
    then "No timeline is in the stream: tl-overlap must come before, and the trace must hold GPU ops."
    elif ($gaps | length) == 0
    then
      ( if all($timelines[]; .idle_us == 0) then "No device is ever idle between its first and its last GPU op."
        else "No gap is in the stream: tl-overlap --gaps N writes the N longest of each device." end )
    else
      {columns: [{name: "device"}, {name: "idle us", num: 3}, {name: "in these gaps us", num: 3}, {name: "% of idle", num: 1}],
       rows: ($devices | map(. as $d | ($gaps | map(select(device == $d) | .dur) | add) as $sum
         | [$d, $idle[$d], $sum, ($sum | share($idle[$d]))]))},

      {h: "Causes"},
      {columns: [{name: "cause"}, {name: "gaps", num: 0}, {name: "us", num: 3}, {name: "what it means", wrap: true}],
       rows: ($gaps | group_by(.cause) | map([.[0].cause // "unknown", length, (map(.dur) | add), (.[0] | cause)]) | sort_by(-.[2], .[0]))},

      {h: "The longest gaps"},
      {columns: [{name: "device"}, {name: "begins at us", num: 3}, {name: "gap us", num: 3}, {name: "cause"}, {name: "after"}, {name: "before"}],
       rows: ($gaps | map([device, .ts, .dur, (.cause // "unknown"), .before_name, .after_name]))}
    end )
