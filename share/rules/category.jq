# What a row is, from its operator's name, else from its own kernels, the longest time first.
include "words";
include "comm";
include "kernel_names";

# The category of a kernel's name, null when no word says it: a map of what the kernel is (kernel_names.jq).
def category_of_kernel(communicates): kernel_table[kernel_is(communicates) // ""][1];

# What the kernels of a row say: collective when all GPU ops communicate (the rows that --no-comm leaves out), else what the
# first says that does not communicate and of which the name says anything.
def category_of_kernels(communicates):
  .rules as $rules
  | reduce .kernels[]? as $name (null;
      if . == null or . == "collective" or . == "other" then
        . as $before
        | ({$rules, $name} | category_of_kernel(communicates) // "other")
        | if . == "collective" then $before // . else . end
      else . end)
  // "other";

# The reference asks for the words elementwise, reduce and multi_tensor_apply in the name of PyTorch's own kernels only.
def reference_category:
  .kernels[0] | tostring | if startswith("void at::native") then . else "" end
  | . as $kernel | reduce ("multi_tensor_apply", "reduce", "elementwise") as $word ("other"; if $kernel | contains($word) then $word else . end);

# . = a row's question; "category" is what the operator's name says, if anything. A collective by its name alone, say of
# copies on a host's back end, is what its kernels are.
def category_by(communicates):
  if .category and .category != "collective" then .category
  elif .rules == "reference" then reference_category
  else category_of_kernels(communicates) end;
