# The report that tl-render writes unless told otherwise: what the trace is, whether its figures can
# be trusted, where the GPU time went. See README.md in this folder for what a report reads and gives.
#: answers: what is this trace, can it be trusted, and where did the GPU time go
#: needs: tl-tree | tl-synth | tl-overlap | tl-reliability

include "figures";
include "device";
include "doubt";

def top: 15;
def percent($all): if . == null or ($all // 0) <= 0 then null else 100 * . / $all end;
def table($columns; $rows): {columns: $columns, rows: $rows};
def text($name): {name: $name};
# What tl-extract took for neither host nor GPU work.
def unknown_work:
  (.other_cats | if type == "array" then map(objects | "\(.cat // "none") (\(.count))") else [] end)
  | if length == 0 then "" else " Categories of its other spans: \(.[:8] | join(", "))." end;
def figure($name; $digits): {name: $name, num: $digits};

. as $all
| (records("trace")[0] // {}) as $trace
| (records("end")[0] // null) as $last
| records("kernel_total") as $kernels
| records("op_group") as $groups
| (if ($kernels | length) > 0 then $kernels else $groups end | total(.gpu_us)) as $gpu_us
| ($kernels | total(.count)) as $counted
| (records("coverage")[0] // null) as $coverage
| records("timeline") as $timelines
| ($timelines | map(select(has("step") or has("span") | not))) as $timeline
| (if $counted > 0 then $counted else $last.gpu_ops // 0 end) as $gpu_ops

| {h: "Trace \($trace.source // "-")"},
  table([text("what"), text("value")];
    [ if $trace.rank != null then ["rank", "\($trace.rank)"] else empty end,
      ["format", $trace.format],
      ( if $last == null then ["span", "not known: the stream was cut"]
        elif $last.ts_first == null or $last.ts_last == null then ["span", null]
        else ["span", "\((($last.ts_last - $last.ts_first) | round) / 1000) ms"] end ),
      ["events", if $last == null then null else "\($last.events)" end],
      ["GPU ops", "\($gpu_ops)"],
      if $gpu_us > 0 then ["GPU time", "\(($gpu_us | round) / 1000) ms, summed over all streams"] else empty end,
      ( if $last == null then empty
        else ["damage",
              ( [ ($last.faults // [] | .[] | "\(.count) \(.code), first at byte \(.offset)"),
                  (if ($last.skipped // 0) > 0 then "\($last.skipped) skipped" else empty end),
                  (if ($last.repaired // 0) > 0 then "\($last.repaired) repaired" else empty end) ]
                | if length == 0 then "none" else join("; ") end )] end )
    ]),

  ( $all | doubts ),

  ( if $gpu_ops == 0 then "The trace holds no GPU op: there is no GPU time to report.\($last | unknown_work)"
    else
      ( if ($timeline | length) > 0
        then {h: "GPU timeline"},
          table([text("device"), figure("window ms"; 3), figure("busy ms"; 3), figure("idle ms"; 3), figure("idle %"; 2),
                 figure("compute ms"; 3), figure("comm ms"; 3), figure("exposed comm ms"; 3), figure("exposed memcpy ms"; 3)];
            $timeline | map([
              device,
              (.window_us | ms), (.busy_us | ms), (.idle_us | ms),
              .idle_share,
              (.compute_us | ms), (.comm_us | ms), (.exposed_comm_us | ms), (.exposed_memcpy_us | ms)]))
        else empty end ),

      {h: "GPU time by category"},
      ( if ($groups | length) > 0
        then ($groups | total(.gpu_us)) as $sum
          | table([text("category"), figure("rows"; 0), figure("GPU ms"; 3), figure("share %"; 2)];
              $groups | group_by(.category)
              | map({category: .[0].category, count: total(.count), us: total(.gpu_us)})
              | sort_by(-.us, .category)
              | map([.category, .count, (.us | ms), (.us | percent($sum))]))
        elif $counted == 0 then "Not known: the stream holds neither events nor rows of operators."
        else
          "By kind of GPU op, since the stream holds no rows of operators: tl-tree | tl-synth make them.",
          table([text("kind"), figure("GPU ops"; 0), figure("GPU ms"; 3), figure("share %"; 2)];
            $kernels | group_by(.cat)
            | map({cat: .[0].cat, count: total(.count), us: total(.gpu_us)})
            | sort_by(-.us, .cat)
            | map([.cat, .count, (.us | ms), (.us | percent($gpu_us))]))
        end ),

      ( if ($groups | length) > 0
        then ($groups | total(.gpu_us)) as $sum
          | {h: "Top operators"},
          table([text("operator"), text("category"), figure("count"; 0), figure("GPU ms"; 3), figure("share %"; 2), figure("kernels"; 0)];
            $groups | group_by([.name, .category])
            | map({name: .[0].name, category: .[0].category, count: total(.count), us: total(.gpu_us),
                   kernels: (if all(.[]; has("gpu_ops")) then total(.gpu_ops) else null end)})
            | sort_by(-.us, .name) | .[:top]
            | map([.name, .category, .count, (.us | ms), (.us | percent($sum)), .kernels]))
        else empty end ),

      {h: "Top kernels"},
      if $counted == 0 then "The stream holds neither events nor rows: kernels are not known by name." else
      table([text("kernel"), figure("count"; 0), figure("GPU ms"; 3), figure("share %"; 2), figure("mean us"; 3)];
        $kernels[:top] | map([.name, .count, (.gpu_us | ms), (.gpu_us | percent($gpu_us)), (.gpu_us / .count)]))
      end,

      ( if $coverage != null and ($coverage.gpu_ops // 0) > 0
        then {h: "Coverage"},
          "\($coverage.owned) of \(plural($coverage.gpu_ops; "GPU op")) belong to a row, \($coverage.orphans // 0) of them to a row without an operator"
          + "; \($coverage.unlaunched // 0) have no launch in the trace"
          + (if ($coverage.comm_left_out // 0) > 0 then "; \($coverage.comm_left_out) of communication were left out" else "" end)
          + "."
        else empty end )
    end )
