# What a kernel is, which stage an annotation names, and what is worth a second look (tl-overlap).
#
# Every question is an object with .rules ("default" or "reference"). To change an answer, redefine
# one of kind, stage, settings, is_operator or advice in a file given with --rules, for example
#
#     def kind: if .name | startswith("my_gemm") then {class: "compute", part: "compute", priority: 4}
#               else default_kind end;
#
# or communicates, which is asked about each kernel (README.md, "What communicates").
include "words";
include "comm";
include "kernel_names";

# (jq's any takes twice as long.)
def has_text($list): [first(select(contains($list[])))] != [];

# ---- kernels -------------------------------------------------------------------------------------
# .name: as in the trace; .cat: kernel, gpu_memcpy or gpu_memset; .words, .head: see words.jq

# Five classes by substrings of the name, the first list that has a hit decides.
def reference_class:
  .name | ascii_downcase
  | if has_text(["memcpy", "memset", "dma", "prefetch"]) then "memory"
    elif has_text(["allreduce", "all_reduce", "reduce_scatter", "allgather", "all_gather", "nccl",
                   "cross_device_reduce", "deepep", "a2a", "alltoall", "allreduce_fusion", "mooncake"])
      then "communication"
    elif has_text(["cublas", "cudnn", "cutlass", "triton", "gemm", "gemv", "matmul", "grouped_mm", "flash",
                   "attention", "fmha", "marlin", "fused_moe", "moe_kernel", "groupgemm", "mma", "wgmma",
                   "conv", "bmm", "mm_kernel"])
      then "compute"
    elif has_text(["sigmoid", "silu", "gelu", "relu", "softmax", "layernorm", "rmsnorm", "norm", "rotary",
                   "rope", "topk", "gate", "bias", "_cast", "index", "gather", "scatter", "masked",
                   "elementwise", "activation"])
      then "elementwise"
    elif has_text(["fill", "copy"]) then "memory"
    elif has_text(["broadcast", "dispatch", "combine"]) then "communication"
    else "other" end;

