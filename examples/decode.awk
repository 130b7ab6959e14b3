# A decoder: each step replays one CUDA graph (all its kernels share the correlation of the launch),
# then samples with eager kernels.

function replay(start,    k, t) {
	correlation++
	emit(sprintf("{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaGraphLaunch\", \"pid\": %d, \"tid\": %d, \"ts\": %s, \"dur\": %s, \"args\": {\"External id\": %d, \"cbid\": 311, \"correlation\": %d}}", pid, tid, us(now), us(38000), external, correlation))
	t = now + 9000
	now += 38000
	for (k = 0; k < layers; k++) {
		node("void vllm::rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, c10::BFloat16 const*, long, c10::BFloat16 const*, float, int, int)", 2100, t)
		node("nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT", 6300, t)
		node("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, int, int, int)", 1900, t)
		node("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>(__nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, __nv_bfloat16*, long const*, long, long, long, int, int, int, float const*, float const*)", 2000, t)
		node("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, cutlass::bfloat16_t>, true, false, false, false, true, false, true, false>(flash::Flash_fwd_params)", 9800, t)
		node("nvjet_tst_64x8_64x16_4x1_v_bz_TNT", 4900, t)
		node("void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, float, int, int)", 2200, t)
		node("nvjet_tst_128x8_64x12_2x1_v_bz_TNT", 11800, t)
		node("void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel<c10::BFloat16>, true>(c10::BFloat16*, c10::BFloat16 const*, int)", 2000, t)
		node("nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT", 7400, t)
	}
}

function node(name, ns, start) {
	gpu("kernel", name, 7, ns, start, correlation, external, sprintf(", \"graph id\": 12, \"graph node id\": %.0f", 51539607552 + ++nodes % (10 * layers)), 0)
}

function decode_step(i,    end, start) {
	python("vllm/v1/worker/gpu_model_runner.py(1301): execute_model")
	open("user_annotation", "execute_context_0(0)_generation_8(8)", "")
	python("vllm/compilation/cuda_graph.py(118): __call__")
	external++
	replay()
	python_end()
	python("vllm/v1/sample/sampler.py(52): forward")
	op("aten::argmax", "[[8, 32000], [], [], []]", "[\"float\", \"Scalar\", \"Scalar\", \"\"]", 0)
	launch("cudaLaunchKernel", "kernel", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> >(at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4, 4>)", 7, 6100, 0, grid(8, 1, 512))
	close_span()
	op("aten::copy_", "[[8], [8], []]", "[\"long int\", \"long int\", \"Scalar\"]", 0)
	end = launch("cudaMemcpyAsync", "gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 7, 1400, 0, ", \"bytes\": 64")
	start = now
	if (end > now)
		now = end
	emit(sprintf("{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaEventSynchronize\", \"pid\": %d, \"tid\": %d, \"ts\": %s, \"dur\": %s, \"args\": {\"External id\": %d, \"cbid\": 137, \"correlation\": %d}}", pid, tid, us(start), us(now - start), external, ++correlation))
	close_span()
	python_end()
	close_span()
	python_end()
	work(90000)
}

BEGIN {
	begin_file("NVIDIA H100 80GB HBM3", 1)
	now = 1000000
	tid = pid
	python("vllm/v1/engine/core.py(301): step")
	for (step = 0; step < steps; step++)
		decode_step(step)
	python_end()
	end_file("decode.json")
}
