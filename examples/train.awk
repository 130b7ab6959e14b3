# Two ranks of a transformer's training: forward and backward on two threads, compute on stream 7,
# NCCL on stream 20, copies of the next batch on stream 24.

function gemm(m, n, k, kernel,    ns) {
	ns = int(2 * m * n * k / 420000) + 2200 # 420 TFLOP/s
	return launch("cudaLaunchKernelExC", "kernel", kernel, 7, ns, 0, grid(int(m / 128), int(n / 128), 384))
}

function light(bytes, kernel,    ns) {
	ns = int(bytes / 2400) + 1500 # 2.4 TB/s
	return launch("cudaLaunchKernel", "kernel", kernel, 7, ns, 0, grid(int(bytes / 65536) + 1, 1, 256))
}

# nn.Linear: python frame > aten::linear > aten::addmm; n is the width that comes out
function linear(module, m, n, k) {
	python("nn.Module: Linear_" module)
	seq++
	op("aten::linear", sprintf("[[%d, %d], [%d, %d], [%d]]", m, k, n, k, n), bf16(3), seq)
	op("aten::addmm", sprintf("[[%d], [%d, %d], [%d, %d]]", n, m, k, k, n), bf16(3), seq)
	fwd_ts[seq] = sp_ts[depth]
	gemm(m, n, k, "nvjet_tst_128x256_64x4_2x1_v_bz_bias_TNN")
	close_span(); close_span(); python_end()
	bwd[++bwds] = sprintf("Addmm %d %d %d %d", seq, m, n, k)
}

function norm(m, h) {
	python("nn.Module: LayerNorm_" bwds)
	seq++
	op("aten::layer_norm", sprintf("[[%d, %d], [], [%d], [%d]]", m, h, h, h), "[\"c10::BFloat16\", \"ScalarList\", \"c10::BFloat16\", \"c10::BFloat16\"]", 0)
	op("aten::native_layer_norm", sprintf("[[%d, %d], [], [%d], [%d]]", m, h, h, h), "[\"c10::BFloat16\", \"ScalarList\", \"c10::BFloat16\", \"c10::BFloat16\"]", seq)
	fwd_ts[seq] = sp_ts[depth]
	light(4 * m * h, "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)")
	close_span(); close_span(); python_end()
	bwd[++bwds] = sprintf("NativeLayerNorm %d %d %d 0", seq, m, h)
}

function attention(b, heads, s, d) {
	seq++
	op("aten::scaled_dot_product_attention", "", "", 0)
	op("aten::_scaled_dot_product_flash_attention", sprintf("[[%d, %d, %d, %d], [%d, %d, %d, %d], [%d, %d, %d, %d], [], []]", b, heads, s, d, b, heads, s, d, b, heads, s, d), "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"Scalar\"]", seq)
	sub(/"Concrete Inputs": \[\]/, "\"Concrete Inputs\": [\"\", \"\", \"\", \"0.\", \"True\"]", sp_args[depth])
	fwd_ts[seq] = sp_ts[depth]
	launch("cudaLaunchKernel", "kernel", "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t>, false, true, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)", 7, int(4 * b * heads * s * s * d / 260000 / 2) + 3000, 0, grid(4, b * heads, 128))
	close_span(); close_span()
	bwd[++bwds] = sprintf("ScaledDotProductFlashAttention %d %d %d %d %d", seq, b, heads, s, d)
}

function elementwise(name, bytes, shapes, kernel) {
	seq++
	op(name, shapes, bf16(gsub(/\], \[/, "], [", shapes) + 1), seq)
	light(bytes, "void at::native::vectorized_elementwise_kernel<4, " kernel ", std::array<char*, 3ul> >(int, " kernel ", std::array<char*, 3ul>)")
	close_span()
}

