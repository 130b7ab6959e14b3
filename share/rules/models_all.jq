# All models in one program, for --rules files, which may build on any of them.
include "models_lib";
include "models";
include "models_more";

def default_figures: figures_by(model_here(model_there));

def figures: default_figures;
