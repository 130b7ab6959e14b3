# Mixtures of experts, grouped products, state spaces, RMS norms of PyTorch: synth.jq for rows with such models.
include "models_lib";
include "models_moe";
include "models_gemm_more";
include "models_norm_more";

def moe_models:
  .f as $f
  | if $f == "moe" then moe
    elif $f == "moe_gemm" then moe_gemm
    elif $f == "moe_comm" then moe_comm
    elif $f == "gemm_grouped" then gemm_grouped
    elif $f == "gemm_te" then gemm_te
    elif $f == "cross_entropy" then cross_entropy
    elif $f == "causal_conv1d" then causal_conv1d
    elif $f == "mamba" then mamba
    elif $f == "rms_norm_fused" then rms_norm_fused
    elif $f == "rms_norm_backward" then rms_norm_backward
    else error("no such model") end;

def default_figures: figures_by(moe_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): {category, model} + figures;
def default_row: {category, model} + default_figures;
def row: default_row;
