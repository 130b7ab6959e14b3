load helper

# host CAT NAME TS DUR [ARGS [TID [PID]]], gpu NAME TS DUR CORRELATION [MORE ARGS], flow PH ID TS TID [CAT]
host() {
	event "$1" "$2" "${7:-1}" "${6:-1}" "$3" "$4" "${5:-}"
}
gpu() {
	event kernel "$1" 0 7 "$2" "$3" "\"correlation\":$4${5:-}"
}
flow() {
	printf '{"ph":"%s","id":%s,"ts":%s,"pid":%s,"tid":%s,"cat":"%s","name":"flow"}' \
		"$1" "$2" "$3" "$([ "$4" = 7 ] && echo 0 || echo 1)" "$4" "${5:-ac2g}"
}
launch() { # launch NAME TS DUR CORRELATION [EXTERNAL ID [PID]]
	host "${7:-cuda_runtime}" "$1" "$2" "$3" "\"correlation\":$4${5:+,\"External id\":$5}" 1 "${6:-1}"
}

tree() {
	trace "$@" | tl-extract -q | tl-tree >"$T/out"
}

# depth and name of each event of the tree, in order, on one line
shape() {
	jq -r 'select(.type == "event" and .depth != null) | "\(.depth):\(.name)"' "$T/out" | paste -sd ' '
}

# value of JQ for the event NAME
of() {
	jq -c --arg name "$1" "select(.type == \"event\" and .name == \$name) | $2" "$T/out"
}

parent() {
	jq -rs --arg name "$1" 'map(select(.type == "event")) | (map({(.id | tostring): .name}) | add) as $n
		| map(select(.name == $name))[0].parent | if . == null then "none" else $n[tostring] end' "$T/out"
}

@test "host events nest by time, parents first, children by start" {
	tree "$(host cpu_op c 5 1)" "$(host cpu_op b 2 6)" "$(host cpu_op d 7 1)" "$(host cpu_op a 0 20)" "$(host cpu_op e 9 2)"
	run shape
	assert_output '0:a 1:b 2:c 2:d 1:e'
}

@test "of events that start together the longer is the parent, then the first in the file" {
	tree "$(host cpu_op inner 0 5)" "$(host cpu_op outer 0 9)" "$(host cpu_op same1 20 5)" "$(host cpu_op same2 20 5)"
	run shape
	assert_output '0:outer 1:inner 0:same1 1:same2'
}

@test "an event that starts when another ends is its sibling, whatever its length" {
	tree "$(host cpu_op a 0 5)" "$(host cpu_op b 5 5)" "$(host cpu_op zero 5 0)" "$(host cpu_op end 10 0)" "$(host cpu_op again 10 0)"
	run shape
	assert_output '0:a 0:b 1:zero 0:end 0:again'
}

@test "times are exact to the nanosecond at 1.7e15 us" {
	tree "$(host cpu_op a 1717000000000000.001 0.001)" "$(host cpu_op b 1717000000000000.002 0.001)"
	run shape
	assert_output '0:a 0:b'
}

@test "an overrun of 1 us is rounding: still a child" {
	tree "$(host cpu_op p 0 10)" "$(host cpu_op q 9.9 1.1)"
	run shape
	assert_output '0:p 1:q'
	run of q .overrun_us
	assert_output 1
}

@test "an event that lies more inside than outside is a child, and its own children stay inside" {
	tree "$(host cpu_op p 0 100)" "$(host cpu_op q 50 90)" "$(host cpu_op in 60 10)" "$(host cpu_op out 105 10)"
	run shape
	assert_output '0:p 1:q 2:in 0:out'
	run of q '[.overrun_us, .grazes, .dur]'
	assert_output '[40,null,90]'
}

@test "an event that only grazes the end of another is its sibling" {
	tree "$(host cpu_op top 0 500)" "$(host cpu_op p 0 100)" "$(host cpu_op q 90 90)"
	run shape
	assert_output '0:top 1:p 1:q'
	run of q '[.overrun_us, .grazes]'
	assert_output '[null,true]'
}

@test "threads come by first start; pid 1 and pid \"1\" are different processes" {
	tree "$(host cpu_op late 5 50)" "$(host cpu_op other 6 2 '' 1 '"1"')" "$(host cpu_op early 1 2 '' 2)"
	run shape
	assert_output '0:early 0:late 0:other'
}

