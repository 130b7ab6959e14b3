# Fusions that a compiler made.
include "models_table";
include "models_lib";

# Triton's fusions, made by TorchInductor: triton_{poi,red,per}_fused_OP_OP_..._N. n: the last integer among the
# arguments, for red and per the product of the last two. n operations for each word of weight 1 in the name; every tensor
# once, for poi the first one's elements once more (its result). (Names like native_layer_norm hold no words of weight.)
# The reference gives plain types ("float", "int", "bool") no size.
def triton:
  tables.triton as $triton
  | if .rules == "reference" then . + {width: [.types[] | $triton.bytes[.] // 0]} else . end
  | bit(.name[7:10] == "poi") as $poi
  | [.args[] | strings | select(_match_impl("^-?[0-9]+$"; null; true)) | tonumber] as $numbers
  | require($numbers[0])
  | . + {n: ($numbers[$poi - 2:] | product), weight: ([.name | split("_")[2:][] | $triton.weights[.] // 0] | add), w: .width[0], poi: $poi, all: operands}
  | figure(0; "vector"; "weight n"; "all + poi n w");
