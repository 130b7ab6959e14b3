# Normalisations, forward and backward, the longest first.
include "op_tables";
include "doubt";

op_report("NORMALISATIONS"; ["NORM", "RMSNorm"]; op_table),
doubts
