load helper

# kernel NAME TS DUR [STREAM [DEVICE [MORE ARGS]]], host CAT NAME TS DUR [ARGS [TID [PID]]]
kernel() {
	event kernel "$1" "${5:-0}" "${4:-7}" "$2" "$3" "\"device\":${5:-0},\"stream\":${4:-7}${6:+,$6}"
}
host() {
	event "$1" "$2" "${7:-100}" "${6:-1}" "$3" "$4" "${5:-}"
}
launch() { # launch TS DUR CORRELATION [NAME [TID]]
	host cuda_runtime "${4:-cudaLaunchKernel}" "$1" "$2" "\"correlation\":$3" "${5:-1}"
}
gpu_note() { # gpu_note NAME TS DUR [STREAM [ARGS]]
	event gpu_user_annotation "$1" 0 "${4:-7}" "$2" "$3" "\"device\":0,\"stream\":${4:-7}${5:+,$5}"
}

# overlap OPTIONS -- EVENT...: the stream in $T/out
overlap() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	trace "$@" | tl-extract -q | tl-overlap "${options[@]}" >"$T/out"
}

# of TYPE JQ: JQ of each record of a type, one per line; op NAME JQ: of the event NAME
of() {
	jq -c "select(.type == \"$1\") | $2" "$T/out"
}
op() {
	jq -c --arg name "$1" "select(.type == \"event\" and .name == \$name) | $2" "$T/out"
}
hidden() { # hidden, exclusive and hidden by compute of the event NAME
	op "$1" '[.hidden_us, .exclusive_us, .hidden_by_compute_us]'
}
device() { # device N JQ: of its timeline
	of timeline "select(.device == $1 and (has(\"step\") or has(\"span\") | not)) | $2"
}

# Both identities in integer nanoseconds, for every op and every timeline of $T/out.
identities() {
	run jq -n -r '
		def ns: if . == null then 0 else . * 1000 | round end;
		[inputs
		 | if .type == "event" and has("hidden_us") then
		     select((.hidden_us | ns) + (.exclusive_us | ns) != (.dur | ns)) | "op \(.id)"
		   elif .type == "timeline" then
		     select((.compute_us | ns) + (.exposed_comm_us | ns) + (.exposed_memcpy_us | ns) + (.idle_us | ns) != (.window_us | ns)
		       or (.busy_us | ns) + (.idle_us | ns) != (.window_us | ns)) | "timeline \(.device)"
		   else empty end] | join(", ")' "$T/out"
	assert_success
	assert_output ''
}

# ---- what runs beside what

@test "an op is hidden while another stream of its device is busy, exclusive else" {
	overlap -- "$(kernel ncclA 0 50 3)" "$(kernel gemm 30 20 0)" "$(kernel silu 60 10 0)" "$(kernel foo 65 10 3)"
	run hidden ncclA
	assert_output '[20,30,20]'
	run hidden gemm
	assert_output '[20,0,0]'
	run hidden silu
	assert_output '[5,5,0]'
	identities
}

@test "ops that overlap on one stream are exclusive both, and the overlap is a figure of its own" {
	overlap -- "$(kernel a 0 100)" "$(kernel b 80 50)" "$(kernel c 130 20)"
	run hidden b
	assert_output '[0,50,0]'
	run device 0 '[.gpu_us, .busy_us, .idle_us, .same_stream_overlap_us, .max_streams]'
	assert_output '[170,150,0,20,1]'
	identities
}

@test "an op of class compute is hidden by compute only if another stream computes" {
	overlap -- "$(kernel gemm_a 0 100 1)" "$(kernel gemm_b 20 10 1)" "$(kernel silu 0 100 2)" "$(kernel gemm_c 50 10 3)"
	run hidden gemm_a
	assert_output '[100,0,10]'
	run hidden gemm_b
	assert_output '[10,0,0]'
	run hidden silu
	assert_output '[100,0,100]'
}

@test "what dominates is charged: class, then duration, then start, then place in the file" {
	overlap -- "$(kernel foo 0 100 1)" "$(kernel silu 10 80 2)" "$(kernel gemm 20 10 3)" "$(kernel sgemm 25 30 4)"
	run of kernel_group 'select(.name == "foo") | .overlap_with'
	assert_output '{"silu":45,"sgemm":30,"gemm":5}'
	run of kernel_group 'select(.name == "sgemm") | .overlap_with'
	assert_output '{"silu":25,"gemm":5}'
	overlap -- "$(kernel later 5 10 2)" "$(kernel first 0 10 1)" "$(kernel foo 0 20 3)" "$(kernel again 5 10 4)"
	run of kernel_group 'select(.name == "foo") | .overlap_with'
	assert_output '{"first":10,"later":5}'
}

@test "every device is analysed, and the record without a device pools them" {
	overlap -- "$(kernel a 0 100 7 0)" "$(kernel b 50 100 7 1)" "$(kernel c 200 50 7 0)"
	run of timeline '[.device, .window_us, .busy_us, .idle_us, .idle_share, .streams]'
	assert_output '[0,250,150,100,40,1]
[1,100,100,0,0,1]
[null,250,200,50,20,2]'
	run hidden b
	assert_output '[0,100,0]'
	identities
}

@test "the device is the pid where args name none; the heaviest does not win over TP00" {
	overlap -- '{"ph":"X","cat":"kernel","name":"a","pid":"TP00","tid":1,"ts":0,"dur":20,"args":{}}' \
		'{"ph":"X","cat":"kernel","name":"b","pid":"TP01","tid":1,"ts":0,"dur":10000,"args":{}}'
	run of timeline '[.device, .busy_us]'
	assert_output '["TP00",20]
["TP01",10000]
[null,10000]'
}

