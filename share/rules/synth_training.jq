# What training adds, and several ranks: the backward of norms and embeddings, RMS norms, collectives: synth.jq for rows
# with such models.
include "models_lib";
include "models_norm";
include "models_training";
include "models_collective";

def training_models:
  .f as $f
  | if $f == "norm_backward" then norm_backward
    elif $f == "collective" then collective
    elif $f == "embedding_backward" then embedding_backward
    elif $f == "rms_norm_fused" then rms_norm_fused
    elif $f == "rms_norm_backward" then rms_norm_backward
    else error("no such model") end;

def default_figures: figures_by(training_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): {category, model} + figures;
def default_row: {category, model} + default_figures;
def row: default_row;
