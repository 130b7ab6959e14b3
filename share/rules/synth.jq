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
#           kernels: [names, the longest time first], fwd: {rules, name, input_dims, ...}, annotation}
#          -> {category, model, gflops, bytes, precision, unit, params}, as far as they are known; or the error
#          {module, question}: share/rules/MODULE.jq answers that question
#          kind: model, backward, leaf, synthetic or orphan. fwd: the forward operator, for
#          backward rows. annotation: the name of the enclosing annotation that counts requests and
#          tokens (vLLM, SGLang). precision ("bf16") and unit ("matrix", "vector"): which of the device's peaks
#          counts.
# device   {rules, name} -> the NAME of arch/NAME.json for a device of that name, or null
# is_comm  {rules, name} -> whether a kernel of that name communicates (tl-synth --no-comm)
#
# rows.jq has what these functions are made of. row asks op, category and figures, of which a --rules file may change one
# alone; category and is_comm ask communicates (README.md, "What communicates").
# category: a row's question with the operator's "category", if its name says one -> a text
# figures: a row's question with "model" (that of "fwd" for a backward row) -> {gflops, bytes, precision,
#          unit, params}, as far as they are known

include "comm";
include "rows";
include "models_table";
include "models_lib";
include "models_gemm";
include "models_elementwise";
include "models_collective";

def op: default_op;
def category: default_category;
def device: default_device;
def is_comm: default_is_comm;
#: def category: category_by(communicates);
#: def is_comm: is_comm_by(communicates);

# What every trace of PyTorch needs; the table says where other functions are.
def common_models:
  .f as $f
  | if $f == "gemm" then gemm
    elif $f == "unary" then unary
    elif $f == "binary" then binary
    elif $f == "reduction" then reduction
    elif $f == "formula" then formula
    elif $f == "arange" then arange
    elif $f == "collective" then collective
    else error("no such model") end;

# A model that is elsewhere sends the question on, for rows of which the trace recorded anything that figures could come
# from: as an error, which passes by whatever a --rules file does with default_figures or default_row. There the same
# function, of the same file, has the figures.
def default_figures:
  tables.modules[line.f | tostring] as $home
  | if $home == null then figures_by(common_models)
    elif .input_dims or .fwd.input_dims or .comm then error({module: $home, question: .})
    else {} end;
def figures: default_figures;

def row_by(op; category; figures): row_of(op; category; figures);
def default_row: row_of(default_op; default_category; default_figures);
def row: default_row;
#: def row: row_by(op; category; figures);
