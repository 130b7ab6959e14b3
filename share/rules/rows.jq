# What synth.jq and synth_more.jq share: the registry of operators, a row's answer, the devices.
include "ops";
include "devices";
include "models_table";

# Generated Triton kernels are modelled when their arguments were recorded.
def triton_recorded:
  (.concrete_inputs // []) as $c
  | ($c | length) > 0 and ((.input_dims // []) | length) > 0 and ((.input_types // []) | length) > 0
    and any($c[]; type == "string" and test("^-?[0-9]+$"));

def registry_op:
  operators[.name] as $known
  | if $known then {category: $known[0], model: $known[1], backward_category: $known[2]}
    elif .name | startswith("triton") then
      {category: "triton", model: (if (.name | test("^triton_(poi|red|per)_")) and triton_recorded then "triton" else null end)}
    elif .name | startswith("record_param_comms") then {category: "record_param_comms"}
    else {}
    end;

# [model, category] of names that the registry does not model; default rules only.
def more_models: if .rules == "reference" then null else tables.names[.name] end;

# A row's answer from the functions that say what its operator is, its category, and its figures; {module: $elsewhere}
# when its model is not among those of the module that asks.
def row_of(op; category; figures; $elsewhere):
  (if .kind == "backward" then .fwd + {rules} | op else op end) as $op
  | (if .kind == "leaf" and $op.model == null then more_models else null end) as $more
  | (if .kind == "model" or .kind == "backward" then $op.model else $more[0] end) as $model
  | tables.models[$model // ""] as $p
  | if $elsewhere and $p and (tables.common[$p.f] == null or .kind == "backward") then {module: $elsewhere} else
      {category: (if .kind == "backward" then $op.backward_category else . + {category: ($op.category // $more[1])} | category end)}
      + if $model then {model: $model} else {} end
      + ((. + {model: $model} | figures) as $f
        | if .arch and $f.unit then {peak_tflops: .arch[$f.unit][$f.precision // ""], peak_tb_s: .arch.memory_tb_s} else {} end + $f)
    end;

# The file of arch/ for a device's name, null for an unknown one: it is never guessed.
def device_of: devices[.name];