@test "what is no span of a host thread stays out of the tree, in its order, first" {
	tree "$(host cpu_op op 0 9)" "$(host overhead ov 1 1)" "$(host Trace tr 1 1)" "$(host gpu_user_annotation ga 1 1)" \
		"$(host cuda_sync sy 1 1)" '{"ph":"C","name":"count","pid":1,"tid":1,"ts":1,"args":{"v":1}}' \
		'{"ph":"i","cat":"cpu_instant_event","name":"now","pid":1,"tid":1,"ts":2}' \
		'{"ph":"b","cat":"cpu_op","name":"async","id":1,"pid":1,"tid":1,"ts":2}' \
		'{"ph":"X","cat":"cpu_op","name":"nodur","pid":1,"tid":1,"ts":3}' \
		'{"ph":"X","cat":"cpu_op","name":"nots","pid":1,"tid":1,"dur":3}' \
		"$(host mine other 1 1 '' 5)" "$(host mine span 4 1)"
	run shape
	assert_output '0:op 1:span'
	run jq -r 'select(.type == "event") | .name' "$T/out"
	assert_output "$(printf '%s\n' ov tr ga sy count now async nodur nots other op span)"
}

@test "events without name, cat or args are nodes like others" {
	tree '{"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":0,"dur":9}' '{"ph":"X","name":"nocat","pid":1,"tid":1,"ts":1,"dur":2}' \
		'{"ph":"X","cat":"python_function","name":"f","pid":1,"tid":1,"ts":4,"dur":2,"args":null}'
	run jq -c 'select(.depth != null) | [.depth, .name]' "$T/out"
	assert_output "$(printf '%s\n' '[0,null]' '[1,"nocat"]' '[1,"f"]')"
}

@test "B and E are paired as a stack in order of time, ties in file order, whatever their names" {
	b() { printf '{"ph":"B","cat":"cpu_op","name":"%s","pid":1,"tid":1,"ts":%s}' "$1" "$2"; }
	e() { printf '{"ph":"E","pid":1,"tid":%s,"ts":%s}' "${2:-1}" "$1"; }
	tree "$(e 20)" "$(b outer 0)" "$(b first 0)" "$(e 10)" "$(b inner 10)" "$(e 20)" "$(e 30)" "$(b open 40)" "$(e 50 2)"
	run shape
	assert_output '0:outer 1:first 1:inner'
	run jq -c 'select(.ph == "B") | [.name, .dur]' "$T/out"
	assert_output "$(printf '%s\n' '["open",null]' '["outer",20]' '["first",10]' '["inner",10]')"
	run tl-tree "$T/out"
	assert_equal "$output" "$(cat "$T/out")"
}

@test "a GPU op given as B and E is a GPU op" {
	tree "$(launch cudaLaunchKernel 0 5 3)" '{"ph":"B","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9,"args":{"correlation":3}}' \
		'{"ph":"E","pid":0,"tid":7,"ts":12}'
	run of k '[.dur, .launcher, .depth]'
	assert_output '[3,0,1]'
	run of cudaLaunchKernel .gpu_us
	assert_output 3
}

@test "2000 levels of nesting" {
	awk 'BEGIN {
		printf "[";
		for (i = 0; i < 2000; i++)
			printf "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},\n", i, i, 9000 - 2 * i
		print "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":3000,\"dur\":1,\"args\":{\"correlation\":1}},"
		print "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":3010,\"dur\":1,\"args\":{\"correlation\":1}}]"
	}' | tl-extract -q | tl-tree >"$T/out"
	run of k '[.depth, .parent]'
	assert_output '[2001,2000]'
	run of f0 '[.depth, .gpu_ops, .gpu_us]'
	assert_output '[0,1,1]'
}

@test "a GPU op lies below the call with its correlation, and counts for all above it" {
	tree "$(host cpu_op a 0 50)" "$(host cpu_op b 1 30)" "$(launch cudaLaunchKernel 2 3 9)" "$(host cpu_op c 40 5)" \
		"$(launch cudaMemcpyAsync 35 1 10)" "$(gpu k 60 7.5 9)" "$(gpu m 70 2 10)"
	run shape
	assert_output '0:a 1:b 2:cudaLaunchKernel 3:k 1:cudaMemcpyAsync 2:m 1:c'
	run of a '[.gpu_ops, .gpu_us, .own_gpu_ops]'
	assert_output '[2,9.5,1]'
	run of b '[.gpu_ops, .gpu_us, .own_gpu_ops]'
	assert_output '[1,7.5,1]'
	run of c 'has("gpu_ops")'
	assert_output false
	run of k '[.parent == .launcher, .depth, has("gpu_ops"), has("graph")]'
	assert_output '[true,3,false,false]'
}

