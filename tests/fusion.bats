load helper

# run_kernels NAME=US...: a trace in which these kernels run one after the other, through tl-sourcemap
# and tl-overlap (options in $overlap), to $T/out
run_kernels() {
	local at=0 events=() pair
	for pair in "$@"; do
		events+=("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"${pair%=*}\",\"pid\":0,\"tid\":7,\"ts\":$at,\"dur\":${pair##*=},\"args\":{\"device\":0,\"stream\":7}}")
		at=$((at + 1000))
	done
	# shellcheck disable=SC2086
	trace "${events[@]}" | tl-extract -q | tl-sourcemap | tl-overlap -n ${overlap:-} | grep '"type":"fusion"' >"$T/out" || true
}
found() {
	jq -r "[.pattern, ${1:-.confidence}] | join(\": \")" "$T/out"
}
filler=ampere_sgemm_128x64_nn

@test "a fusion record says what it bears on" {
	run_kernels 'void at::native::vectorized_elementwise_kernel<4, at::native::silu_kernel>(int)=30' 'mul<MulFunctor>=10.5' "$filler=59.5"
	run cat "$T/out"
	assert_output '{"type":"fusion","trace":0,"pattern":"SiLU and mul","confidence":"confirmed","gpu_us":40.5,"share":40.5,"names":["void at::native::vectorized_elementwise_kernel<4, at::native::silu_kernel>","mul<MulFunctor>"],"rationale":"the activated gate is written and read again by the multiplication","origin":"vllm act_and_mul_kernel"}'
}

@test "every pattern that can be told by kernel names is found in the kernels it is about" {
	while IFS='|' read -r pattern kernels; do
		IFS=';' read -ra names <<<"$kernels"
		run_kernels "${names[@]/%/=20}" "$filler=20"
		run found .pattern
		assert_line "$pattern: $pattern"
	done <<'END'
all-reduce + residual add + norm|void vllm::cross_device_reduce_1stage<4>;void vllm::rms_norm_kernel<float>
residual add + norm|void vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>;void vllm::rms_norm_kernel<float>
dropout + residual add + layer norm|void fused_dropout_kernel_vec<float>;void vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>;void vectorized_layer_norm_kernel<float>
norm + quantise|void vllm::rms_norm_kernel<float>;void vllm::scaled_fp8_quant_kernel<float>
activation + quantise|void vllm::act_and_mul_kernel<silu>;void vllm::scaled_fp8_quant_kernel<float>
quantise + GEMM|per_token_group_quant_8bit_kernel;sm90_fp8_gemm_1d2d
q/k norm + RoPE|apply_qk_norm_kernel;rotary_embedding_kernel
QKV split + RoPE|split_qkv_kernel;rotary_embedding_kernel
RoPE + KV-cache write|rotary_embedding_kernel;reshape_and_cache_flash_kernel
SiLU and mul|silu_kernel;MulFunctor
GELU and mul|GeluCUDAKernelImpl;MulFunctor
top-k + softmax routing|softmax_warp_forward;gatherTopK
MoE align and permute|topk_kernel;moe_align_block_size_kernel;fused_moe_kernel
MoE GEMM + combine|fused_moe_kernel;moe_sum_kernel
split-KV attention + combine|flash_fwd_splitkv_kernel;flash_fwd_splitkv_combine_kernel
split-K GEMM + reduce|splitKreduce_kernel
softmax between batched GEMMs|softmax_warp_forward;batched_gemm_kernel
sort-based sampling|DeviceRadixSortOnesweepKernel;DeviceScanKernel;cunn_SoftMaxForward
foreach optimizer|multi_tensor_apply_kernel<PointwiseOp addcdiv>;multi_tensor_apply_kernel<PointwiseOp addcmul>
layout change around convolutions|nchwToNhwcKernel;implicit_convolve_sgemm
norm + scale and shift|vectorized_layer_norm_kernel;triton_modulate_kernel
END
}

