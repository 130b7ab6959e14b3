# What the models of models_*.jq share.
#
# A model gets a question made ready (`ready` below): the members of the model's line in models_table.jq, which say where
# its arguments stand; dims, types, args: the question's input_dims, input_types and concrete_inputs; per argument
# elements (1 for a scalar) and width = bytes per element. A model adds names for sizes, and states its figures as sums
# of products of names and numbers: "2 m n k + bias m n"; n0 is the elements of argument 0, w2 the bytes per element of
# argument 2 (up to 19). What it cannot know is null; a product with null is an error, and the figure is left out: it is never
# guessed and never 0.
include "models_table";

def product: reduce .[] as $x (1; . * $x);

def bit(condition): if condition then 1 else 0 end;

# f, null where it fails. (jq 1.6's try also catches what is raised behind it, until it has ended: hence the array.)
def attempt(f): [try f catch null][0];

# A type's entry in a table whose keys are the types as PyTorch writes them; letter case does not count.
def typed(table): table[.] // table[ascii_downcase];

# True when argument i is a tensor with at least one dimension.
def given(i): .dims[i] | length > 0;

# The value of a recorded argument: "2", "[1, 1]", "True"; null when there is none.
def value(i): attempt(.args[i] | ascii_downcase | fromjson);

# A list of $n numbers: one value stands for all, none for the default.
def values(i; $n; $default):
  [value(i) | if type == "array" then .[] else . // empty end] | if length > 1 then .[:$n] else (.[0] // $default) as $v | [range($n) | $v] end;

def require(condition): if condition then . else error("shapes that are none of this operator") end;

# . = {name: number}; "2 m n + k" is 2 * m * n + k
def sum(formula):
  . as $of
  | reduce (formula | split(" + ")[]) as $product (0;
      . + reduce ($product | split(" ")[]) as $factor (1; . * ($of | getpath(tables.factors[$factor] // [$factor]) // ($factor | tonumber))));

# A model's answer. of: the argument whose type decides the precision; unit: "matrix" or "vector".
def figure(of; unit; flops; bytes):
  {gflops: (sum(flops) / 1e9), bytes: attempt(sum(bytes)), precision: attempt(.types[of] | typed(tables.precision)), unit: unit};

# What the table states as it is: "flops", "bytes".
def formula: figure(0; "vector"; .flops; .bytes);

# The bytes of all tensors among the arguments; null where one has no known size.
def operands: attempt([range(.dims | length) as $i | select(given($i)) | .elements[$i] * .width[$i]] | add // 0);

# The shape that two shapes are broadcast to, the last dimension first.
def broadcast(a; b): [[a, b | reverse] | transpose[] | if contains([0]) then 0 else max end];

def ready($p):
  . + tables.defaults + $p
  + {dims: .input_dims, types: .input_types, args: .concrete_inputs,
     elements: [.input_dims[]? | attempt(product)], width: (.rules as $rules | [.input_types[]? | typed(tables.bytes[$rules])])};

# The table's line for a question's "model", null for none; where the row stands for the backward of a forward operator
# (kind "backward"), the model is that one's, and what the line has in "in_backward" counts.
def line:
  tables.models[.model | tostring] as $p
  | $p + if .kind == "backward" then {forward: true, backward: true} + $p.in_backward else null end;

# . = a question with "model"; the arguments are those of "fwd" where its line says forward.
# model: what a question made ready answers.
# -> {gflops, bytes, precision, unit, params}; what cannot be known is left out.
def figures_by(model):
  line as $p
  | {} + attempt(if $p.forward then .fwd else . end
      | require(.comm or (.input_dims | tojson | _match_impl("^\\[[^\"{]*$"; null; true)))
      | ready($p) | model)
  | del(.[] | nulls);