@test "kernels that touch in decimals do not overlap" {
	overlap -- "$(kernel a 0.1 0.2 1)" "$(kernel b 0.3 0.4 2)"
	run device 0 '[.busy_us, .max_streams]'
	assert_output '[0.6,1]'
	run of kernel_group '.overlap_with'
	assert_output '{}
{}'
	run hidden b
	assert_output '[0,0.4,0]'
}

@test "a duration below the last digit of a double at 1.77e15 us is exact" {
	overlap -- "$(kernel tiny 1770000000000000.000 0.1)" "$(kernel next 1770000000000100 10 8)" "$(kernel last 1770000000005000 10)"
	run device 0 '[.busy_us, .idle_us, .window_us]'
	assert_output '[20.1,4989.9,5010]'
	run hidden next
	assert_output '[0,10,0]'
}

@test "stream 0 is a stream like any other, whatever the threads are called" {
	overlap -- '{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":1,"ts":0,"dur":100,"args":{"stream":0}}' \
		'{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":2,"ts":50,"dur":100,"args":{"stream":0}}' \
		'{"ph":"M","name":"thread_name","pid":0,"tid":2,"args":{"name":"stream 0 "}}'
	run hidden a
	assert_output '[0,100,0]'
	run device 0 '[.streams, .same_stream_overlap_us]'
	assert_output '[1,50]'
}

@test "without a stream an op is on the row of its thread" {
	overlap --lanes 1 -- "$(kernel a 0 10 0)" '{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":64,"ts":5,"dur":10,"args":{"device":null,"stream":null}}' \
		'{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":0,"ts":20,"dur":5,"args":{"device":0}}'
	run hidden b
	assert_output '[5,5,0]'
	run of lane '[.stream, .tid]'
	assert_output '[0,null]
[null,0]
[null,64]'
}

@test "an op without length counts and adds no time; without a start it is on no timeline" {
	overlap -- "$(kernel a 0 10)" "$(kernel zero 5 0)" "$(kernel alone 40 0)" \
		'{"ph":"X","cat":"kernel","name":"nodur","pid":0,"tid":7,"ts":20,"args":{"stream":7,"device":0}}' \
		'{"ph":"X","cat":"kernel","name":"neg","pid":0,"tid":7,"ts":22,"dur":-4,"args":{"stream":7,"device":0}}' \
		'{"ph":"X","cat":"kernel","name":"nots","pid":0,"tid":7,"dur":4,"args":{"stream":7,"device":0}}' \
		'{"ph":"X","cat":"kernel","name":"text","pid":0,"tid":7,"ts":"30","dur":"4.5","args":{"stream":7,"device":0}}' \
		'{"ph":"X","cat":"kernel","name":"list","pid":0,"tid":7,"ts":36,"dur":1,"args":[1,2]}'
	run device 0 '[.busy_us, .idle_us]'
	assert_output '[15.5,24.5]'
	run of kernel_group '.name'
	assert_line '"neg"'
	refute_line '"nots"'
	run op nots 'has("hidden_us")'
	assert_output false
	run op zero '[.hidden_us, .exclusive_us]'
	assert_output '[0,0]'
	identities
}

@test "B and E are one op, with tl-tree before and without" {
	b='{"ph":"B","cat":"kernel","name":"be","pid":0,"tid":7,"ts":10,"args":{"device":0,"stream":7}}'
	e='{"ph":"E","pid":0,"tid":7,"ts":25}'
	alone='{"ph":"B","cat":"kernel","name":"half","pid":0,"tid":8,"ts":5,"args":{"device":0,"stream":8}}'
	overlap -- "$b" "$e" "$alone" "$(kernel a 0 12 9)"
	run hidden be
	assert_output '[2,13,0]'
	run device 0 '[.busy_us, .gpu_us, .streams]'
	assert_output '[25,27,2]'
	of timeline . >"$T/direct"
	trace "$b" "$e" "$alone" "$(kernel a 0 12 9)" | tl-extract -q | tl-tree | tl-overlap >"$T/out"
	of timeline . | diff "$T/direct" -
}

@test "runtime calls with a stream, syncs and annotations are no GPU ops" {
	overlap -- "$(kernel a 0 10)" "$(host cuda_runtime cudaMemcpyAsync 20 500 '"stream":7')" \
		'{"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":0,"tid":7,"ts":0,"dur":900,"args":{"stream":7,"device":0}}' \
		'{"ph":"X","cat":"overhead","name":"Buffer Flush","pid":0,"tid":7,"ts":0,"dur":900,"args":{"stream":7}}' "$(gpu_note x 0 900)"
	run device 0 '[.busy_us, .window_us]'
	assert_output '[10,10]'
	run of kernel_group .name
	assert_output '"a"'
}

@test "absurd times neither wrap nor crash" {
	overlap -- "$(kernel a -9000000000000000 1)" "$(kernel b 9000000000000000 200000000000000)" "$(kernel c 0 9223372036854775 8)" "$(kernel d 1 9223372036854775 9)"
	run of timeline '.busy_us >= 0 and .gpu_us >= .busy_us and .idle_us >= 0'
	assert_output 'true
true'
}

# ---- classes

class() { # class OPTIONS -- NAME...: class of each
	local options=() events=() i=0
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for name; do
		events+=("$(kernel "$name" $((i++)) 1)")
	done
	overlap "${options[@]}" -- "${events[@]}"
	of event .class | tr -d '"'
}

@test "default rules: GEMM families are compute, whatever else their names hold" {
	run class -- Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x32x512 nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT \
		nvjet_tst_192x8_64x8_4x1_v_bz_TNT ampere_sgemm_32x128_tn 'void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>(x)' \
		bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_biasM_bN 'void gemv2T_kernel_val<int>(int)' triton_tem_fused_addmm_1
	assert_output "$(printf 'compute\n%.0s' 1 2 3 4 5 6 7 8)"
}

