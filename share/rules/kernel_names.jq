# What a kernel is, from its name: the one table. What others say of a kernel are maps of it: tl-overlap's class, the kind
# in the reports kernels and triage, and the category of a row of tl-synth that its operator's name does not tell.
# (The reference rules have lists of their own, in overlap.jq, kernels.jq and category.jq.)
#
# Names are looked at word by word (words.jq). What a kernel is called says more than its template arguments: these are
# asked only when the former says nothing, or too little (kernel_open).
include "words";
include "comm";

# What a kernel can be -> [rank, category, kind, class]. Of several the first in rank counts. Inductor's kernels are
# named after all that they do; their category is triton.
def kernel_table:
{
"collective":         [ 0, "collective",         "communication", "communication"],
"memcpy":             [ 1, "memcpy",             "memory",        "memory"],
"memset":             [ 2, "memset",             "memory",        "memory"],
"kv_write":           [ 3, "InferenceAttention", "memory",        "memory"],
"attention_bwd":      [ 4, "SDPA_bwd",           "attention",     "compute"],
"attention":          [ 5, "SDPA_fwd",           "attention",     "compute"],
"moe_gemm":           [ 6, "MoE",                "moe",           "compute"],
"moe":                [ 7, "MoE",                "moe",           "elementwise"],
"ssm":                [ 8, "SSM_fwd",            "hybrid_linear", "compute"],
"conv_bwd":           [ 9, "CONV_bwd",           "gemm",          "compute"],
"conv":               [10, "CONV_fwd",           "gemm",          "compute"],
"gemm":               [11, "GEMM",               "gemm",          "compute"],
"rope":               [12, "RoPE_fwd",           "rope",          "elementwise"],
"norm_bwd":           [13, "NORM_bwd",           "norm",          "elementwise"],
"rmsnorm":            [14, "RMSNorm",            "norm",          "elementwise"],
"norm":               [15, "NORM_fwd",           "norm",          "elementwise"],
"quantize":           [16, "GroupQuant",         "quantize",      "elementwise"],
"softmax":            [17, "softmax",            "softmax",       "elementwise"],
"sampling":           [18, null,                 "reduce_topk",   "other"],
"topk":               [19, "sort",               "reduce_topk",   "elementwise"],
"sort":               [20, "sort",               "reduce_topk",   "other"],
"pooling":            [21, "pooling",            "other",         "other"],
"multi_tensor_apply": [22, "multi_tensor_apply", "elementwise",   "elementwise"],
"concat":             [23, "copy",               "sampling_io",   "memory"],
"prepare":            [24, null,                 "sampling_io",   "other"],
"reduce":             [25, "reduce",             "reduce_topk",   "other"],
"index":              [26, "index",              "elementwise",   "elementwise"],
"copy":               [27, "copy",               "memory",        "memory"],
"fill":               [28, "elementwise",        "memory",        "memory"],
"activation":         [29, "elementwise",        "activation",    "elementwise"],
"elementwise":        [30, "elementwise",        "elementwise",   "elementwise"],
"cudnn":              [31, "CONV_fwd",           "gemm",          "compute"],
"cutlass":            [32, "GEMM",               "gemm",          "compute"],
"triton_attention":   [40, "triton",             "attention",     "compute"],
"triton_conv":        [41, "triton",             "gemm",          "compute"],
"triton_gemm":        [42, "triton",             "gemm",          "compute"],
"triton_rope":        [43, "triton",             "rope",          "elementwise"],
"triton_norm":        [44, "triton",             "norm",          "elementwise"],
"triton_quantize":    [45, "triton",             "quantize",      "elementwise"],
"triton_softmax":     [46, "triton",             "softmax",       "elementwise"],
"triton_reduce":      [47, "triton",             "reduce_topk",   "elementwise"],
"triton_activation":  [48, "triton",             "activation",    "elementwise"],
"triton_elementwise": [49, "triton",             "elementwise",   "elementwise"],
"triton":             [50, "triton",             "other",         "other"]
};

