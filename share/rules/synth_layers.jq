# What layers of neural networks do beside products and elementwise operations: attention, norms, softmax, embeddings,
# losses, forward and backward: synth.jq for rows with such models.
include "rows";
include "models_lib";
include "models_norm";
include "models_norm_more";
include "models_attention";
include "models_data";

def layer_models:
  .p.f as $f
  | if $f == "attention" then attention
    elif $f == "norm" then norm
    elif $f == "norm_backward" then norm_backward
    elif $f == "move" then move
    elif $f == "rms_norm_fused" then rms_norm_fused
    elif $f == "rms_norm_backward" then rms_norm_backward
    elif $f == "softmax" then softmax
    elif $f == "softmax_backward" then softmax_backward
    elif $f == "embedding_backward" then embedding_backward
    elif $f == "concatenate" then concatenate
    elif $f == "tensors" then tensors
    else error("no such model") end;

def default_figures: figures_by(layer_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): row_figures(figures);
def default_row: row_figures(default_figures);
def row: default_row;