@test "default rules: norms are elementwise, also gemma's, and those with conv or mma in their names" {
	run class -- 'void gemma_rmsnorm_kernel<float>(float*)' 'void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, float>(long)' \
		'std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(x)' \
		'void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(x)' _ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16b
	assert_output "$(printf 'elementwise\n%.0s' 1 2 3 4 5)"
}

@test "default rules: a library's name, a verb and a syllable decide nothing" {
	run class -- 'void fbgemm_gpu::permute_2D_lengths_kernel<int>(int)' 'void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>, int>(x)' \
		'void HeadMajorReorder<float>(float*)' create_flashinfer_kv_indices_triton
	assert_output "$(printf 'other\n%.0s' 1 2 3 4)"
	run class -- _combined_routing_compute
	assert_output elementwise
	run class -- triton_poi_fused_addmm_gelu_view_15 triton_red_fused_add_mean_mul_pow_rsqrt_0 triton_per_fused__scaled_dot_product_flash_attention_8
	assert_output "$(printf 'elementwise\n%.0s' 1 2 3)"
}

@test "default rules: communication, attention, copies" {
	run class -- 'ncclDevKernel_Generic(x)' 'void vllm::cross_device_reduce_1stage<float>(x)' 'void deep_ep::intranode::dispatch<8, 1>(x)' multimem_all_reduce_kernel
	assert_output "$(printf 'communication\n%.0s' 1 2 3 4)"
	run class -- attn_fwd 'void flash_fwd_kernel<Flash_fwd_kernel_traits<64>>(x)' kernel_unified_attention_2d fmhaSm100aKernel_QkvE4m3
	assert_output "$(printf 'compute\n%.0s' 1 2 3 4)"
	run class -- 'Memcpy DtoD (Device -> Device)' 'void at::native::(anonymous namespace)::CatArrayBatchedCopy<float>(x)' 'void vllm::reshape_and_cache_flash_kernel<float>(x)'
	assert_output "$(printf 'memory\n%.0s' 1 2 3)"
}

@test "--rules reference: substrings, the first list that has a hit" {
	run class --rules reference -- Cijk_Alik_Bljk_BBS_BH_Bias_HA nvjet_tst_192x8 'void gemma_rmsnorm_kernel<float>(float*)' _combined_routing_compute 'void HeadMajorReorder<float>(x)' triton_poi_fused_0
	assert_output 'elementwise
other
compute
communication
memory
compute'
}

@test "--rules FILE redefines what an op is, and is told apart from what it does not" {
	echo 'def kind: if .name == "mine" then {class: "memory", part: "memcpy", priority: 2} else default_kind end;' >"$T/my.jq"
	run class --rules "$T/my.jq" -- mine yours_gemm
	assert_output 'memory
compute'
	run device 0 '.memcpy_us'
	assert_output 1
	echo 'def kind: nonsense;' >"$T/bad.jq"
	trace "$(kernel mine 0 1)" | tl-extract -q >"$T/in"
	run tl-overlap --rules "$T/bad.jq" "$T/in"
	assert_failure 2
	assert_output --partial 'bad.jq, line 1'
}

@test "communication and copies of the timeline are told by names alone" {
	overlap -- "$(kernel rccl_x 0 100 1)" "$(kernel gemm 20 30 2)" "$(kernel __amd_rocclr_copyBuffer 90 40 3)" "$(kernel all_reduce_mine 200 10 1)"
	run device 0 '[.compute_us, .comm_us, .memcpy_us, .exposed_comm_us, .exposed_memcpy_us, .idle_us]'
	assert_output '[30,110,40,80,30,70]'
	identities
}

# ---- stages

stage_of() { # stage_of NAME OPTIONS...: the stage of a kernel that is launched in the annotation NAME
	local name=$1
	shift
	overlap "$@" -- "$(host user_annotation "$name" 0 100)" "$(launch 10 5 1)" "$(kernel k 50 10 7 0 '"correlation":1')"
	op k .stage | tr -d '"'
}

@test "counts of context and generation name the stage" {
	while read -r name stage; do
		run stage_of "$name"
		assert_output "$stage"
	done <<-'END'
		execute_32_context_0(sq0sk0)_generation_32(sq32sk32785) decode
		execute_context_1(888_788544)_generation_0(0) extend
		context_9_generation_37 mixed
		generation_2 decode
		generation_16 decode
		context_0_generation_0 all
	END
}

@test "whole words name the stage, parts of words do not" {
	while read -r stage name; do
		run stage_of "$name"
		assert_output "$stage"
	done <<-'END'
		extend step[EXTEND bs=15 toks=15360]
		decode step[DECODE bs=32]
		decode capture_32_DECODE
		extend prefill
		decode run_decode_step
		all decoder.layers.0
		all ## decoder fp8 None ##
		all video_decode
		all extended
	END
}

@test "the innermost annotation counts, and one that names no stage hides none" {
	overlap -- "$(host user_annotation 'step[EXTEND]' 0 100)" "$(host user_annotation 'step[DECODE]' 20 30)" "$(host user_annotation 'ProfilerStep#1' 5 90)" \
		"$(launch 10 1 1)" "$(launch 25 1 2)" "$(launch 60 1 3)" "$(kernel a 110 5 7 0 '"correlation":1')" "$(kernel b 120 5 7 0 '"correlation":2')" "$(kernel c 130 5 7 0 '"correlation":3')"
	run of event 'select(.cat == "kernel") | .stage'
	assert_output '"extend"
"decode"
"extend"'
}

