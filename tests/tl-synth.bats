load helper

# op NAME START DUR [ARGS], call NAME START DUR CORRELATION, frame NAME START DUR,
# kernel NAME START DUR CORRELATION: one event each, on one thread and one stream
op() { event cpu_op "$1" 100 "${TID:-100}" "$2" "$3" "${4:-}"; }
frame() { event python_function "$1" 100 100 "$2" "$3" ''; }
call() { event "${CAT:-cuda_runtime}" "$1" 100 "${TID:-100}" "$2" "$3" "\"correlation\":$4"; }
kernel() { event kernel "$1" 0 7 "$2" "$3" "\"device\":0,\"stream\":7,\"correlation\":$4"; }

# Rows of a trace on stdin, one a line: kind, name, event, ids of GPU ops
rows() {
	tl-extract - | tl-tree | tl-synth -n "$@" | jq -r '
		select(.type == "op") | [.kind, .name, .event, (.gpu_ops | map(.id) | join("+"))] | join(" ")'
}

# Every GPU op of the stream on stdin is owned by exactly one row, and coverage says so.
owned_once() {
	jq -se '
		([.[] | select(.type == "event" and .ph == "X"
			and (.cat | ascii_downcase | . == "kernel" or . == "gpu_memcpy" or . == "gpu_memset"
				or . == "memcpy" or . == "memset")) | .id] | sort) as $ops
		| ([.[] | select(.type == "op") | .gpu_ops[].id] | sort) as $owned
		| ([.[] | select(.type == "coverage")] | first) as $c
		| $ops == $owned and $c.gpu_ops == ($ops | length) and $c.owned == $c.gpu_ops
			and $c.duplicates == 0'
}

# Streams as tl-tree writes them, by hand: host ID DEPTH CAT NAME GPU_OPS OWN [MORE], gpu ID DEPTH NAME
stream() {
	echo '{"type":"trace","trace":0,"schema":1,"source":"-","format":"chrome"}'
	cat
	echo '{"type":"end","trace":0,"events":0,"gpu_ops":0,"faults":[]}'
}
host() {
	printf '{"type":"event","trace":0,"id":%s,"ph":"X","cat":"%s","name":"%s","pid":1,"tid":2,"ts":%s,"dur":10%s,"depth":%s,"gpu_ops":%s,"gpu_us":1,"own_gpu_ops":%s}\n' \
		"$1" "$3" "$4" "$1" "${7:-}" "$2" "$5" "$6"
}
gpu() {
	printf '{"type":"event","trace":0,"id":%s,"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%s,"dur":%s,"stream":7,"args":{},"depth":%s,"launcher":%s}\n' \
		"$1" "$3" "${4:-$1}" "${5:-1}" "$2" $(($1 - 1))
}

# An operator of this name with one kernel, as a stream.
one_op() {
	{
		host 1 0 cpu_op "$1" 1 1 "${2:-}"
		host 2 1 cuda_runtime cudaLaunchKernel 1 0
		gpu 3 2 k 100 2.5
	} | stream
}

@test "A{B->kB, C->kC, own kA}: every combination of modelled and unmodelled" {
	want=''
	events=()
	n=0
	for abc in mmm mmf mfm mff fmm fmf ffm fff; do
		t=$((n * 1000))
		name() { case $1 in m) echo aten::mm ;; f) echo "aten::foo$2" ;; esac; }
		A=$(name "${abc:0:1}" A) B=$(name "${abc:1:1}" B) C=$(name "${abc:2:1}" C)
		events+=("$(op "$A" $t 400)"
			"$(op "$B" $((t + 10)) 50)" "$(call cudaLaunchKernel $((t + 20)) 2 $((3 * n + 1)))" "$(kernel kB $((t + 500)) 5 $((3 * n + 1)))"
			"$(op "$C" $((t + 100)) 50)" "$(call cudaLaunchKernel $((t + 110)) 2 $((3 * n + 2)))" "$(kernel kC $((t + 600)) 5 $((3 * n + 2)))"
			"$(call cudaLaunchKernel $((t + 200)) 2 $((3 * n + 3)))" "$(kernel kA $((t + 700)) 5 $((3 * n + 3)))")
		i=$((9 * n))
		kind() { case $1 in m) echo model ;; f) echo leaf ;; esac; }
		if [ "${abc:0:1}" = m ]; then
			want+="model $A $i $((i + 3))+$((i + 6))+$((i + 8))"$'\n'
		else
			want+="$(kind "${abc:1:1}") $B $((i + 1)) $((i + 3))"$'\n'
			want+="$(kind "${abc:2:1}") $C $((i + 4)) $((i + 6))"$'\n'
			want+="synthetic $A->kA (Synthetic Op) $i $((i + 8))"$'\n'
		fi
		n=$((n + 1))
	done
	trace "${events[@]}" | rows >"$T/rows"
	diff <(printf %s "$want") "$T/rows"
}