@test "GPU ops stand among the calls of their launcher by start" {
	tree "$(launch cudaGraphLaunch 0 50 4)" "$(gpu k2 30 1 4)" "$(host cpu_op x 20 5)" "$(gpu k1 10 1 4)" "$(host cpu_op y 40 5)" "$(gpu k3 60 1 4)"
	run shape
	assert_output '0:cudaGraphLaunch 1:k1 1:x 1:k2 1:y 1:k3'
}

@test "a graph launch owns all its GPU ops, runtime or driver; so does any other call" {
	for name in cudaGraphLaunch hipGraphLaunch cuGraphLaunch_ptsz my_graph_launch cudaLaunchKernel; do
		tree "$(host cuda_driver "$name" 0 5 '"correlation":4')" "$(gpu k1 10 1 4)" "$(gpu k2 11 1 4)" "$(gpu k3 12 2 4)"
		run of "$name" '[.gpu_ops, .gpu_us]'
		assert_output '[3,4]'
		run jq -c 'select(.launcher == 0) | .graph' "$T/out"
		assert_equal "$(sort -u <<<"$output")" "$([ "$name" = cudaLaunchKernel ] && echo null || echo true)"
	done
}

@test "a correlation of 0, a flow of 0 and no correlation link nothing" {
	tree "$(launch cudaLaunchKernel 0 5 0)" "$(flow s 0 0 1)" "$(gpu k 10 1 0)" "$(flow f 0 10 7)" \
		'{"ph":"X","cat":"kernel","name":"none","pid":0,"tid":7,"ts":20,"dur":1}' "$(host cuda_runtime plain 30 1)"
	run shape
	assert_output '0:cudaLaunchKernel 0:plain'
}

@test "the flow decides where it and the correlation differ" {
	tree "$(launch first 0 5 1)" "$(launch second 10 5 2)" "$(flow s 77 10 1)" "$(gpu k 20 1 1)" "$(flow f 77 20 7)"
	run parent k
	assert_output second
}

@test "a flow without its start, or that starts nowhere, leaves the correlation" {
	tree "$(launch first 0 5 1)" "$(gpu k 20 1 1)" "$(flow f 1 20 7)" "$(flow s 2 500 1)" "$(gpu l 30 1 1)" "$(flow f 2 30 7)"
	run parent k
	assert_output first
	run parent l
	assert_output first
}

@test "a flow starts from the innermost call at its place; the older flow category counts too" {
	tree "$(host cpu_op op 0 40)" "$(host cuda_runtime outer 1 30)" "$(host cuda_driver inner 2 20)" "$(flow s 5 2 1 async_cpu_to_gpu)" \
		"$(gpu k 50 1 0)" "$(flow f 5 50 7 async_cpu_to_gpu)"
	run parent k
	assert_output inner
}

@test "GPU ops that start at once on a stream each have the flow of their correlation" {
	tree "$(launch a 0 1 1)" "$(launch b 2 1 2)" "$(flow s 1 0 1)" "$(flow s 2 2 1)" \
		"$(gpu kb 10 3 2)" "$(gpu ka 10 3 1)" "$(flow f 1 10 7)" "$(flow f 2 10 7)"
	run parent ka
	assert_output a
	run parent kb
	assert_output b
}

@test "a flow that ends beside the GPU ops is not theirs" {
	tree "$(launch sync 50 1 8)" "$(flow s 8 50 1)" "$(gpu k 10 100 3)" "$(flow f 8 55 7)"
	run shape
	assert_output '0:sync'
}

@test "of a driver call in a runtime call with one correlation the inner one is the launcher" {
	tree "$(launch cudaLaunchKernel 0 9 6)" "$(host cuda_driver cuLaunchKernel 1 5 '"correlation":6')" "$(gpu k 20 1 6)"
	run shape
	assert_output '0:cudaLaunchKernel 1:cuLaunchKernel 2:k'
	tree "$(launch cudaLaunchKernel 0 9 6)" "$(host cuda_driver cuLaunchKernel 0 5 '"correlation":6')" "$(gpu k 20 1 6)"
	run parent k
	assert_output cuLaunchKernel
}

@test "a reused correlation means the latest call before the op, with 1 ms for the clocks" {
	tree "$(launch one 0 5 6)" "$(launch two 5000 5 6)" "$(launch three 9000 5 6)" "$(gpu k1 4 1 6)" "$(gpu k2 4500 1 6)" "$(gpu k3 8999 1 6)"
	run parent k1
	assert_output one
	run parent k2
	assert_output two
	run parent k3
	assert_output three
}

@test "when all calls come after the op, the nearest is the launcher" {
	tree "$(launch one 5000 5 6)" "$(launch two 9000 5 6)" "$(gpu k 10 1 6)"
	run parent k
	assert_output one
}

