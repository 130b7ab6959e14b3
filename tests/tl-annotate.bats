#!/usr/bin/env bats
# tl-render -f chrome --sort and --annotate.

setup() {
	load helper
	cat >"$T/s" <<-'END'
		{"type":"trace","trace":0,"schema":1,"source":"t.json","format":"chrome"}
		{"type":"event","trace":0,"id":0,"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0,"args":{"name":"p"}}
		{"type":"event","trace":0,"id":1,"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":10.5,"dur":5,"args":{}}
		{"type":"event","trace":0,"id":2,"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":20,"dur":2,"args":{"stream":7},"scope":"m.py(3): forward","class":"compute","stage":"prefill","hidden_us":1,"exclusive_us":1}
		{"type":"event","trace":0,"id":3,"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":22,"dur":2,"stage":"prefill"}
		{"type":"event","trace":0,"id":4,"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":25,"dur":2,"args":{"class":"mine"},"class":"compute","stage":"decode"}
		{"type":"event","trace":0,"id":5,"ph":"X","cat":"kernel","name":"d","pid":0,"tid":7,"ts":28,"dur":2,"args":{},"stage":"prefill"}
		{"type":"event","trace":0,"id":6,"ph":"X","cat":"kernel","name":"e","pid":0,"tid":7,"ts":5,"dur":1,"args":{},"stage":"all"}
		{"type":"event","trace":0,"id":7,"ph":"i","name":"no time","pid":1,"tid":2}
		{"type":"op","trace":0,"id":0,"event":1,"name":"aten::mm","kind":"model","category":"GEMM","pid":1,"tid":2,"dur":5,"gpu_ops":[],"gpu_us":4,"call_stack":["aten::mm"],"gflops":1.5}
		{"type":"op","trace":0,"id":1,"event":99,"name":"not in the stream","kind":"leaf","pid":1,"tid":2,"dur":5}
		{"type":"warning","trace":0,"code":"graph_coarse","severity":"warning","message":"half of it","event":4}
		{"type":"warning","trace":0,"code":"no_rank","severity":"info","message":"which one"}
		{"type":"end","trace":0,"events":8,"gpu_ops":5,"skipped":0,"repaired":0,"faults":[]}
	END
}

chrome() {
	tl-render -f chrome "$@" "$T/s"
}

@test "--sort writes events in order of time, metadata and what has no time first" {
	run jq -c '[.traceEvents[].name]' <(chrome --sort)
	assert_output '["process_name","no time","e","aten::mm","a","b","c","d"]'
}

@test "--sort keeps the order of ids at equal times" {
	sed -i 's/"ts":[0-9.]*,"dur"/"ts":3,"dur"/' "$T/s"
	run jq -c '[.traceEvents[2:][].name]' <(chrome --sort)
	assert_output '["aten::mm","a","b","c","d","e"]'
}

@test "without --annotate nothing is added" {
	run jq -c '[(.traceEvents | length), (.traceEvents[2].args | keys)]' <(chrome)
	assert_output '[8,["stream"]]'
}

@test "op rows are slices on a track of their thread, with their figures" {
	run jq -c '.traceEvents[] | select(.cat == "op")' <(chrome --annotate)
	assert_output '{"ph":"X","cat":"op","name":"aten::mm","pid":1,"tid":"operators 2","ts":10.5,"dur":5,"args":{"event":1,"kind":"model","category":"GEMM","gpu_us":4,"gflops":1.5}}'
	run jq -c '.traceEvents[] | select(.name == "thread_name" and .tid == "operators 2") | .args.name' <(chrome --annotate)
	assert_output '"operators 2"'
}

@test "stages are slices that another stage ends; ops of no stage are no slice" {
	run jq -c '.traceEvents[] | select(.cat == "stage") | [.tid, .pid, .ts, .dur]' <(chrome --annotate)
	assert_output "$(printf '%s\n' '["stage prefill",0,20,4]' '["stage prefill",0,28,2]' '["stage decode",0,25,2]')"
}

@test "warnings are instants at their example, else where the trace begins" {
	run jq -c '.traceEvents[] | select(.cat == "warning") | [.name, .ts, .args.message, .s]' <(chrome --annotate)
	assert_output "$(printf '%s\n' '["warning: graph_coarse",25,"half of it","t"]' '["warning: no_rank",5,"which one","t"]')"
}

@test "scope, class, stage, hidden and exclusive time become args, and never replace any" {
	run jq -c '.traceEvents[] | select(.cat == "kernel") | .args' <(chrome --annotate)
	assert_output "$(printf '%s\n' '{"stream":7,"class":"compute","stage":"prefill","hidden_us":1,"exclusive_us":1,"scope":"m.py(3): forward"}' '{"stage":"prefill"}' '{"class":"mine","stage":"decode"}' '{"stage":"prefill"}' '{"stage":"all"}')"
}

@test "--annotate with --sort, and several traces in one stream" {
	sed 's/"trace":0/"trace":1/' "$T/s" >"$T/s2"
	cat "$T/s2" >>"$T/s"
	run jq -c '[.traceEvents[] | .name] | length' <(chrome --annotate --sort --merge)
	assert_output 36
	run jq -c '[.traceEvents[] | select(.ph != "M" and .ts != null and .pid != null and (.pid | tostring | startswith("trace1"))) | .ts] | . == sort' <(chrome --annotate --sort --merge)
	assert_output true
}

@test "--sort and --annotate go with traces, not with reports" {
	run -2 tl-render --sort "$T/s"
	run -2 tl-render --annotate -f csv "$T/s"
}

@test "odd records are drawn as far as they go" {
	sed -i 's/"tid":2,"ts":10.5/"tid":{"a":"b"},"ts":10.5/;s/"event":99,/"event":"x",/;s/"code":"graph_coarse",//;s/"stage":"decode"/"stage":7/' "$T/s"
	run -0 chrome --annotate
	run jq -c '[.traceEvents[] | select(.cat == "op" or .cat == "warning") | .name, .tid]' <(chrome --annotate)
	assert_output '["aten::mm","operators {\"a\":\"b\"}","warning: ","warnings","warning: no_rank","warnings"]'
}
