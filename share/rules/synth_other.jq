# Triton kernels, collectives, and the rarest: synth.jq for rows with such models.
include "rows";
include "models_lib";
include "models_data";
include "models_moe";
include "models_attention_more";

def other_models:
  .p.f as $f
  | if $f == "triton" then triton
    elif $f == "collective" then collective
    elif $f == "resize" then resize
    elif $f == "attention_evoformer" then attention_evoformer
    else error("no such model") end;

def default_figures: figures_by(other_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): row_figures(figures);
def default_row: row_figures(default_figures);
def row: default_row;
