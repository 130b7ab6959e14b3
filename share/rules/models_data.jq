# What moves or fills data, pools it, or does a few operations on each element: one operator each, or a small family.
include "models_table";
include "models_lib";

# The result has the given spatial size (C1), or is padded (C1: last dimension first, before and after), or, where
# there is only a scale (C2), floor(size x scale). The reference knows no scale. n operations; input and result once.
def resize:
  .dims[0] as $x | value(1) as $c | value(2) as $scale
  | . + {n: (if .p.pad then [range($x | length) as $i | (($x | length) - 1 - $i) * 2 | $x[$i] + ($c[.] // 0) + ($c[. + 1] // 0)]
          elif $c then $x[:2] + $c
          elif .rules == "reference" or ($scale | length) != ($x | length - 2) then error("no size")
          else $x[:2] + [range($scale | length) as $i | $x[$i + 2] * $scale[$i] | floor] end | product)}
  | figure(0; "vector"; "n"; "n0 w0 + n w0");

# act(first half) x second half of argument 1: argument 0 is the result. weight = 1 + that of act (silu 4, gelu 8).
def gated: . + {weight: .p.weight} | figure(0; "vector"; "weight n0"; "n0 w0 + n1 w0");

# n operations; argument x read, out bytes each written.
def quantize: . + {out: .p.out} | figure(0; "vector"; "n0"; "n0 w0 + n0 out");

# 5n operations (maximum, difference, exponential, sum, quotient); input and result once (C2 "True": float from half).
def softmax: . + {o: (if value(2) == true then 4 else .width[0] end)} | figure(0; "vector"; "5 n0"; "n0 w0 + n0 o");

# 4n operations; the result's gradient and the result read, the input's gradient written.
def softmax_backward: figure(0; "vector"; "4 n0"; "n0 w0 + n1 w1 + n0 w0");

# Keys and values written to a cache: both read and written once.
def store_cache: figure(0; "vector"; "0"; "2 n0 w0 + 2 n1 w0");

# Every tensor once; weight (unknown) operations per element of argument x. like: a result like that argument is
# written too; broadcast: one of the broadcast shape and the last tensor's type.
def tensors:
  .p as $p | . as $question | [range(.dims | length) | select(. as $i | $question | given($i))] as $all
  | . + {weight: $p.weight, n: .elements[$p.x // 0], all: attempt([$all[] as $i | .elements[$i] * .width[$i]] | add), o: .width[$all[-1]],
      out: (if $p.like then .elements[$p.like] elif $p.broadcast then reduce .dims[$all[]] as $d ([]; broadcast(.; $d) | reverse) | product else 0 end)}
  | figure($p.x // $all[-1]; "vector"; if $p.weight then "weight n" else "0" end; "all + out o")
  | if $p.weight then . else . + {gflops: null} end;

# embedding_dense_backward(gradient, positions, v): n0 sums; the gradient and the positions read, v rows written.
def embedding_backward:
  . + {v: value(2), row: .dims[0][-1]} | figure(0; "vector"; "n0"; "n0 w0 + v row w0 + n1 w1");

# A list of tensors read and written. The list has no types; a kernel's name may tell the size of an element.
def concatenate:
  . + {n: ([.dims[0][] | product] | add), w: ([.kernels[]? | _match_impl("OpaqueType<([0-9]+)"; null; false)[] | .captures[0].string | tonumber] | .[0])}
  | figure(99; "vector"; "0"; "2 n w");

# The last 2 dimensions pooled: floor (ceil where argument ceil says so) of (i + 2p - d (k - 1) - 1) / s + 1.
# A window's elements for each of the result; the input and the result once (+ position bytes each).
def pool:
  .p as $p | .dims[0] as $x | bit(value($p.ceil) == true) as $ceil
  | values($p.kernel; 2; 1) as $k
  | . + {position: ($p.position // 0), window: ($k | product),
      n: (($x[:-2] | product) * ([[$k, values($p.stride; 2; null), values($p.padding; 2; 0), values($p.dilation; 2; 1), $x[-2:]] | transpose[]
        | (.[4] + 2 * .[2] - .[3] * (.[0] - 1) - 1) / (.[1] // .[0]) | if $ceil == 1 then ceil else floor end + 1] | product))}
  | figure(0; "vector"; "n window"; "n0 w0 + n w0 + n position");

# Pooled to the size in C1: every element of the input once; input and result once.
def adaptive_pool:
  . + {n: ((.dims[0][:-2] | product) * (values(1; 2; 1) | product))} | figure(0; "vector"; "n0"; "n0 w0 + n w0");

# Triton's fusions, made by TorchInductor: triton_{poi,red,per}_fused_OP_OP_..._N. x, r: the last two integers among the
# arguments for red and per, else the last one and 1. x r operations for each word of weight 1 in the name; every tensor
# once, for poi the first one's elements once more (its result). (Names like native_layer_norm hold no words of weight.)
# The reference gives plain types ("float", "int", "bool") no size.
def triton:
  tables.triton as $triton | .name[7:10] as $kind | . as $question
  | [.args[] | select(type == "string" and _match_impl("^-?[0-9]+$"; null; true)) | tonumber] as $numbers
  | (if .rules == "reference" then [.types[] | $triton.bytes[.] // 0] else .width end) as $width
  | (if $kind != "poi" and ($numbers | length) > 1 then $numbers[-2:] else [$numbers[-1], 1] end) as $size
  | . + {x: $size[0], r: $size[1], weight: ([.name | split("_")[2:][] | $triton.weights[.] // 0] | add), w: $width[0], poi: bit($kind == "poi"),
      all: attempt([range(.dims | length) as $i | select(given($i)) | .elements[$i] * $width[$i]] | add // 0)}
  | figure(0; "vector"; "weight x r"; "all + poi x w");

# What picks or puts elements by position moves n of argument 0, read and written (add: read once more and added),
# and reads positions (a mask) from argument at. n = prod(positions) for gather and scatter(x, dim, positions),
# prod(positions) d for embedding(weight, positions), prod(x) / x[dim] prod(positions) for index_select(x, dim,
# positions), prod(x) for masked_fill(x, mask).
def move:
  .p as $p | .dims[0] as $x
  | . + {add: bit($p.add), m: .elements[$p.at], w: .width[$p.at]}
  | . + {n: (if $p.of == "all" then .elements[0] elif $p.of == "rows" then .m * $x[-1]
      elif $p.of == "slices" then value(1) as $dim | require($x[$dim]) | .m * ($x[:$dim] | product) * ($x[$dim:][1:] | product) else .m end)}
  | figure(0; "vector"; "add n"; "2 n w0 + add n w0 + m w");
