# What does one operation per element or few, the longest first: what TB/s it reaches says how well it runs.
#: answers: which operations per element take the time, and at what TB/s
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

op_report("Elementwise and reductions"; ["elementwise", "triton", "reduce", "softmax", "multi_tensor_apply", "copy", "index", "RoPE", "GroupQuant", "pooling"];
  op_table),
doubts
