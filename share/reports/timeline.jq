# Where each device's time went: busy and idle, computation, and what of communication and copies lies
# beside none; by step or span, stage and stream, as far as tl-overlap was asked for these.
#: answers: how busy is each device, and how much communication and copying is exposed
#: needs: tl-tree | tl-overlap --by-step | tl-reliability
include "figures";
include "device";
include "doubt";

def part: if has("step") then "step \(.step)" else .span end;
def hidden($all; $exposed): if ($all // 0) <= 0 or $exposed == null then null else 100 * ($all - $exposed) / $all end;
def text($name): {name: $name};
def figure($name; $digits): {name: $name, num: $digits};

def columns: [text("device"), figure("window us"; 3), figure("busy us"; 3), figure("idle us"; 3), figure("idle %"; 1),
  figure("compute us"; 3), figure("exposed comm us"; 3), figure("exposed memcpy us"; 3)];
def row: [device, .window_us, .busy_us, .idle_us, .idle_share, .compute_us, .exposed_comm_us, .exposed_memcpy_us];

# A bin's busy share as a block of that height.
def block: (["·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"])[if . <= 0 then 0 else [8, (. * 8 | ceil)] | min end];

. as $all
| (records("trace")[0] // {}) as $trace
| records("timeline") as $timelines
| ($timelines | map(select(has("step") or has("span") | not))) as $whole
| ($timelines | map(select(has("step") or has("span")))) as $parts
| ($whole | map(select(has("device"))) | length) as $devices
| records("overlap") as $stages
| records("launch") as $launches
| records("lane") as $lanes

| {h: "Timeline of \($trace.source // "-")"},
  ( $all | doubts ),
  ( if ($whole | length) == 0
    then "No timeline is in the stream: tl-overlap must come before, and the trace must hold GPU ops."
    else
      {columns: columns, rows: ($whole | map(select($devices > 1 or has("device")) | row))},
      "The window runs from the first start to the last end of a device's GPU ops; compute, exposed communication, exposed copies and idle add up to it."
      + (if $devices > 1 then " In the row of all devices, busy is when any of them is, and exposed what any of them has exposed." else "" end),
      ( ($whole | map(.clipped // 0) | max) as $clipped
        | if $clipped > 0 then "\($clipped) impossible durations were cut at the next start on their stream (--clip)." else empty end ),

      {h: "What runs beside what"},
      {columns: [text("device"), figure("sum us"; 3), figure("comm us"; 3), figure("hidden comm %"; 1), figure("memcpy us"; 3), figure("hidden memcpy %"; 1),
                 figure("overlap on one stream us"; 3), figure("streams"; 0), figure("at once"; 0)],
       rows: ($whole | map(select($devices > 1 or has("device"))
         | [device, .gpu_us, .comm_us, (hidden(.comm_us; .exposed_comm_us)), .memcpy_us, (hidden(.memcpy_us; .exposed_memcpy_us)), .same_stream_overlap_us, .streams, .max_streams]))},

      ( if ($parts | length) > 0
        then {h: (if any($parts[]; has("step")) then "Steps" else "Spans" end)},
          {columns: ([text("step or span")] + columns),
           rows: ($parts | map(select($devices > 1 or has("device")) | [part] + row))}
        else empty end ),

      ( if ($stages | map(.stage) | unique | length) > 1
        then {h: "Stages"},
          {columns: [text("device"), text("stage"), figure("busy us"; 3), figure("with two or more streams us"; 3), figure("at once"; 0)],
           rows: ($stages | map([device, .stage, .busy_us, .overlap_us, .max_streams]))}
        else empty end ),

      ( if ($launches | length) > 0
        then {h: "Launches"},
          {columns: [text("device"), figure("launched ops"; 0), figure("latency median us"; 3), figure("latency p95 us"; 3), figure("queue median us"; 3),
                     figure("short ops"; 0), figure("short us"; 3), figure("saving at most us"; 3)],
           rows: ($launches | map(select($devices > 1 or has("device"))
             | [device, .launches, .latency_us_median, .latency_us_p95, .queue_us_median, .short, .short_us, .short_saving_us]))},
          "Latency is from the start of the launch to the start of the op, queue from when launch and stream were ready. What fusing short ops could save is an upper bound: all gaps between consecutive ones."
        else empty end ),

      ( if ($lanes | length) > 0
        then {h: "Streams"},
          {columns: [text("device"), text("stream"), text("busy")],
           rows: ($lanes | map([device, (if .stream == null then "tid \(.tid)" else "\(.stream)" end), (.bins | map(block) | add)]))}
        else empty end )
    end )