@test "an external id's annotation counts before the launch, the launch's thread before the GPU's time" {
	overlap -- "$(host user_annotation decode 0 10 '"External id":5')" "$(host user_annotation prefill 20 10)" "$(host user_annotation decode 20 10 '' 2)" \
		"$(launch 22 1 1)" "$(kernel a 50 5 7 0 '"correlation":1,"External id":5')" "$(kernel b 60 5 7 0 '"correlation":1')" \
		"$(gpu_note decode 70 20)" "$(kernel c 75 5)" "$(kernel d 65 1 8)" "$(kernel e 76 1 8)"
	run of event 'select(.cat == "kernel") | [.name, .stage]'
	assert_output '["a","decode"]
["b","extend"]
["c","decode"]
["d","all"]
["e","decode"]'
}

@test "a kernel beside an annotation by 5 ms belongs to none, but for the reference" {
	e=("$(gpu_note prefill 0 100)" "$(kernel k 5100 10)")
	overlap -- "${e[@]}"
	run op k .stage
	assert_output '"all"'
	overlap --rules reference -- "${e[@]}"
	run op k .stage
	assert_output '"extend"'
	overlap --rules reference -- "$(gpu_note prefill 0 100)" "$(kernel k 20101 10)"
	run op k .stage
	assert_output '"all"'
}

@test "the path of a trace does not decide its stages" {
	trace "$(kernel k 0 10)" >"$T/vllm_prefilldecode_x_decoder.json"
	tl-extract "$T/vllm_prefilldecode_x_decoder.json" | tl-overlap >"$T/out"
	run op k .stage
	assert_output '"all"'
}

@test "stages are told apart after the sweep: what another stage hides is hidden" {
	overlap -- "$(gpu_note prefill 0 100 1)" "$(gpu_note decode 0 100 2)" "$(kernel gemm_a 0 100 1)" "$(kernel gemm_b 0 100 2)" "$(kernel other 200 50 1)"
	run of kernel_group '[.stage, .name, .hidden_ratio, .share]'
	assert_output '["extend","gemm_a",1,66.6667]
["decode","gemm_b",1,66.6667]
["all","other",0,33.3333]'
	run of overlap '[.stage, .busy_us, .overlap_us, .max_streams]'
	assert_output '["extend",100,100,2]
["decode",100,100,2]
["all",50,0,1]'
}

# ---- groups and actions

@test "groups go by canonical name and class; the longest op stands for them" {
	overlap -- "$(kernel 'void f<int>(int*)' 0 10)" "$(kernel 'void f<int>(int*)' 20 30)" "$(kernel 'k0x7f' 60 5)" "$(kernel 'k0x80' 70 5)"
	run of kernel_group '[.name, .count, .gpu_us, .event, .short]'
	assert_output '["void f<int>",2,40,1,0]
["k0xADDR",2,10,2,2]'
}

@test "the share filter comes before the cut: small rows do not crowd out a large one" {
	e=()
	for i in 1 2 3 4 5; do
		e+=("$(kernel "ncclAllReduce_$i" $((20000 + i * 10)) 6)")
	done
	overlap -- "${e[@]}" "$(kernel sgemm 0 10000)"
	run of action '[.verdict, .name, .priority]'
	assert_output '["headroom","sgemm","P1"]'
}

@test "--top cuts each list; exposed computation stands behind all others" {
	overlap --top 2 -- "$(kernel gemm 0 1000)" "$(kernel silu 2000 100)" "$(kernel ncclX 3000 90)" "$(kernel foo 4000 80)"
	run of action .name
	assert_output '"ncclX"
"silu"'
	overlap --top 0 -- "$(kernel gemm 0 1000)"
	run of action .name
	assert_output ''
	overlap -- "$(kernel gemm 0 1000)" "$(kernel silu 2000 100)"
	run of action .name
	assert_output '"silu"
"gemm"'
}

@test "a small op beside a large one is hidden, and says by what" {
	overlap -- "$(kernel gemm 0 1000 1)" "$(kernel silu 100 50 2)"
	run of action 'select(.verdict == "low-roi-hidden") | [.name, .priority, .recommendation, .hidden_ratio, .suggestion]'
	assert_output '["silu","P4","skip",1,"already hidden by gemm (50 us): making it faster saves nothing"]'
}

@test "neighbours close by of a class that depends are a risk, distant ones are not" {
	overlap -- "$(kernel gemm 0 100)" "$(kernel silu 101 100)" "$(kernel gemm 202 100)"
	run of action 'select(.name == "silu") | [.priority, .dependency, .recommendation, .prev.name, .prev.gap_us, .next.event]'
	assert_output '["P2","both-side serial risk","check deps","gemm",1,2]'
	overlap -- "$(kernel gemm 0 100)" "$(kernel silu 201 100)" "$(kernel gemm 302 100 8)"
	run of action 'select(.name == "silu") | [.priority, .dependency, .recommendation, (.next == null)]'
	assert_output '["P1","serial risk low","try fusion",true]'
	overlap -- "$(kernel foo 0 100)" "$(kernel bar 101 100)"
	run of action 'select(.name == "bar") | .dependency'
	assert_output '"adjacency unclear"'
}