@test "launches under Python frames alone, and bare ones, are orphans named after the launch" {
	run -0 rows < <(trace "$(frame 'run.py(1): main' 0 900)" "$(call cudaLaunchKernel 20 2 1)" "$(kernel kP 500 5 1)" \
		"$(CAT=cuda_driver call cuLaunchKernelEx 100 2 2)" "$(kernel kQ 600 5 2)" \
		"$(call cudaLaunchKernel 1000 2 3)" "$(kernel kR 1500 5 3)")
	assert_output - <<-'END'
	orphan cudaLaunchKernel->kP (Synthetic Op) 1 2
	orphan cuLaunchKernelEx->kQ (Synthetic Op) 3 4
	orphan cudaLaunchKernel->kR (Synthetic Op) 5 6
	END
}

@test "a kernel without a launch in the file is an orphan row of its own event" {
	trace "$(op aten::foo 0 10)" "$(kernel lost 500 5 99)" | tl-extract - | tl-tree | tl-synth -n >"$T/out"
	run -0 jq -c 'select(.type == "op") | [.kind, .name, .event, .dur, .pid, .call_stack]' "$T/out"
	assert_output '["orphan","<no launcher>->lost (Synthetic Op)",1,5,0,[]]'
	run -0 jq -c 'select(.type == "coverage") | [.gpu_ops, .owned, .orphans, .unlaunched, .unlaunched_us]' "$T/out"
	assert_output '[1,1,1,1,5]'
}

@test "a graph launch: one row below an operator, one per kernel without" {
	run -0 rows < <(trace "$(op aten::foo 0 100)" "$(call cudaGraphLaunch 10 20 1)" "$(kernel g0 500 5 1)" "$(kernel g1 510 5 1)" \
		"$(call cudaGraphLaunch 200 20 2)" "$(kernel g0 600 5 2)" "$(kernel g1 610 5 2)")
	assert_output - <<-'END'
	leaf aten::foo 0 2+3
	orphan cudaGraphLaunch->g0 (Synthetic Op) 4 5
	orphan cudaGraphLaunch->g1 (Synthetic Op) 4 6
	END
}

@test "an operator inside a runtime call has its own row" {
	run -0 rows < <(trace "$(op aten::foo 0 200)" "$(call cudaLaunchKernel 10 100 1)" "$(kernel own 500 5 1)" \
		"$(op aten::bar 20 50)" "$(call cudaLaunchKernel 30 2 2)" "$(kernel nested 600 5 2)")
	assert_output - <<-'END'
	leaf aten::bar 3 5
	synthetic aten::foo->own (Synthetic Op) 0 2
	END
}

@test "a driver call deep below an operator leaves it a leaf" {
	run -0 rows < <(trace "$(op aten::foo 0 200)" \
		"$(for i in $(seq 1 12); do [ "$i" = 1 ] || printf ,; frame "f.py($i):" "$i" $((200 - 2 * i)); done)" \
		"$(call cudaLaunchKernel 50 20 1)" "$(CAT=cuda_driver call cuLaunchKernel 55 5 1)" "$(kernel k 500 5 1)")
	assert_output 'leaf aten::foo 0 15'
}

@test "2,000 levels of operators" {
	{
		awk 'BEGIN {
			for (i = 1; i <= 2000; i++)
				printf "{\"type\":\"event\",\"trace\":0,\"id\":%d,\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":9,\"depth\":%d,\"gpu_ops\":1,\"own_gpu_ops\":%d}\n",
					i, i, i, i - 1, i == 2000
		}'
		host 2001 2000 cuda_runtime cudaLaunchKernel 1 0
		gpu 2002 2001 k
	} | stream | tl-synth -n >"$T/out"
	run -0 jq -c 'select(.type == "op") | [.kind, .name, (.call_stack | length)]' "$T/out"
	assert_output '["leaf","op2000",2000]'
}

@test "call stacks hold operators, modules and paths, without the numbers of instances" {
	{
		host 1 0 python_function 'a_b.py(3): main_1' 1 0
		host 2 1 python_function 'torch/nn/x_12.py(3): call' 1 0
		host 3 2 python_function 'nn.Module: Linear_3' 1 0
		host 4 3 user_annotation 'ProfilerStep#3' 1 0
		host 5 4 cpu_op 'aten::foo_12_bar_' 1 1
		host 6 5 cuda_runtime cudaLaunchKernel 1 0
		gpu 7 6 k
	} | stream | tl-synth -n >"$T/out"
	run -0 jq -c 'select(.type == "op") | .call_stack' "$T/out"
	assert_output '["torch/nn/x.py(3): call","nn.Module: Linear","aten::foo_bar_"]'
}

@test "gpu_us is the sum of a row's ops, busy_us their union; ops by start, then id" {
	{
		host 1 0 cpu_op aten::foo 4 4
		host 2 1 cuda_runtime cudaLaunchKernel 4 0
		gpu 6 2 late 130.001 4
		gpu 5 2 b 102 3
		gpu 3 2 a 100 4
		gpu 4 2 c 102 1
	} | stream | tl-synth -n >"$T/out"
	run -0 jq -c 'select(.type == "op") | [.gpu_us, .busy_us, [.gpu_ops[].id]]' "$T/out"
	assert_output '[12,9,[3,4,5,6]]'
}

