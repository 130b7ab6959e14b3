# What does one operation per element or few, the longest first: what TB/s it reaches says how well it runs.
include "op_tables";
include "doubt";

op_report("Elementwise and reductions"; ["elementwise", "triton", "reduce", "softmax", "multi_tensor_apply", "copy", "index", "RoPE", "GroupQuant", "pooling"];
  op_table),
doubts
