# What nearly all traces of PyTorch need: products, elementwise operations, reductions, attention, norms, what moves
# data, Triton kernels: synth.jq for rows with such models.
include "models_lib";
include "models_gemm";
include "models_elementwise";
include "models_attention";
include "models_attention_serving";
include "models_norm";
include "models_move";
include "models_triton";

def pytorch_models:
  .f as $f
  | if $f == "gemm" then gemm
    elif $f == "unary" then unary
    elif $f == "binary" then binary
    elif $f == "reduction" then reduction
    elif $f == "formula" then formula
    elif $f == "norm" then norm
    elif $f == "attention" then attention
    elif $f == "attention_serving" then attention_serving
    elif $f == "move" then move
    elif $f == "concatenate" then concatenate
    elif $f == "softmax" then softmax
    elif $f == "arange" then arange
    elif $f == "tensors" then tensors
    elif $f == "triton" then triton
    else error("no such model") end;

def default_figures: figures_by(pytorch_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): {category, model} + figures;
def default_row: {category, model} + default_figures;
def row: default_row;
