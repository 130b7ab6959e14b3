# One operation per element; reductions; what only fills.
include "models_lib";

# n0 operations; argument 0 read, the result (of argument 1's type where that is a tensor) written (+ a mask's bytes).
def unary:
  . + {o: (if given(1) and .p.mask == null then .width[1] else .width[0] end), mask: bit(.p.mask)}
  | figure(0; "vector"; "n0"; "n0 w0 + n0 o + n0 mask");

# n = product of the broadcast shape, weight (1) operations each; both operands and the result once. The result has
# argument 2's type where that is a tensor, else the wider one of two tensors', else argument 0's.
def binary:
  . + {n: (broadcast(.dims[0]; .dims[1]) | product), weight: (.p.weight // 1),
      o: (.p.out // if given(2) then .width[2] elif given(0) and given(1) and .width[1] > .width[0] then .width[1] else .width[0] end)}
  | figure(0; "vector"; "n weight"; "n0 w0 + n1 w1 + n o");

# n0 operations; the input once, and the result: n0 for a running sum or product, else the product of the dimensions
# that are kept. Those taken away are a list (argument 1; 2 for norms, whose 1 is the order), a number where "keepdim"
# follows it, or all. max and min along a dimension give positions (8 bytes) too; of two tensors they are elementwise.
# The reference counts one element of result always.
def reduction:
  (.rules == "reference") as $reference | (.name | endswith("::max") or endswith("::min")) as $pick
  | value(1 + bit(.name | endswith("norm"))) as $v
  | (if $reference then null elif $v | type == "array" then $v elif ($v | type == "number") and (.args[2] | length > 0) then [$v] else null end) as $dims
  | if $pick and given(1) and ($reference | not) then binary
    else
      . + {o: ((.p.out // .width[0]) + if $pick and $dims then 8 else 0 end),
          out: (if .name | contains("::cum") then .elements[0] elif $dims | length == 0 then 1
                else .elements[0] / ([.dims[0][$dims[]]] | product) end)}
      | figure(0; "vector"; "n0"; "n0 w0 + out o")
    end;

# No operations; argument 0 written.
def fill: figure(0; "vector"; "0"; "n0 w0");

# arange(start, end, step, out): n = ceil((end - start) / step) elements written.
def arange:
  require(.width[3] and .types[3] != "Scalar")
  | . + {n: ([(value(1) - value(0)) / value(2) | ceil, 0] | max)} | figure(3; "vector"; "0"; "n w3");
