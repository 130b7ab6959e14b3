# Fusion candidates: kernels that are known to be done by one kernel elsewhere (tl-overlap).
#
# A pattern matches when every one of its `groups` has a row (a row is a kernel of the trace with its
# scope and operator) in which one of the group's words occurs, or when a row holds one of the words
# in `active`, which prove it alone. Rows with a word of `done` are the fused kernel itself and are
# no evidence; a trace with a word of `without` anywhere is not asked at all. The time of all
# matching rows is what the fusion bears on: under `min_share` percent of GPU time the pattern is not
# reported (unless active), from `likely_share` on it is "confirmed", else "candidate". Patterns
# with a higher `priority` choose first; a row serves one pattern, and what a chosen pattern
# `subsumes` is not reported again. Words are compared in lower case, with and without punctuation.
# `origin` names a public kernel that does the whole thing.
#
# To add a pattern, redefine fusions in a file given with --rules:
#
#     def fusions: fusions_of(default_fusion_patterns + [{pattern: "my gate + mul", priority: 90,
#       groups: [["my_gate"], ["my_mul"]], min_share: 0.1, likely_share: 1, rationale: "...", origin: "..."}]);

def norm_words: ["rms_norm", "rmsnorm", "layer_norm", "layernorm"];
def quant_words: ["scaled_fp8_quant", "per_token_group_quant", "dynamic_per_token_scaled_quant", "quantize_with_block_size", "cvt_fp16_to_fp4", "scaled_int8_quant"];
def rope_words: ["rotary_embedding", "rotary_kernel", "apply_rope", "fused_rope", "rope_kernel"];
def add_words: ["cudafunctor_add", "add_kernel_cuda"];
def mul_words: ["mulfunctor", "mul_kernel_cuda"];
def moe_gemm_words: ["fused_moe", "grouped_mm", "grouped_gemm", "groupgemm", "matmul_ogs", "moe_kernel", "moe_gemm"];
def training_words: ["backward", "_bwd", "fusedadam", "addcdiv"];

