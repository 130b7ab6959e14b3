# Recipes and batch scripts run and say what they should.
load helper

setup() {
	[ -s "$bin/examples/decode.json.gz" ] || "$root/examples/traces.sh" "$bin/examples"
	ex=$root/examples
	traces=$bin/examples
}

@test "the generator gives the same bytes every time" {
	"$ex/traces.sh" "$T/again"
	for f in "$traces"/*.gz; do cmp "$f" "$T/again/$(basename "$f")"; done
}

@test "the example traces have nothing wrong and every GPU op is owned once" {
	for t in "$traces"/*.json.gz; do
		run -0 --separate-stderr bash -c "tl-extract '$t' | tl-tree | tl-synth -n"
		[ -z "$stderr" ]
		[ "$(jq -c 'select(.type=="coverage") | .gpu_ops == .owned and .duplicates == 0 and .unlaunched == 0' <<<"$output")" = true ]
	done
}

@test "top-kernels: sums per kernel agree with the coverage" {
	run -0 --separate-stderr "$ex/recipes/top-kernels.sh" "$traces/train-rank0.json.gz" 1000
	sum=$(awk -F'\t' '{ s += $1 } END { printf "%.3f", s }' <<<"$output")
	total=$(tl-extract -q "$traces/train-rank0.json.gz" | tl-tree | tl-synth -n | jq 'select(.type=="coverage").gpu_us')
	[ "$sum" = "$total" ]
	[ "$(head -n 1 <<<"$output" | cut -f3)" = aten::addmm ] || [ "$(head -n 1 <<<"$output" | cut -f3)" = aten::mm ]
}

@test "steps: one line for each ProfilerStep, busy within the window" {
	run -0 --separate-stderr "$ex/recipes/steps.sh" "$traces/train-rank0.json.gz"
	[ "$(cut -f1 <<<"$output" | paste -sd,)" = step,10,11,12 ]
	awk 'NR > 1 && ($3 > $2 || $4 > $3) { exit 1 }' <<<"$output"
}

@test "compare: nothing changed in the same trace; a longer kernel is found" {
	run -0 --separate-stderr "$ex/recipes/compare.sh" "$traces/decode.json.gz" "$traces/decode.json.gz"
	[ "${#lines[@]}" = 1 ]
	run -0 --separate-stderr "$ex/recipes/compare.sh" "$traces/train-rank0.json.gz" "$traces/train-rank1.json.gz"
	[ "${#lines[@]}" -gt 1 ]
}

@test "folded: stacks sum up to all GPU time" {
	run -0 --separate-stderr "$ex/recipes/folded.sh" "$traces/train-rank0.json.gz"
	sum=$(awk '{ s += $NF } END { printf "%.0f", s }' <<<"$output")
	total=$(tl-extract -q "$traces/train-rank0.json.gz" | tl-tree | tl-synth -n | jq 'select(.type=="coverage").gpu_us * 1000 | round')
	[ "$sum" = "$total" ]
	assert_line --regexp '^demo/train.py\(120\): <module>;.*;aten::addmm;nvjet'
}

@test "ranks: one line a rank" {
	run -0 --separate-stderr "$ex/recipes/ranks.sh" "$traces"/train-rank*.json.gz
	[ "$(cut -f1 <<<"$output" | paste -sd,)" = rank,0,1 ]
}

@test "batch and parallel: a report for each trace, and only what changed is made anew" {
	run -0 make -s -f "$ex/batch/Makefile" TRACES="$traces" OUT="$T/out"
	for t in train-rank0 train-rank1 decode; do
		grep -q 'Top kernels' "$T/out/$t.md"
	done
	run -0 make -q -f "$ex/batch/Makefile" TRACES="$traces" OUT="$T/out"
	"$ex/parallel/all.sh" "$traces" "$T/par"
	cmp "$T/out/decode.md" "$T/par/decode.md"
	SLURM_ARRAY_TASK_ID=0 bash "$ex/slurm/ranks.sbatch" "$traces" "$T/slurm"
	tl-render -f md "$T/slurm/decode.tl" >/dev/null
}
