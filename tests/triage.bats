load helper

# Records as tl-sourcemap and tl-overlap write them, without the fields that the reports do not read.
group() { # group STAGE NAME COUNT GPU_US [HIDDEN_US [DEVICE]]
	printf '{"type":"kernel_group","trace":0,"device":%s,"stage":"%s","name":"%s","class":"compute","count":%s,"gpu_us":%s,"share":1,"hidden_us":%s}\n' \
		"${6:-0}" "$1" "$2" "$3" "$4" "${5:-0}"
}
source_record() { # source_record KERNEL MORE
	printf '{"type":"source","trace":0,"kernel":"%s","launches":4,"mapped":0,"graph":0%s}\n' "$1" "$2"
}
action() { # action VERDICT NAME PRIORITY SHARE
	printf '{"type":"action","trace":0,"device":0,"priority":"%s","verdict":"%s","name":"%s","class":"memory","stage":"all","gpu_us":50,"share":%s,"exclusive_ratio":0.9,"hidden_ratio":0.1,"scope":"m.py(1): f","dependency":"serial risk low","recommendation":"try fusion","suggestion":"fuse it"}\n' \
		"$3" "$1" "$2" "$4"
}
report() { # report NAME [OPTION...]: of the records on stdin
	{
		echo '{"type":"trace","trace":0,"schema":1,"source":"t.json","format":"chrome"}'
		cat
		echo '{"type":"end","trace":0,"events":0,"gpu_ops":0,"skipped":0,"repaired":0,"faults":[]}'
	} | tl-render -r "$@"
}

cells() { # cells NAME: the report's tables, a comma between cells
	report "$1" -f tsv | tr '\t' ,
}

@test "the triage report, whole" {
	run report triage <<END
$(group all 'ampere_sgemm_128x64_nn' 4 800 80)
$(group all 'Memcpy HtoD' 2 195)
$(group all tiny 9 5)
$(source_record 'ampere_sgemm_128x64_nn' ',"scope":"m.py(1): f","launch_op":"aten::mm","scopes":{"m.py(1): f":3,"n.py(2): g":1},"how":"external_id","gpu_us":800')
$(source_record tiny ',"scopes":{},"gpu_us":5')
{"type":"timeline","trace":0,"window_us":2000,"busy_us":1000,"idle_us":1000,"idle_share":50,"exposed_comm_us":0,"exposed_memcpy_us":100}
$(action headroom 'Memcpy HtoD' P1 19.5)
{"type":"fusion","trace":0,"pattern":"SiLU and mul","confidence":"confirmed","gpu_us":30,"share":3,"names":["a","b"],"scope":"m.py(1): f","rationale":"why","origin":"there"}
END
	assert_success
	assert_output - <<'END'
## Triage of t.json

## Where to look first

| bears on % | finding | kernel or pattern | where |
| ---: | --- | --- | --- |
| 50.0 | idle: see report gaps (tl-overlap --gaps) | — | — |
| 19.5 | runs exposed: try fusion | Memcpy HtoD | m.py(1): f |
| 10.0 | copies that nothing hides | — | — |
| 3.0 | could be one kernel | SiLU and mul | m.py(1): f |

## Kernels

| kernel | class | GPU ms | share % | launches | location | operator |
| --- | --- | ---: | ---: | ---: | --- | --- |
| ampere_sgemm_128x64_nn | gemm | 0.800 | 80.0 | 4 | m.py(1): f (75 % of 2 places) | aten::mm |
| Memcpy HtoD | memory | 0.195 | 19.5 | 2 | — | — |

1 more kernels take under 1 % each, 5 us together.

## Overlap opportunities

| priority | kernel | stage | location | GPU us | share % | exposed % | hidden % | dependency | what to do |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- |
| P1 | Memcpy HtoD | all | m.py(1): f | 50.0 | 19.5 | 90.0 | 10.0 | serial risk low | try fusion: fuse it |

## Already hidden

No small kernel is mostly hidden by others.

## Fusion candidates

| pattern | confidence | GPU us | share % | kernels | location | why | as in |
| --- | --- | ---: | ---: | --- | --- | --- | --- |
| SiLU and mul | confirmed | 30.0 | 3.0 | a; b | m.py(1): f | why | there |
END
}

@test "stages have tables of their own, prefill before decode, the rest last" {
	run report triage < <(group all a 1 10; group decode b 1 10; group extend c 1 10; group mixed d 1 10)
	assert_success
	run grep '^## Kernels' <<<"$output"
	assert_output '## Kernels of stage extend
## Kernels of stage mixed
## Kernels of stage decode
## Kernels of stage all'
}

@test "the same kernel on several devices is one row, and actions say which device" {
	run cells triage < <(group all a 1 10 0 0; group all a 2 20 0 1; action headroom a P1 50)
	assert_line 'a,other,0.030,100.0,3,,'
	assert_line --partial 'priority,device,kernel'
}

