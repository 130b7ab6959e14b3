# All models in one program, for tests and for use by hand.
include "models_table";
include "models_lib";
include "models";
include "models_more";

def figures: if tables.common[tables.models[.model // ""].f // ""] and .kind != "backward" then common_figures else more_figures end;