# Five classes: a map of what the name says that the kernel is (kernel_names.jq).
def class_by(communicates):
  if .cat != "kernel" then "memory" else kernel_table[kernel_is(communicates) // ""][3] // "other" end;

# __amd_rocclr_copyBuffer and the like are copies that ROCm records as kernels.
def is_copy:
  .cat == "gpu_memcpy"
  or (.name | test("^MEMORY_COPY_(HOST_TO_DEVICE|DEVICE_TO_HOST|DEVICE_TO_DEVICE)|^__amd_rocclr_copyBuffer(Rect)?(Aligned)?(\\.kd)?$"));

# Which part of the timeline an op is: copies, communication, and all else is computation.
def part_of($class):
  if is_copy then "memcpy"
  elif .rules == "reference" then if .name | ascii_downcase | has_text(["nccl", "rccl", "cross_device_reduce"]) then "comm" else "compute" end
  elif $class == "communication" then "comm"
  else "compute" end;

# Of several ops beside one, which is named as the one that hides it.
def default_priority($class):
  {compute: 4, communication: 3, memory: 2, elementwise: 1}[$class] // 0;

def kind_by(communicates):
  (if .rules == "reference" then reference_class else class_by(communicates) end) as $class
  | {class: $class, part: part_of($class), priority: default_priority($class)};
def default_kind: kind_by(default_communicates);
def kind: default_kind;
#: def kind: kind_by(communicates);

# ---- stages --------------------------------------------------------------------------------------
# .name: of an annotation -> the stage that it names, or null.

def reference_stage:
  .name | ascii_downcase
  | if has_text(["generation_1", "decode"]) then "decode"
    elif has_text(["generation_0", "prefill"]) then "extend"
    else null end;

# The number behind a word: 9 of "context_9(sq8155...)".
def count_of($word): [capture("(?<![A-Za-z])" + $word + "_(?<n>[0-9]+)"; "i").n | tonumber] | first // null;

# vLLM writes how many requests are prefilled (context) and decoded (generation); others a word,
# which must stand by itself: "decoder" and "video_decode" are parts of a model. A number may stand
# before it (capture_32_DECODE), and a verb (run_decode, decode_step).
def stage_in($name):
  ($name | count_of("context")) as $context
  | ($name | count_of("generation")) as $generation
  | if $context != null or $generation != null then
      (if ($context // 0) > 0 and ($generation // 0) > 0 then "mixed"
       elif ($context // 0) > 0 then "extend"
       elif ($generation // 0) > 0 then "decode"
       else null end)
    else
      [ $name | ascii_downcase
        | match("(?<![a-z0-9_])(?:(?:run|step|forward|model|execute|capture|replay|batch|[0-9]+)_)*(mixed|decode|prefill|extend)(?:_(?:step|forward|batch|phase|pass|only|[0-9]+))*(?![a-z0-9_])"; "g")
        | .captures[0].string | if . == "prefill" then "extend" else . end ]
      | unique
      | if length == 0 then null
        elif length == 1 then .[0]
        else "mixed" end
    end;

# Most annotations name none: they are passed over before anything is matched.
def default_stage:
  .name as $name
  | if $name | ascii_downcase | has_text(["context_", "generation_", "decode", "prefill", "extend", "mixed"]) | not then null
    else stage_in($name) end;

def stage: if .rules == "reference" then reference_stage else default_stage end;

# ---- thresholds ----------------------------------------------------------------------------------
# headroom: kernels that run with nothing beside them; hidden: those that already cost nothing.
# min_us, min_share: below these (of the device's busy time, percent) a row is not worth reading.
# tight: a neighbour is close when the gap is at most share of the op's time, within these bounds.
# serial: which classes of neighbours are likely to depend on a kernel of a class.
# stage_reach_us: with "start" in stage_by, how far a kernel may lie from the nearest annotation.
def default_settings:
  { min_us: 5, min_share: 1,
    headroom: { exclusive_ratio: 0.45,
                weights: {communication: 1.3, memory: 1.15, elementwise: 1.0, other: 0.8, compute: 0.35},
                last: "compute" },
    hidden: { hidden_ratio: 0.65, classes: ["elementwise", "memory"] },
    tight: { min_us: 2, max_us: 20, share: 0.15 },
    serial: { communication: ["compute", "elementwise", "memory", "other"],
              elementwise: ["compute", "communication", "elementwise", "memory"],
              memory: ["compute", "communication", "elementwise", "memory"] } }
  + if .rules == "reference" then {stage_by: "start", stage_reach_us: 20000}
    else {stage_by: "launch", stage_reach_us: 0} end;
def settings: default_settings;

# .name: what launched a kernel -> true when that is an operator, not a runtime call, whose name
# would make any two kernels look related.
def is_operator: .name | test("^(cuda|hip|cu|mc|musa)[A-Z]|^cupti|^n/a$|^$|^time-window fallback$") | not;

# ---- advice --------------------------------------------------------------------------------------
# .verdict, .class, .share, .dependency, .exclusive_ratio, .hidden_ratio; .beside: name and .beside_us:
# time of what hides most of it.

def default_priority_of:
  (.dependency == "serial risk low") as $low
  | if .share < 1 then ["P5", "skip"]
    elif .verdict == "headroom" and $low and .class == "communication" then ["P1", "try overlap"]
    elif .verdict == "headroom" and $low then ["P1", "try fusion"]
    elif .verdict == "headroom" then ["P2", "check deps"]
    else ["P4", "skip"] end;

def headroom_text:
  if .class == "communication" then "run it on a stream of its own beside independent computation, or split it to follow its producer"
  elif .class == "memory" then "avoid the copy or write the result where it is needed; else overlap it on a copy stream"
  elif .class == "elementwise" then "fuse it into the kernel that makes or uses its data"
  elif .class == "compute" then "faster code helps here, overlap does not: nothing runs beside it"
  else "find out what it waits for, then overlap or fuse it" end;

def hidden_text:
  if .beside then "already hidden by \(.beside) (\(.beside_us) us): making it faster saves nothing"
  else "already hidden: making it faster saves nothing" end;

def default_advice:
  default_priority_of as [$priority, $recommendation]
  | { priority: $priority, recommendation: $recommendation,
      suggestion: (if .verdict == "headroom" then headroom_text else hidden_text end) };
def advice: default_advice;
