# What servers of language models add: attention over sequences of several lengths, quantized products: synth.jq for rows
# with such models.
include "models_lib";
include "models_attention_more";
include "models_gemm_more";

def serving_models:
  .f as $f
  | if $f == "attention_varlen" then attention_varlen
    elif $f == "gemm_quantized" then gemm_quantized
    elif $f == "gemm_found" then gemm_found
    elif $f == "attention_evoformer" then attention_evoformer
    else error("no such model") end;

def default_figures: figures_by(serving_models);
def figures: default_figures;

# The question comes with the row's category and model.
def row_by(op; category; figures): {category, model} + figures;
def default_row: {category, model} + default_figures;
def row: default_row;
