# What most models of PyTorch do beside products and elementwise operations: attention, norms, RoPE, softmax, what
# moves data, Triton kernels: synth.jq for rows with such models.
include "models_lib";
include "models_attention";
include "models_attention_serving";
include "models_norm";
include "models_norm_serving";
include "models_move";
include "models_triton";

def layer_models:
  .f as $f
  | if $f == "norm" then norm
    elif $f == "norm_backward" then norm_backward
    elif $f == "attention" then attention
    elif $f == "attention_serving" then attention_serving
    elif $f == "rms_norm" then rms_norm
    elif $f == "rope" then rope
    elif $f == "move" then move
    elif $f == "concatenate" then concatenate
    elif $f == "softmax" then softmax
    elif $f == "embedding_backward" then embedding_backward
    elif $f == "tensors" then tensors
    elif $f == "triton" then triton
    else error("no such model") end;

def default_figures: figures_by(layer_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): {category, model} + figures;
def default_row: {category, model} + default_figures;
def row: default_row;
