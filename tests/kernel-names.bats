# What a kernel is, by its name: one table (share/rules/kernel_names.jq) and one answer to "does it communicate"
# (share/rules/comm.jq), of which class, part, kind and category are maps in every program.
load helper

rules=$root/share/rules
names=$fixtures/kernel_names.tsv # what the kernel is, its name

# of_names JQ: for each line of the table, .is and .name given, with the rules at hand
of_names() {
	jq -rRn -L "$rules" "include \"words\"; include \"comm\"; include \"kernel_names\"; include \"kernels\";
		inputs | split(\"\t\") | {is: .[0], name: .[1]} | $1" "$names"
}

# ops: the table's names as a trace: each kernel under an operator of its own, 10 us long
ops() {
	jq -sRc 'split("\n") | map(select(. != "") | split("\t")[1]) | to_entries | {traceEvents: [.[] | .key as $i | (100 + 100 * $i) as $ts
		| {ph: "X", cat: "cpu_op", name: "op\($i)", pid: 1, tid: 1, $ts, dur: 50},
		  {ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: ($ts + 1), dur: 3, args: {correlation: ($i + 1)}},
		  {ph: "X", cat: (if .value | startswith("Mem") then "gpu_memcpy" else "kernel" end), name: .value, pid: 0, tid: 7, ts: ($ts + 10), dur: 10,
		   args: {device: 0, stream: 7, correlation: ($i + 1)}}]}' "$names" | tl-extract -q
}

@test "each name of the table is what it should be" {
	run -0 of_names '{name} as $q | ($q | kernel_is(communicates) // "null") as $is | select($is != .is) | "\($is), not \(.is): \(.name)"'
	assert_output ''
}

@test "what a kernel can be has a rank of its own and known kinds, and words say nothing else" {
	run -0 jq -rn -L "$rules" 'include "kernel_names"; kernel_table as $t
		| [$t[][0]] as $ranks | if ($ranks | unique | length) == ($ranks | length) then empty else "ranks" end,
		  ([$t[][2]] | unique | join(" ")), ([$t[][3]] | unique | join(" ")),
		  ([kernel_words[], kernel_also[][], (kernel_open, kernel_also | keys[]), (kernel_open[] | keys[]), (kernel_inductor[][] | "triton_" + .)]
		   | map(if type == "object" then .[] else . end) | unique[] | select($t[.] == null))'
	assert_output "$(printf '%s\n' 'activation attention communication elementwise gemm hybrid_linear memory moe norm other quantize reduce_topk rope sampling_io softmax' \
		'communication compute elementwise memory other')"
}

@test "tl-overlap: class is the table's, and part comm is class communication" {
	ops | tl-overlap -q >"$T/out"
	run -0 jq -r 'select(.type == "event" and .cat != "cpu_op" and .cat != "cuda_runtime") | .class' "$T/out"
	printf '%s\n' "${lines[@]}" >"$T/classes"
	run -0 of_names 'kernel_table[.is][3] // "other"'
	diff <(printf '%s\n' "${lines[@]}") "$T/classes"
	run -0 jq -sc '(map(select(.type == "kernel_group" and .class == "communication") | .gpu_us) | add) as $us
		| map(select(.type == "timeline" and .device == 0))[0] | .comm_us == $us and .exposed_comm_us == $us and $us == 10 * $n' \
		--argjson n "$(grep -c ^collective "$names")" "$T/out"
	assert_output true
}

@test "the reports: kind is the table's, of the canonical name too" {
	run -0 of_names '{rules: "default", name} as $q | ($q | class12) as $kind | select($kind != (kernel_table[.is][2] // "other")) | "\($kind): \(.name)"'
	assert_output ''
	ops | tl-overlap -qn | jq -c 'select(.type == "kernel_group") | {name, class}' >"$T/groups"
	run -0 jq -r -L "$rules" 'include "kernels"; include "kernel_names"; (.class == "communication") as $comm
		| {rules: "default", name} as $q | ($q | class12) as $kind | select(($kind == "communication") != $comm) | "\($kind): \(.name)"' "$T/groups"
	assert_output ''
}

@test "tl-synth: category is the table's, and --no-comm leaves out what is collective and nothing else" {
	ops | tl-tree >"$T/tree"
	tl-synth -qn "$T/tree" | jq -r 'select(.type == "op") | .category' >"$T/categories"
	run -0 of_names 'kernel_table[.is][1] // "other"'
	diff <(printf '%s\n' "${lines[@]}") "$T/categories"
	tl-synth -qn --no-comm "$T/tree" | jq -r 'select(.type == "op") | .category' | diff <(grep -v '^collective$' "$T/categories") -
}

