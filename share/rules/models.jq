# The perf models: what an operator's arguments say of the operations it does and the bytes it moves.
# README.md says how to add one. The table models_table.jq holds, for every model, its function and where its arguments stand.
#
# jq compiles a program in a time that grows with its length. So the families that nearly all traces need are here, each
# other family in a module that synth.jq sends its rows to ("modules" in models_table.jq).
include "models_table";
include "models_lib";
include "models_gemm";
include "models_elementwise";

def common_model:
  .p.f as $f
  | if $f == "gemm" then gemm
    elif $f == "unary" then unary
    elif $f == "binary" then binary
    elif $f == "reduction" then reduction
    elif $f == "fill" then fill
    elif $f == "arange" then arange
    else error("no such model") end;

def common_figures: figures_by(common_model);
