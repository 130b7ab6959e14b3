# What a communication operation is: its kind, how wide its elements are, and the factor from algorithm to bus bandwidth
# (tl-collective, tl-synth). To change an answer, redefine kind, width, bus_factor or settings in a file given with --rules.

# Kinds by the beginning of what PyTorch calls the operation, without "_"; the first that fits decides.
#   sync: all members leave together, so that who comes last waits for nobody;  same: equal elements on all ranks
def comm_kinds:
[
["allreduce", {sync: true, same: true}],
["allgather", {sync: true, same: true, gathers: true}],
["reducescatter", {sync: true, same: true}],
["alltoallv", {uneven: true}],
["alltoall", {sync: true}],
["broadcast", {same: true}],
["reduce", {same: true}],
["gather", {same: true}],
["scatter", {same: true}],
["send", {send: true}],
["recv", {recv: true}],
["barrier", {sync: true, same: true, unsized: true}]
];

# Of kernels whose call is not known: what their name holds. Send, receive and "generic" kernels say nothing.
def kernel_kinds:
[["allreduce", "allreduce"], ["allgather", "allgather"], ["reducescatter", "reducescatter"], ["alltoall", "alltoall"],
 ["broadcast", "broadcast"], ["crossdevicereduce", "allreduce"], ["quickreduce", "allreduce"], ["reduce", "reduce"]];

# .name: as recorded, or .head: the words of a kernel's name -> {kind, sync, same, ...}
def default_kind:
  (if .head then (.head | gsub(" "; "")) as $h | first(kernel_kinds[] | select(.[0] as $k | $h | contains($k)))[1]
   else .name | ascii_downcase | gsub("_"; "") end) as $name
  | if $name then first(comm_kinds[] | select(.[0] as $k | $name | startswith($k)) | {kind: .[0]} + .[1]) else null end;
def kind: default_kind;

# Bytes of an element, by dtype as the trace spells it: Float, c10::Half, long int, unsigned char, Float8_e4m3fn.
def widths:
{
"char": 1, "byte": 1, "bool": 1, "int8": 1, "uint8": 1,
"short": 2, "short int": 2, "half": 2, "bfloat16": 2, "float16": 2, "int16": 2, "uint16": 2,
"int": 4, "float": 4, "float32": 4, "int32": 4, "uint32": 4, "complexhalf": 4, "complex<half>": 4,
"long": 8, "long int": 8, "long long": 8, "double": 8, "float64": 8, "int64": 8, "uint64": 8, "complexfloat": 8, "complex<float>": 8,
"complexdouble": 16, "complex<double>": 16
};
def default_width:
  .dtype | ascii_downcase | gsub("c10::"; "") | sub("^(un)?signed "; "")
  | if test("^float[48]_") then 1 else widths[.] end;
def width: default_width;

# .kind, .group_size: what algorithm bandwidth is multiplied by.
def default_bus_factor:
  .group_size as $n
  | if .kind == "broadcast" or .kind == "reduce" or .kind == "p2p" then 1
    elif $n == null or $n < 1 then null
    elif .kind == "allreduce" then 2 * ($n - 1) / $n
    elif .kind | IN("allgather", "reducescatter", "alltoall", "gather", "scatter") then ($n - 1) / $n
    else null end;
def bus_factor: default_bus_factor;

# apart_us: ends farther from each other than this, and than the operation is long, are not of one operation.
# near_us: spreads that differ by less are equally good.
# clock: an offset above offset_us + spreads x spread, known from `pairs` operations, is corrected.
# verdict: a rank was late when the next one was earlier by more than margin_us + share x latency.
# members: lists of more than `most` hold the `each` shortest and longest.
def settings:
{apart_us: 50, near_us: 2, clock: {offset_us: 20, spreads: 3}, verdict: {margin_us: 1, share: 0.01}, members: {most: 64, each: 8}};