@test "a row is collective when all that it owns communicates, whatever its operator is called" {
	row() { jq -rn -L "$rules" --arg name "$1" --argjson k "$2" 'include "synth"; {rules: "default", kind: "leaf", $name, kernels: $k} | row.category'; }
	run -0 row my::op '["ncclDevKernel_AllReduce","multimem_all_gather"]'
	assert_output collective
	run -0 row my::op '["ncclDevKernel_AllReduce","ampere_sgemm_32x128_tn"]'
	assert_output GEMM
	run -0 row my::op '["ncclDevKernel_AllReduce","my_kernel"]'
	assert_output other
	run -0 row c10d::allreduce_ '["ncclDevKernel_AllReduce"]'
	assert_output collective
	# a back end on the host
	run -0 row c10d::allreduce_ '["Memcpy DtoH (Device -> Pinned)","Memcpy HtoD (Pinned -> Device)"]'
	assert_output memcpy
}

@test "C has the same words and the same answer, from a table that is up to date" {
	cut -f2 "$names" | "$bin/unit/comm" - >"$T/c"
	run -0 of_names '{name} | [communicates, head, words] | @tsv'
	diff <(printf '%s\n' "${lines[@]}") "$T/c"
	jq -rn -L "$rules" -f "$root/lib/rules/comm_words.jq" | diff "$root/lib/rules/comm_words.h" -
}

@test "tl-reliability says the same of collectives with and without tl-overlap before it" {
	spin() { # spin NAME: three short kernels of that name and one that waits
		local e=() i
		for i in 1 2 3 4; do
			e+=("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"$1\",\"pid\":0,\"tid\":7,\"ts\":${i}00000.1,\"dur\":$((i == 4 ? 9000 : 10)),\"args\":{\"device\":0,\"stream\":7}}")
		done
		trace "${e[@]}" | tl-extract -q >"$T/in"
		tl-reliability -n "$T/in" >"$T/alone"
		tl-overlap "$T/in" | tl-reliability -n | jq -c 'select(.type == "warning" or .type == "reliability")' | diff <(jq -c 'select(.type == "warning" or .type == "reliability")' "$T/alone") -
		jq -r 'select(.type == "warning" and .code == "spin_collective") | .count' "$T/alone"
	}
	for name in nvshmem_put::dispatch 'void one_shot_push_kernel' 'multimem_all_reduce\u003cfloat\u003e' ReduceScatterKernel; do
		run -0 spin "$name"
		assert_output 1
	done
	for name in 'void reduce_kernel<AllReduce>(x)' broadcast_kernel; do
		run -0 spin "$name"
		assert_output ''
	done
}

@test "--rules FILE: communicates is redefined in one place" {
	awk '/^```jq$/ { n++; on = n == 2; next } /^```$/ { on = 0 } on' "$rules/README.md" >"$T/my.jq"
	grep -q default_communicates "$T/my.jq"
	printf 'collective\tmy_ring_kernel\nnull\tncclx_self_test\nnull\tmine\n' >"$T/names"
	names=$T/names
	ops | tl-overlap -q --rules "$T/my.jq" >"$T/out"
	run -0 jq -c 'select(.type == "timeline" and .device == 0) | [.comm_us, .exposed_comm_us]' "$T/out"
	assert_output '[10,10]'
	run -0 jq -r 'select(.cat == "kernel") | .class' "$T/out"
	assert_output "$(printf 'communication\nother\nother')"
	ops | tl-tree | tl-synth -qn --rules "$T/my.jq" | jq -r 'select(.type == "op") | .category' >"$T/out"
	run -0 cat "$T/out"
	assert_output "$(printf 'collective\nother\nother')"
	run -0 jq -r 'select(.type == "op") | .name' < <(ops | tl-tree | tl-synth -qn --no-comm --rules "$T/my.jq")
	assert_output "$(printf 'op1\nop2')"
	# a kind of its own has the last word
	echo 'def kind: {class: "memory", part: "memcpy", priority: 2};' >"$T/kind.jq"
	run -0 jq -c 'select(.type == "timeline" and .device == 0) | [.comm_us, .memcpy_us]' < <(ops | tl-overlap -q --rules "$T/my.jq" --rules "$T/kind.jq")
	assert_output '[0,30]'
}

@test "the reference rules keep their lists" {
	printf 'x\tmultimem_all_reduce_kernel\nx\tncclDevKernel_AllReduce\nx\tcross_device_reduce_1stage\n' >"$T/names"
	names=$T/names
	ops | tl-overlap -qn --rules reference >"$T/out"
	run -0 jq -c 'select(.type == "timeline" and .device == 0) | .comm_us' "$T/out"
	assert_output 20
	run -0 jq -r 'select(.type == "op") | .name' < <(ops | tl-tree | tl-synth -qn --no-comm --rules reference)
	assert_output op0
}
