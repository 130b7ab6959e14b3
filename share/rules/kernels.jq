# The kernel table's kinds (reports triage and kernels): what a kernel does, from its name alone.
# Input: {rules, name}, the name as in the trace or canonical.
include "words";
include "comm";
include "kernel_names";

# (jq's any takes twice as long.)
def has_any($list): [first(select(contains($list[])))] != [];

# The reference: substrings of the lower-cased name.
def reference_compute_like:
  has_any(["gemm", "gemv", "matmul", "cublas", "cutlass", "wgmma", "mma", "bmm", "nvjet", "fmha", "attention",
    "flash_attn", "flashattention", "flash_attention", "grouped_mm", "groupgemm", "moe", "expert"]);

def reference_kernel_words:
  [ ["hybrid_linear", ["gdn", "gated_delta", "mamba", "selective_scan", "ssd", "causal_conv", "ssm"]],
    ["attention", ["flash_attn", "flashattention", "flash_attention", "fmha", "attention", "mla", "paged_attention", "decode_attention"]],
    ["moe", ["fused_moe", "grouped_mm", "groupgemm", "group_gemm", "moe", "expert", "groupproblemshape"]],
    ["gemm", ["gemm", "gemv", "matmul", "cublas", "cutlass", "wgmma", "mma", "bmm", "nvjet"]],
    ["norm", ["rmsnorm", "layernorm", "_norm_", " norm", "normkernel"]],
    ["rope", ["rotary", "rope", "mrope"]],
    ["softmax", ["softmax"]],
    ["activation", ["silu", "gelu", "relu", "act_and_mul", "sigmoid"]],
    ["quantize", ["quant", "fp8", "mxfp", "nvfp4", "dequant", "cvt"]],
    ["reduce_topk", ["topk", "reduce", "argmax", "argtopk", "sampling", "multinomial"]],
    # KV-cache writes and layout changes move data, whatever else the name says
    ["memory", [" reshape and cache", " store kvcache", " store kv cache", " direct copy", " copy kernel", " tofloat32 copy",
      " copy functor", " fill functor", " masked fill", " transpose", " nchw to nhwc", " nhwc to nchw"]],
    ["sampling_io", ["prepare_inputs", "write_req_to", "catarraybatched", "prepare_next", "copy_next"]],
    ["elementwise", ["elementwise", "vectorized_elementwise_kernel", "unrolled_elementwise_kernel", "gpu_kernel_impl",
      "binary_internal", "unaryfunctor", "add_kernel", "sub_kernel", "mul_kernel", "div_", "floor_kernel", "log_kernel", "neg_kernel"]] ];

def reference_class12:
  ascii_downcase
  | if has_any(["nccl", "allreduce", "all_reduce", "reduce_scatter", "allgather", "all_gather", "alltoall", "all_to_all",
      "cross_device_reduce", "deepep", "mooncake"]) then "communication"
    elif has_any(["memcpy", "memset", "dma", "prefetch"]) then "memory"
    else reference_compute_like as $compute
    | if ($compute | not) and has_any(["copy", "fill"]) then "memory"
      else . as $n
      | first((reference_kernel_words[] | select(.[1] as $list | $n | has_any($list)) | .[0]),
          if ($compute | not) and has_any(["broadcast", "dispatch", "combine"]) then "communication" else "other" end)
      end
    end;

# Twelve kinds and "other": a map of what the name says that the kernel is (kernel_names.jq).
def default_class12:
  if .rules == "reference" then .name | reference_class12 else kernel_table[kernel_is(communicates) // ""][2] // "other" end;
def class12: default_class12;
