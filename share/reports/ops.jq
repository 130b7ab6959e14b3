# Every operator and shape that launched GPU work, the longest first.
#: answers: which operators and shapes take the GPU time
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

op_report("Operators"; [""];
  {columns: ([{name: "operator"}, {name: "category"}, {name: "kind"}, {name: "shapes"}] + cost_columns), rows: map([.name, .category, .kind, shape] + cost)}),
doubts