# wrapper{main{leaf->k}}, linked to the forward operator 50, which has a backward
backward() {
	host 1 0 cpu_op 'autograd::engine::evaluate_function: FooBackward0' "$1" 0 ',"fwd":50,"fwd_name":"aten::convolution"'
	host 2 1 cpu_op FooBackward0 1 0
	host 3 2 cpu_op aten::bar 1 1
	host 4 3 cuda_runtime cudaLaunchKernel 1 0
	gpu 5 4 k
}
forward() {
	host 50 0 cpu_op aten::convolution 1 1 ',"args":{"Input Dims":[[2,3]]},"bwd":[1]'
	host 51 1 cuda_runtime cudaLaunchKernel 1 0
	gpu 52 2 k
}
names() { jq -r 'select(.type == "op") | [.id, .kind, .category, .name] | join(" ")'; }

@test "a backward row: its forward operator has a model, and it is the only one below the wrapper" {
	run -0 names < <({ forward; backward 1; } | stream | tl-synth -n -q)
	assert_output - <<-'END'
	0 model CONV_fwd aten::convolution
	1 backward CONV_bwd aten::bar
	END
}

@test "a backward row whose forward operator comes later waits for the end" {
	run -0 names < <({ backward 1; host 60 0 cpu_op aten::mm 1 1; gpu 61 1 k; forward; } | stream | tl-synth -n -q)
	assert_output - <<-'END'
	0 model GEMM aten::mm
	1 model CONV_fwd aten::convolution
	2 backward CONV_bwd aten::bar
	END
}

@test "no backward row where the wrapper runs its operator twice: both are leaves, in order" {
	run -0 names < <({
		forward
		backward 2
		host 6 1 cpu_op FooBackward0 1 1
		host 7 2 cuda_runtime cudaLaunchKernel 1 0
		gpu 8 3 k
		host 70 0 cpu_op aten::foo 1 1
		gpu 71 1 k
	} | stream | tl-synth -n -q)
	assert_output - <<-'END'
	0 model CONV_fwd aten::convolution
	1 leaf other aten::bar
	2 leaf other FooBackward0
	3 leaf other aten::foo
	END
}

@test "a wrapper is looked for five events above a row, and before an operator with a forward link of its own" {
	deep() { # deep N: the leaf at depth N
		host 1 0 cpu_op 'autograd::engine::evaluate_function: FooBackward0' 1 0 ',"fwd":50,"fwd_name":"aten::convolution"'
		host 2 1 cpu_op FooBackward0 1 0
		for ((d = 2; d < $1; d++)); do host $((d + 1)) $d cpu_op "between$d" 1 0; done
		host 20 "$1" cpu_op aten::bar 1 1
		gpu 22 $(($1 + 1)) k
	}
	run -0 names < <({ forward; deep 5; } | stream | tl-synth -n -q)
	assert_line '1 backward CONV_bwd aten::bar'
	run -0 names < <({ forward; deep 6; } | stream | tl-synth -n -q)
	assert_line '1 leaf other aten::bar'

	# the wrapper decides, though the operator within it is linked, too: it runs twice
	run -0 names < <({
		forward
		host 1 0 cpu_op 'autograd::engine::evaluate_function: FooBackward0' 2 0 ',"fwd":50,"fwd_name":"aten::convolution"'
		for id in 2 6; do
			host $id 1 cpu_op FooBackward0 1 1 ',"fwd":50,"fwd_name":"aten::convolution"'
			gpu $((id + 2)) 2 k
		done
	} | stream | tl-synth -n -q)
	assert_line '1 leaf other FooBackward0'
	assert_line '2 leaf other FooBackward0'
}

@test "no backward row where the forward operator has no backward category" {
	run -0 names < <({ backward 1 | sed 's/aten::convolution/aten::mm/'; } | stream | tl-synth -n -q)
	assert_output '0 leaf other aten::bar'
}

@test "a backward operator without a wrapper has its forward operator itself" {
	run -0 names < <({ forward; backward 1 | sed 's/autograd::engine::evaluate_function: //'; } | stream | tl-synth -n -q)
	assert_line '1 backward CONV_bwd aten::bar'
}