@test "a GPU op may start before its launch" {
	tree "$(launch l 100 5 6)" "$(gpu k 96 3 6)"
	run shape
	assert_output '0:l 1:k'
}

@test "ids of merged ranks are not joined: the external id decides, else nothing" {
	tree "$(launch r0 0 5 6 11 1)" "$(launch r1 0 5 6 22 2)" "$(gpu k0 10 1 6 ',"External id":11')" "$(gpu k1 12 1 6 ',"External id":22')" \
		"$(gpu other 14 1 6 ',"External id":33')" "$(gpu none 16 1 6)" "$(launch r1only 20 5 7 44 2)" "$(gpu k2 30 1 7)"
	run parent k0
	assert_output r0
	run parent k1
	assert_output r1
	run parent k2
	assert_output r1only
	run jq -r 'select(.cat == "kernel" and .launcher == null) | .name' "$T/out"
	assert_output "$(printf '%s\n' other none)"
}

@test "calls of merged ranks with equal external ids launch nothing" {
	tree "$(launch r0 0 5 6 11 1)" "$(launch r1 0 5 6 11 2)" "$(gpu k 10 1 6 ',"External id":11')"
	run shape
	assert_output '0:r0 0:r1'
}

@test "several calls of one process are no merged ranks, whatever their external ids" {
	tree "$(launch a 0 5 6 11)" "$(launch b 10 5 6 22)" "$(gpu k 20 1 6 ',"External id":11')"
	run parent k
	assert_output b
}

@test "ids keep all 64 bits, and digits in quotes are the same id" {
	tree "$(launch a 0 1 9007199254740992)" "$(launch b 2 1 9007199254740993)" "$(launch c 4 1 18446744073709551615)" \
		"$(gpu ka 10 1 9007199254740992)" "$(gpu kb 12 1 '"9007199254740993"')" "$(gpu kc 14 1 18446744073709551615)"
	for x in a b c; do
		run parent k$x
		assert_output $x
	done
}

@test "a GPU op without dur is linked and adds no time; one without ts is left outside" {
	tree "$(launch l 0 5 6)" '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9,"args":{"correlation":6}}' \
		'{"ph":"X","cat":"kernel","name":"lost","pid":0,"tid":7,"dur":9,"args":{"correlation":6}}'
	run shape
	assert_output '0:l 1:k'
	run of l '[.gpu_ops, .gpu_us]'
	assert_output '[1,0]'
}

@test "a call without dur launches nothing" {
	tree '{"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":0,"args":{"correlation":6}}' "$(gpu k 9 1 6)"
	run shape
	assert_output ''
}

@test "the spellings of 2021" {
	trace '{"ph":"X","cat":"Operator","name":"op","pid":1,"tid":"1","ts":0,"dur":9}' \
		'{"ph":"X","cat":"Runtime","name":"run","pid":1,"tid":"1","ts":1,"dur":2,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"Memcpy","name":"copy","pid":0,"tid":"stream 7","ts":9,"dur":2,"args":{"correlation":5}}' |
		tl-extract -q | tl-tree >"$T/out"
	run shape
	assert_output '0:op 1:run 2:copy'
	run of op .own_gpu_ops
	assert_output 1
}

# --- forward and backward

wrapper='autograd::engine::evaluate_function: MmBackward0'
seq() { printf '"Sequence number":%s' "$1"; }

@test "forward and backward by fwdbwd flows: on the backward op and its wrapper" {
	tree "$(host cpu_op aten::linear 0 20)" "$(host cpu_op aten::mm 2 9 "$(seq 5)")" "$(flow s 1 2 1 fwdbwd)" \
		"$(host cpu_op "$wrapper" 100 20 "$(seq 5)" 2)" "$(host cpu_op MmBackward0 101 15 "$(seq 5)" 2)" "$(flow f 1 101 2 fwdbwd)"
	run of aten::mm .bwd
	assert_output '[4]'
	run of MmBackward0 '[.fwd, .fwd_name]'
	assert_output '[1,"aten::mm"]'
	run of "$wrapper" '[.fwd, .fwd_name]'
	assert_output '[1,"aten::mm"]'
	run of aten::linear 'has("bwd")'
	assert_output false
}

@test "of operators that start together a flow means the inner one with the Sequence number" {
	tree "$(host cpu_op outer 0 20 "$(seq 4)")" "$(host cpu_op fwd 0 15 "$(seq 5)")" "$(host cpu_op below 0 9)" "$(flow s 1 0 1 fwdbwd)" \
		"$(host cpu_op "$wrapper" 100 20 "$(seq 5)" 2)" "$(host cpu_op MmBackward0 100 15 "$(seq 5)" 2)" "$(host cpu_op aten::mm 100 9 '' 2)" \
		"$(flow f 1 100 2 fwdbwd)"
	run of MmBackward0 .fwd_name
	assert_output '"fwd"'
	run of aten::mm 'has("fwd")'
	assert_output false
}

