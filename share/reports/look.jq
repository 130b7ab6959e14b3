# The first look at a trace: what it is, whether it can be trusted, where the time goes, what to look at
# first, and which report goes on from there.
#: answers: what is this trace, can it be trusted, and what should I look at first
#: needs: tl-tree | tl-synth | tl-sourcemap | tl-overlap | tl-reliability
include "figures";
include "device";
include "doubt";
include "sites";
include "stake";

# What the trace is, in one sentence.
def identity($trace; $last; $devices):
  [ if $trace.rank != null then "rank \($trace.rank)" else empty end,
    ($trace.format // empty),
    if $last == null then "the stream was cut" else plural($last.events; "event"), plural($last.gpu_ops // 0; "GPU op") end,
    if $devices > 1 then plural($devices; "device") else empty end,
    if $last.ts_first != null and $last.ts_last != null then "\((($last.ts_last - $last.ts_first) | round) / 1000) ms from the first event to the end of the last" else empty end,
    if ($last.skipped // 0) > 0 then "\($last.skipped) skipped as damaged" else empty end ]
  | join(", ") + ".";

def shares:
  {columns: [{name: "device"}, {name: "window ms", num: 3}, {name: "busy %", num: 1}, {name: "idle %", num: 1}, {name: "computing %", num: 1},
             {name: "exposed comm %", num: 1}, {name: "exposed copies %", num: 1}],
   rows: map(.window_us as $w | [device, (.window_us | ms), (.busy_us | share_of($w)), (.idle_us | share_of($w)), (.compute_us | share_of($w)),
     (.exposed_comm_us | share_of($w)), (.exposed_memcpy_us | share_of($w))])};

def by_category($all):
  {columns: [{name: "category"}, {name: "GPU ms", num: 3}, {name: "share %", num: 1}],
   rows: (group_by(.category) | map({category: .[0].category, us: total(.gpu_us)}) | sort_by(-.us, .category)
     | .[:8] | map([.category, (.us | ms), (.us | share_of($all))]))};

def by_kernel($all; $sites):
  {columns: [{name: "kernel"}, {name: "launches", num: 0}, {name: "GPU ms", num: 3}, {name: "share %", num: 1}, {name: "location"}],
   rows: (.[:5] | map([.name, .count, (.gpu_us | ms), (.gpu_us | share_of($all)), ($sites[.name] | location)]))};

. as $all
| (records("trace")[0] // {}) as $trace
| (records("end")[0] // null) as $last
| (records("timeline") | map(select(has("step") or has("span") | not))) as $timelines
| ($timelines | map(select(has("device")))) as $devices
| records("op_group") as $groups
| records("kernel_total") as $kernels
| sites as $sites
| at_stake[:5] as $first

| {h: "First look at \($trace.source // "-")"},
  identity($trace; $last; $devices | length),
  ( $all | doubts ),
  ( if ($kernels | length) == 0 then "The trace holds no GPU op: there is no GPU time to look at."
    else
      {h: "Where the time goes"},
      ( if ($devices | length) > 0 then ($devices | shares) else "Busy and idle time are not known: tl-overlap has not run." end ),
      ( if ($groups | length) > 0 then ($groups | total(.gpu_us)) as $sum | $groups | by_category($sum) else empty end ),
      ( ($kernels | total(.gpu_us)) as $sum | $kernels | by_kernel($sum; $sites) ),
      {h: "What to look at first"},
      ( if ($first | length) == 0 then "Nothing stands out: no long idle time, no exposed communication or copies, no kernel worth a second look."
        else {columns: [{name: "bears on %", num: 1}, {name: "finding", wrap: true}, {name: "kernel or pattern"}, {name: "where"}], rows: $first} end ),
      "To go on: `tl report -r triage` (what to do, kernel by kernel), `-r gaps` (why the GPU waits), `-r timeline` (exposed and hidden, by step), `-r ops` (operators and shapes); `tl-render --list` has all reports."
    end )