@test "scopes of one file are a family, those of a graph's launch are not; runtime calls relate nothing" {
	trace "$(kernel foo 0 100)" "$(kernel bar 101 100)" | tl-extract -q >"$T/in"
	with_sources() { # how mapped scope launch_op of foo; the same of bar
		{
			grep -v '"type":"end"' "$T/in"
			printf '{"type":"source","trace":0,"kernel":"foo","launches":1,"mapped":%s,"scope":"%s","launch_op":"%s"}\n' "$1" "$2" "$3"
			printf '{"type":"source","trace":0,"kernel":"bar","launches":1,"mapped":%s,"scope":"%s","launch_op":"%s"}\n' "$4" "$5" "$6"
			grep '"type":"end"' "$T/in"
		} | tl-overlap >"$T/out"
		of action 'select(.name == "bar") | .dependency'
	}
	run with_sources 1 'a.py(1): f' aten::x 1 'a.py(9): g' aten::y
	assert_output '"prev-side serial risk"'
	run with_sources 1 'a.py(1): f' aten::x 1 'b.py(9): g' aten::y
	assert_output '"serial risk low"'
	run with_sources 0 'a.py(1): f' aten::x 0 'a.py(9): g' aten::y
	assert_output '"serial risk low"'
	run with_sources 1 'a.py(1): f' aten::x 1 'b.py(9): g' aten::x
	assert_output '"prev-side serial risk"'
	run with_sources 1 'a.py(1): f' cudaLaunchKernel 1 'b.py(9): g' cudaLaunchKernel
	assert_output '"serial risk low"'
}

# ---- launches, gaps, lanes, spans

@test "latency is from launch start to op start, queue delay from when launch and stream were ready" {
	overlap -- "$(launch 0 4 1)" "$(launch 5 4 2)" "$(kernel a 10 20 7 0 '"correlation":1')" "$(kernel b 31 20 7 0 '"correlation":2')"
	run of launch '[.device, .launches, .latency_us_median, .latency_us_p95, .queue_us_median]'
	assert_output '[0,2,18,26,3.5]
[null,2,18,26,3.5]'
	run of kernel_group '[.name, .latency_us, .queue_us]'
	assert_output '["a",10,6]
["b",26,1]'
}

@test "an op before its launch has a negative latency, not a wrapped one" {
	overlap -- "$(launch 100 5 1)" "$(kernel early 96 3 7 0 '"correlation":1')"
	run of launch '[.latency_us_median, .queue_us_median]'
	assert_line --index 0 '[-4,0]'
}

@test "of a graph's ops only the first has a latency; ops without a launch have none" {
	overlap -- "$(launch 0 5 1 cudaGraphLaunch)" "$(kernel b 20 5 7 0 '"correlation":1')" "$(kernel a 10 5 7 0 '"correlation":1')" "$(kernel c 50 5)"
	run of launch '[.launches, .latency_us_median]'
	assert_line --index 0 '[1,10]'
	run of kernel_group '[.name, .latency_us]'
	assert_output '["b",null]
["a",10]
["c",null]'
}

@test "correlation 0 links nothing; ranks that share ids are not mixed" {
	overlap -- "$(launch 0 5 0)" "$(kernel a 10 5 7 0 '"correlation":0')"
	run of launch .launches
	assert_line --index 0 0
	overlap -- "$(host cuda_runtime cudaLaunchKernel 0 5 '"correlation":1,"External id":3' 1 100)" "$(host cuda_runtime cudaLaunchKernel 4 5 '"correlation":1,"External id":4' 1 200)" \
		"$(kernel a 10 5 7 0 '"correlation":1,"External id":3')" "$(kernel b 20 5 7 0 '"correlation":1')"
	run of kernel_group '[.name, .latency_us]'
	assert_output '["a",10]
["b",null]'
}

@test "short ops: count, time, and what fusing consecutive ones could save at most" {
	overlap --short 5 -- "$(kernel a 0 4)" "$(kernel b 6 4)" "$(kernel c 11 5)" "$(kernel d 17 1)" "$(kernel e 20 1 8)"
	run of launch '[.short, .short_us, .short_saving_us]'
	assert_output '[4,10,2]
[4,10,2]'
}

@test "a gap has a cause where the next op's launch is known" {
	overlap --gaps 9 -- "$(kernel a 0 10)" "$(launch 15 2 1)" "$(kernel late 20 10 7 0 '"correlation":1')" \
		"$(launch 21 2 2)" "$(kernel waits 35 5 7 0 '"correlation":2')" "$(launch 39 4 3)" "$(kernel both 48 2 7 0 '"correlation":3')" "$(kernel none 53 1)"
	run of gap '[.ts, .dur, .before_name, .after_name, .cause]'
	assert_output '[10,10,"a","late","host"]
[40,8,"waits","both","both"]
[30,5,"late","waits","device"]
[50,3,"both","none",null]'
	overlap --gaps 1 -- "$(kernel a 0 1)" "$(kernel b 5 1)" "$(kernel c 20 1)" "$(kernel d 22 1)"
	run of gap '[.ts, .dur, .before, .after]'
	assert_output '[6,14,1,2]'
}

@test "a gap of a device is one of all its streams" {
	overlap --gaps 5 -- "$(kernel a 0 10 1)" "$(kernel b 5 20 2)" "$(kernel c 30 5 1)"
	run of gap '[.ts, .dur, .before_name]'
	assert_output '[25,5,"b"]'
}

@test "--lanes: the busy share of each stream, in bins over the device's window" {
	overlap --lanes 4 -- "$(kernel a 0 10 1)" "$(kernel b 5 10 1)" "$(kernel c 35 5 2)"
	run of lane '[.stream, .bins]'
	assert_output '[1,[1,0.5,0,0]]
[2,[0,0,0,0.5]]'
}

@test "--by-step: a step owns what was launched in it on any thread, whenever it ran" {
	overlap --by-step -- "$(host user_annotation 'ProfilerStep#4' 0 100)" "$(host user_annotation 'ProfilerStep#5' 100 100)" \
		"$(launch 10 1 1)" "$(launch 90 1 2 cudaLaunchKernel 2)" "$(launch 150 1 3)" \
		"$(kernel a 20 10 7 0 '"correlation":1')" "$(kernel b 120 30 7 0 '"correlation":2')" "$(kernel c 160 10 7 0 '"correlation":3')" "$(kernel d 300 10)"
	run of timeline 'select(has("step")) | [.step, .device, .window_us, .busy_us, .idle_us, .event]'
	assert_output '[4,0,130,40,90,0]
[4,null,130,40,90,0]
[5,0,10,10,0,1]
[5,null,10,10,0,1]'
	identities
}