@test "without flows by Sequence number: the last op of another thread, event 0 included" {
	tree "$(host cpu_op aten::conv2d 0 20 "$(seq 0)")" "$(host cpu_op aten::convolution 1 15 "$(seq 0)")" \
		"$(host cpu_op "$wrapper" 100 20 "$(seq 0)" 2)" "$(host cpu_op MmBackward0 101 15 "$(seq 0)" 2)" \
		"$(host cpu_op zero 30 2 "$(seq 1)")" "$(host cpu_op "$wrapper" 200 20 "$(seq 1)" 2)"
	run of aten::convolution .bwd
	assert_output '[3]'
	run of MmBackward0 .fwd
	assert_output 1
	run of "$wrapper" .fwd_name
	assert_output "$(printf '%s\n' '"aten::convolution"' '"zero"')"
	run of zero .bwd
	assert_output '[5]'
}

@test "Sequence numbers link what no flow reaches, and leave what flows say" {
	tree "$(host cpu_op f1 0 5 "$(seq 1)")" "$(flow s 1 0 1 fwdbwd)" "$(host cpu_op f1b 6 2 "$(seq 1)")" "$(host cpu_op f2 10 5 "$(seq 2)")" \
		"$(host cpu_op "$wrapper" 100 20 "$(seq 1)" 2)" "$(host cpu_op B1 101 15 "$(seq 1)" 2)" "$(flow f 1 101 2 fwdbwd)" \
		"$(host cpu_op "$wrapper" 200 20 "$(seq 2)" 2)" "$(host cpu_op B2 201 15 "$(seq 2)" 2)"
	run of B1 .fwd_name
	assert_output '"f1"'
	run of B2 .fwd_name
	assert_output '"f2"'
	run of f1b 'has("bwd")'
	assert_output false
}

@test "the first event of a trace can be a forward op" {
	tree "$(host cpu_op fwd 0 20 "$(seq 3)")" "$(host cpu_op "$wrapper" 100 20 "$(seq 3)" 2)"
	run of fwd .bwd
	assert_output '[1]'
	run of "$wrapper" .fwd
	assert_output 0
}

@test "forward and backward on one thread are not linked; merged ranks neither" {
	tree "$(host cpu_op fwd 0 20 "$(seq 3)")" "$(host cpu_op "$wrapper" 100 20 "$(seq 3)")" \
		"$(host cpu_op elsewhere 0 20 "$(seq 3)" 1 2)"
	run grep -c '"fwd":\|"bwd":' "$T/out"
	assert_output 0
}

@test "flow ids of merged ranks stay in their process, and may be used again" {
	f() { flow "$1" 1 "$2" "$3" fwdbwd | sed "s/\"pid\":1/\"pid\":$4/"; }
	tree "$(host cpu_op f1 0 9 '' 1 1)" "$(f s 0 1 1)" "$(host cpu_op b1 50 9 '' 2 1)" "$(f f 50 2 1)" \
		"$(host cpu_op f2 1 9 '' 1 2)" "$(f s 1 1 2)" "$(host cpu_op b2 51 9 '' 2 2)" "$(f f 51 2 2)" \
		"$(host cpu_op f3 100 9 '' 1 1)" "$(f s 100 1 1)" "$(host cpu_op b3 150 9 '' 2 1)" "$(f f 150 2 1)"
	for i in 1 2 3; do
		run of b$i .fwd_name
		assert_output "\"f$i\""
	done
}

# --- Python frames

py() { # py NAME TS DUR ID PARENT
	host python_function "$1" "$2" "$3" "\"Python id\":$4,\"Python parent id\":$5"
}

@test "a frame whose return was lost ends with its caller" {
	tree "$(py main 0 1000 1 null)" "$(py f 10 100 2 1)" "$(py lost 20 980 3 2)" "$(py deeper 30 970 4 3)" "$(py g 200 50 5 1)"
	run shape
	assert_output '0:main 1:f 2:lost 3:deeper 1:g'
	run of lost '[.dur, .clamped_end]'
	assert_output '[980,110]'
	run of deeper '[.dur, .clamped_end, .overrun_us]'
	assert_output '[970,110,null]'
	run grep -c clamped_end "$T/out"
	assert_output 2
}

