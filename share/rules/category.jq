# What a row is, from its operator's name, else from its own kernels, the longest time first.
#
# Kernel names are looked at word by word, never for a substring: they are taken apart at punctuation and digits, and
# where a capital follows a small letter, so that "gemma" holds no gemm and "decoder" no decode. The table below
# holds the words, the words in a row (phrases), and which category counts when a name has words of several (rank).
def category_words:
{
"rank": {
 "collective": 0, "memcpy": 1, "memset": 2, "InferenceAttention": 3, "SDPA_bwd": 4, "SDPA_fwd": 5, "MoE": 6,
 "RoPE_fwd": 7, "NORM_bwd": 8, "RMSNorm": 9, "NORM_fwd": 10, "CONV_bwd": 11, "CONV_fwd": 12, "SSM_fwd": 13,
 "GroupQuant": 14, "softmax": 15, "sort": 16, "pooling": 17, "GEMM": 18, "multi_tensor_apply": 19, "reduce": 20,
 "index": 21, "copy": 22, "elementwise": 23
},
"words": {
 "nccl": "collective", "NCCL": "collective", "rccl": "collective", "RCCL": "collective", "multimem": "collective",
 "nvshmem": "collective", "deepep": "collective",
 "memcpy": "memcpy", "Memcpy": "memcpy", "MEMCPY": "memcpy",
 "memset": "memset", "Memset": "memset", "MEMSET": "memset",
 "kvcache": "InferenceAttention",
 "fmha": "SDPA_fwd", "Fmha": "SDPA_fwd", "FMHA": "SDPA_fwd", "attention": "SDPA_fwd", "Attention": "SDPA_fwd",
 "attn": "SDPA_fwd", "Attn": "SDPA_fwd", "flash": "SDPA_fwd", "Flash": "SDPA_fwd", "mla": "SDPA_fwd",
 "Mla": "SDPA_fwd", "MLA": "SDPA_fwd", "mha": "SDPA_fwd", "Mha": "SDPA_fwd", "MHA": "SDPA_fwd",
 "moe": "MoE", "Moe": "MoE", "topk": "MoE", "Topk": "MoE", "expert": "MoE", "routing": "MoE",
 "rotary": "RoPE_fwd", "Rotary": "RoPE_fwd", "rope": "RoPE_fwd", "Rope": "RoPE_fwd",
 "rmsnorm": "RMSNorm", "Rmsnorm": "RMSNorm", "rms": "RMSNorm", "Rms": "RMSNorm", "RMS": "RMSNorm",
 "layernorm": "NORM_fwd", "Layernorm": "NORM_fwd", "batchnorm": "NORM_fwd", "groupnorm": "NORM_fwd",
 "norm": "NORM_fwd", "Norm": "NORM_fwd", "welford": "NORM_fwd", "Welford": "NORM_fwd",
 "dgrad": "CONV_bwd", "wgrad": "CONV_bwd", "wrw": "CONV_bwd",
 "conv": "CONV_fwd", "Conv": "CONV_fwd", "convolution": "CONV_fwd", "Convolution": "CONV_fwd", "fprop": "CONV_fwd",
 "winograd": "CONV_fwd", "igemm": "CONV_fwd", "implicit": "CONV_fwd",
 "mamba": "SSM_fwd", "Mamba": "SSM_fwd", "ssd": "SSM_fwd",
 "quant": "GroupQuant", "Quant": "GroupQuant", "quantize": "GroupQuant", "Quantize": "GroupQuant",
 "softmax": "softmax", "Softmax": "softmax", "soft": "softmax", "Soft": "softmax",
 "sort": "sort", "Sort": "sort", "scan": "sort", "Scan": "sort", "radix": "sort", "Radix": "sort", "bitonic": "sort",
 "pool": "pooling", "Pool": "pooling", "pooling": "pooling", "Pooling": "pooling",
 "gemm": "GEMM", "Gemm": "GEMM", "GEMM": "GEMM", "sgemm": "GEMM", "dgemm": "GEMM", "hgemm": "GEMM", "bgemm": "GEMM",
 "cgemm": "GEMM", "zgemm": "GEMM", "wgmma": "GEMM", "gemv": "GEMM", "Gemv": "GEMM", "gemvx": "GEMM", "matmul": "GEMM",
 "Matmul": "GEMM", "bmm": "GEMM", "Bmm": "GEMM", "mma": "GEMM", "Mma": "GEMM", "MMA": "GEMM", "mfma": "GEMM",
 "xmma": "GEMM", "cublas": "GEMM", "cublaslt": "GEMM", "cutlass": "GEMM", "nvjet": "GEMM", "cijk": "GEMM",
 "Cijk": "GEMM", "splitk": "GEMM",
 "reduce": "reduce", "Reduce": "reduce", "reduction": "reduce", "Reduction": "reduce",
 "gather": "index", "Gather": "index", "scatter": "index", "Scatter": "index", "index": "index", "Index": "index",
 "embedding": "index", "Embedding": "index",
 "copy": "copy", "Copy": "copy", "cat": "copy", "Cat": "copy", "transpose": "copy", "Transpose": "copy",
 "elementwise": "elementwise", "Elementwise": "elementwise", "fill": "elementwise", "Fill": "elementwise",
 "gelu": "elementwise", "Gelu": "elementwise", "silu": "elementwise", "Silu": "elementwise", "relu": "elementwise",
 "Relu": "elementwise", "dropout": "elementwise", "Dropout": "elementwise"
},
"phrases": [
 [["reshape", "and", "cache"], "InferenceAttention"],
 [["cross", "device", "reduce"], "collective"], [["all", "reduce"], "collective"], [["All", "Reduce"], "collective"],
 [["all", "gather"], "collective"], [["All", "Gather"], "collective"], [["reduce", "scatter"], "collective"],
 [["Reduce", "Scatter"], "collective"], [["multi", "tensor", "apply"], "multi_tensor_apply"], [["act", "and", "mul"], "elementwise"]
],
"backward": {"SDPA_fwd": "SDPA_bwd", "NORM_fwd": "NORM_bwd", "CONV_fwd": "CONV_bwd"}
};

# The category of a kernel's name, null when no word says it. Names can be thousands of letters of template arguments:
# the first 200 hold the kernel's own name.
# (_match_impl does the work of jq's scan, whose wrappers are long: README.md, "Time".)
def kernel_category:
  category_words as $table
  | if startswith("triton_") then "triton" else
      [.[:200] | _match_impl("[A-Z]+(?![a-z])|[A-Z]?[a-z]+"; "g"; false)[].string] as $words
      | reduce ($table.words[$words[]], ($table.phrases[] | if $words[.[0]][0] == null then null else .[1] end)) as $c (null;
          if $c and (. == null or $table.rank[$c] < $table.rank[.]) then $c else . end)
      | if . and $table.backward[.] and [$words[["backward"], ["bwd"], ["dgrad"], ["wgrad"]][]] != [] then $table.backward[.] else . end
    end;

# . = a row's question; "category" is what the operator's name says, if anything.
# The reference asks for the words elementwise, reduce and multi_tensor_apply in the name of PyTorch's own kernels only.
def category_of:
  if .category then .category
  elif .rules == "reference" then
    .kernels[0] | tostring | if startswith("void at::native") then . else "" end
    | . as $kernel | reduce ("multi_tensor_apply", "reduce", "elementwise") as $word ("other"; if $kernel | contains($word) then $word else . end)
  else reduce .kernels[]? as $kernel (null; . // ($kernel | kernel_category)) // "other" end;
