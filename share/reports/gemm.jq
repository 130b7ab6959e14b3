# Matrix products, the longest first: how large they are, and how near their roof.
#: answers: which matrix products take the time, and how near are they to the roof
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

op_report("Matrix products"; ["GEMM", "GroupedGEMM", "MoE_fused", "MoE_unfused"];
  {columns: ([{name: "operator"}, {name: "b", num: 0}, {name: "m", num: 0}, {name: "n", num: 0}, {name: "k", num: 0}, {name: "type"}] + cost_columns),
   rows: map([.name, .params.b, .params.m, .params.n, .params.k, .precision] + cost)}),
doubts
