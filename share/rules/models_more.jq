# The models that models.jq leaves out.
include "models_lib";
include "models_gemm_more";
include "models_attention_more";
include "models_conv";
include "models_data";
include "models_norm_more";
include "models_moe";

def more_model:
  .p.f as $f
  | if $f == "rms_norm" then rms_norm
    elif $f == "triton" then triton
    elif $f == "conv" then conv
    elif $f == "conv_backward" then conv_backward
    elif $f == "norm_backward" then norm_backward
    elif $f == "gemm_quantized" then gemm_quantized
    elif $f == "gemm_te" then gemm_te
    elif $f == "gemm_grouped" then gemm_grouped
    elif $f == "attention_varlen" then attention_varlen
    elif $f == "attention_serving" then attention_serving
    elif $f == "attention_evoformer" then attention_evoformer
    elif $f == "gated" then gated
    elif $f == "rope" then rope
    elif $f == "store_cache" then store_cache
    elif $f == "resize" then resize
    elif $f == "quantize" then quantize
    elif $f == "tensors" then tensors
    elif $f == "softmax" then softmax
    elif $f == "softmax_backward" then softmax_backward
    elif $f == "arange" then arange
    elif $f == "concatenate" then concatenate
    elif $f == "embedding_backward" then embedding_backward
    elif $f == "pool" then pool
    elif $f == "adaptive_pool" then adaptive_pool
    elif $f == "rms_norm_fused" then rms_norm_fused
    elif $f == "rms_norm_backward" then rms_norm_backward
    elif $f == "moe" then moe
    elif $f == "moe_gemm" then moe_gemm
    elif $f == "moe_comm" then moe_comm
    elif $f == "cross_entropy" then cross_entropy
    elif $f == "causal_conv1d" then causal_conv1d
    elif $f == "mamba" then mamba
    elif $f == "collective" then collective
    else error("no such model") end;

def more_figures: figures_by(more_model);
