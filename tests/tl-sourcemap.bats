load helper

# Events of a small trace: op, frame and call are on a host thread, gpu on a device.
op() { # op NAME TS DUR EXTERNAL_ID [TID [PID]]
	event cpu_op "$1" "${6:-1}" "${5:-1}" "$2" "$3" "\"External id\":$4"
}
frame() { # frame NAME TS DUR [TID [PID]]
	event python_function "$1" "${5:-1}" "${4:-1}" "$2" "$3"
}
call() { # call NAME TS DUR CORRELATION [MORE_ARGS [TID [PID]]]
	event cuda_runtime "$1" "${7:-1}" "${6:-1}" "$2" "$3" "\"correlation\":$4${5:-}"
}
gpu() { # gpu NAME TS DUR CORRELATION [MORE_ARGS [PID]]
	event kernel "$1" "${6:-0}" 7 "$2" "$3" "\"stream\":7,\"correlation\":$4${5:-}"
}
rank() { # rank LABEL TS EXTERNAL_ID: an operator in its own frame, its launch and its kernel
	printf '%s,%s,%s,%s' "$(frame "$1.py(1): f" "$2" 50 1 "\"[$1] 11\"")" "$(op "op_$1" "$2" 9 "$3" 1 "\"[$1] 11\"")" \
		"$(call cudaLaunchKernel "$2" 5 5 ",\"External id\":$3" 1 "\"[$1] 11\"")" "$(gpu "k_$1" 40 9 5 ",\"External id\":$3" "\"[$1] 0\"")"
}

