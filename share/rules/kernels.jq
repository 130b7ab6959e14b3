# The kernel table's classes (reports triage and kernels, tl-overlap's fusion patterns): what a
# kernel does, from its name alone. Input: {rules, name}, the name as in the trace or canonical.
#
# The default set looks at words, not at substrings: names are taken apart at punctuation, digits
# and where an upper-case letter follows a lower-case one, so that "gamma" holds no "mma" and
# "_typeConvert" no "conv". " gemm" below is a word that begins so, "gemm " one that ends so.

# "void ns::LayerNormKernel_2<float>" -> " void ns layer norm kernel float "
def words:
  gsub("(?<a>[a-z0-9])(?<b>[A-Z])"; "\(.a) \(.b)")
  | ascii_downcase | " " + ([scan("[a-z]+[0-9]*")] | join(" ")) + " ";

# (jq's any takes twice as long.)
def has_any($list): [first(select(contains($list[])))] != [];

# In this order: the first class of which a word occurs.
def default_kernel_words:
  [ ["communication", [" nccl", " rccl", " msccl", " all reduce", " allreduce", " reduce scatter", " reducescatter",
      " all gather", " allgather", " all to all", " alltoall", " cross device reduce", " deepep", " deep ep", " mooncake",
      " nvshmem", " multimem", " two shot", " one shot all", " oneshot", " twoshot"]],
    ["memory", [" memcpy", " memset", " prefetch", " dma "]],
    ["reduce_topk", [" norm two ops", " norm ops"]],
    # a GEMM's epilogue (Bias, silu) and its tile loader do not change what it is
    ["moe", [" fused moe", " moe ", " grouped mm", " groupgemm", " group gemm", " grouped gemm", " group problem shape",
      " matmul ogs", " expert", " moe align", " combined routing", " finalize matmul scatter"]],
    ["hybrid_linear", [" gdn ", " gated delta", " mamba", " selective scan", " ssd ", " causal conv", " ssm ", " chunk scan"]],
    ["quantize", [" dynamic scaled fp8 quant", " scaled fp8 quant", " per token group quant", " quantize", " dequant",
      " cvt fp16 to fp4", " static scaled", " dynamic per token"]],
    ["norm", ["norm ", "rmsnorm", "layernorm", " gamma beta backward", " rowwise moments", " bn fw", " bn bw", " welford", " pow rsqrt "]],
    ["rope", [" rotary", " rope ", " mrope ", " apply rope"]],
    ["attention", [" attention", "attention ", " attn ", " flash fwd", " flash bwd", " flash attn", " fmha", "fmha ", " mla ",
      " pytorch flash", " flash splitkv", " batch decode with paged", " batch prefill with", " mha ", " cunn softmax sdpa"]],
    ["gemm", [" gemm", "gemm ", " gemv", "gemv ", " matmul", " cublas", " cijk ", " nvjet", " cutlass", " wgmma", " xmma ", " mma ",
      " bmm ", " splitk", " split k reduce", " addmm ", " mm "]],
    ["softmax", [" softmax", "softmax ", " log softmax"]],
    ["activation", [" silu", " gelu", " relu", " act and mul", " sigmoid", " swiglu", " tanh "]],
    ["reduce_topk", [" topk", " top k", " argmax", " arg max", " argtopk", " arg top", " sampling", " multinomial", " reduce ",
      " radix sort", " bitonic", " sort "]],
    # KV-cache writes and layout changes move data, whatever else the name says
    ["memory", [" reshape and cache", " store kvcache", " store kv cache", " direct copy", " copy kernel", " tofloat32 copy",
      " copy functor", " fill functor", " masked fill", " transpose", " nchw to nhwc", " nhwc to nchw"]],
    ["sampling_io", [" prepare inputs", " write req to", " cat array batched", " prepare next", " copy next"]],
    ["elementwise", [" elementwise", "elementwise ", " gpu kernel impl", " binary internal", " unary functor", " multi tensor apply",
      " triton poi ", " index ", " gather", " scatter", " add kernel", " sub kernel", " mul kernel", " div ", " floor kernel",
      " log kernel", " neg kernel", " fill", " copy", " convolve elementwise"]],
    ["communication", [" broadcast", " dispatch ", " combine "]] ];

# A pointwise kernel of Inductor lists what it fuses: only these of its words say what it is.
def pointwise_classes: ["rope", "quantize", "activation", "elementwise"];

def default_class12_words:
  words as $w
  | ($w | startswith(" triton poi ")) as $pointwise
  | first((default_kernel_words[]
        | select(($pointwise | not) or (.[0] as $c | pointwise_classes | index($c) != null))
        | select(.[1] as $list | $w | has_any($list)) | .[0]), "other");

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

def default_class12:
  if .rules == "reference" then .name | reference_class12 else .name | default_class12_words end;
def class12: default_class12;
