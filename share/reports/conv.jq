# Convolutions, forward and backward, the longest first.
include "op_tables";
include "doubt";

op_report("Convolutions"; ["CONV"]; op_table),
doubts
