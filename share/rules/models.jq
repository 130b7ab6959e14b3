# The perf models: what an operator's arguments say of the operations it does and the bytes it moves.
# README.md says how to add one. The table models_table.jq holds, for every model, its function and where its arguments stand.
#
# jq compiles a program in a time that grows with its length. So the families that most traces need are here, the others
# in models_more.jq, for rows that synth.jq sends on to synth_more.jq.
include "models_table";
include "models_lib";
include "models_gemm";
include "models_attention";
include "models_elementwise";
include "models_norm";

def common_model:
  .p.f as $f
  | if $f == "unary" then unary
    elif $f == "binary" then binary
    elif $f == "gemm" then gemm
    elif $f == "reduction" then reduction
    elif $f == "norm" then norm
    elif $f == "attention" then attention
    elif $f == "move" then move
    elif $f == "fill" then fill
    else error("no such model") end;

def common_figures: figures_by(common_model);
