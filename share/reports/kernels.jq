# GPU time by kernel: what each does (share/rules/kernels.jq), how long, how much of it something else
# hides, and where it comes from. Needs tl-overlap or tl-sourcemap in the pipe; knows more with both.
#: answers: which kernels take the time, and which operator and line launched them
#: needs: tl-tree | tl-sourcemap | tl-overlap | tl-reliability
include "doubt";
include "sites";

def top: 40;

. as $all
| (map(select(.type == "trace"))[0] // {}) as $trace
| sites as $sites
| kernel_rows as $kernels
| ($kernels | map(.gpu_us) | add // 0) as $sum

| {h: "Kernels of \($trace.source // "-")"},
  ( $all | doubts ),
  ( if ($kernels | length) == 0
    then "No kernel is in the stream: tl-overlap or tl-sourcemap must come before, and the trace must hold GPU ops."
    else
      {h: "By class"},
      {columns: [{name: "class"}, {name: "kernels", num: 0}, {name: "launches", num: 0}, {name: "GPU ms", num: 3}, {name: "share %", num: 2}],
       rows: ($kernels | group_by(.class12)
         | map({class: .[0].class12, names: length, count: (map(.count) | add), us: (map(.gpu_us) | add)})
         | sort_by(-.us, .class) | map([.class, .names, .count, .us / 1000, (.us | share_of($sum))]))},
      {h: "By kernel"},
      {columns: [{name: "kernel"}, {name: "class"}, {name: "launches", num: 0}, {name: "GPU ms", num: 3}, {name: "share %", num: 2},
                 {name: "mean us", num: 3}, {name: "hidden %", num: 1}, {name: "location"}, {name: "operator"}],
       rows: ($kernels[:top] | map([.name, .class12, .count, .gpu_us / 1000, (.gpu_us | share_of($sum)),
         (if .count > 0 then .gpu_us / .count else null end), (.gpu_us as $us | .hidden_us | share_of($us)),
         ($sites[.name] | location), $sites[.name].launch_op]))},
      ( if ($kernels | length) > top
        then "\(($kernels | length) - top) more kernels take \(($kernels[top:] | map(.gpu_us) | add | share_of($sum) * 100 | round) / 100) % of the GPU time."
        else empty end )
    end )