function block(i) {
	python("nn.Module: Block_" i)
	python("demo/model.py(58): forward")
	norm(tokens, width)
	python("nn.Module: Attention_" i)
	python("demo/model.py(31): forward")
	linear(4 * i, tokens, 3 * width, width)
	attention(batch, heads, tokens / batch, width / heads)
	linear(4 * i + 1, tokens, width, width)
	python_end(); python_end()
	elementwise("aten::add", 6 * tokens * width, sprintf("[[%d, %d], [%d, %d]]", tokens, width, tokens, width), "at::native::CUDAFunctor_add<c10::BFloat16>")
	norm(tokens, width)
	python("nn.Module: MLP_" i)
	python("demo/model.py(44): forward")
	linear(4 * i + 2, tokens, 4 * width, width)
	elementwise("aten::gelu", 4 * tokens * 4 * width, sprintf("[[%d, %d]]", tokens, 4 * width), "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda(c10::BFloat16)#1}")
	linear(4 * i + 3, tokens, width, 4 * width)
	python_end(); python_end()
	elementwise("aten::add", 6 * tokens * width, sprintf("[[%d, %d], [%d, %d]]", tokens, width, tokens, width), "at::native::CUDAFunctor_add<c10::BFloat16>")
	python_end(); python_end()
}

# the backward of one forward op, on the autograd thread
function backward(text,    f, n, name, end) {
	n = split(text, f, " ")
	name = f[1] "Backward0"
	op("autograd::engine::evaluate_function: " name, "", "", f[2])
	emit(sprintf("{\"ph\": \"s\", \"id\": %d, \"pid\": %d, \"tid\": %d, \"ts\": %s, \"cat\": \"fwdbwd\", \"name\": \"fwdbwd\"}", 500000 + f[2], pid, pid, us(fwd_ts[f[2]])))
	op(name, "", "", f[2])
	emit(sprintf("{\"ph\": \"f\", \"id\": %d, \"pid\": %d, \"tid\": %d, \"ts\": %s, \"cat\": \"fwdbwd\", \"name\": \"fwdbwd\", \"bp\": \"e\"}", 500000 + f[2], pid, tid, us(sp_ts[depth])))
	if (f[1] == "Addmm") {
		op("aten::mm", sprintf("[[%d, %d], [%d, %d]]", f[3], f[4], f[4], f[5]), bf16(2), 0)
		gemm(f[3], f[5], f[4], "nvjet_tst_128x256_64x4_2x1_v_bz_NNN")
		close_span()
		op("aten::mm", sprintf("[[%d, %d], [%d, %d]]", f[5], f[3], f[3], f[4]), bf16(2), 0)
		end = gemm(f[5], f[4], f[3], "nvjet_tst_256x128_64x4_1x2_h_bz_NTN")
		close_span()
		op("aten::sum", sprintf("[[%d, %d], [], [], []]", f[3], f[4]), "[\"c10::BFloat16\", \"ScalarList\", \"Scalar\", \"\"]", 0)
		light(2 * f[3] * f[4], "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16> >, unsigned int, c10::BFloat16, 4, 4> >(at::native::ReduceOp<c10::BFloat16>)")
		close_span()
		grads += f[4] * f[5] * 2
	} else if (f[1] == "NativeLayerNorm") {
		op("aten::native_layer_norm_backward", sprintf("[[%d, %d], [%d, %d], [], [%d, 1], [%d, 1], [%d], [%d], []]", f[3], f[4], f[3], f[4], f[3], f[3], f[4], f[4]), "[\"c10::BFloat16\", \"c10::BFloat16\", \"ScalarList\", \"float\", \"float\", \"c10::BFloat16\", \"c10::BFloat16\", \"\"]", 0)
		sub(/"Concrete Inputs": \[\]/, sprintf("\"Concrete Inputs\": [\"\", \"\", \"[%d]\", \"\", \"\", \"\", \"\", \"[True, True, True]\"]", f[4]), sp_args[depth])
		light(6 * f[3] * f[4], "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float, false>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)")
		end = light(4 * f[3] * f[4], "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32u, 8u, 128u, false, false, false>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16*, c10::BFloat16*)")
		close_span()
	} else {
		op("aten::_scaled_dot_product_flash_attention_backward", "", "", 0)
		end = launch("cudaLaunchKernel", "kernel", "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t>, false, true, false, false, true, true, false>(pytorch_flash::Flash_bwd_params)", 7, int(10 * f[3] * f[4] * f[5] * f[5] * f[6] / 220000 / 2) + 4000, 0, grid(4, f[3] * f[4], 256))
		close_span()
	}
	close_span(); close_span()
	return end
}