@test "patterns have names of their own, what to compare, and a reason" {
	run jq -n -L "$root/share/rules" 'include "fusion"; default_fusion_patterns
		| (map(.pattern) | length == (unique | length))
		and all(.[]; (.rationale | length > 20) and (.origin | length > 3) and (.priority | type) == "number"
			and .min_share > 0 and .likely_share >= .min_share and ((.groups | length) + (.active // [] | length) > 0)
			and all(.groups[], .near[]?; length > 0) and all(.groups[][], .near[]?[], (.active, .done, .without | .[]?); . == ascii_downcase))
		and ([.[].subsumes[]] - map(.pattern) == [])'
	assert_output true
}

@test "the fused kernel is no evidence, and neither is training for what only inference does" {
	run_kernels 'vllm::fused_add_rms_norm_kernel=50' "$filler=50"
	run found
	assert_output ''
	run_kernels 'CUDAFunctor_add=10' 'rms_norm_kernel=20' "$filler=70"
	run found
	assert_output 'residual add + norm: confirmed'
	run_kernels 'CUDAFunctor_add=10' 'rms_norm_kernel=20' "rms_norm_backward=20" "$filler=50"
	run found
	assert_output ''
}

@test "what takes little is a candidate, what takes next to nothing is not reported" {
	run_kernels 'silu_kernel=1' 'MulFunctor=1' "$filler=98"
	run found
	assert_output 'SiLU and mul: confirmed'
	run_kernels 'silu_kernel=1' 'MulFunctor=0.5' "$filler=98.5"
	run found
	assert_output 'SiLU and mul: candidate'
	run_kernels 'silu_kernel=0.1' 'MulFunctor=0.1' "$filler=98"
	run found
	assert_output ''
}

@test "a word that proves its pattern alone reports it whatever its time" {
	run_kernels 'splitKreduce_kernel=0.001' "$filler=1000"
	run found
	assert_output 'split-K GEMM + reduce: confirmed'
}

@test "a row serves one pattern, the one with the highest priority, and subsumed ones are not said" {
	run_kernels 'cross_device_reduce_2stage=10' 'CUDAFunctor_add=10' 'rms_norm_kernel=10' "$filler=70"
	run found .gpu_us
	assert_output 'all-reduce + residual add + norm: 20'
}

@test "the time of what stays as it is does not count" {
	run_kernels 'fused_moe_kernel=90' 'moe_sum_kernel=10'
	run found .gpu_us
	assert_output 'MoE GEMM + combine: 10'
}

@test "a group without any row is no match" {
	run_kernels 'silu_kernel=50' "$filler=50"
	run found
	assert_output ''
}

@test "words are found in operators and scopes too, with and without punctuation" {
	trace '{"ph":"X","cat":"python_function","name":"models/dit.py(5): modulate","pid":1,"tid":1,"ts":0,"dur":50}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":3,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"elementwise_kernel","pid":0,"tid":7,"ts":9,"dur":20,"args":{"stream":7,"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"LayerNormForwardCUDAKernel","pid":0,"tid":7,"ts":49,"dur":20,"args":{"stream":7}}' |
		tl-extract -q | tl-sourcemap | tl-overlap -n | grep '"type":"fusion"' >"$T/out"
	run found .scope
	assert_output 'norm + scale and shift: models/dit.py(5): modulate'
}

@test "the longest of many kernels are named, their time is counted whole" {
	kernels=()
	for i in {1..9}; do
		kernels+=("silu_kernel_$i=$i")
	done
	run_kernels "${kernels[@]}" 'MulFunctor=5.5'
	run jq -c '[.gpu_us, .names]' "$T/out"
	assert_output '[50.5,["silu_kernel_9","silu_kernel_8","silu_kernel_7","silu_kernel_6","MulFunctor","silu_kernel_5"]]'
}

@test "--rules FILE adds patterns of one's own, beside rules of tl-overlap" {
	cat >"$T/my.jq" <<'END'
def kind: default_kind | .class = "other";
def fusions: fusions_of(default_fusion_patterns + [{pattern: "mine", priority: 99, groups: [["my_gate"], ["my_mul"]],
	min_share: 0.1, likely_share: 90, rationale: "because", origin: "here"}]);
END
	overlap="--rules $T/my.jq" run_kernels 'my_gate=10' 'my_mul=20' "$filler=70"
	run found '(.confidence + " " + .rationale)'
	assert_output 'mine: candidate because'
}

@test "a trace without GPU time has no candidates" {
	run_kernels 'silu_kernel=0' 'MulFunctor=0'
	run found
	assert_output ''
}