@test "graph where a replay is all that is known, and how a place came to be known" {
	run cells triage < <(
		group all a 1 10
		group all b 1 10
		group all c 1 10
		group all d 1 10
		source_record a ',"graph":4,"scopes":{},"gpu_us":1' | sed 's/"graph":0,//'
		source_record b ',"scope":"m.py(1): f","scopes":{},"how":"map"'
		source_record c ',"scope":"m.py(1): f","scopes":{"m.py(1): f":2},"how":"time"'
	)
	assert_line 'a,other,0.010,25.0,1,graph,'
	assert_line 'b,other,0.010,25.0,1,m.py(1): f (by the map),'
	assert_line 'c,other,0.010,25.0,1,m.py(1): f (by time alone),'
	assert_line 'd,other,0.010,25.0,1,,'
	run cells triage < <(group all e 1 10; source_record e ',"scope":"m.py(1): f","scopes":{"m.py(1): f":2},"how":"forward"')
	assert_line 'e,other,0.010,100.0,1,m.py(1): f (its forward operator),'
	run report triage < <(group all a 1 10; source_record a ',"graph":4' | sed 's/"graph":0,//')
	assert_output --partial '--map takes it from the capture'
}

@test "what has not run is said" {
	run report triage </dev/null
	assert_output --partial 'tl-overlap must come before'
	run report triage < <(group all a 1 10)
	assert_output --partial 'tl-sourcemap has not run'
	run report kernels </dev/null
	assert_output --partial 'tl-overlap or tl-sourcemap must come before'
}

@test "what tl-reliability found stands first, and figures that it took back are not interpreted" {
	run report triage <<END
$(group all a 1 10)
{"type":"timeline","trace":0,"window_us":2000,"busy_us":null,"idle_us":null,"idle_share":null,"exposed_comm_us":5,"exposed_memcpy_us":0}
{"type":"warning","trace":0,"code":"graph_ops_missing","severity":"error","message":"text of the warning","count":1,"affects":["idle"]}
{"type":"reliability","trace":0,"idle_reliable":false,"attribution_reliable":true,"duration_reliable":true}
END
	assert_success
	assert_output --partial 'text of the warning'
	assert_output --partial 'Nothing stands out'
}

@test "kernels: classes and kernels, with and without tl-overlap" {
	run cells kernels < <(group all 'ampere_sgemm' 4 800 80; group decode 'ampere_sgemm' 1 100 20; group all relu_kernel 1 100)
	assert_output 'class,kernels,launches,GPU ms,share %
gemm,1,5,0.900,90.00
activation,1,1,0.100,10.00

kernel,class,launches,GPU ms,share %,mean us,hidden %,location,operator
ampere_sgemm,gemm,5,0.900,90.00,180.000,11.1,,
relu_kernel,activation,1,0.100,10.00,100.000,0.0,,'
	run cells kernels < <(source_record k ',"scope":"m.py(1): f","launch_op":"o","scopes":{"m.py(1): f":4},"gpu_us":8')
	assert_line 'k,other,4,0.008,100.00,2.000,,m.py(1): f,o'
}

@test "the kernel table's classes, and names that substrings get wrong" {
	while IFS='|' read -r class name; do
		run jq -rn -L "$root/share/rules" --arg n "$name" 'include "kernels"; {rules: "default", name: $n} | class12'
		assert_output "$class"
	done <<'END'
gemm|Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT128x64x32
gemm|nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT
gemm|ampere_sgemm_128x64_nn
gemm|void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>
norm|void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, float>
norm|void gemma_rmsnorm_kernel<float>
norm|std::enable_if<(8>0)&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type vllm::fused_add_rms_norm_kernel
norm|void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>
attention|void pytorch_flash::flash_fwd_kernel<cutlass::bfloat16_t>
attention|attn_fwd
attention|fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKv
reduce_topk|void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>>
moe|_combined_routing_compute
moe|fused_moe_kernel
rope|void vllm::rotary_embedding_kernel<c10::BFloat16, true>
communication|ncclDevKernel_AllGather_RING_LL
communication|void vllm::cross_device_reduce_1stage<float, 4>
memory|Memcpy DtoH (Device -> Pageable)
memory|void vllm::reshape_and_cache_flash_kernel<float>
elementwise|triton_poi_fused_constant_pad_nd_moe_forward_0
activation|triton_poi_fused__unsafe_view_mul_silu_2
norm|triton_red_fused_add_mean_mul_pow_rsqrt_0
softmax|void (anonymous namespace)::softmax_warp_forward<float>
quantize|void vllm::scaled_fp8_quant_kernel_strided<float>
hybrid_linear|causal_conv1d_fwd_kernel
sampling_io|void at::native::CatArrayBatchedCopy<float, unsigned int, 1, 128, 1>
other|permute_pooled_embs_kernel
END
}

@test "from a trace to the triage report" {
	trace '{"ph":"X","cat":"python_function","name":"m.py(5): f","pid":1,"tid":1,"ts":0,"dur":50}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":3,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"ampere_sgemm","pid":0,"tid":7,"ts":9,"dur":20,"args":{"device":0,"stream":7,"correlation":5}}' |
		tl-extract -q | tl-tree | tl-sourcemap | tl-overlap | tl-reliability | tl-render -r triage -f tsv >"$T/out"
	run tr '\t' , <"$T/out"
	assert_line 'ampere_sgemm,gemm,0.020,100.0,1,m.py(5): f,cudaLaunchKernel'
}