@test "--by: a span and its projection on a stream are one; ops without a launch go by time" {
	overlap --by 'for*' -- "$(host user_annotation forward 0 50 '"External id":7')" "$(gpu_note forward 60 40 7 '"External id":7')" "$(launch 10 1 1)" \
		"$(kernel a 60 10 7 0 '"correlation":1')" "$(kernel b 80 10)" "$(kernel c 200 10)" "$(host user_annotation other 200 50)"
	run of timeline 'select(has("span")) | [.span, .device, .window_us, .busy_us]'
	assert_output '["forward",0,30,20]
["forward",null,30,20]'
}

@test "--clip ends impossible durations at the next start, and leaves possible ones alone" {
	e=("$(kernel fmha 0 1600000 0)" "$(kernel g0 100 100 0)" "$(kernel g1 300 100 0)" "$(kernel tail 2000 100 0)" "$(kernel pdl 0 20 1)" "$(kernel pdl 15 20 1)")
	overlap -- "${e[@]}"
	run device 0 '[.busy_us, has("clipped")]'
	assert_output '[1600000,false]'
	overlap --clip -- "${e[@]}"
	run device 0 '[.busy_us, .window_us, .same_stream_overlap_us, .clipped]'
	assert_output '[400,2100,5,1]'
	run op fmha '[.dur, .exclusive_us + .hidden_us]'
	assert_output '[1600000,100]'
}

# ---- the stream

@test "no GPU op: no timeline of zeros, and the stream is as it was" {
	trace "$(launch 0 5 1 cudaGraphLaunch)" "$(host user_annotation 'step[DECODE]' 0 9)" | tl-extract -q >"$T/in"
	tl-overlap --gaps 3 --lanes 3 --by-step "$T/in" | diff "$T/in" -
}

@test "the same figures before and after tl-tree and tl-sourcemap, keys at the end of events" {
	e=("$(host user_annotation 'ProfilerStep#1' 0 90)" "$(host cpu_op aten::mm 5 40 '"External id":3')" "$(host cuda_runtime cudaLaunchKernel 10 5 '"correlation":9,"External id":3')"
		"$(kernel gemm 30 20 7 0 '"correlation":9,"External id":3')" "$(kernel silu 35 30 8)")
	trace "${e[@]}" | tl-extract -q >"$T/extracted"
	tl-overlap --by-step --gaps 2 "$T/extracted" | jq -c 'select(.type != "event")' >"$T/direct"
	tl-tree "$T/extracted" | tl-overlap --by-step --gaps 2 | jq -c 'select(.type != "event")' | diff "$T/direct" -
	tl-tree "$T/extracted" | tl-sourcemap | tl-overlap >"$T/out"
	run jq -c 'select(.name == "gemm" and .type == "event") | keys_unsorted[-5:]' "$T/out"
	assert_output '["class","stage","hidden_us","exclusive_us","hidden_by_compute_us"]'
	run jq -c 'select(.name == "gemm" and .type == "event") | .launch_op' "$T/out"
	assert_output '"aten::mm"'
}

