# One operation per element; reductions; ranges.
include "models_table";
include "models_lib";

# n0 operations; argument 0 read, the result (of argument 1's type where that is a tensor) written (+ a mask's bytes).
def unary:
  . + {o: .width[bit(.masked == 0 and given(1))]}
  | figure(0; "vector"; "n0"; "n0 w0 + n0 o + n0 masked");

# n = product of the broadcast shape, weight (1) operations each; both operands and the result once. The result has
# argument 2's type where that is a tensor, else the wider one of two tensors', else argument 0's.
def binary:
  . + {n: (broadcast(.dims[0]; .dims[1]) | product),
      o: (.out // if given(2) then .width[2] elif given(0) and given(1) then .width[:2] | max else .width[0] end)}
  | figure(0; "vector"; "n weight"; "n0 w0 + n1 w1 + n o");

# n0 operations; the input once, and the result: n0 for a running sum or product, else the product of the dimensions
# that are kept. Those taken away are a list (argument 1; 2 for norms, whose 1 is the order), a number where "keepdim"
# follows it, or all. max and min along a dimension give positions (8 bytes) too; of two tensors they are elementwise.
# The reference counts one element of result always.
def reduction:
  . + tables.reductions[.name]
  | value(.at) as $v
  | (if .rules == "reference" then [] else [$v | arrays[]] + [$v | numbers][:.args[2] | length] end) as $dims
  | if .positions > 0 and given(1) and .rules != "reference" then binary
    else
      . + {o: (.out // .width[0]), picks: bit($dims != []),
          kept: (if .running then .elements[0] elif $dims == [] then 1 else .elements[0] / ([.dims[0][$dims[]]] | product) end)}
      | figure(0; "vector"; "n0"; "n0 w0 + kept o + kept picks positions")
    end;

# arange(start, end, step, out): n = ceil((end - start) / step) elements written.
def arange:
  require(.width[3] and .types[3] != "Scalar")
  | . + {n: ([(value(1) - value(0)) / value(2) | ceil, 0] | max)} | figure(3; "vector"; "0"; "n w3");
