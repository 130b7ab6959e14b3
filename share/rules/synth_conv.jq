# Images: convolutions, pooling, resizing: synth.jq for rows with such models.
include "models_lib";
include "models_conv";
include "models_resize";

def conv_models:
  .f as $f
  | if $f == "conv" then conv
    elif $f == "conv_backward" then conv_backward
    elif $f == "pool" then pool
    elif $f == "adaptive_pool" then adaptive_pool
    elif $f == "resize" then resize
    else error("no such model") end;

def default_figures: figures_by(conv_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): {category, model} + figures;
def default_row: {category, model} + default_figures;
def row: default_row;
