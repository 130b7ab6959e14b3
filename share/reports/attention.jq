# Attention, forward and backward, the longest first.
#: answers: which attention takes the time, and how near is it to the roof
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

op_report("Attention"; ["SDPA", "InferenceAttention"]; op_table),
doubts
