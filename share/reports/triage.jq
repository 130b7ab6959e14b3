# Where to look first: which kernels take the time and where they come from, by stage; what runs
# exposed and could overlap; what is hidden already; what could be one kernel. Needs tl-sourcemap and
# tl-overlap in the pipe.
#: answers: what should I look at first, and why
#: needs: tl-tree | tl-sourcemap | tl-overlap | tl-reliability
include "figures";
include "device";
include "doubt";
include "sites";
include "stake";

def percent: if . == null then null else 100 * . end;
def rounded($digits): if . == null then null else . * pow(10; $digits) | round / pow(10; $digits) end;
def stage_rank: {extend: 0, prefill: 0, mixed: 1, decode: 2}[.] // (if . == "all" then 4 else 3 end);

def kernel_table($stage; $sites):
  kernel_rows($stage) as $rows
  | ($rows | map(.gpu_us) | add // 0) as $sum
  | ($rows | map(select((.gpu_us | share_of($sum)) >= least))) as $long
  | {columns: [{name: "kernel"}, {name: "class"}, {name: "GPU ms", num: 3}, {name: "share %", num: 1}, {name: "launches", num: 0},
               {name: "location"}, {name: "operator"}],
     rows: ($long | map([.name, .class12, (.gpu_us | ms), (.gpu_us | share_of($sum)), .count,
       ($sites[.name] | location), $sites[.name].launch_op]))},
    ( if ($rows | length) > ($long | length)
      then "\(($rows | length) - ($long | length)) more kernels take under \(least) % each, \(($sum - ($long | map(.gpu_us) | add // 0)) | rounded(1)) us together."
      else empty end );

# The device stands in a row only where there are several.
def action_table($rows; $devices):
  ($devices > 1) as $several
  | {columns: ([{name: "priority"}] + (if $several then [{name: "device"}] else [] end)
       + [{name: "kernel"}, {name: "stage"}, {name: "location"}, {name: "GPU us", num: 1}, {name: "share %", num: 1},
          {name: "exposed %", num: 1}, {name: "hidden %", num: 1}, {name: "dependency", wrap: true}, {name: "what to do", wrap: true}]),
     rows: ($rows | map([.priority] + (if $several then [device] else [] end)
       + [.name, .stage, .scope, .gpu_us, .share, (.exclusive_ratio | percent), (.hidden_ratio | percent), .dependency,
          ([.recommendation, .suggestion] | map(select(. != null)) | join(": "))]))};

. as $all
| (map(select(.type == "trace"))[0] // {}) as $trace
| sites as $sites
| map(select(.type == "kernel_group")) as $groups
| ([$groups[] | device] | unique | length) as $devices
| map(select(.type == "action")) as $actions
| map(select(.type == "fusion")) as $fusions
| ([$groups[].stage] | unique | sort_by(stage_rank, .)) as $stages

| {h: "Triage of \($trace.source // "-")"},
  ( $all | doubts ),
  ( if ($groups | length) == 0
    then "No kernel group is in the stream: tl-overlap must come before, and the trace must hold GPU ops."
    else

      {h: "Where to look first"},
      ( ($all | at_stake)[:5] as $first
        | if ($first | length) == 0 then "Nothing stands out: no long idle time, no exposed communication or copies, no kernel worth a second look."
          else {columns: [{name: "bears on %", num: 1}, {name: "finding", wrap: true}, {name: "kernel or pattern"}, {name: "where"}], rows: $first} end ),

      ( $stages[] as $stage
        | {h: (if ($stages | length) > 1 or $stage != "all" then "Kernels of stage \($stage)" else "Kernels" end)},
          ($all | kernel_table($stage; $sites)) ),
      ( if ($sites | length) == 0 then "Locations and operators are not known: tl-sourcemap has not run."
        elif any($sites[]; .scope == null and (.graph // 0) > 0)
        then "`graph`: a graph replay launched the kernel, its place is not in this trace; tl-sourcemap --map takes it from the capture or from an eager run."
        else empty end ),

      {h: "Overlap opportunities"},
      ( ($actions | map(select(.verdict == "headroom"))) as $rows
        | if ($rows | length) == 0 then "No kernel that takes over \(least) % of the busy time runs mostly exposed."
          else action_table($rows; $devices) end ),

      {h: "Already hidden"},
      ( ($actions | map(select(.verdict == "low-roi-hidden"))) as $rows
        | if ($rows | length) == 0 then "No small kernel is mostly hidden by others."
          else action_table($rows; $devices) end ),

      {h: "Fusion candidates"},
      ( if ($fusions | length) == 0 then "No known pattern matches."
        else
          {columns: [{name: "pattern"}, {name: "confidence"}, {name: "GPU us", num: 1}, {name: "share %", num: 1}, {name: "kernels"},
                     {name: "location"}, {name: "why", wrap: true}, {name: "as in"}],
           rows: ($fusions | map([.pattern, .confidence, .gpu_us, .share, (.names | join("; ")), .scope, .rationale, .origin]))} end )
    end )
