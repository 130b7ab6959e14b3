# Normalisations, forward and backward, the longest first.
include "op_tables";
include "doubt";

op_report("Normalisations"; ["NORM", "RMSNorm"]; op_table),
doubts