def default_fusion_patterns:
  [
    # Tensor-parallel inference ends every block with an all-reduce, and the residual add and norm that
    # follow read the same tensor again: one pass over it can do all three while it is in registers.
    { pattern: "all-reduce + residual add + norm", priority: 95,
      groups: [["allreduce", "all_reduce", "cross_device_reduce"], norm_words],
      done: ["allreduce_fusion", "allreduce_rms", "all_reduce_rms"], without: training_words,
      min_share: 0.5, likely_share: 5, subsumes: ["residual add + norm"],
      rationale: "the norm reads what the all-reduce has just written; a fused kernel keeps it on chip",
      origin: "flashinfer trtllm_allreduce_fusion" },

    # The residual add writes the stream that the next norm reads at once; both are bound by memory.
    { pattern: "residual add + norm", priority: 80, groups: [add_words, norm_words],
      done: ["fused_add_rms_norm", "add_rmsnorm", "add_rms_norm", "fusedaddrmsnorm", "skip_layer_norm"], without: training_words,
      min_share: 0.3, likely_share: 4, subsumes: [],
      rationale: "the sum is written and read again by the norm; one kernel halves that traffic",
      origin: "vllm fused_add_rms_norm_kernel" },

    # Post-norm encoders: dropout, residual add and layer norm are three passes over one activation.
    { pattern: "dropout + residual add + layer norm", priority: 82,
      groups: [["fused_dropout", "dropout_kernel", "vectorized_dropout"], add_words, norm_words],
      done: ["dropout_layer_norm", "dropout_add_ln", "ln_fwd_kernel"], without: [],
      min_share: 0.5, likely_share: 4, subsumes: ["residual add + norm"],
      rationale: "three memory-bound passes over the same activation",
      origin: "flash-attn dropout_layer_norm" },

    # Fp8 and fp4 models quantise every GEMM's input; the norm before it has the row in registers and
    # knows its maximum.
    { pattern: "norm + quantise", priority: 78, groups: [norm_words, quant_words],
      done: ["rmsnorm_quant", "rms_norm_quant", "norm_dynamic_per_token_quant", "rms_norm_static_fp8_quant", "layernorm_quant"], without: [],
      min_share: 0.3, likely_share: 3, subsumes: ["quantise + GEMM"],
      rationale: "the quantisation reads the norm's output only to scale it",
      origin: "vllm rms_norm_dynamic_per_token_quant_kernel" },

    # The same after the gated activation, in front of the down projection.
    { pattern: "activation + quantise", priority: 76,
      groups: [["silu_and_mul", "act_and_mul", "gelu_and_mul", "silu_kernel"], quant_words],
      done: ["silu_and_mul_quant", "silu_mul_quant", "act_and_mul_quant", "silu_mul_fp8", "silu_and_mul_per_block"], without: [],
      min_share: 0.3, likely_share: 3, subsumes: ["quantise + GEMM"],
      rationale: "the activation is written in 16 bits only to be read and scaled",
      origin: "vllm silu_and_mul_quant_kernel" },

    # What is left: a quantisation with no producer to hide in; the GEMM can scale its tiles on load.
    { pattern: "quantise + GEMM", priority: 50,
      groups: [quant_words], near: [["scaled_mm", "fp8_gemm", "gemm_fp8", "blockwise_gemm", "e4m3", "gemm_a8w8", "nvfp4"]],
      done: [], without: [], min_share: 1, likely_share: 4, subsumes: [],
      rationale: "a separate pass over the activations in front of every low-precision GEMM",
      origin: "deep_gemm fp8_gemm_nt" },

    # Models with per-head norms of q and k run two small norms, then RoPE, over the same heads.
    { pattern: "q/k norm + RoPE", priority: 74,
      groups: [["qk_norm", "q_norm", "k_norm", "qknorm"], rope_words],
      done: ["fused_qk_norm_rope", "fusedqknormrope", "qk_norm_rope"], without: training_words,
      min_share: 0.3, likely_share: 3, subsumes: ["QKV split + RoPE"],
      rationale: "per-head norm and rotation touch the same small vectors; launches dominate",
      origin: "tensorrt_llm fusedQKNormRopeKernel" },

    # A copy that makes q, k and v contiguous before RoPE rotates them in place.
    { pattern: "QKV split + RoPE", priority: 66,
      groups: [rope_words, ["split_qkv", "split_with_sizes", "qkv_split", "aten::split", "aten::contiguous"]],
      done: ["fused_qkv_split_rope", "split_qkv_rmsnorm_rope"], without: training_words,
      min_share: 0.3, likely_share: 3, subsumes: [],
      rationale: "RoPE can read the packed projection with strides; the copy falls away",
      origin: "flashinfer BatchQKApplyRotaryPosIdsCosSinCacheKernel" },

    # RoPE writes k, and the next kernel does nothing but copy it into the cache.
    { pattern: "RoPE + KV-cache write", priority: 70,
      groups: [rope_words, ["reshape_and_cache", "store_kvcache", "store_cache", "set_kv_buffer", "concat_and_cache"]],
      done: ["rope_update_kv_cache", "rope_and_cache", "rope_quantize_append", "apply_bias_rope_update_kv_cache"], without: training_words,
      min_share: 0.3, likely_share: 2, subsumes: [],
      rationale: "the rotated key is written and at once copied to its cache page",
      origin: "tensorrt_llm applyBiasRopeUpdateKVCacheV2" },

    # The gate of a SwiGLU or GeGLU block, as two pointwise kernels.
    { pattern: "SiLU and mul", priority: 72, groups: [["silu_kernel", "aten::silu"], mul_words],
      done: ["silu_and_mul", "act_and_mul", "silu_mul", "mul_silu", "swiglu"], without: [],
      min_share: 0.3, likely_share: 2, subsumes: [],
      rationale: "the activated gate is written and read again by the multiplication",
      origin: "vllm act_and_mul_kernel" },
    { pattern: "GELU and mul", priority: 71, groups: [["gelucudakernel", "gelu_kernel", "aten::gelu"], mul_words],
      done: ["gelu_and_mul", "act_and_mul", "geglu"], without: [],
      min_share: 0.5, likely_share: 3, subsumes: [],
      rationale: "the activated gate is written and read again by the multiplication",
      origin: "vllm act_and_mul_kernel" },

    # Bias and activation can ride in the GEMM's epilogue.
    { pattern: "GEMM + activation epilogue", priority: 40,
      groups: [["gelucudakernel", "gelu_kernel", "aten::gelu", "aten::relu", "clamp_min"]], near: [["aten::addmm", "aten::linear"]],
      done: ["_addmm_activation", "epilogue_gelu", "gelu_bias"], without: [],
      min_share: 1, likely_share: 5, subsumes: [],
      rationale: "the activation can be applied to the tile before it is stored",
      origin: "cuBLASLt CUBLASLT_EPILOGUE_GELU_BIAS" },

    # Routing: softmax over the experts, then top-k, both over a few numbers per token.
    { pattern: "top-k + softmax routing", priority: 64,
      groups: [["softmax"], ["topk", "gathertopk", "bitonicsort", "radixselect"]],
      done: ["topk_softmax", "topkgating", "topkgatingsoftmax", "softmax_topk", "grouped_topk_fused", "topk_gating"], without: training_words,
      min_share: 0.2, likely_share: 2, subsumes: [],
      rationale: "both are tiny; the launches cost more than the work",
      origin: "vllm topkGatingSoftmax" },

    # From the chosen experts to sorted blocks: histogram, scan, scatter, each its own launch.
    { pattern: "MoE align and permute", priority: 62,
      groups: [["topk", "routing", "combined_routing"],
               ["moe_align", "count_and_sort_expert", "sum_bitmatrix", "permute", "histogram", "expert_offset", "sort_tokens"]],
      near: [moe_gemm_words],
      done: [], without: [], min_share: 0.5, likely_share: 3, subsumes: ["top-k + softmax routing"],
      rationale: "several launch-bound kernels turn expert ids into a schedule; one block can do it for decode batches",
      origin: "sglang moe_align_block_size_kernel, tensorrt_llm routingIndicesBlockKernel" },

    # The weighted sum of the experts' outputs as a pass of its own.
    { pattern: "MoE GEMM + combine", priority: 60,
      groups: [["moe_sum", "finalize", "moe_reduce", "unpermute", "scatter_bf16"]], near: [moe_gemm_words],
      done: [], without: [], min_share: 0.5, likely_share: 3, subsumes: [],
      rationale: "the second expert GEMM can scatter with weights in its epilogue",
      origin: "tensorrt_llm finalizeMoeRoutingKernel fused into the grouped GEMM" },

    # Split-KV decoding needs a second kernel to combine; for short contexts one pass is faster.
    { pattern: "split-KV attention + combine", priority: 58,
      groups: [["splitkv", "unified_attention_3d", "paged_attention", "decode_att", "flashattnfwd", "grouped_att_m_fwd"],
               ["combine", "reduce_segments", "attention_ll4mi_reduce", "paged_attention_v2_reduce", "fwd_kernel_stage2"]],
      done: [], without: training_words, min_share: 1, likely_share: 30, subsumes: [],
      rationale: "the partial results go through memory; fewer splits, or a cluster-wide reduction, avoid it",
      origin: "flash-attn flash_fwd_splitkv_combine_kernel (num_splits=1)" },

    # Split-K GEMMs leave partial sums for a kernel of their own.
    { pattern: "split-K GEMM + reduce", priority: 45, active: ["splitkreduce"], groups: [],
      done: [], without: [], min_share: 0.5, likely_share: 3, subsumes: [],
      rationale: "another tile shape or stream-K sums the slices inside the GEMM",
      origin: "cuBLASLt splitKreduce_kernel" },

    # Attention written out: two batched GEMMs with a softmax over the score matrix between them.
    { pattern: "softmax between batched GEMMs", priority: 85,
      groups: [["softmax_warp_forward", "softmaxforward", "cunn_softmax", "aten::_softmax"], ["aten::bmm", "aten::baddbmm", "batched_gemm"]],
      done: ["fmha", "flash_fwd", "flash_attn"], without: [], min_share: 1, likely_share: 5,
      subsumes: ["top-k + softmax routing"],
      rationale: "the score matrix goes to memory and back; flash attention never stores it",
      origin: "torch scaled_dot_product_attention" },

    # Sampling from logits by sorting them all.
    { pattern: "sort-based sampling", priority: 55,
      groups: [["radixsort", "bitonicsort", "aten::sort"], ["cumsum", "devicescan", "scan_kernel"], ["softmax"]],
      done: ["topptopksampling", "top_p_sampling", "samplingfromprob"], without: training_words,
      min_share: 0.5, likely_share: 3, subsumes: [],
      rationale: "rejection sampling needs neither the sort nor the running sum over the vocabulary",
      origin: "flashinfer TopPSamplingFromProbKernel" },

    # Optimizer steps written as foreach calls: one pass over all parameters per arithmetic operation.
    { pattern: "foreach optimizer", priority: 52,
      groups: [["addcdiv"], ["addcmul", "lerp", "_foreach_mul", "_foreach_sqrt"]],
      done: ["fusedadam", "fused_adam", "fusedsgd"], without: [], min_share: 0.5, likely_share: 3, subsumes: [],
      rationale: "each foreach call reads and writes every parameter; the fused step does so once",
      origin: "torch optim.AdamW(fused=True): FusedAdamMathFunctor" },

    # Convolutions that want another layout than the framework keeps.
    { pattern: "layout change around convolutions", priority: 48,
      groups: [["nchwtonhwc", "nhwctonchw", "batched_transpose", "transpose_nchw", "nchw2cnhw"]],
      near: [["conv", "cudnn", "miopen", "igemm", "implicit_gemm"]],
      done: [], without: [], min_share: 1, likely_share: 5, subsumes: [],
      rationale: "keep activations channels-last and the transposes fall away",
      origin: "torch memory_format=torch.channels_last" },

    # Diffusion transformers scale and shift every norm's output by the timestep's embedding.
    { pattern: "norm + scale and shift", priority: 56,
      groups: [["layer_norm", "rms_norm"], ["modulate", "adalayernorm", "ada_norm", "adaln", "scale_shift"]],
      done: ["fused_scale_shift", "layernorm_scale_shift", "norm_scale_shift"], without: training_words,
      min_share: 0.5, likely_share: 3, subsumes: [],
      rationale: "two pointwise passes over what the norm has just written",
      origin: "sglang fused_layernorm_scale_shift" }
  ];