# map EVENT... [-- OPTION...]: the trace through tl-extract and tl-sourcemap, to $T/out
map() {
	local events=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		events+=("$1")
		shift
	done
	[ $# -gt 0 ] && shift
	trace "${events[@]}" | tl-extract -q | tl-sourcemap "$@" >"$T/out"
}
# of KERNEL [FIELD...]: fields of the GPU op of that name
of() {
	local name=$1
	shift
	jq -rc --arg name "$name" --arg f "$*" 'select(.type == "event" and .name == $name)
		| [.[$f | split(" ")[]]] | map(if . == null then "-" else tostring end) | join(" | ")' "$T/out"
}
# source KERNEL FIELD...: the same of its source record
source_of() {
	local name=$1
	shift
	jq -rc --arg name "$name" --arg f "$*" 'select(.type == "source" and .kernel == $name)
		| [.[$f | split(" ")[]]] | map(if . == null then "-" else tostring end) | join(" | ")' "$T/out"
}

@test "a kernel has the operator of its external id and the frames around it" {
	map "$(frame 'train.py(10): step' 0 100)" "$(frame 'model.py(20): forward' 5 50)" "$(op aten::mm 10 20 7)" \
		"$(call cudaLaunchKernel 12 3 5 ',"External id":7')" "$(gpu gemm 40 9.5 5 ',"External id":7')"
	run of gemm scope launch_op how graph
	assert_output 'model.py(20): forward | aten::mm | external_id | -'
	run jq -c 'select(.type == "source")' "$T/out"
	assert_output '{"type":"source","trace":0,"kernel":"gemm","launches":1,"mapped":1,"graph":0,"scope":"model.py(20): forward","chain":"train.py(10): step -> model.py(20): forward","launch_op":"aten::mm","scopes":{"model.py(20): forward":1},"how":"external_id","gpu_us":9.5,"share":100}'
}

# numbered NAME TS DUR EXTERNAL_ID SEQUENCE_NUMBER TID: an operator of autograd's or one that it will answer
numbered() {
	op "$1" "$2" "$3" "$4" "$6" | sed "s/}}\$/,\"Sequence number\":$5}}/"
}
# backward FRAME...: a forward operator in the frames, and its backward's kernel, launched on thread 2
backward() {
	map "$@" "$(numbered aten::mm 10 20 7 3 1)" "$(numbered 'autograd::engine::evaluate_function: MmBackward0' 100 30 8 3 2)" \
		"$(numbered MmBackward0 101 25 9 3 2)" "$(op aten::mm 102 20 10 2)" \
		"$(call cudaLaunchKernel 103 3 5 ',"External id":10' "${launcher:-2}")" "$(gpu k 140 9 5 ',"External id":10')"
}

@test "a backward's kernel, whose thread has no frames, has those of the forward operator" {
	backward "$(frame 'train.py(10): step' 0 100)" "$(frame 'model.py(20): forward' 5 50)"
	run of k scope launch_op how
	assert_output 'model.py(20): forward | aten::mm | forward'
	run source_of k chain mapped how scopes
	assert_output 'train.py(10): step -> model.py(20): forward | 1 | forward | {"model.py(20): forward":1}'
	# the operator leads there, whatever thread launched for it
	launcher=9 backward "$(frame 'model.py(20): forward' 5 50)"
	run of k scope launch_op how
	assert_output 'model.py(20): forward | aten::mm | forward'
	# frames around the launch know better: a backward that was written in Python
	backward "$(frame 'model.py(20): forward' 5 50)" "$(frame 'ext.py(30): backward' 100 40 2)"
	run of k scope how
	assert_output 'ext.py(30): backward | external_id'
	# a forward operator without frames tells nothing
	backward "$(frame 'late.py(1): f' 500 5)"
	run of k scope launch_op how
	assert_output -- '- | aten::mm | external_id'
	run source_of k mapped how
	assert_output '0 | external_id'
}

@test "the forward operator is found by flows, by the launch alone, and the same after tl-tree" {
	local flow='{"ph":"%s","cat":"fwdbwd","name":"fwdbwd","id":4,"pid":1,"tid":%s,"ts":%s}' events=()
	events=("$(frame 'model.py(20): forward' 5 50)" "$(op aten::relu 10 20 7)" "$(printf "$flow" s 1 10)"
		"$(op ReluBackward0 100 25 9 2)" "$(printf "$flow" f 2 100)" "$(call cudaLaunchKernel 103 3 5 '' 2)" "$(gpu k 140 9 5)")
	map "${events[@]}"
	run of k scope launch_op how
	assert_output 'model.py(20): forward | ReluBackward0 | forward'
	trace "${events[@]}" | tl-extract -q | tl-tree -q | tl-sourcemap >"$T/out"
	run of k scope launch_op how
	assert_output 'model.py(20): forward | ReluBackward0 | forward'
}

@test "a kernel without an external id has that of its launch" {
	map "$(frame 'a.py(1): f' 0 100)" "$(op aten::mm 10 20 7)" "$(call cudaLaunchKernel 12 3 5 ',"External id":7')" "$(gpu k 40 9 5)"
	run of k scope launch_op how
	assert_output 'a.py(1): f | aten::mm | external_id'
}

@test "without an operator the launch decides: the frames of the launching thread at its time" {
	# another thread is in b.py when the kernel runs
	map "$(frame 'a.py(10): f' 0 30)" "$(call cuLaunchKernelEx 12 3 5)" "$(frame 'b.py(99): g' 35 50 2)" "$(gpu k 40 9 5)"
	run of k scope launch_op how
	assert_output 'a.py(10): f | cuLaunchKernelEx | launch'
	map "$(frame 'a.py(10): f' 0 30)" "$(op aten::relu 11 9 0)" "$(call hipLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run of k scope launch_op how
	assert_output 'a.py(10): f | aten::relu | launch'
}

@test "an operator on a thread without frames leaves the scope to the launch, else unknown" {
	map "$(op bwd 10 20 7 2)" "$(call cudaLaunchKernel 12 3 5 ',"External id":7' 2)" "$(gpu k 40 9 5 ',"External id":7')"
	run of k scope launch_op how
	assert_output -- '- | bwd | external_id'
	run source_of k launches mapped scopes how
	assert_output '1 | 0 | {} | external_id'
}

@test "of operators with one external id the last that began before the launch counts" {
	map "$(frame 'a.py(1): f' 0 200)" "$(op first 10 5 7)" "$(op second 20 5 7)" "$(op third 90 5 7)" \
		"$(call cudaLaunchKernel 22 2 5 ',"External id":7')" "$(gpu k 100 9 5 ',"External id":7')"
	run of k launch_op
	assert_output second
}

@test "nothing known: no keys, and by time only when asked" {
	map "$(frame 'a.py(1): f' 0 100)" "$(frame 'b.py(2): g' 20 50 2)" "$(gpu k 40 9 5)"
	run of k scope launch_op how
	assert_output -- '- | - | -'
	run source_of k launches mapped scopes how
	assert_output '1 | 0 | {} | -'
	map "$(frame 'a.py(1): f' 0 100)" "$(frame 'b.py(2): g' 20 50 2)" "$(gpu k 40 9 5)" "$(gpu late 100 9 6)" -- --guess-by-time
	run of k scope launch_op how
	assert_output 'b.py(2): g | - | time'
	run source_of k chain mapped how
	assert_output 'a.py(1): f -> b.py(2): g | 1 | time'
	run of late scope how
	assert_output -- '- | -'
}

@test "a guess never replaces what is known" {
	map "$(frame 'a.py(1): f' 0 30)" "$(call cudaLaunchKernel 12 3 5)" "$(frame 'b.py(2): g' 35 50 2)" "$(gpu k 40 9 5)" -- --guess-by-time
	run of k scope how
	assert_output 'a.py(1): f | launch'
}

@test "a launch without frames keeps its name when the scope is a guess" {
	map "$(call cudaLaunchKernel 12 3 5)" "$(frame 'b.py(2): g' 35 50 2)" "$(gpu k 40 9 5)" -- --guess-by-time
	run of k scope launch_op how
	assert_output 'b.py(2): g | cudaLaunchKernel | time'
}

@test "kernels of a graph replay have its launch's scope, are marked and never counted as mapped" {
	map "$(frame 'run.py(1): replay' 0 20)" "$(op outer 1 18 7)" "$(call cudaGraphLaunch 2 3 5 ',"External id":7')" \
		"$(frame 'scheduler.py(3): recv_requests' 30 90 1)" "$(gpu a 40 9 5 ',"External id":7')" "$(gpu b 50 9 5 ',"External id":7')"
	run of a scope launch_op how graph
	assert_output 'run.py(1): replay | cudaGraphLaunch | launch | true'
	run source_of b launches mapped graph scope scopes how
	assert_output '1 | 0 | 1 | - | {} | -'
}

@test "a graph launch is one in any spelling" {
	for name in cudaGraphLaunch hipGraphLaunch cuGraphLaunch cuda_graph_launch; do
		map "$(frame 'run.py(1): replay' 0 20)" "$(call $name 2 3 5)" "$(gpu a 40 9 5)"
		run of a graph
		assert_output true
	done
}

@test "--map: a replay's kernels get the place that an eager run knows, exact name first" {
	map "$(frame 'vllm/model.py(5): attn' 0 30)" "$(op aten::mm 1 20 7)" "$(call cudaLaunchKernel 2 3 5 ',"External id":7')" \
		"$(gpu 'void gemm<float>(int)' 40 9 5 ',"External id":7')"
	cp "$T/out" "$T/eager"
	replay=("$(frame 'run.py(1): replay' 0 20)" "$(call cudaGraphLaunch 2 3 5)" "$(gpu 'void gemm<float>(int)' 40 9 5)" "$(gpu other 50 1 5)")
	for form in stream records; do
		[ $form = records ] && grep '"type":"source"' "$T/eager" >"$T/m" || cp "$T/eager" "$T/m"
		map "${replay[@]}" -- -m "$T/m"
		run of 'void gemm<float>(int)' scope launch_op how graph
		assert_output 'vllm/model.py(5): attn | aten::mm | map | true'
		run source_of 'void gemm<float>' launches mapped graph scope launch_op chain scopes how
		assert_output '1 | 0 | 1 | vllm/model.py(5): attn | aten::mm | vllm/model.py(5): attn | {} | map'
		run of other scope how
		assert_output 'run.py(1): replay | launch'
	done
}

@test "--map takes a stream that tl-sourcemap has not seen, and one that is compressed" {
	trace "$(frame 'vllm/model.py(5): attn' 0 30)" "$(call cudaLaunchKernel 2 3 5)" "$(gpu k 40 9 5)" | tl-extract -q | gzip >"$T/m.gz"
	map "$(call cudaGraphLaunch 2 3 5)" "$(gpu k 40 9 5)" -- --map "$T/m.gz"
	run of k scope launch_op how
	assert_output 'vllm/model.py(5): attn | cudaLaunchKernel | map'
}

@test "--map fills in an eager kernel without a scope, and then it is mapped" {
	printf '%s\n' '{"type":"source","trace":0,"kernel":"k","launches":4,"mapped":4,"scope":"m.py(1): f"}' >"$T/m"
	map "$(gpu k 40 9 5)" "$(frame 'a.py(1): f' 0 30)" "$(call cudaLaunchKernel 2 3 6)" "$(gpu k 60 9 6)" -- --map "$T/m"
	run of k scope how
	assert_line 'm.py(1): f | map'
	assert_line 'a.py(1): f | launch'
	run source_of k mapped scopes
	assert_output '2 | {"m.py(1): f":1,"a.py(1): f":1}'
}

@test "--map: of two records of a kernel the one with more launches counts" {
	printf '%s\n' '{"type":"source","trace":0,"kernel":"k","launches":4,"mapped":1,"scope":"one.py(1): f"}' \
		'{"type":"source","trace":1,"kernel":"k","launches":4,"mapped":3,"scope":"three.py(1): f"}' \
		'{"type":"source","trace":2,"kernel":"k","launches":0,"mapped":0,"captured":2,"scope":"two.py(1): f"}' >"$T/m"
	map "$(call cudaGraphLaunch 2 3 5)" "$(gpu k 40 9 5)" -- --map "$T/m"
	run of k scope
	assert_output 'three.py(1): f'
}

@test "a relaxed lookup needs names that resemble each other: k is in everything" {
	printf '%s\n' '{"type":"source","trace":0,"kernel":"k","launches":1,"mapped":1,"scope":"k.py(1): f"}' \
		'{"type":"source","trace":0,"kernel":"fused_rms_norm_kernel_v2","launches":1,"mapped":1,"scope":"norm.py(1): f"}' >"$T/m"
	map "$(call cudaGraphLaunch 2 3 5)" "$(gpu fused_rms_norm_kernel 40 9 5)" "$(gpu unlike_kernel 60 9 5)" -- --map "$T/m"
	run of fused_rms_norm_kernel scope how
	assert_output 'norm.py(1): f | map'
	run of unlike_kernel scope how
	assert_output -- '- | launch'
	map "$(call cudaGraphLaunch 2 3 5)" "$(gpu kind_of_other 60 9 5)" -- --map "$T/m"
	run of kind_of_other scope how
	assert_output -- '- | launch'
	map "$(call cudaGraphLaunch 2 3 5)" "$(gpu kind_of_other 60 9 5)" -- --map "$T/m" --rules reference
	run of kind_of_other scope how
	assert_output 'k.py(1): f | map'
}

@test "long mangled names match by their beginning, other names by aliases" {
	stem=$(printf 'abcdefgh%.0s' {1..10})
	printf '%s\n' "{\"type\":\"source\",\"trace\":0,\"kernel\":\"_ZN${stem}_one_variant_of_a_template_kernel\",\"launches\":1,\"mapped\":1,\"scope\":\"long.py(1): f\"}" \
		'{"type":"source","trace":0,"kernel":"flash_attn_varlen_func_impl","launches":1,"mapped":1,"scope":"vllm/vllm_flash_attn/flash_attn_interface.py(1): flash_attn_varlen_func"}' >"$T/m"
	map "$(call cudaGraphLaunch 2 3 5)" "$(gpu "_ZN${stem}_another_variant_of_the_template_x" 40 9 5)" "$(gpu FlashAttnFwdCombine 60 9 5)" -- --map "$T/m"
	run of "_ZN${stem}_another_variant_of_the_template_x" scope
	assert_output 'long.py(1): f'
	run of FlashAttnFwdCombine scope
	assert_output 'vllm/vllm_flash_attn/flash_attn_interface.py(1): flash_attn_varlen_func'
}

@test "launches that a graph captures give source records, which serve as a map" {
	map "$(frame 'vllm/model.py(5): attn' 0 30)" "$(op aten::mm 1 20 7)" "$(call hipLaunchKernel 2 1 5 ',"kernel":"void g<1>(int)"')" \
		"$(call hipLaunchKernel 4 1 6 ',"kernel":"void g<1>(int)"')" "$(call hipMemcpyAsync 8 1 9)"
	run jq -c 'select(.type == "source")' "$T/out"
	assert_output '{"type":"source","trace":0,"kernel":"void g<1>","launches":0,"mapped":0,"graph":0,"scope":"vllm/model.py(5): attn","chain":"vllm/model.py(5): attn","launch_op":"aten::mm","scopes":{"vllm/model.py(5): attn":2},"how":"launch","gpu_us":0,"captured":2}'
	cp "$T/out" "$T/m"
	map "$(call hipGraphLaunch 2 3 5)" "$(gpu 'void g<1>(int)' 40 9 5)" -- --map "$T/m"
	run of 'void g<1>(int)' scope launch_op how
	assert_output 'vllm/model.py(5): attn | aten::mm | map'
}

@test "a launch whose kernel ran is not captured" {
	map "$(call hipLaunchKernel 2 1 5 ',"kernel":"k"')" "$(gpu k 40 9 5)"
	run source_of k launches captured
	assert_output '1 | -'
}

@test "all launches are counted, not samples of them" {
	events=("$(frame 'a.py(1): f' 0 10)" "$(frame 'b.py(1): g' 10 1000)")
	for i in {1..40}; do
		events+=("$(call cudaLaunchKernel $((i * 3)) 1 "$i")" "$(gpu k $((i * 3 + 2)) 1 "$i")")
	done
	map "${events[@]}"
	run source_of k launches mapped scope scopes
	assert_output '40 | 40 | b.py(1): g | {"b.py(1): g":37,"a.py(1): f":3}'
}

@test "the best scope of equals is the one seen first" {
	map "$(frame 'b.py(1): g' 0 10)" "$(frame 'a.py(1): f' 10 10)" "$(call cudaLaunchKernel 1 1 1)" "$(gpu k 5 1 1)" "$(call cudaLaunchKernel 11 1 2)" "$(gpu k 15 1 2)"
	run source_of k scope scopes
	assert_output 'b.py(1): g | {"b.py(1): g":1,"a.py(1): f":1}'
}

@test "frames that start together stand in the chain by length, whatever their order in the file" {
	map "$(frame 'child.py(1): f' 0 50)" "$(frame 'parent.py(1): g' 0 90)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run source_of k chain scope
	assert_output 'parent.py(1): g -> child.py(1): f | child.py(1): f'
}

@test "a chain is the last six frames that count, its text the last four" {
	events=()
	for i in {1..8}; do
		events+=("$(frame "f$i.py($i): f" "$i" $((90 - 2 * i)))")
	done
	map "${events[@]}" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run source_of k chain scope
	assert_output 'f5.py(5): f -> f6.py(6): f -> f7.py(7): f -> f8.py(8): f | f8.py(8): f'
	map "$(frame 'vllm/a.py(1): f' 0 99)" "${events[@]}" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run source_of k scope
	assert_output 'f8.py(8): f'
}

@test "plumbing does not count: installed copies of the standard library and of torch" {
	py=/usr/lib/python3.10
	map "$(frame "$py/threading.py(973): run" 0 100)" "$(frame '/w/app.py(3): main' 1 98)" \
		"$(frame "$py/dist-packages/torch/nn/modules/module.py(1): _call_impl" 2 90)" "$(frame 'nn.Module: Linear_1' 3 80)" \
		"$(frame '<built-in method f of x at 0x12>' 4 70)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run source_of k chain
	assert_output 'w/app.py(3): main'
	map "$(frame "$py/runpy.py(86): _run_code" 0 100)" "$(frame '/w/app.py(3): main' 1 98)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run source_of k chain
	assert_output 'w/app.py(3): main'
}

@test "a stack of nothing but plumbing is shown rather than none" {
	map "$(frame '/v/site-packages/torch/nn/modules/module.py(1): _call_impl' 2 90)" "$(frame 'threading.py(9): run' 3 80)" \
		"$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run source_of k chain
	assert_output 'torch/nn/modules/module.py(1): _call_impl'
}

@test "paths are made relative to a project's root, on whole components" {
	for pair in '/home/u/nano-vllm/x.py(1): f=home/u/nano-vllm/x.py(1): f' '/v/site-packages/vllm/x.py(1): f=vllm/x.py(1): f' \
		'/w/sglang/python/sglang/srt/x.py(1): f=python/sglang/srt/x.py(1): f' '/v/dist-packages/sglang/x.py(1): f=python/sglang/x.py(1): f'; do
		map "$(frame "${pair%%=*}" 0 50)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
		run of k scope
		assert_output "${pair#*=}"
	done
	map "$(frame '/home/u/nano-vllm/x.py(1): f' 0 50)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)" -- --rules reference
	run of k scope
	assert_output 'vllm/x.py(1): f'
}

@test "a project's frame is better than one of a library, and one that wraps is worse" {
	map "$(frame 'vllm/a.py(1): attn' 0 50)" "$(frame 'torch/nn/functional.py(2): linear' 1 40)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run of k scope
	assert_output 'vllm/a.py(1): attn'
	map "$(frame 'vllm/a.py(1): attn' 0 50)" "$(frame 'vllm/b.py(2): __call__' 1 40)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run of k scope
	assert_output 'vllm/a.py(1): attn'
}

@test "a function that is called wrapper is no place, a cell of a notebook is one" {
	map "$(frame 'lib/a.py(1): forward' 0 50)" "$(frame 'lib/b.py(2): wrapper' 1 40)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run of k scope
	assert_output 'lib/a.py(1): forward'
	map "$(frame '<ipython-input-5-a1b2>(3): train' 0 50)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run of k scope
	assert_output '<ipython-input-5-a1b2>(3): train'
}

@test "one place has one spelling: path(line): function" {
	map "$(frame '/v/site-packages/vllm/a.py(1): f' 0 50)" "$(frame 'vllm\\\\b.py(2): g' 50 50)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)" \
		"$(call cudaLaunchKernel 52 3 6)" "$(gpu k 60 9 6)"
	run source_of k scopes
	assert_output '{"vllm/a.py(1): f":1,"vllm/b.py(2): g":1}'
}

@test "kernels are counted by canonical name" {
	map "$(gpu 'void f<1>(int*, float)' 0 1 1)" "$(gpu 'void f<1>(int*, double)' 2 1 2)" "$(gpu 'g at 0x7f01' 4 1 3)" "$(gpu 'g at 0x7f02' 6 1 4)"
	run jq -rc 'select(.type == "source") | [.kernel, .launches]' "$T/out"
	assert_output '["void f<1>",2]
["g at 0xADDR",2]'
}

@test "names with quotes, backslashes and other letters come through" {
	map "$(frame 'a\"b\\ü.py(1): f' 0 30)" "$(op 'op \"ö\"' 1 20 7)" "$(call cudaLaunchKernel 12 3 5 ',"External id":7')" "$(gpu 'k \"ß\"' 40 9 5)"
	run of 'k "ß"' scope launch_op
	assert_output 'a"b/ü.py(1): f | op "ö"'
	run source_of 'k "ß"' scopes
	assert_output '{"a\"b/ü.py(1): f":1}'
}

@test "operators are at most 100 characters long" {
	map "$(op "$(printf 'x%.0s' {1..150})" 1 20 7)" "$(call cudaLaunchKernel 12 3 5 ',"External id":7')" "$(gpu k 40 9 5)"
	run jq -r 'select(.name == "k").launch_op | length, .[97:]' "$T/out"
	assert_output '100
...'
}

@test "ranks of a merged trace are told apart by their pids, though their ids repeat" {
	map "$(rank TP01 0 7)" "$(rank TP00 2 7)"
	run of k_TP00 scope launch_op
	assert_output 'TP00.py(1): f | op_TP00'
	run of k_TP01 scope launch_op
	assert_output 'TP01.py(1): f | op_TP01'
}

@test "a launch of another rank is no launch" {
	map "$(frame 'a.py(1): f' 0 50 1 '"[TP01] 11"')" "$(op o 0 9 7 1 '"[TP01] 11"')" "$(call cudaLaunchKernel 0 5 5 ',"External id":7' 1 '"[TP01] 11"')" \
		"$(gpu k 40 9 5 ',"External id":7' '"[TP00] 0"')"
	run of k scope launch_op
	assert_output -- '- | -'
}

@test "ids that several processes have, with pids that tell nothing, join nothing" {
	map "$(op o1 0 9 7 1 1)" "$(call cudaLaunchKernel 0 5 5 ',"External id":7' 1 1)" "$(op o2 0 9 7 1 2)" "$(call cudaLaunchKernel 0 5 5 ',"External id":7' 1 2)" \
		"$(gpu k 40 9 5 ',"External id":7')"
	run of k scope launch_op
	assert_output -- '- | -'
}

@test "the external id decides between processes that share a correlation" {
	map "$(op o1 0 9 7 1 1)" "$(call cudaLaunchKernel 0 5 5 ',"External id":7' 1 1)" "$(op o2 0 9 8 1 2)" "$(call cudaLaunchKernel 0 5 5 ',"External id":8' 1 2)" \
		"$(gpu k 40 9 5 ',"External id":8')"
	run of k launch_op
	assert_output o2
}

@test "durations that are null, absent, negative or text stop nothing" {
	map '{"ph":"X","cat":"python_function","name":"bad.py(1): f","pid":1,"tid":1,"ts":0,"dur":null}' \
		'{"ph":"X","cat":"cpu_op","name":"noop","pid":1,"tid":1,"ts":0,"args":{"External id":7}}' \
		'{"ph":"X","cat":"kernel","name":"zero","pid":0,"tid":7,"ts":1,"dur":0,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"none","pid":0,"tid":7,"ts":1,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"null","pid":0,"tid":7,"ts":1,"dur":null,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"negative","pid":0,"tid":7,"ts":1,"dur":-3,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"text","pid":0,"tid":7,"ts":1,"dur":"4.5","args":{"correlation":5}}' \
		"$(frame 'a.py(1): f' 0 9)" "$(call cudaLaunchKernel 1 1 5)"
	run jq -rc 'select(.type == "source") | [.kernel, .launches, .mapped, .gpu_us]' "$T/out"
	assert_output '["text",1,1,4.5]
["zero",1,1,0]
["none",1,1,0]
["null",1,1,0]
["negative",1,1,0]'
}

@test "args that are a list, a number or absent are no args" {
	map '{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1,"dur":1,"args":[1]}' '{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":1,"dur":1,"args":3}' \
		'{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":1,"dur":1}' '{"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":1,"dur":1,"args":[]}'
	run jq -rc 'select(.type == "source") | .kernel' "$T/out"
	assert_output 'a
b
c'
}

@test "B and E count as spans, kernels too" {
	map '{"ph":"B","cat":"python_function","name":"a.py(1): f","pid":1,"tid":1,"ts":0}' '{"ph":"B","cat":"cpu_op","name":"o","pid":1,"tid":1,"ts":1,"args":{"External id":7}}' \
		"$(call cudaLaunchKernel 2 1 5 ',"External id":7')" '{"ph":"E","pid":1,"tid":1,"ts":10}' '{"ph":"E","pid":1,"tid":1,"ts":20}' \
		'{"ph":"B","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"args":{"correlation":5}}' '{"ph":"E","pid":0,"tid":7,"ts":8}'
	run of k scope launch_op
	assert_output 'a.py(1): f | o'
	run source_of k gpu_us
	assert_output 3
}

@test "a trace that is a bare array works, as the map too" {
	printf '[%s,%s,%s]' "$(frame 'a.py(1): f' 0 30)" "$(call cudaLaunchKernel 2 3 5)" "$(gpu k 40 9 5)" | tl-extract -q >"$T/m"
	printf '[%s,%s]' "$(call cudaGraphLaunch 2 3 5)" "$(gpu k 40 9 5)" | tl-extract -q | tl-sourcemap -m "$T/m" >"$T/out"
	run of k scope how
	assert_output 'a.py(1): f | map'
}

@test "synchronisation and runtime rows with a stream are no kernels" {
	map '{"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7}}' \
		'{"ph":"X","cat":"overhead","name":"o","pid":0,"tid":7,"ts":1,"dur":1}' '{"ph":"X","cat":"gpu_user_annotation","name":"u","pid":0,"tid":7,"ts":1,"dur":1}' \
		"$(call cudaMemcpyAsync 2 3 5 ',"stream":7')"
	run grep -c '"type":"source"' "$T/out"
	assert_output 0
}

@test "the answer is the same with and without tl-tree before" {
	events=("$(frame 'a.py(1): f' 0 100)" "$(frame 'b.py(2): g' 5 50)" "$(frame 'lost.py(3): h' 20 60)" "$(op aten::mm 10 20 7)"
		"$(call cudaLaunchKernel 12 3 5 ',"External id":7')" "$(gpu k 40 9 5 ',"External id":7')" "$(call cudaGraphLaunch 60 3 6)" "$(gpu g 70 9 6)")
	map "${events[@]}"
	grep '"type":"source"' "$T/out" >"$T/plain"
	trace "${events[@]}" | tl-extract -q | tl-tree | tl-sourcemap >"$T/out"
	run diff "$T/plain" <(grep '"type":"source"' "$T/out")
	assert_success
	run of g launcher parent graph how
	assert_output '6 | 6 | true | launch'
}

@test "a second pass changes nothing" {
	map "$(frame 'a.py(1): f' 0 100)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)" "$(call cudaGraphLaunch 60 3 6)" "$(gpu g 70 9 6)" "$(gpu lone 90 1 8)"
	run diff "$T/out" <(tl-sourcemap "$T/out")
	assert_success
	run diff <(grep source "$T/out") <(grep -v '"type":"event"' "$T/out" | tl-sourcemap -n | grep source)
	assert_success
	tl-tree "$T/out" | tl-sourcemap >"$T/tree"
	run diff "$T/tree" <(tl-sourcemap "$T/tree")
	assert_success
}

@test "other records, unknown keys and the order of lines stay as they are" {
	map "$(frame 'a.py(1): f' 0 100)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	jq -c 'if .type == "event" and .name == "k" then .odd = {"x": [1, null]} else . end' "$T/out" | grep -v '"type":"source"' |
		sed '/"name":"cudaLaunchKernel"/a\{"type":"op","trace":0,"strange": 1.50}' >"$T/in"
	run tl-sourcemap "$T/in"
	assert_line --index 3 "$(grep '"name":"cudaLaunch' "$T/in")"
	assert_line --index 4 '{"type":"op","trace":0,"strange": 1.50}'
	assert_line --index 5 --partial '"odd":{"x":[1,null]},"scope":"a.py(1): f","launch_op":"cudaLaunchKernel","how":"launch"}'
	assert_line --index 6 --partial '"type":"source"'
	assert_line --index 7 --partial '"type":"end"'
}

@test "each trace of a stream stands for itself" {
	for n in 1 2; do
		trace "$(frame "t$n.py(1): f" 0 30)" "$(op o$n 1 20 7)" "$(call cudaLaunchKernel 2 3 5)" "$(gpu k 40 $n 5 ',"External id":7')" >"$T/$n.json"
	done
	tl-extract -q "$T/1.json" "$T/2.json" | tl-sourcemap >"$T/out"
	run jq -rc 'select(.type == "source") | [.trace, .scope, .launch_op, .launches, .gpu_us]' "$T/out"
	assert_output '[0,"t1.py(1): f","o1",1,1]
[1,"t2.py(1): f","o2",1,2]'
	run jq -rc '.type' "$T/out"
	assert_line --index 7 end
	assert_line --index 8 trace
}

@test "-n leaves out events, the records stay" {
	trace "$(frame 'a.py(1): f' 0 100)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)" | tl-extract -q | tl-sourcemap -n >"$T/out"
	run jq -r .type "$T/out"
	assert_output 'trace
source
end'
}

@test "--rules FILE overrides a rule and can call the one it replaces" {
	printf '%s\n' 'def scope: if .name | startswith("mine/") then {use: 0} else default_scope end;' >"$T/my.jq"
	map "$(frame 'a.py(1): f' 0 100)" "$(frame 'mine/b.py(1): g' 1 90)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)" -- --rules "$T/my.jq"
	run source_of k chain
	assert_output 'a.py(1): f'
}

@test "rules that do not compile are wrong usage" {
	printf 'def scope: ;\n' >"$T/my.jq"
	trace "$(frame 'a.py(1): f' 0 100)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)" | tl-extract -q >"$T/in"
	run tl-sourcemap --rules "$T/my.jq" "$T/in"
	assert_failure 2
}

@test "a map that is absent, cut inside a line or no stream ends in exit 3, an empty one in a warning" {
	trace "$(gpu k 40 9 5)" | tl-extract -q >"$T/in"
	run tl-sourcemap --map "$T/absent" "$T/in"
	assert_failure 3
	printf 'hello\n' >"$T/m"
	run tl-sourcemap --map "$T/m" "$T/in"
	assert_failure 3
	assert_output --partial 'line 1 is no record'
	printf '{"type":"source","trace":0,"kernel":"k' >"$T/m"
	run tl-sourcemap --map "$T/m" "$T/in"
	assert_failure 3
	: >"$T/m"
	run --separate-stderr tl-sourcemap --map "$T/m" "$T/in"
	assert_success
	assert_equal "$stderr" "tl-sourcemap: $T/m: no kernel has a scope there"
}

@test "a cut stream gives what there is and exit 3; nothing gives exit 3" {
	trace "$(frame 'a.py(1): f' 0 100)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)" | tl-extract -q | head -n -1 >"$T/cut"
	run --separate-stderr tl-sourcemap "$T/cut"
	assert_failure 3
	assert_output --partial '"type":"source"'
	run tl-sourcemap </dev/null
	assert_failure 3
}

@test "a full disk is exit 3, a closed pipe is quiet" {
	map "$(frame 'a.py(1): f' 0 100)" "$(call cudaLaunchKernel 12 3 5)" "$(gpu k 40 9 5)"
	run bash -c 'tl-sourcemap "$1" >/dev/full' _ "$T/out"
	assert_failure 3
	run bash -c 'tl-sourcemap "$1" | head -1' _ "$T/out"
	assert_success
	assert_equal "${#lines[@]}" 1
}

@test "a trace without GPU ops passes as it is" {
	trace "$(frame 'a.py(1): f' 0 100)" | tl-extract -q >"$T/in"
	run diff "$T/in" <(tl-sourcemap "$T/in")
	assert_success
	trace | tl-extract -q >"$T/in"
	run diff "$T/in" <(tl-sourcemap "$T/in")
	assert_success
}

@test "times and ids at the edges of their range stop nothing" {
	map "$(frame 'a.py(1): f' 0 9223372036854775)" "$(call cudaLaunchKernel 9223372036854774 1 18446744073709551615 ',"External id":18446744073709551615')" \
		"$(op o 9223372036854773 2 18446744073709551615)" "$(gpu k 9223372036854775 9223372036854775 18446744073709551615)" \
		"$(gpu j 9223372036854775 9223372036854775 0)" -- --guess-by-time
	run of k scope launch_op
	assert_output 'a.py(1): f | o'
}

@test "an external id that names an operator which had ended is not believed" {
	map "$(op aten::detach 0 5 14)" "$(op aten::copy_ 10 20 69)" "$(call cudaMemcpyAsync 15 5 3 ',"External id":14')" "$(gpu k 18 2 3 ',"External id":14')"
	run of k launch_op how
	assert_output 'aten::copy_ | launch'
}

@test "without its launch a kernel has no operator, whatever its external id names" {
	map "$(op aten::mm 0 50 14)" "$(gpu k 18 2 3 ',"External id":14')"
	run of k launch_op how scope
	assert_output -- '- | - | -'
}

@test "the operator is tl-tree's where that was before, also when its events were filtered" {
	trace "$(frame 'a.py(1): f' 0 90)" "$(op outer 0 80 1)" "$(op inner 10 20 2)" "$(call cudaLaunchKernel 12 5 3)" "$(gpu k 40 2 3)" | tl-extract -q | tl-tree >"$T/tree"
	grep -v '"name":"cudaLaunchKernel"' "$T/tree" | tl-sourcemap >"$T/out"
	run of k launch_op
	assert_output -- '-'
	grep -v '"name":"inner"' "$T/tree" | tl-sourcemap >"$T/out"
	run of k launch_op how
	assert_output 'cudaLaunchKernel | launch'
}
