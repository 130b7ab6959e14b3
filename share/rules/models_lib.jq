# What the models of models_*.jq share.
#
# A model gets a question made ready (`ready` below): dims, types, args are its input_dims, input_types and concrete_inputs, and
# per argument elements (1 for a scalar) and width = bytes per element; p = the model's line in models_table.jq, which says
# where the arguments stand. A model adds names for sizes, and states its figures as sums of products of names and
# numbers: "2 m n k + bias m n"; n0 is the elements of argument 0, w2 the bytes per element of argument 2. What it
# cannot know is null; a product with null is an error, and the figure is left out: it is never guessed and never 0.
include "models_table";

def product: reduce .[] as $x (1; . * $x);

def bit(condition): if condition then 1 else 0 end;

# True when argument $i is a tensor with at least one dimension.
def given($i): .dims[$i] | length > 0;

# f, null where it fails. (jq 1.6's try also catches what is raised behind it, until it has ended: hence the array.)
def attempt(f): [try f catch null][0];

# The value of a recorded argument: "2", "[1, 1]", "True"; null when there is none.
def value($i):
  .args[$i // 99] as $text
  | if $text == "" then null else attempt($text | ascii_downcase | fromjson) end;

# A list of $n numbers: one value stands for all, none for the default.
def values($i; $n; $default):
  [value($i) | if type == "array" then .[] else . // empty end] | if length > 1 then .[:$n] else (.[0] // $default) as $v | [range($n) | $v] end;

def require(condition): if condition then . else error("shapes that are none of this operator") end;

# . = {name: number}; "2 m n + k" is 2 * m * n + k
def sum($formula):
  . as $of
  | reduce ($formula | split(" + ")[]) as $product (0;
      . + reduce ($product | split(" ")[]) as $factor (1;
        . * if $of[$factor] then $of[$factor] else tables.factors[$factor] as $f | if $f[1] then $of[$f[0]][$f[1]] else $f[0] end end));

# A model's answer, but for its precision. $of: the argument whose type decides the precision; $unit: "matrix" or "vector".
def figure($of; $unit; $flops; $bytes):
  {gflops: (sum($flops) / 1e9), bytes: attempt(sum($bytes)), unit: $unit, of: .types[$of]};

# The shape that two shapes are broadcast to, the last dimension first.
def broadcast($a; $b):
  [range([$a, $b | length] | max) as $i | [$a[-1 - $i], $b[-1 - $i], 1] | if .[:2] | contains([0]) then 0 else max end];

# A type's entry in a table whose keys are the types as PyTorch writes them; letter case does not count.
def typed($table): . as $type | if $table | has($type) then $table[$type] else $table[ascii_downcase] end;

def ready($p):
  tables.bytes[.rules // "default"] as $bytes
  | . + {p: $p, dims: .input_dims, types: .input_types, args: .concrete_inputs,
     elements: [.input_dims[]? | attempt(product)], width: [.input_types[]? | typed($bytes)]};

# . = a question with "model"; where the row stands for the backward of a forward operator (kind "backward"), it is that
# one's, and so are the arguments: those of "fwd". model: what a question made ready answers.
# -> {gflops, bytes, precision, unit, params}; what cannot be known is left out.
def figures_by(model):
  (.kind == "backward") as $backward
  | tables.models[.model | tostring] as $p
  | attempt(require($p) | if $backward or $p.forward then .fwd + {rules} else . end
      | require(.comm or (.input_dims | tojson | startswith("[") and (contains("\"") | not)))
      | ready($p + if $backward then {f: ($p.backward_f // $p.f), backward: true} else {} end) | model)
  | {gflops, bytes, precision: attempt(.of | typed(tables.precision)), unit, params}
  | delpaths([path(.[] | select(. == null or . == infinite))]);
