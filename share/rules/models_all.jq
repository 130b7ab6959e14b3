# All models in one program.
include "models_lib";
include "models";
include "models_more";

def figures_anywhere: figures_by(model_here(model_there));