@test "lost frames end with their callers whatever their ids; a circle of callers is none" {
	tree "$(py main 0 1000 9 null)" "$(py f 10 100 8 9)" "$(py lost 20 980 7 8)" "$(py deeper 30 970 6 7)" "$(py deepest 40 960 5 6)"
	run jq -c 'select(.clamped_end) | [.name, .clamped_end]' "$T/out"
	assert_output "$(printf '%s\n' '["lost",110]' '["deeper",110]' '["deepest",110]')"
	tree "$(py a 0 1000 1 3)" "$(py b 10 990 2 1)" "$(py c 20 980 3 2)" "$(py self 30 970 4 4)"
	run shape
	assert_output '0:a 1:b 2:c 3:self'
	run grep -c clamped_end "$T/out"
	assert_output 0
}

@test "frames that end early, with their caller, or have a caller elsewhere are not clamped" {
	tree "$(py main 0 1000 1 null)" "$(py f 10 100 2 1)" "$(py early 20 900 3 2)" "$(py last 950 50 4 1)" "$(py orphan 960 40 5 77)" \
		"$(host python_function other 30 970 '"Python id":6,"Python parent id":2' 2)"
	run grep -c clamped_end "$T/out"
	assert_output 0
}

# --- --in

@test "--in keeps an annotation, what it launched, ph M and metadata" {
	trace '{"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"p"}}' "$(host python_function main 0 100)" \
		"$(host user_annotation 'Step#1' 0 40)" "$(host cpu_op a 1 20)" "$(launch l1 2 3 9)" "$(flow s 9 2 1)" \
		"$(host user_annotation 'Step#2' 50 40)" "$(host cpu_op b 51 20)" "$(launch l2 52 3 10)" "$(flow s 10 52 1)" \
		"$(gpu k1 70 5 9)" "$(flow f 9 70 7)" "$(gpu k2 80 5 10)" "$(flow f 10 80 7)" "$(gpu nobody 60 5 99)" \
		'{"ph":"i","name":"in","pid":1,"tid":1,"ts":30}' '{"ph":"i","name":"out","pid":1,"tid":1,"ts":45}' |
		tl-extract -q | tl-tree --in 'Step#1' >"$T/out"
	run jq -r 'select(.type == "event") | .name' "$T/out"
	assert_output "$(printf '%s\n' process_name flow flow in 'Step#1' a l1 k1)"
	run shape
	assert_output '0:Step#1 1:a 2:l1 3:k1'
	run jq -c 'select(.ph == "s" or .ph == "f") | .flow' "$T/out"
	assert_output "$(printf '9\n9')"
	run jq -r 'select(.type != "event") | .type' "$T/out"
	assert_output "$(printf 'trace\nmeta\nend')"
	run of k1 .id
	assert_output 10
	run jq -c 'select(.type == "end") | [.events, .gpu_ops, .ts_first, .ts_last, .skipped]' "$T/out"
	assert_output '[8,1,0,75,0]'
}

@test "--in takes all annotations of the name, and what lies in their time on other threads of the process" {
	trace "$(host user_annotation step 0 40)" "$(host user_annotation step 100 40)" "$(host cpu_op between 50 10)" \
		"$(host cpu_op "$wrapper" 110 20 '' 2)" "$(host cuda_runtime l 112 5 '"correlation":4' 2)" "$(gpu k 500 5 4)" \
		"$(host python_function loop 0 200 '' 3)" "$(host cpu_op inside 5 10 '' 3)" "$(host cpu_op otherrank 5 10 '' 1 2)" |
		tl-extract -q | tl-tree --in step >"$T/out"
	run shape
	assert_output "0:step 0:step 0:inside 0:$wrapper 1:l 2:k"
}

@test "--in matches the text of the name, not its JSON, and pairs stay whole" {
	trace '{"ph":"B","cat":"user_annotation","name":"a\"\u0062","pid":1,"tid":1,"ts":0}' "$(host cpu_op op 1 2)" \
		'{"ph":"E","pid":1,"tid":1,"ts":9}' '{"ph":"B","name":"x","pid":1,"tid":2,"ts":-5}' '{"ph":"E","pid":1,"tid":2,"ts":5}' |
		tl-extract -q | tl-tree --in 'a"b' >"$T/out"
	run jq -c 'select(.type == "event") | [.ph, .id]' "$T/out"
	assert_output "$(printf '%s\n' '["E",2]' '["B",0]' '["X",1]')"
}

@test "--in says when no annotation has the name" {
	trace "$(host cpu_op op 0 9)" | tl-extract -q >"$T/in"
	run --separate-stderr tl-tree --in nothing "$T/in"
	assert_success
	assert_equal "$stderr" 'tl-tree: no annotation has the name nothing'
	refute_line --partial '"event"'
}

# --- the stream

