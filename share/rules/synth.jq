# What tl-synth asks: which operators have a model, what a row is, which device it ran on.
#
# Every question is an object with "rules" ("default", or "reference" for the reference rules); an
# unknown value is left out of question and answer, never guessed. For each public function there is
# default_NAME, for a --rules file that changes some answers and keeps the rest.
#
# op       {rules, name, input_dims, input_types, input_strides, concrete_inputs}
#          -> {category, model, backward_category, needs_forward}
#          Asked about each operator that launched GPU work. With "model" its row owns all that lies
#          below it. needs_forward: the row's question gets "fwd".
# row      {rules, name, kind, input_dims, input_types, input_strides, concrete_inputs,
#           kernels: [names, the longest time first], fwd: {name, input_dims, ...}, annotation, arch}
#          -> {category, model, gflops, bytes, precision, unit, peak_tflops, peak_tb_s}
#          kind: model, backward, leaf, synthetic or orphan. fwd: the forward operator, for
#          backward rows. annotation: the name of the enclosing annotation that counts requests and
#          tokens (vLLM, SGLang). arch: a file of arch/. unit: "matrix" or "vector".
# device   {rules, name} -> the NAME of arch/NAME.json for a device of that name, or null
# is_comm  {rules, name} -> whether a kernel of that name communicates (tl-synth --no-comm)

include "ops";

# Generated Triton kernels are modelled when their arguments were recorded.
def triton_recorded:
  (.concrete_inputs // []) as $c
  | ($c | length) > 0 and ((.input_dims // []) | length) > 0 and ((.input_types // []) | length) > 0
    and any($c[]; type == "string" and test("^-?[0-9]+$"));

def default_op:
  operators[.name] as $known
  | if $known then {category: $known[0], model: $known[1], backward_category: $known[2]}
    elif .name | startswith("triton") then
      {category: "triton", model: (if (.name | test("^triton_(poi|red|per)_")) and triton_recorded then "triton" else null end)}
    elif .name | startswith("record_param_comms") then {category: "record_param_comms"}
    else {}
    end;

def default_row:
  (if .kind == "backward" then .fwd | default_op | {category: .backward_category} else default_op | {category, model} end)
  | .category //= "other";

def default_device: null;

def default_is_comm: .name | test("nccl|rccl|cross_device_reduce"; "i");

def op: default_op;
def row: default_row;
def device: default_device;
def is_comm: default_is_comm;