# (_match_impl does the work of jq's scan, which is slow.)
def squeezed: [_match_impl("[a-z0-9]+"; "g"; false)[].string] | add // "";

# A word, ready for comparing: [as written, squeezed].
def prepared: map(ascii_downcase | [., squeezed]);
# (jq's any takes twice as long.)
def has_word($words):
  [first($words[] as [$w, $s] | select((.text | contains($w)) or ($s != "" and (.squeezed | contains($s)))))] != [];

# Rows (by place) in which one of the words occurs.
def hits($words): [.[] | select(has_word($words)) | .at];

# One pattern against the rows, and $together, all of them as one: null, or what it found.
def matched($p; $together; $total):
  ($p.active // [] | prepared) as $active
  | [$p.groups // [] | .[] | prepared] as $groups
  | if ($together | has_word($active) or ($groups != [] and all(has_word($groups[]); .))) | not then null
    elif ($p.without // [] | prepared) as $without | $together | has_word($without) then null
    else ($p.done // [] | prepared) as $done | map(select(has_word($done) | not)) as $rows
    | ($rows | hits($active)) as $proof
    | [$rows | hits($groups[])] as $split
    | (($split | length) > 0 and all($split[]; length > 0)
       and all($p.near // [] | .[]; prepared as $g | any($rows[]; has_word($g)))) as $whole
    | if ($whole or ($proof | length) > 0) | not then null
      else ($proof + (if $whole then $split | add else [] end) | unique) as $at
      | . as $all | ($at | map($all[.].gpu_ns) | add) as $ns
      | (100 * $ns / $total) as $share
      | if ($proof | length) == 0 and $share < $p.min_share then null
        else {pattern: $p.pattern, at: $at, ns: $ns, priority: $p.priority, subsumes: ($p.subsumes // []),
              span: ([($split | length), (if ($proof | length) > 0 then 1 else 0 end)] | max),
              confidence: (if ($proof | length) > 0 or $share >= $p.likely_share then "confirmed" else "candidate" end),
              rationale: $p.rationale, origin: $p.origin}
        end
      end
    end;

# Takes the best first: a row serves one pattern, and a subsumed pattern is not said again.
def chosen:
  sort_by([-.priority, -.span, -(.at | length), -.ns])
  | reduce .[] as $m ({taken: {}, said: {}, out: []};
      if .said[$m.pattern] or (.taken as $t | any($m.at[]; $t[tostring])) then .
      else .out += [$m]
      | reduce $m.subsumes[] as $s (.; .said[$s] = true)
      | reduce $m.at[] as $a (.; .taken[$a | tostring] = true)
      end)
  | .out;

# Input: {rules, total_ns, rows: [{name, scope, launch_op, squeezed, gpu_ns}]}; squeezed: the letters and digits of
# the three texts in lower case, one behind the other. Output: the patterns found, best
# first, each with the places of its rows (`at`).
def fusions_of($patterns):
  .total_ns as $total
  | if $total <= 0 then []
    else
      [ .rows | to_entries[]
        | (.value | [.name, .scope, .launch_op] | map(. // "") | join(" ") | ascii_downcase) as $text
        | {at: .key, text: $text, squeezed: (.value.squeezed // ($text | squeezed)), gpu_ns: .value.gpu_ns} ]
    | . as $rows
    | {text: map(.text) | join("\n"), squeezed: map(.squeezed) | join("\n")} as $together
    | [$patterns[] as $p | $rows | matched($p; $together; $total) | select(. != null)]
    | chosen
    | map({pattern, confidence, at, rationale, origin})
    end;
def default_fusions: fusions_of(default_fusion_patterns);
def fusions: default_fusions;
