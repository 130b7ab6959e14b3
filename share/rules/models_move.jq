# What moves elements by position or puts tensors together, softmax, and what takes every tensor once.
include "models_lib";

# What picks or puts elements by position moves n of argument 0, read and written (add: read once more and added),
# and reads positions (a mask) from argument at. n = prod(positions) for gather and scatter(x, dim, positions),
# prod(positions) d for embedding(weight, positions), prod(x) / x[dim] prod(positions) for index_select(x, dim,
# positions), prod(x) for masked_fill(x, mask).
def move:
  .dims[0] as $x | .elements[.at] as $m
  | . + {m: $m, w: .width[.at], n: (if .of == "all" then .elements[0] elif .of == "rows" then $m * $x[-1]
      elif .of == "slices" then .elements[0] / ($x[value(1)] | if . == 0 then 1 else . end) * $m else $m end)}
  | figure(0; "vector"; "add n"; "2 n w0 + add n w0 + m w");

# A list of tensors read and written. The list has no types; a kernel's name may tell the size of an element.
def concatenate:
  . + {n: ([.dims[0][] | product] | add), w: ([.kernels[]? | _match_impl("OpaqueType<([0-9]+)"; null; false)[] | .captures[0].string | tonumber] | .[0])}
  | figure(99; "vector"; "0"; "2 n w");

# 5n operations (maximum, difference, exponential, sum, quotient); input and result once (C2 "True": float from half).
def softmax: . + {o: (if value(2) == true then 4 else .width[0] end)} | figure(0; "vector"; "5 n0"; "n0 w0 + n0 o");

# Every tensor once; each (unknown) operations per element of argument x. like: a result like that argument is
# written too; broadcast: one of the broadcast shape and the last tensor's type.
def tensors:
  [range(.dims | length) as $i | select(given($i)) | $i] as $all
  | . + {n: .elements[.x // 0], all: operands, o: .width[$all[-1]],
      out: (if .like then .elements[.like] elif .broadcast then reduce .dims[$all[]] as $d ([]; broadcast(.; $d) | reverse) | product else 0 end)}
  | .each as $each
  | figure(.x // $all[-1]; "vector"; if $each then "each n" else "0" end; "all + out o")
  | if $each then . else . + {gflops: null} end;

# embedding_dense_backward(gradient, positions, v): n0 sums; the gradient and the positions read, v rows written.
def embedding_backward:
  . + {v: value(2), row: .dims[0][-1]} | figure(0; "vector"; "n0"; "n0 w0 + v row w0 + n1 w1");
