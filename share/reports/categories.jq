# GPU time by what the operators are.
#: answers: how is the GPU time spread over kinds of operators
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

(op_groups as $all
| if ($all | length) == 0 then no_rows
  else
    ($all | map(.gpu_us // 0) | add) as $total
    | {h: "Categories"},
      {columns: [{name: "category"}, {name: "operators", num: 0}, {name: "count", num: 0}, {name: "GPU us", num: 3}, {name: "share %", num: 1}, {name: "with figures %", num: 1}],
       rows: ($all | group_by(.category // "other")
         | map((map(.gpu_us // 0) | add) as $us
             | [.[0].category // "other", ([.[].name] | unique | length), (map(.count // 0) | add), $us, ($us | share_of($total)),
                (map(select(.gflops != null or .bytes != null) | .gpu_us // 0) | add // 0 | share_of($us))])
         | sort_by([-.[3], .[0]]))}
  end),
doubts