# A word of a name, in lower case -> what it says, or what phrases say that it begins.
def kernel_words:
{
"memcpy": "memcpy", "dma": "memcpy", "memset": "memset",
"kvcache": "kv_write", "reshape": {"reshape and cache": "kv_write"}, "concat": {"concat and cache": "kv_write"},
"store": {"store kv cache": "kv_write"}, "kv": {"kv buffer": "kv_write"},

"attention": "attention", "attn": "attention", "fmha": "attention", "mha": "attention", "mla": "attention", "sdpa": "attention",
"flash": "attention", "flashattn": "attention", "flashattention": "attention", "flashmla": "attention",
"batch": {"batch prefill": "attention", "batch decode": "attention"},
"single": {"single prefill": "attention", "single decode": "attention"},

"moe": {"moe kernel": "moe_gemm", "moe": "moe"}, "expert": "moe", "experts": "moe", "routing": "moe", "gating": "moe",
"fused": {"fused moe kernel": "moe_gemm", "fused mo e": "moe"}, "fmoe": "moe_gemm", "groupgemm": "moe_gemm",
"grouped": {"grouped mm": "moe_gemm", "grouped gemm": "moe_gemm"},
"group": {"group gemm": "moe_gemm", "group problem shape": "moe_gemm"}, "finalize": {"finalize matmul": "moe_gemm"},

"mamba": "ssm", "ssd": "ssm", "ssm": "ssm", "gdn": "ssm", "causal": {"causal conv": "ssm"}, "selective": {"selective scan": "ssm"},
"chunk": {"chunk scan": "ssm"}, "gated": {"gated delta": "ssm", "gated": "elementwise"},

"dgrad": "conv_bwd", "wgrad": "conv_bwd", "wrw": "conv_bwd",
"conv": "conv", "convolve": "conv", "convolution": "conv", "fprop": "conv", "winograd": "conv", "igemm": "conv", "implicit": "conv",
"scudnn": "conv", "hcudnn": "conv", "fft": {"fft 2 d": "conv"}, "cudnn": {"cudnn ops": "elementwise", "cudnn": "cudnn"},

"gemm": "gemm", "sgemm": "gemm", "dgemm": "gemm", "hgemm": "gemm", "bgemm": "gemm", "cgemm": "gemm", "zgemm": "gemm",
"gcgemm": "gemm", "qgemm": "gemm", "gemmk": "gemm", "gemv": "gemm", "gemvx": "gemm", "gemvnsp": "gemm",
"matmul": {"matmul ogs": "moe_gemm", "matmul": "gemm"}, "bmm": "gemm", "addmm": "gemm", "mm": {"mm kernel": "gemm"},
"mma": "gemm", "wgmma": "gemm", "wmma": "gemm", "xmma": "gemm", "mfma": "gemm", "hmma": "gemm", "imma": "gemm", "qmma": "gemm",
"cublas": "gemm", "cublaslt": "gemm", "nvjet": "gemm", "cijk": "gemm", "marlin": "gemm", "cutlass": "cutlass",
"splitk": "gemm", "kreduce": "gemm", "split": {"split k": "gemm"}, "scal": {"scal kernel": "gemm"}, "epilogue": {"epilogue impl": "gemm"},

"rotary": "rope", "rope": "rope", "mrope": "rope",

"rmsnorm": "rmsnorm", "rms": "rmsnorm",
"norm": "norm", "layernorm": "norm", "batchnorm": "norm", "groupnorm": "norm", "instancenorm": "norm", "welford": "norm", "bn": "norm",
"gamma": {"gamma beta": "norm_bwd"}, "rowwise": {"rowwise moments": "norm"}, "pow": {"pow rsqrt": "norm"},

"quant": "quantize", "quantize": "quantize", "quantization": "quantize", "dequant": "quantize", "dequantize": "quantize",
"qparam": "quantize", "cvt": {"cvt fp 16 to fp 4": "quantize"},

"softmax": "softmax", "soft": {"soft max": "softmax"},

"sampling": "sampling", "multinomial": "sampling",
"topk": "topk", "argtopk": "topk", "top": {"top k": "topk"},
"sort": "sort", "scan": "sort", "radix": "sort", "bitonic": "sort",
"pool": "pooling", "pooling": "pooling",
"multi": {"multi tensor apply": "multi_tensor_apply"},
"write": {"write req to": "prepare"}, "prepare": {"prepare inputs": "prepare", "prepare next": "prepare"},
"reduce": "reduce", "reduction": "reduce", "argmax": "reduce", "argmin": "reduce", "arg": {"arg max": "reduce", "arg min": "reduce"},
"gather": "index", "scatter": "index", "index": "index", "embedding": "index",
"cat": {"cat array": "concat", "cat": "copy"}, "copy": {"copy next": "prepare", "copy": "copy"}, "transpose": "copy",
"prefetch": "copy", "nchw": {"nchw to nhwc": "copy"}, "nhwc": {"nhwc to nchw": "copy"}, "fill": "fill",

"gelu": "activation", "ge": {"ge lu": "activation"}, "silu": "activation", "si": {"si lu": "activation"},
"relu": "activation", "re": {"re lu": "activation"}, "swiglu": "activation", "geglu": "activation", "sigmoid": "activation",
"tanh": "activation", "activation": "activation", "act": {"act and mul": "activation"},

"elementwise": "elementwise", "pointwise": "elementwise", "dropout": "elementwise", "gate": "elementwise", "bias": "elementwise",
"cast": "elementwise", "masked": "elementwise", "add": {"add kernel": "elementwise"}, "mul": {"mul kernel": "elementwise"},
"sub": {"sub kernel": "elementwise", "sub tensor op": "elementwise"}, "div": {"div kernel": "elementwise"},
"floor": {"floor kernel": "elementwise"}, "log": {"log kernel": "elementwise"}, "neg": {"neg kernel": "elementwise"}
};

