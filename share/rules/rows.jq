# What synth.jq is made of: the registry of operators, a row's answer, the devices.
include "ops";
include "devices";
include "comm";
include "category";

# jq's test, without the wrappers that take other arguments: they are long (README.md, "Time").
def matches($regex; $flags): _match_impl($regex; $flags; true);

# Generated Triton kernels are modelled when their arguments were recorded, a size among them.
def triton_recorded:
  (.input_dims | length > 0) and (.input_types | length > 0)
  and ([.concrete_inputs[]? | select(type == "string" and matches("^-?[0-9]+$"; null))] | length) > 0;

def registry_op:
  operators[.name] as $known
  | if $known then {category: $known[0], model: $known[1], backward_category: $known[2]}
    elif .name | startswith("triton") then
      {category: "triton", model: (if (.name | matches("^triton_(poi|red|per)_"; null)) and triton_recorded then "triton" else null end)}
    elif .name | startswith("record_param_comms") then {category: "record_param_comms"}
    else {}
    end;

# A row's answer from the functions that say what its operator is, its category, and its figures. Only the default rules
# know models for names that are no rows of their own.
def row_of(op; category; figures):
  (.kind == "backward") as $backward
  | (if $backward then .fwd else . end | op) as $op
  | (if $backward or .kind == "model" then [$op.model, $op.backward_category]
    elif .kind == "leaf" and $op.model == null and .rules != "reference" then further_operators[.name] else null end) as $named
  | . + {model: $named[0], category: (if $backward then $named[1] else . + {category: ($op.category // $named[1])} | category end)}
  | {category} + if .model then {model} else {} end + figures;

def default_op: registry_op;
def default_category: category_by(default_communicates);
# The file of arch/ for a device's name, null for an unknown one: it is never guessed.
def default_device: devices[.name];
# The reference has a short list of libraries.
def is_comm_by(communicates):
  if .rules == "reference" then .name | matches("nccl|rccl|cross_device_reduce"; "i") else communicates end;
def default_is_comm: is_comm_by(default_communicates);
