# Attention, forward and backward, the longest first.
include "op_tables";
include "doubt";

op_report("Attention"; ["SDPA", "InferenceAttention"]; op_table),
doubts