function all_reduce(bytes, after,    what) {
	what = sprintf(", \"Collective name\": \"allreduce\", \"In msg nelems\": %d, \"Out msg nelems\": %d, \"Group size\": 2, \"dtype\": \"BFloat16\", \"Process Group Name\": \"0\"", bytes / 2, bytes / 2)
	op("c10d::allreduce_", sprintf("[[[%d]]]", bytes / 2), "[[\"c10::BFloat16\"]]", 0)
	op("record_param_comms", "", "", 0)
	sp_args[depth] = sp_args[depth] what
	open("user_annotation", "nccl:all_reduce", "")
	launch("cudaLaunchKernelExC", "kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20, int(bytes / 180) + 9000, after, what)
	close_span(); close_span(); close_span()
}

function train_step(i,    t, k, end, start) {
	open("user_annotation", "ProfilerStep#" i, "")
	python("demo/train.py(88): train_step")
	op("aten::copy_", sprintf("[[%d], [%d], []]", tokens, tokens), "[\"long int\", \"long int\", \"Scalar\"]", 0)
	launch("cudaMemcpyAsync", "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 24, int(tokens * 8 / 20) + 2000, 0, sprintf(", \"bytes\": %d", tokens * 8))
	close_span()
	bwds = 0
	python("nn.Module: Transformer_0")
	python("demo/model.py(80): forward")
	for (k = 0; k < layers; k++)
		block(k)
	norm(tokens, width)
	linear(4 * layers, tokens, vocabulary, width)
	python_end(); python_end()
	elementwise("aten::_log_softmax", 4 * tokens * vocabulary, sprintf("[[%d, %d]]", tokens, vocabulary), "at::native::(anonymous namespace)::softmax_forward")
	python("torch/_tensor.py(525): backward")
	work(20000)
	# the autograd thread runs while this one waits
	t = tid; start = now; tid = pid + 1
	for (k = bwds; k > 0; k--) {
		end = backward(bwd[k])
		if (grads > 24000000 || (k == 1 && grads)) {
			all_reduce(grads, end)
			grads = 0
		}
	}
	tid = t
	python_end()
	python("torch/optim/optimizer.py(484): wrapper")
	open("user_annotation", "Optimizer.step#AdamW.step", "")
	op("aten::_fused_adamw_", "", "", 0)
	# the optimizer waits for the last reduction: this is what runs exposed
	launch("cudaLaunchKernel", "kernel", "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>)", 7, 95000, free[20], grid(320, 1, 512))
	close_span(); close_span(); python_end()
	# loss.item()
	op("aten::item", "[[]]", "[\"float\"]", 0)
	op("aten::_local_scalar_dense", "[[]]", "[\"float\"]", 0)
	end = launch("cudaMemcpyAsync", "gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 7, 1300, 0, ", \"bytes\": 4")
	start = now
	if (end > now)
		now = end
	emit(sprintf("{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", \"pid\": %d, \"tid\": %d, \"ts\": %s, \"dur\": %s, \"args\": {\"External id\": %d, \"cbid\": 131, \"correlation\": %d}}", pid, tid, us(start), us(now - start), external, ++correlation))
	close_span(); close_span()
	python_end(); close_span()
}

BEGIN {
	batch = 4; tokens = 4096; width = 1024; heads = 16; vocabulary = 32000
	begin_file("NVIDIA H100 80GB HBM3", 2)
	meta(pid, pid + 1, "thread_name", sprintf("\"name\": \"thread %d (pt_autograd_0)\"", pid + 1))
	now = 1000000 + rank * 41000
	tid = pid
	python("demo/train.py(120): <module>")
	for (step = 0; step < steps; step++)
		train_step(step + 10)
	python_end()
	end_file("train-rank" rank ".json")
}