# Where no word of what a kernel is called is known: what words that are written as one say (deepgemm, qknorm). FBGEMM is a
# library of everything, gemma a model.
def kernel_stems:
[["(attention|fmha)", "attention"], [" (?!fb)[a-z]*(gemm(?!a)|gemv|matmul)", "gemm"], ["norm ", "norm"], ["softmax", "softmax"],
 ["elementwise", "elementwise"]];

# These take what they do as a template argument: an elementwise kernel its function, a kernel of CUTLASS or cuDNN its
# operation. What the arguments may make of them.
def kernel_open:
{
"elementwise": {"rope": 1, "norm_bwd": 1, "rmsnorm": 1, "norm": 1, "softmax": 1, "index": 1, "copy": 1, "fill": 1, "activation": 1},
"cutlass": {"attention_bwd": 1, "attention": 1, "moe_gemm": 1, "moe": 1, "ssm": 1, "conv_bwd": 1, "conv": 1, "gemm": 1},
"cudnn": {"attention_bwd": 1, "attention": 1, "conv_bwd": 1, "conv": 1, "gemm": 1}
};

# What other words of the same name make of it: a backward of a forward, a product of what belongs to experts.
def kernel_also:
{
"attention": {"bwd": "attention_bwd", "backward": "attention_bwd", "bprop": "attention_bwd"},
"norm": {"bwd": "norm_bwd", "backward": "norm_bwd", "bw": "norm_bwd", "grad": "norm_bwd"},
"conv": {"bwd": "conv_bwd", "backward": "conv_bwd", "bprop": "conv_bwd"},
"moe": {"gemm": "moe_gemm", "matmul": "moe_gemm", "marlin": "moe_gemm", "mma": "moe_gemm", "cutlass": "moe_gemm"}
};

# Inductor's kernels by the second word of their names: what, of all that is fused into them, decides; "": nothing of it.
def kernel_inductor:
{
"poi": {"rope": "rope", "quantize": "quantize", "activation": "activation", "": "elementwise"},
"for": {"rope": "rope", "quantize": "quantize", "activation": "activation", "": "elementwise"},
"red": {"rmsnorm": "norm", "norm": "norm", "norm_bwd": "norm", "quantize": "quantize", "softmax": "softmax", "": "reduce"},
"per": {"rmsnorm": "norm", "norm": "norm", "norm_bwd": "norm", "quantize": "quantize", "softmax": "softmax", "": "reduce"},
"tem": {"attention": "attention", "attention_bwd": "attention", "conv": "conv", "conv_bwd": "conv", "": "gemm"},
"mm": {"": "gemm"}, "bmm": {"": "gemm"}
};

# Of what is said the first in rank; null: nothing.
def first_said(f): reduce f as $is (null; if . == null or kernel_table[$is][0] < kernel_table[.][0] then $is else . end);

# The text of a name's words -> what it says, of what the filter lets through.
def said(filter):
  . as $text
  | first_said(found(kernel_words) | filter)
  | if kernel_also[. // ""] then [kernel_also[.][$text | split(" ")[]] | select(. != null)][0] // . else . end;

def stem_said: . as $text | [kernel_stems[] | select(.[0] as $stem | $text | _match_impl($stem; null; true)) | .[1]][0];

# {rules, name} -> what the kernel is: a key of kernel_table, null when no word says it.
def kernel_is(communicates):
  . + {head: head}
  | if communicates then "collective"
    else
      (.head | if startswith(" triton ") then split(" ")[2] else null end) as $triton
      | kernel_inductor[$triton // ""] as $decides
      | if $decides then "triton_" + $decides[.head | first_said(found(kernel_words) | select($decides[.])) // ""]
        else
          (.head | said(.) // stem_said) as $is
          | kernel_open[$is // ""] as $open
          | if $is == null then (words | said(select(. != "cutlass"))) // if $triton then "triton" else null end
            elif $open then (words | said(select($open[.]))) // $is
            else $is end
        end
    end;