@test "every GPU op of the bundled examples is owned exactly once" {
	n=0
	for f in "$root"/examples/*/*.json "$root"/examples/*/*.json.gz "$root"/tests/fixtures/*/*.json; do
		[ -e "$f" ] || continue
		tl-extract "$f" 2>/dev/null | tl-tree | tl-synth -q >"$T/out" || continue
		owned_once <"$T/out" >/dev/null || fail "$f"
		n=$((n + 1))
	done
	awk 'BEGIN {
		srand(7); printf "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"x\",\"pid\":0}"
		split("cpu_op cpu_op python_function cuda_runtime cuda_driver user_annotation", cat, " ")
		split("aten::mm aten::foo a/b.py aten::convolution cudaGraphLaunch FooBackward0", name, " ")
		for (i = 1; i <= 4000; i++) {
			c = cat[1 + int(rand() * 6)]
			printf ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"correlation\":%d,\"Sequence number\":%d}}",
				c, name[1 + int(rand() * 6)], 1 + int(rand() * 3), rand() * 5000, rand() * rand() * 400, i, int(rand() * 500)
			printf ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"stream\":7,\"correlation\":%d}}",
				i % 9, rand() * 6000, rand() * 9, int(rand() * 5000)
		}
		print "]}"
	}' >"$T/random.json"
	tl-extract "$T/random.json" | tl-tree | tl-synth -q | owned_once
	tl-extract "$T/random.json" | tl-synth -q | owned_once
}

@test "without tl-tree: said, and every GPU op is an orphan row" {
	trace "$(op aten::foo 0 200)" "$(call cudaLaunchKernel 10 100 1)" "$(kernel k 500 5 1)" | tl-extract - >"$T/in"
	run -0 --separate-stderr tl-synth "$T/in"
	[[ $stderr == *'run tl-tree first'* ]]
	owned_once <<<"$output"
	assert_line --partial '"name":"<no launcher>->k (Synthetic Op)","kind":"orphan"'
}

@test "--no-comm leaves out rows that only communicate, and says how much" {
	{
		host 1 0 cpu_op nccl:all_reduce 1 1
		gpu 2 1 ncclDevKernel_AllReduce 100 5
		host 3 0 cpu_op aten::foo 2 2
		gpu 4 1 ncclDevKernel_AllGather 110 5
		gpu 5 1 plain 120 5
	} | stream >"$T/in"
	run -0 names < <(tl-synth -n "$T/in")
	assert_equal "${#lines[@]}" 2
	tl-synth -n --no-comm "$T/in" >"$T/out"
	run -0 jq -c 'select(.type == "op") | [.name, .gpu_us]' "$T/out"
	assert_output '["aten::foo",10]'
	run -0 jq -c 'select(.type == "coverage") | del(.type, .trace)' "$T/out"
	assert_output '{"gpu_ops":3,"gpu_us":15,"owned":2,"owned_us":10,"orphans":0,"unlaunched":0,"unlaunched_us":0,"duplicates":0,"comm_left_out":1,"comm_left_out_us":5}'
}

@test "--rules FILE overrides; the figures of a row follow from its answer" {
	cat >"$T/my.jq" <<-'END'
	def op: if .name == "my::op" then {category: "mine", model: "my_op"} else default_op end;
	def row:
	  if .name == "my::op"
	  then {category: "mine", model: "my_op", gflops: 5, bytes: 1e6, precision: "fp8", unit: "matrix", params: {m: 3}}
	  else default_row end;
	END
	echo '{"memory_tb_s": 2, "matrix": {"fp8": 4000, "bf16": 2000}, "vector": {"fp8": 3}}' >"$T/arch.json"
	one_op my::op >"$T/in"
	tl-synth -n --rules "$T/my.jq" --arch "$T/arch.json" "$T/in" >"$T/out"
	run -0 jq -c 'select(.type == "op") | [.kind, .category, .model, .gflops, .bytes, .tflops_s, .tb_s, .flops_per_byte, .bound, .roofline_share, .precision, .params.m]' "$T/out"
	# 5 GFLOP in 2.5 us are 2000 TFLOP/s; 1.25 us at the peak, 0.5 us for the bytes
	assert_output '["model","mine","my_op",5,1000000,2000,0.4,5000,"compute",50,"fp8",3]'
}

@test "--rules FILE may work on what default_figures and default_row say, with the helpers of the models, from a pipe too" {
	trace '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":20,"args":{"Input Dims":[[10,20],[20,30]],"Input type":["float","float"]}}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5,"dur":4,"args":{"correlation":7}}' \
		'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":12,"dur":100,"args":{"stream":7,"correlation":7}}' | tl-extract -q | tl-tree >"$T/in"
	mine() { tl-synth -qn --rules <(printf '%s' "$1") "$T/in" | jq -c 'select(.type == "op") | [.category, .model, (.gflops | if . then . * 1e9 | round else . end), .bytes]'; }
	local by='def row: row_by(op; category; figures);'
	run -0 mine "def figures: default_figures | .bytes *= 2; $by"
	assert_output '["GEMM","aten_mm",12000,8800]' # 2 x 10 x 20 x 30; 2 x 4 x (200 + 600 + 300)
	run -0 mine "def figures: default_figures | {bytes}; $by"
	assert_output '["GEMM","aten_mm",null,4400]'
	run -0 mine 'def row: default_row | .gflops *= 2;'
	assert_output '["GEMM","aten_mm",24000,4400]'
	run -0 mine "def figures: if .name == \"aten::mm\" then {gflops: (.input_dims[0] | product)} else default_figures end; $by"
	assert_output '["GEMM","aten_mm",200000000000,null]'
	run -0 mine "def op: if .name == \"aten::mm\" then {category: \"mine\", model: \"aten_unary_elementwise\"} else default_op end; $by"
	assert_output '["mine","aten_unary_elementwise",200,1600]'
	run -0 mine "def category: \"mine\"; $by"
	assert_output '["mine","aten_mm",12000,4400]'
}

@test "a figure that is infinite, below 0 or no number is none" {
	for v in infinite -1 '"5"' null nan; do
		echo "def row: {category: \"x\", gflops: $v, bytes: $v};" >"$T/my.jq"
		run -0 jq -c 'select(.type == "op") | [.gflops, .bytes, .tflops_s]' < <(one_op foo | tl-synth -qn --rules "$T/my.jq")
		assert_output '[null,null,null]'
	done
}

@test "a peak that the device's file does not have, or a unit that no answer names, is no bound" {
	rule() { printf 'def row: {category: "x", gflops: %s, bytes: 1e6, precision: %s, unit: %s};' "$@" >"$T/my.jq"; }
	echo '{"memory_tb_s": 2, "matrix": {"bf16": 2000}, "vector": {"fp8": 0}}' >"$T/arch.json"
	bound() { one_op foo | tl-synth -n --rules "$T/my.jq" --arch "$T/arch.json" | jq -c 'select(.type == "op") | [.bound, .roofline_share]'; }
	rule 5 '"fp8"' '"matrix"'
	run -0 bound
	assert_output '[null,null]'
	rule 5 '"fp8"' '"vector"'
	run -0 bound
	assert_output '[null,null]'
	rule 5 '"bf16"' null
	run -0 bound
	assert_output '[null,null]'
	# what only moves data needs no peak of operations: 0.5 of 2.5 us
	rule 0 null '"vector"'
	run -0 bound
	assert_output '["memory",20]'
}

@test "no roofline without a known device, and a note says so" {
	cat >"$T/my.jq" <<-'END'
	def row: {category: "x", gflops: 5, bytes: 1e6, precision: "fp8", unit: "matrix"};
	END
	run -0 --separate-stderr tl-synth -n --rules "$T/my.jq" < <(one_op foo)
	refute_output --partial bound
	[[ $stderr == *'does not say which device'* ]]
	run -0 --separate-stderr tl-synth -n --rules "$T/my.jq" < <(one_op foo |
		sed '1a {"type":"meta","trace":0,"key":"deviceProperties","value":[{"id":0,"name":"Abacus 9"}]}')
	refute_output --partial bound
	[[ $stderr == *'Abacus 9'* ]]
	run -2 tl-synth --arch no-such-device < <(one_op foo)
	assert_output --partial no-such-device
}

@test "the device that the trace names chooses the peaks; devices that differ choose none" {
	cat >"$T/my.jq" <<-END
	def device: if .name == "Abacus 9" then "$T/abacus.json" else default_device end;
	def row: {category: "x", gflops: 5, bytes: 1e6, precision: "fp8", unit: "matrix"};
	END
	printf '{\n "matrix": {"fp8": 4000},\n "name": "a \\"b\\" c",\n "memory_tb_s": 2\n}\n' >"$T/abacus.json"
	meta() { one_op foo | sed "1a {\"type\":\"meta\",\"trace\":0,\"key\":\"deviceProperties\",\"value\":$1}"; }
	run -0 --separate-stderr tl-synth -n --rules "$T/my.jq" < <(meta '[{"id":0,"name":"Abacus 9"},{"id":1,"name":"Abacus 9"}]')
	assert_line --partial '"bound":"compute","roofline_share":50'
	[ -z "$stderr" ]
	run -0 --separate-stderr tl-synth -n --rules "$T/my.jq" < <(meta '[{"id":0,"name":"Abacus 9"},{"id":1,"name":"Slide Rule"}]')
	refute_output --partial bound
	run -0 --separate-stderr tl-synth -n --rules "$T/my.jq" < <(meta '{"strange":1}')
	refute_output --partial bound
	echo '[1]' >"$T/list.json"
	run -2 tl-synth --arch "$T/list.json" < <(one_op foo)
	assert_output --partial 'no JSON object'
}

@test "an error in a user's rule names file, line and question; the row stays without figures" {
	printf '# mine\ndef row: .name.x;\n' >"$T/my.jq"
	run -0 --separate-stderr tl-synth -n --rules "$T/my.jq" < <(one_op foo)
	assert_line --partial '"name":"foo","kind":"leaf","pid":1'
	[[ $stderr == *"$T/my.jq: line 2: row: "*'"name":"foo"'* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "rules that do not compile: jq's message with file and line, exit 2" {
	printf 'def row: {;\n' >"$T/my.jq"
	run -2 tl-synth --rules "$T/my.jq" < <(one_op foo)
	assert_output --partial "$T/my.jq, line 1"
	run -3 tl-synth --rules "$T/none.jq" < <(one_op foo)
	assert_output --partial "$T/none.jq"
}

# five rows: mm twice with one shape (1 and 2 us), once with another, foo twice (10 us each)
five() {
	id=1
	add() {
		host $id 0 cpu_op "$1" 1 1 ",\"args\":{\"Input Dims\":$2}"
		gpu $((id + 1)) 1 k $((100 * id)) "$3"
		id=$((id + 2))
	}
	{
		add aten::mm '[[4,8],[8,16]]' 1
		add aten::mm '[[4,8],[8,16]]' 2
		add aten::mm '[[5,8],[8,16]]' 4
		add foo '[]' 10
		add foo '[]' 10.003
	} | stream
}

@test "--group: exact statistics by name, category, kind and inputs" {
	five | tl-synth -n -q --group >"$T/out"
	run -0 jq -c 'select(.type == "op_group") | [.name, .kind, .input_dims, .count, .gpu_us, .gpu_us_mean, .gpu_us_median, .gpu_us_min, .gpu_us_max, .gpu_us_std, .share]' "$T/out"
	assert_output - <<-'END'
	["foo","leaf",[],2,20.003,10.002,10.001,10,10.003,0.002,74.077]
	["aten::mm","model",[[5,8],[8,16]],1,4,4,4,4,4,null,14.8132]
	["aten::mm","model",[[4,8],[8,16]],2,3,1.5,1.5,1,2,0.707,11.1099]
	END
	run -0 jq -c 'select(.type == "op")' "$T/out"
	assert_output ''
}

@test "--group=name, category, stack; an unknown key is refused" {
	run -0 jq -c 'select(.type == "op_group") | [.name, .category, .input_dims, .count, .gpu_us_std]' < <(five | tl-synth -n -q --group=name)
	assert_output - <<-'END'
	["foo","other",[],2,0.002]
	["aten::mm","GEMM",null,3,1.528]
	END
	run -0 jq -c 'select(.type == "op_group") | [.category, .count, .gpu_us]' < <(five | tl-synth -n -q --group=category)
	assert_output - <<-'END'
	["other",2,20.003]
	["GEMM",3,7]
	END
	run -0 jq -c 'select(.type == "op_group") | [.name, .call_stack, .count]' < <(five | tl-synth -n -q --group=stack)
	assert_output - <<-'END'
	["foo",["foo"],2]
	["aten::mm",["aten::mm"],3]
	END
	run -2 tl-synth --group=color < <(five)
	assert_output --partial color
}

@test "rates of a group are its work over its busy time" {
	echo 'def row: default_row + {gflops: 2, bytes: 1e6};' >"$T/my.jq"
	run -0 jq -c 'select(.type == "op_group") | [.gflops, .tflops_s, .tb_s, .flops_per_byte]' < <(five | tl-synth -n -q --rules "$T/my.jq" --group=name)
	# foo: 4 GFLOP and 2e6 bytes in 20.003 us; mm: 6 GFLOP and 3e6 bytes in 7 us
	assert_output - <<-'END'
	[2,199.97,0.099985,2000]
	[2,857.143,0.428571,2000]
	END
}

@test "a group says how many GPU ops it has, and its distance to the roofline" {
	echo 'def row: default_row + {gflops: 2, bytes: 1e6, precision: "fp8", unit: "matrix"};' >"$T/my.jq"
	echo '{"memory_tb_s": 1, "matrix": {"fp8": 2000}}' >"$T/arch.json"
	run -0 jq -c 'select(.type == "op_group") | [.gpu_ops, .busy_us, .bytes, .bound, .roofline_share]' < <(five | tl-synth -n -q --rules "$T/my.jq" --arch "$T/arch.json" --group=name)
	# 1 us each for the FLOPs and for the bytes: 2 us of 20.003, 3 us of 7
	assert_output - <<-'END'
	[2,20.003,1000000,"compute",9.9985]
	[3,7,1000000,"compute",42.8571]
	END
}

@test "reports see the rows grouped" {
	echo '.[] | select(.type == "op" or .type == "op_group") | "\(.type) \(.name) \(.count) \(.share)"' >"$T/r.jq"
	five | tl-synth -q >"$T/in"
	run -0 tl-render -f md -r "$T/r.jq" "$T/in"
	assert_line 'op_group foo 2 74.077'
	assert_line 'op_group aten::mm 1 14.8132'
	refute_output --partial 'op foo'
	assert_equal "$output" "$(five | tl-synth -q --group | tl-render -f md -r "$T/r.jq")"
}

@test "a second pass makes the rows anew, and groups rows whose events are gone" {
	five | tl-synth -q >"$T/once"
	tl-synth -q "$T/once" >"$T/twice"
	cmp "$T/once" "$T/twice"
	five | tl-synth -q -n >"$T/rows"
	cmp "$T/rows" <(tl-synth -q "$T/rows")
	diff <(five | tl-synth -q -n --group | grep op_group) <(tl-synth -q --group "$T/rows" | grep op_group)
}

@test "records of other tools and unknown keys pass unchanged; -n leaves out event and meta" {
	five | sed '1a {"type":"meta","trace":0,"key":"x","value":{"a":[1,{}]}}
2a {"type":"strange", "trace":0,"x":1e400}' >"$T/in"
	tl-synth -q "$T/in" >"$T/out"
	diff "$T/in" <(grep -v '"type":"op"\|"type":"coverage"' "$T/out")
	diff <(grep -v '"type":"event"\|"type":"meta"' "$T/out") <(tl-synth -q -n "$T/in")
}

@test "several traces in a stream: rows of each, ids from 0" {
	run -0 jq -c 'select(.type == "op") | [.trace, .id, .event]' < <({ one_op a; one_op b | sed 's/"trace":0/"trace":1/'; } | tl-synth -n -q)
	assert_output - <<-'END'
	[0,0,1]
	[1,0,1]
	END
}

@test "odd values: no name, a name that is no string, no args, no dur, huge numbers" {
	{
		echo '{"type":"event","trace":0,"id":1,"ph":"X","cat":"cpu_op","pid":"a","tid":null,"ts":1,"dur":3,"args":null,"depth":0,"gpu_ops":4,"own_gpu_ops":4}'
		echo '{"type":"event","trace":0,"id":2,"ph":"X","cat":"kernel","name":{"a":"\"b"},"ts":1e300,"dur":1,"depth":1,"launcher":1}'
		echo '{"type":"event","trace":0,"id":3,"ph":"X","cat":"kernel","ts":9223372036854775,"dur":9223372036854775,"depth":1,"launcher":1}'
		echo '{"type":"event","trace":0,"id":18446744073709551615,"ph":"X","cat":"kernel","name":7,"ts":"5","depth":1,"launcher":1}'
		echo '{"type":"event","trace":0,"id":5,"ph":"X","cat":"Memcpy","name":"\u00e9_12","ts":5,"dur":-1,"depth":99999999999999999999,"launcher":1}'
	} | stream | tl-synth -q >"$T/out"
	run -0 jq -c 'select(.type == "op") | [.kind, .name, (.gpu_ops | length)]' "$T/out"
	assert_output - <<-'END'
	["orphan","<no launcher>->é_12 (Synthetic Op)",1]
	["leaf","",3]
	END
	assert_equal "$(grep -c '"id":18446744073709551615,"name":"7"' "$T/out")" 1
}

@test "no GPU ops at all: a coverage of zero" {
	run -0 tl-synth -n < <(: | stream)
	assert_line '{"type":"coverage","trace":0,"gpu_ops":0,"gpu_us":0,"owned":0,"owned_us":0,"orphans":0,"unlaunched":0,"unlaunched_us":0,"duplicates":0}'
}

@test "a cut stream: what is known is written, exit 3" {
	five | head -n -1 >"$T/in"
	run -3 --separate-stderr tl-synth -n -q "$T/in"
	assert_equal "$(grep -c '"type":"op"' <<<"$output")" 5
	head -c -20 "$T/in" >"$T/cut"
	run -3 tl-synth -n "$T/cut"
	run -3 tl-synth </dev/null
}

@test "a full disk: exit 3 and a message" {
	run -3 bash -c 'tl-synth "$1" >/dev/full' _ <(five)
	assert_output --partial 'No space left'
}

@test "| head -1 ends quietly" {
	five >"$T/five"
	awk '{ line[NR] = $0 } END { for (i = 0; i < 2000; i++) for (k = 1; k <= NR; k++) print line[k] }' "$T/five" >"$T/in"
	run -0 bash -c 'tl-synth -q "$1" 2>"$2" | head -1' _ "$T/in" "$T/err"
	assert_equal "$(cat "$T/err")" ''
}

@test "the same bytes on every run and in every locale" {
	five | tl-synth >"$T/a" 2>/dev/null
	five | LC_ALL=tr_TR.UTF-8 tl-synth >"$T/b" 2>/dev/null
	cmp "$T/a" "$T/b"
}

@test "memory does not grow with the number of rows" {
	case $bin in *asan*) skip 'address space of the sanitizer' ;; esac
	awk 'BEGIN {
		print "{\"type\":\"trace\",\"trace\":0,\"schema\":1}"
		for (i = 0; i < 600000; i += 2) {
			printf "{\"type\":\"event\",\"trace\":0,\"id\":%d,\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"Input Dims\":[[4,8],[8,%d]]},\"depth\":0,\"gpu_ops\":1,\"own_gpu_ops\":1}\n", i, i, i % 7
			printf "{\"type\":\"event\",\"trace\":0,\"id\":%d,\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":1,\"ts\":%d,\"dur\":1,\"depth\":1,\"launcher\":%d}\n", i + 1, i, i
		}
		print "{\"type\":\"end\",\"trace\":0}"
	}' >"$T/in"
	run -0 bash -c 'ulimit -v 60000; tl-synth -n -q "$1" | grep -c "\"type\":\"op\""' _ "$T/in"
	assert_output 300000
}

# a collective's operator with its kernels, one or two; what the trace says of it stands in $1
collective() {
	args=$1
	trace '{"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":0,"dur":50,"args":{"External id":1'"$2"'}}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":5,"dur":2,"args":{"correlation":5}}' \
		'{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce(x)","pid":0,"tid":7,"ts":10,"dur":100,"args":{"stream":7,"correlation":5'"$args"'}}' |
		tl-extract -q | tl-tree | tl-synth -n | jq -c 'select(.type=="op") | [.model, .bytes, .tb_s, .params]'
}

@test "a collective's bytes and bus factor come from its kernel's args, else from its operator's" {
	said=',"Collective name":"allreduce","In msg nelems":4000000,"Out msg nelems":4000000,"Group size":8,"dtype":"BFloat16"'
	want='["collective",8000000,0.08,{"collective":"allreduce","group_size":8,"bus_factor":1.75}]'
	[ "$(collective "$said" '')" = "$want" ]
	[ "$(collective '' "$said")" = "$want" ]
	[ "$(collective ',"Collective name":"allgather","In msg nelems":10,"Out msg nelems":80,"Group size":8,"dtype":"Float"' '' | jq -c '.[1]')" = 320 ]
	# nothing recorded, no figure
	[ "$(collective '' '' | jq -c '.[1:]')" = '[null,null,null]' ]
	[ "$(collective ',"Collective name":"allreduce","Group size":8,"dtype":"Float"' '' | jq -c '.[1]')" = null ]
}

# ---- GPU ops whose operator is not above their launch

@test "an op goes to the operator that the id names, before or after it in the tree, on whatever thread" {
	ext() { op "$1" "$2" "$3" "\"External id\":$4"; }
	id_call() { event cuda_runtime "$1" 100 "$5" "$2" "$3" "\"correlation\":$4,\"External id\":$6"; }
	# closed before the call (grazed), still to come (another thread that starts later), a plain one
	trace "$(ext first 100 10 1)" "$(id_call c1 109 20 1 100 1)" "$(kernel k1 300 5 1)" \
		"$(TID=200 ext second 150 50 2)" "$(id_call c2 160 5 2 100 2)" "$(kernel k2 310 5 2)" \
		"$(ext third 400 50 3)" "$(id_call c3 410 5 3 100 3)" "$(kernel k3 420 5 3)" >"$T/t.json"
	tl-extract -q "$T/t.json" | tl-tree | tl-synth >"$T/out"
	run jq -r 'select(.type == "op") | [.kind, .name, .gpu_ops[].name] | join(" ")' "$T/out"
	assert_output 'leaf first k1
leaf third k3
leaf second k2'
	owned_once <"$T/out"
}

@test "an operator with a model owns what comes apart from one below it; the others make rows of their own" {
	# inner closes before its op comes; model (aten::mm) is above it and open, then closed
	{
		host 1 0 cpu_op aten::mm 2 0
		host 2 1 cpu_op inner 2 2 ',"apart":2'
		host 4 1 cuda_runtime c 1 0
		printf '{"type":"event","trace":0,"id":5,"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":50,"dur":1,"depth":2,"launcher":4,"operator":2}\n'
		host 6 0 cuda_runtime d 1 0
		printf '{"type":"event","trace":0,"id":7,"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":60,"dur":1,"depth":1,"launcher":6,"operator":2}\n'
		host 8 0 cpu_op mixed 3 2 ',"apart":1'
		host 9 1 cpu_op below 1 1
		gpu 10 2 k3
		gpu 11 1 k4
		host 12 0 cuda_runtime e 1 0
		printf '{"type":"event","trace":0,"id":13,"ph":"X","cat":"kernel","name":"k5","pid":0,"tid":7,"ts":90,"dur":1,"depth":1,"launcher":12,"operator":8}\n'
	} | stream | tl-synth >"$T/out"
	run jq -r 'select(.type == "op") | [.kind, .name, .event, (.gpu_ops | map(.name) | join("+"))] | join(" ")' "$T/out"
	assert_output 'model aten::mm 1 k1+k2
leaf below 9 k3
synthetic mixed->k4 (Synthetic Op) 8 k4
synthetic mixed->k5 (Synthetic Op) 8 k5'
	owned_once <"$T/out"
}

@test "an op whose operator never comes, and an operator whose op never comes, lose nothing" {
	{
		host 1 0 cpu_op waits 2 2 ',"apart":1'
		host 2 1 cuda_runtime c 1 0
		gpu 3 2 k1
		printf '{"type":"event","trace":0,"id":5,"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":60,"dur":1,"depth":1,"launcher":4,"operator":77}\n'
	} | stream | tl-synth >"$T/out"
	run jq -r 'select(.type == "op") | [.kind, .name, (.gpu_ops | map(.name) | join("+"))] | join(" ")' "$T/out"
	assert_output 'leaf waits k1
orphan <no operator>->k2 (Synthetic Op) k2'
	owned_once <"$T/out"
}

@test "what PyTorch annotates is no operator in a trace of 2021" {
	trace "$(event Operator 'ProfilerStep#1' 100 100 0 100 '')" "$(event Runtime cudaLaunchKernel 100 100 10 5 '"correlation":1')" "$(event Kernel k 0 7 50 9 '"correlation":1')" >"$T/t.json"
	run rows <"$T/t.json"
	assert_output 'orphan cudaLaunchKernel->k (Synthetic Op) 1 2'
}
