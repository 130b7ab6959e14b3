# Convolutions, forward and backward, the longest first.
#: answers: which convolutions take the time
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

op_report("Convolutions"; ["CONV"]; op_table),
doubts
