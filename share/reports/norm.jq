# Normalisations, forward and backward, the longest first.
#: answers: which normalisations take the time
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

op_report("Normalisations"; ["NORM", "RMSNorm"]; op_table),
doubts
