# All models in one program, for tests and for use by hand.
include "models_table";
include "models_lib";
include "synth";
include "synth_layers";
include "synth_conv";
include "synth_serving";
include "synth_moe";

def all_models:
  tables.modules[.f] as $home
  | if $home == null then common_models
    elif $home == "synth_layers" then layer_models
    elif $home == "synth_conv" then conv_models
    elif $home == "synth_serving" then serving_models
    else moe_models end;

def figures: figures_by(all_models);