@test "the example traces keep both identities, per op and per device" {
	[ -s "$bin/examples/decode.json.gz" ] || "$root/examples/traces.sh" "$bin/examples"
	for t in "$bin"/examples/*.json.gz; do
		tl-extract -q "$t" | tl-overlap --by-step >"$T/out"
		run of timeline .busy_us
		[ "${#lines[@]}" -ge 2 ]
		identities
	done
}

@test "a second pass gives the same bytes, and keeps what it cannot make again" {
	overlap --gaps 2 --lanes 3 -- "$(kernel a 0 10 1)" "$(kernel b 5 10 2)" "$(kernel c 50 1)"
	tl-overlap --gaps 2 --lanes 3 "$T/out" | diff "$T/out" -
	grep -v '"type":"event"' "$T/out" >"$T/stored"
	tl-overlap "$T/stored" | diff "$T/stored" -
}

@test "unknown records and keys pass byte for byte; -n leaves out events and meta" {
	cat >"$T/in" <<-'END'
		{"type":"trace","trace":0,"schema":1,"source":"x","format":"chrome", "odd" : [1, 2]}
		{"type":"meta","trace":0,"key":"k","value":1}
		{"type":"event","trace":0,"id":0,"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":0,"dur":1,"mine":{"x":[]},"args":{}}
		{"type":"event","trace":0,"id":1,"ph":"i","name":"instant","ts":0.5}
		{"type":"mine","trace":0,"deep":{"a":1}}
		{"type":"end","trace":0,"events":2}
	END
	tl-overlap "$T/in" >"$T/out"
	run diff <(grep -v '"type":"end"' "$T/in" | sed 's/"args":{}}/"args":{},"class":"other","stage":"all","hidden_us":0,"exclusive_us":1,"hidden_by_compute_us":0}/') <(head -5 "$T/out")
	assert_success
	run tl-overlap -n "$T/in"
	refute_output --partial '"type":"event"'
	refute_output --partial '"type":"meta"'
	assert_output --partial '{"type":"mine","trace":0,"deep":{"a":1}}'
	diff <(tl-overlap -n "$T/in") <(grep -v -e '"type":"event"' -e '"type":"meta"' "$T/out")
}

@test "traces in one stream are told apart, and none is remembered" {
	trace "$(kernel a 0 10)" >"$T/a.json"
	trace "$(kernel b 0 20 8 1)" "$(kernel c 30 5 8 1)" >"$T/b.json"
	tl-extract -q "$T/a.json" "$T/b.json" | tl-overlap >"$T/out"
	run of timeline '[.trace, .device, .busy_us]'
	assert_output '[0,0,10]
[0,null,10]
[1,1,25]
[1,null,25]'
}

@test "a cut stream ends in 3, after what could be said" {
	trace "$(kernel a 0 10)" "$(kernel b 20 10)" | tl-extract -q | head -3 >"$T/in"
	run --separate-stderr tl-overlap "$T/in"
	assert_equal "$status" 3
	assert_output --partial '"type":"timeline"'
	[ -n "$stderr" ]
	printf '' >"$T/none"
	run tl-overlap "$T/none"
	assert_failure 3
}

@test "a full disk ends in 3, a closed pipe ends quietly" {
	trace "$(kernel a 0 10)" | tl-extract -q >"$T/in"
	run bash -c "tl-overlap '$T/in' >/dev/full"
	assert_failure 3
	for i in $(seq 3000); do kernel "a$((i % 9))" "$i" 1 && echo; done | paste -sd, | sed 's/^/[/;s/$/]/' | tl-extract -q >"$T/in"
	run bash -c "tl-overlap '$T/in' | head -1"
	assert_success
	assert_output "$(head -1 "$T/in")"
}

@test "wrong options end in 2" {
	for o in --lanes=1000000000 --short=-1 --short=x --gaps=many --nonsense; do
		run tl-overlap "$o" /dev/null
		assert_failure 2
	done
	run tl-overlap --help
	assert_success
	assert_output --partial tl-overlap
}

@test "a broken line ends the tool with its place, or is left out by --skip-bad" {
	printf '%s\n' '{"type":"trace","trace":0}' 'noise' '{"type":"event","trace":0,"id":0,"ph":"X","cat":"kernel","name":"a","pid":0,"tid":1,"ts":0,"dur":2}' '{"type":"end","trace":0}' >"$T/in"
	run tl-overlap "$T/in"
	assert_failure 3
	assert_output --partial ':2:'
	run --separate-stderr tl-overlap --skip-bad "$T/in"
	assert_equal "$status" 1
	assert_output --partial '"busy_us":2'
}

# ---- reports

@test "reports timeline and gaps say what is there, and what is missing" {
	overlap --gaps 3 --lanes 4 --by-step -- "$(host user_annotation 'ProfilerStep#4' 0 90)" "$(launch 1 1 1)" "$(kernel gemm 10 10 7 0 '"correlation":1')" "$(kernel ncclX 40 10 8)"
	run tl-render -r timeline "$T/out"
	assert_success
	assert_output --partial '| 0 | 40.000 | 20.000 | 20.000 | 50.0 | 10.000 | 10.000 | 0.000 |'
	assert_output --partial 'step 4'
	assert_output --partial '█'
	run tl-render -r gaps "$T/out"
	assert_success
	assert_output --partial '| 0 | 20.000 | 20.000 | unknown | gemm | ncclX |'
	overlap -- "$(kernel gemm 10 10)" "$(kernel gemm 30 10)"
	run tl-render -r gaps "$T/out"
	assert_success
	assert_output --partial 'tl-overlap --gaps N'
	trace "$(host cpu_op a 0 1)" | tl-extract -q >"$T/out"
	for r in timeline gaps; do
		run tl-render -r $r "$T/out"
		assert_success
		assert_output --partial 'tl-overlap must come before'
	done
}

# ---- devices, streams, launches: the facts of tl-records(5)

# on PID NAME TS DUR ARGS: a kernel on a row of that pid
on() {
	printf '{"ph":"X","cat":"kernel","name":"%s","pid":%s,"tid":7,"ts":%s,"dur":%s,"args":{%s}}' "$2" "$1" "$3" "$4" "$5"
}

@test "rows of two pids are two devices, even of one number; the pid tells them apart" {
	overlap --gaps 1 --lanes 1 -- "$(on '"rank0:0"' ncclX 100 50 '"device":0,"stream":7')" "$(on '"rank1:0"' gemm 100 40 '"device":"0","stream":7')" "$(on '"rank1:0"' gemm 200 40 '"stream":7')"
	run of timeline '[.device, .busy_us, .exposed_comm_us, .process]'
	assert_output '[0,50,50,"rank0:0"]
[0,80,0,"rank1:0"]
[null,90,50,null]'
	for type in overlap kernel_group launch lane; do
		run of $type 'select(has("device")) | .process'
		assert_output '"rank0:0"
"rank1:0"'
	done
	run of gap '[.device, .dur, .process]'
	assert_output '[0,60,"rank1:0"]'
	jq -c 'select(.type == "kernel_group") | keys_unsorted[-1]' "$T/out" | grep -c '"process"'
	overlap -- "$(on 0 a 0 9 '"device":0,"stream":7')" "$(on 1 b 0 9 '"device":1,"stream":7')"
	run grep -c '"process"' "$T/out"
	assert_output 0
}

@test "an action names the process of its device, too" {
	overlap -- "$(on '"r0"' ncclX 100 5000 '"device":0,"stream":7')" "$(on '"r1"' ncclY 100 5000 '"device":0,"stream":7')"
	run of action '[.name, .process]'
	assert_output '["ncclX","r0"]
["ncclY","r1"]'
}

@test "exposed time of several devices is that of any of them: another device's work hides nothing" {
	overlap --by-step -- "$(host user_annotation 'ProfilerStep#1' 0 20)" "$(launch 1 1 1)" "$(launch 2 1 2)" "$(launch 3 1 3)" "$(launch 4 1 4)" \
		"$(kernel ncclX 100 100 7 0 '"correlation":1')" "$(kernel gemm 100 150 7 1 '"correlation":2')" "$(kernel ncclY 250 30 7 1 '"correlation":3')" \
		'{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":9,"ts":240,"dur":30,"args":{"device":0,"stream":9,"correlation":4}}'
	run of timeline 'select(has("device") | not) | [.step, .busy_us, .comm_us, .compute_us, .exposed_comm_us, .exposed_memcpy_us]'
	assert_output '[null,180,130,150,130,30]
[1,180,130,150,130,30]'
}

@test "streams of two contexts are two streams" {
	overlap --lanes 1 -- "$(kernel a 0 100 7 0 '"context":1')" "$(kernel b 50 100 7 0 '"context":2')" "$(kernel c 200 10 8 0 '"context":1')"
	run device 0 '[.same_stream_overlap_us, .max_streams, .streams]'
	assert_output '[0,2,3]'
	run hidden a
	assert_output '[50,50,0]'
	run of lane '[.stream, .context]'
	assert_output '[7,1]
[7,2]
[8,null]'
}

@test "a launch is known by its flow alone, and by an id that is no number" {
	overlap -- "$(host cuda_runtime cudaLaunchKernel 10 5)" '{"ph":"s","cat":"ac2g","name":"f","id":4,"pid":100,"tid":1,"ts":10}' '{"ph":"f","cat":"ac2g","name":"f","id":4,"pid":0,"tid":7,"ts":50,"bp":"e"}' "$(kernel a 50 5)" \
		"$(launch 20 5 '"0xa9"')" "$(kernel b 60 5 7 0 '"correlation":"0xa9"')" "$(launch 30 5 -1)" "$(kernel c 70 5 7 0 '"correlation":-1')"
	run of launch 'select(has("device")) | [.launches, .latency_us_median]'
	assert_output '[2,40]'
}

@test "of a replay that the driver's call stands for only the first op counts as launched" {
	overlap -- "$(launch 10 30 9 hipGraphLaunch)" "$(host cuda_driver hipModuleLaunchKernel 12 20 '"correlation":9')" "$(kernel a 100 5 7 0 '"correlation":9')" "$(kernel b 200 5 7 0 '"correlation":9')"
	run of launch 'select(has("device")) | [.launches, .latency_us_median]'
	assert_output '[1,88]'
}

@test "--by-step: the forms of other frameworks, 2021's category, numbers counted where names have none" {
	overlap --by-step -- "$(host Operator 'ProfilerStep#4' 0 50)" "$(host user_annotation 'train_step' 50 50)" "$(launch 10 1 1)" "$(launch 60 1 2)" "$(kernel a 100 10 7 0 '"correlation":1')" "$(kernel b 110 10 7 0 '"correlation":2')"
	run of timeline 'select(has("step") and has("device")) | [.step, .busy_us, .event]'
	assert_output '[4,10,0]'
	overlap --by-step -- "$(host user_annotation 'Optimizer.step#SGD' 0 9)" "$(host user_annotation train_step 0 50)" "$(host user_annotation train_step 50 50)" "$(launch 10 1 1)" "$(launch 60 1 2)" "$(kernel a 100 10 7 0 '"correlation":1')" "$(kernel b 110 10 7 0 '"correlation":2')"
	run of timeline 'select(has("step") and has("device")) | [.step, .busy_us, .event]'
	assert_output '[0,10,1]
[1,10,2]'
}

@test "--by-step: an op launched between steps is in none, one without a launch goes by the projection" {
	overlap --by-step -- "$(host user_annotation 'ProfilerStep#1' 0 50)" "$(gpu_note 'ProfilerStep#1' 100 50)" "$(launch 60 1 1)" "$(kernel late 110 10 7 0 '"correlation":1')" "$(kernel loose 130 10)"
	run of timeline 'select(has("step") and has("device")) | [.step, .busy_us]'
	assert_output '[1,10]'
}

@test "--by-step: nested steps say so, steps of several processes name theirs" {
	overlap --by-step -- "$(host user_annotation 'ProfilerStep#1' 0 100)" "$(host user_annotation 'ProfilerStep#2' 20 40)" "$(host user_annotation 'ProfilerStep#1' 0 100 '' 1 200)" \
		"$(launch 30 2 9)" "$(launch 70 2 8)" "$(kernel k 150 10 7 0 '"correlation":9')" "$(kernel l 170 10 7 0 '"correlation":8')"
	run of timeline 'select(has("step") and has("device")) | [.step, .gpu_us, .nested, .pid]'
	assert_output '[1,20,null,100]
[2,10,true,100]'
}

@test "--by takes operators, too" {
	overlap --by 'my_*' -- "$(host cpu_op my_block 0 50)" "$(host cpu_op aten::mm 5 10)" "$(launch 10 1 1)" "$(kernel a 100 10 7 0 '"correlation":1')"
	run of timeline 'select(has("span") and has("device")) | [.span, .busy_us, .event]'
	assert_output '["my_block",10,0]'
}

@test "an external id that annotations of two processes have names no stage where the launch is unknown" {
	overlap -- "$(host user_annotation 'step[DECODE]' 0 9 '"External id":5' 1 100)" "$(host user_annotation 'step[EXTEND]' 0 9 '"External id":5' 1 200)" "$(kernel a 50 5 7 0 '"External id":5')"
	run op a .stage
	assert_output '"all"'
	overlap -- "$(host user_annotation 'step[DECODE]' 0 9 '"External id":5' 1 100)" "$(kernel a 50 5 7 0 '"External id":5')"
	run op a .stage
	assert_output '"decode"'
}