@test "running it twice gives the same bytes" {
	tree "$(host cpu_op b 2 6)" "$(host cpu_op a 0 20)" "$(launch l 3 2 5)" "$(flow s 5 3 1)" "$(gpu k 9 2 5)" "$(flow f 5 9 7)" \
		"$(host cpu_op graze 18 30)" "$(py main 50 950 1 null)" "$(py f 60 10 2 1)" "$(py lost 61 939 3 2)" \
		"$(host cpu_op fwd 70 2 "$(seq 1)")" "$(host cpu_op "$wrapper" 100 20 "$(seq 1)" 2)"
	tl-tree "$T/out" >"$T/again"
	run cmp "$T/out" "$T/again"
	assert_success
	# keys of an earlier pass that no longer hold are gone
	grep -v '"cat":"cuda_runtime"' "$T/out" | tl-tree >"$T/less"
	run jq -c 'select(.name == "k") | [.launcher, .parent, .depth]' "$T/less"
	assert_output '[null,null,null]'
	run grep -c '"gpu_ops":[0-9]*,"gpu_us"' "$T/less"
	assert_output 0
}

@test "lines leave as they came but for the keys at their end; other records stay as they are" {
	printf '%s\n' '{"type":"trace","trace":0,"schema":1}' '{"type":"op","trace":0,"x":1.50}' '{"type":"new thing","trace":0}' \
		'{"type":"event","trace":0,"id":0,"ph":"X","cat":"cpu_op","name":"é\u00e9","pid":1,"tid":1,"ts":1.500,"dur":2.0,"later":{"a":[1]}}' \
		'{"type":"end","trace":0,"events":1}' >"$T/in"
	run tl-tree "$T/in"
	assert_success
	assert_output "$(sed 's/"later":{"a":\[1\]}}/"later":{"a":[1]},"depth":0}/' "$T/in")"
}

@test "each trace of a stream has its own tree" {
	{
		trace "$(launch l 0 5 6)" | tl-extract -q
		trace "$(gpu k 9 1 6)" "$(host cpu_op op 0 5)" | tl-extract -q | sed 's/"trace":0/"trace":1/'
	} | tl-tree >"$T/out"
	run shape
	assert_output '0:l 0:op'
	run jq -r .type "$T/out"
	assert_output "$(printf '%s\n' trace meta event end trace meta event event end)"
}

@test "a cut stream gives what it holds and exit 3" {
	trace "$(host cpu_op a 0 9)" "$(host cpu_op b 1 2)" | tl-extract -q | grep -v '"type":"end"' >"$T/in"
	run --separate-stderr tl-tree "$T/in"
	assert_failure 3
	assert_line --partial '"name":"b","pid":1,"tid":1,"ts":1,"dur":2,"args":{},"parent":0,"depth":1'
	run tl-tree </dev/null
	assert_failure 3
}

@test "an event that cannot be read stops the run, or is left out under --skip-bad" {
	trace "$(host cpu_op a 0 9)" | tl-extract -q | sed 's/"id":0/"id":"x"/' >"$T/in"
	run tl-tree "$T/in"
	assert_failure 3
	assert_output --partial "$T/in:3: no record"
	run tl-tree --skip-bad "$T/in"
	assert_failure 1
	refute_output --partial '"event"'
}

@test "a full disk is an error, a closed pipe is none" {
	trace "$(host cpu_op a 0 9)" | tl-extract -q >"$T/in"
	run bash -c 'tl-tree "$1" >/dev/full' - "$T/in"
	assert_failure 3
	assert_output --partial 'tl-tree: '
	yes "$(sed -n 3p "$T/in")" | head -50000 | cat "$T/in" - >"$T/many"
	run bash -c 'tl-tree "$1" | head -1' - "$T/many"
	assert_output "$(head -1 "$T/in")"
}

@test "-n leaves out events and meta" {
	trace "$(host cpu_op a 0 9)" | tl-extract -q >"$T/in"
	run bash -c 'tl-tree -n "$1" | jq -r .type' - "$T/in"
	assert_output "$(printf 'trace\nend')"
}

# ---- the operator of a GPU op

# operator, of each kernel: name of the launcher and of the operator
operators() {
	jq -rs 'map(select(.type == "event")) | (map({(.id | tostring): .name}) | add) as $n
		| map(select(.cat == "kernel"))[] | [.name, $n["\(.launcher)"] // "-", $n["\(.operator)"] // "-"] | join(" ")' "$T/out"
}

@test "a call that starts up to 1 us before an operator that it overlaps is its child" {
	tree "$(host cpu_op mm 100 50)" "$(launch early 99.2 5 1)" "$(gpu k 200 9 1)" "$(host cpu_op add 300 50)" "$(launch before 298.9 5 2)" "$(gpu l 400 9 2)"
	run shape
	assert_output '0:mm 1:early 2:k 0:before 1:l 0:add'
	run operators
	assert_output 'k early mm
l before -'
	run of early '[.early_us, .ts, .gpu_ops]'
	assert_output '[0.8,99.2,1]'
	tl-tree "$T/out" | diff "$T/out" -
}

@test "the External id decides where the bound of an operator touches the call, and nowhere else" {
	local e=("$(host cpu_op outer 100 100 '"External id":2')" "$(host cpu_op inner 120 70 '"External id":4')")
	tree "${e[@]}" "$(launch c1 120 0 1 4)" "$(gpu k1 300 9 1)" "$(launch c2 120 0 2 2)" "$(gpu k2 310 9 2)" \
		"$(launch c3 190 0 3 4)" "$(gpu k3 320 9 3)" "$(launch c4 190 0 4 2)" "$(gpu k4 330 9 4)" \
		"$(launch c5 150 5 5 2)" "$(gpu k5 340 9 5)"
	run operators
	assert_output 'k1 c1 inner
k2 c2 outer
k5 c5 inner
k3 c3 inner
k4 c4 outer'
	# counts follow the operator; parents stay
	run of inner '[.gpu_ops, .own_gpu_ops, .apart]'
	assert_output '[3,3,1]'
	run of outer '[.gpu_ops, .own_gpu_ops, .apart]'
	assert_output '[5,2,1]'
	run parent c3
	assert_output outer
}

@test "an id of another number space, process or time names no operator" {
	tree "$(host cpu_op detach 0 5 '"External id":14')" "$(host cpu_op copy_ 10 20 '"External id":69')" "$(launch c 15 5 3 14)" "$(gpu k 40 2 3)" \
		"$(host cpu_op other 100 50 '"External id":5' 1 2)" "$(launch d 110 5 4 5)" "$(gpu l 200 2 4)"
	run operators
	assert_output 'k c copy_
l d -'
}

@test "a graph's driver call within its launch is a replay" {
	tree "$(host cpu_op run 100 50)" "$(host cuda_runtime hipGraphLaunch 110 30 '"correlation":9')" "$(host cuda_driver hipModuleLaunchKernel 112 20 '"correlation":9')" \
		"$(gpu a 200 10 9)" "$(gpu b 220 10 9)"
	run jq -c 'select(.cat == "kernel") | [.graph, .launcher]' "$T/out"
	assert_output '[true,2]
[true,2]'
}

@test "--in a step keeps what was launched in it, wherever the call ends; both steps together keep all" {
	trace "$(host user_annotation 'ProfilerStep#1' 100 100)" "$(host user_annotation 'ProfilerStep#2' 200 100)" \
		"$(host cpu_op op 190 30)" "$(launch c 195 20 1)" "$(gpu k1 220 10 1)" "$(launch d 250 5 2)" "$(gpu k2 260 10 2)" | tl-extract -q >"$T/in"
	for n in 1 2; do
		tl-tree --in "ProfilerStep#$n" "$T/in" >"$T/out"
		run operators
		assert_output "$([ $n = 1 ] && echo 'k1 c op' || echo 'k2 d -')"
		jq -es '(map(select(.type == "event" and .cat == "kernel")) | length) == 1 and (map(select(.type == "end"))[0].gpu_ops == 1)' "$T/out"
	done
}

@test "--in a step: the shortest of parallel steps owns the op, a nested step's are the outer one's too" {
	trace "$(host user_annotation 'ProfilerStep#1' 0 100)" "$(host user_annotation 'ProfilerStep#2' 50 60 '' 2)" "$(host user_annotation 'ProfilerStep#3' 10 20)" \
		"$(launch a 60 5 1)" "$(gpu k1 200 9 1)" "$(launch b 15 5 2)" "$(gpu k2 210 9 2)" | tl-extract -q >"$T/in"
	names() { tl-tree --in "ProfilerStep#$1" "$T/in" | jq -r 'select(.cat == "kernel").name' | paste -sd ' '; }
	run names 1
	assert_output k2
	run names 2
	assert_output k1
	run names 3
	assert_output k2
}

@test "--in: spans of one name that touch are one time, and what ends with it lies within" {
	trace "$(host user_annotation A 0 10)" "$(host user_annotation A 10 10)" "$(host cpu_op across 5 10 '' 2)" "$(host cpu_op to_the_end 15 5 '' 3)" "$(host cpu_op beyond 15 5.001 '' 4)" | tl-extract -q | tl-tree --in A >"$T/out"
	run shape
	assert_output '0:A 0:A 0:across 0:to_the_end'
}
