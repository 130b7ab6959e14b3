#!/usr/bin/env bats
# tl-extract --window: activity windows (tl-window(5)), and what tl-render -f chrome makes of them.

setup() {
	load helper
	w=$T/w.ndjson
}

# window LINE...: a window whose times are small numbers, in $w
window() {
	printf '%s\n' '{"kind":"header","baseTimeNanoseconds":"1700000000000000000","timeOffsetNs":"1700000000000000000"}' "$@" >"$w"
}

# kernel NAME START END CORRELATION [MORE]: a row
kernel() {
	printf '{"kind":"kernel","name":"%s","start":%s,"end":%s,"deviceId":0,"contextId":1,"streamId":7,"correlationId":%s%s}\n' "$1" "$2" "$3" "$4" "${5:+,$5}"
}

# call CBID START END CORRELATION [MORE]: a row of the runtime API
call() {
	printf '{"kind":"cuda_runtime","cbid":%s,"start":%s,"end":%s,"processId":70,"threadId":71,"correlationId":%s%s}\n' "$1" "$2" "$3" "$4" "${5:+,$5}"
}

# node N: the id of node N of graph 5, as members of a row
node() {
	printf '"graphNodeId":%d,"graphId":5' $(((5 << 32) + $1))
}

# deps N M...: node N waits for M...
deps() {
	local n=$1 list=
	shift
	for m; do list=$list${list:+,}$(((5 << 32) + m)); done
	printf '{"kind":"graph_node","graphNodeId":%d,"deps":[%s]}\n' $(((5 << 32) + n)) "$list"
}

# events [FILTER]: the events of the merged window
events() {
	tl-extract -q --window "$w" | jq -c "select(.type == \"event\") | ${1:-.}"
}

ns() {
	echo $((1700000000000000000 + $1))
}

@test "a window with every kind of row gives this stream" {
	tl-extract -q --window "$fixtures/window/all.ndjson" | sed "s|$fixtures/||" | golden window/all.stream.ndjson
}

@test "--compat follows the reference rules to the letter" {
	tl-extract -q --compat --window "$fixtures/window/all.ndjson" | tl-render --compat -f chrome | golden window/all.compat.json
}

@test "a merged stream is one Chrome trace, in the order of ids" {
	tl-extract -q --window "$fixtures/window/all.ndjson" | tl-render -f chrome >"$T/o.json"
	run jq -r '[.traceEvents[] | .cat // .ph] | map(select(. != "ac2g")) | reduce .[] as $c ([]; if .[-1] == $c then . else . + [$c] end) | join(" ")' "$T/o.json"
	assert_output "M user_annotation cpu_op i kernel gpu_memcpy gpu_memset graph_event_node graph_host_node cuda_runtime cuda_driver overhead cuda_sync gpu_user_annotation M C Trace i"
	run jq -e '.traceName == "all" and .schemaVersion == 1 and (has("note") | not)' "$T/o.json"
	assert_success
}

@test "the span and the marks that the merge writes anew are left out, not lost" {
	tl-extract -q --window "$fixtures/window/all.ndjson" >"$T/s"
	run jq -s 'map(select(.name == "PyTorch Profiler (0)")) | length' "$T/s"
	assert_output 2
	run jq '[.traceEvents[] | select(.name == "PyTorch Profiler (0)")] | length' <(tl-render -f chrome "$T/s")
	assert_output 1
}

@test "records carry exact times and the columns as they were" {
	window "$(kernel k 1001 2003 1 '"gridX":4,"gridY":2,"gridZ":1,"blockX":64,"blockY":1,"blockZ":1,"staticSharedMemory":5,"dynamicSharedMemory":6')" "$(call 211 100 200 1)"
	run events 'select(.cat == "kernel") | [.from, .ts, .dur, .device, .stream, .correlation, .args["shared memory"], .window.static_shared, .window.grid]'
	assert_output '["kernel",1.001,1.002,0,7,1,11,5,[4,2,1]]'
	run grep -c "\"start_ns\":$(ns 1001),\"end_ns\":$(ns 2003)" <(tl-extract --window "$w")
	assert_output 1
}

@test "a column that a row does not have is left out, not 0" {
	window "$(kernel k 1000 2000 1)"
	run events 'select(.cat == "kernel") | .args | keys'
	assert_output '["context","correlation","device","stream"]'
}

@test "integers may be numbers or text, decimal or hexadecimal" {
	printf '%s\n' '{"kind":"header","baseTimeNanoseconds":"1000000000000000000"}' \
		'{"kind":"kernel","name":"k","start":"1000000000000001000","end":"0xde0b6b3a76407d0","deviceId":"1","streamId":"0x7","correlationId":" 5 "}' >"$w"
	run events 'select(.cat == "kernel") | [.ts, .dur, .device, .stream, .correlation]'
	assert_output '[1,1,1,7,5]'
}

@test "CUPTI names of kinds are taken, with and without their prefix" {
	window '{"kind":"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL","name":"k","start":1,"end":2}' '{"kind":"MEMCPY2","start":3,"end":4,"bytes":8}' '{"kind":"RUNTIME","cbid":211,"start":0,"end":1}'
	run events 'select(.ph == "X" and .cat != "Trace") | .cat'
	assert_output "$(printf '%s\n' '"kernel"' '"gpu_memcpy"' '"cuda_runtime"')"
}

@test "a window alone does not read stdin; - is stdin" {
	window "$(kernel k 1 2 1)"
	run timeout 5 tl-extract -q --window "$w" < <(sleep 6)
	assert_success
	tl-extract -q --window "$w" >"$T/a"
	tl-extract -q --window - <"$w" | sed "s|\"source\":\"-\"|\"source\":\"$w\"|" | cmp - "$T/a"
	gzip -c "$w" | tl-extract -q --window - | sed "s|\"source\":\"-\"|\"source\":\"$w\"|" | cmp - "$T/a"
}

@test "the trace record says base, source, format and rank" {
	window "$(kernel k 1 2 1)"
	mv "$w" "$T/rank3.ndjson"
	run jq -c 'select(.type == "trace")' <(tl-extract -q --window "$T/rank3.ndjson" | sed "s|$T/||;s|\"base_ns\":\([0-9]*\)|\"base_ns\":\"\1\"|")
	assert_output '{"type":"trace","trace":0,"schema":1,"base_ns":"1700000000000000000","source":"rank3.ndjson","format":"window","rank":3}'
}

@test "a host trace beside the window is merged: keys, base, threads, one note" {
	cat >"$T/host.json" <<-'END'
		{"schemaVersion":1,"distributedInfo":{"rank":2},"traceEvents":[
		{"ph":"M","name":"thread_name","pid":70,"tid":99,"ts":0,"args":{"name":"main"}},
		{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":70,"tid":99,"ts":0,"dur":5,"args":{"External id":6}},
		{"ph":"X","cat":"kernel","name":"old","pid":0,"tid":7,"ts":9,"dur":1,"args":{}}
		],"baseTimeNanoseconds":1700000000000001000}
	END
	window "$(call 211 1500 2000 1)" "$(kernel k 3000 4000 1)" '{"kind":"external_correlation","externalId":6,"correlationId":1}'
	tl-extract --window "$w" "$T/host.json" >"$T/s" 2>"$T/err"
	run jq -c 'select(.type == "trace") | [.format, .rank]' "$T/s"
	assert_output '["chrome+window",2]'
	run jq -c 'select(.name == "cudaLaunchKernel") | [.ts, .tid]' "$T/s"
	assert_output '[0.5,99]'
	run jq -c 'select(.type == "meta" and .key == "schemaVersion") | .value' "$T/s"
	assert_output 1
	run grep -c 'both are kept' "$T/err"
	assert_output 1
	run jq -s -c 'map(select(.cat == "kernel") | .name)' "$T/s"
	assert_output '["old","k"]'
}

@test "an API row finds its thread: external id of the same process, thread line, low 32 bits" {
	window '{"ph":"X","cat":"cpu_op","name":"op","pid":70,"tid":-42,"ts":0,"dur":1,"args":{"External id":"7"}}' \
		'{"ph":"X","cat":"cpu_op","name":"op2","pid":80,"tid":9,"ts":0,"dur":1,"args":{"External id":8}}' \
		'{"kind":"thread","processId":70,"threadId":-16,"systemThreadId":600}' \
		'{"kind":"external_correlation","externalId":7,"correlationId":1}' \
		'{"kind":"external_correlation","externalId":8,"correlationId":2}' \
		"$(call 211 1 2 1)" "$(call 211 3 4 2)" \
		'{"kind":"cuda_runtime","cbid":211,"start":5,"end":6,"processId":70,"threadId":140737488355312,"correlationId":3}' \
		'{"kind":"cuda_runtime","cbid":211,"start":7,"end":8,"processId":70,"threadId":4294967290,"correlationId":4}'
	run events 'select(.cat == "cuda_runtime") | .tid'
	assert_output "$(printf '%s\n' -42 71 600 -6)"
}

@test "API and GPU rows have the external id of the host event that they belong to" {
	window '{"ph":"X","cat":"cpu_op","name":"op","pid":70,"tid":71,"ts":0,"dur":1,"args":{"External id":7}}' "$(call 211 1 2 1)" "$(kernel k 3 4 1)" "$(kernel l 5 6 2)" \
		'{"kind":"external_correlation","externalId":7,"correlationId":1}' '{"kind":"external_correlation","externalId":8,"correlationId":1}' '{"kind":"external_correlation","externalId":9,"correlationId":2}'
	run events 'select(.from and .external_id) | [.name, .external_id, .args["External id"]]'
	assert_output "$(printf '%s\n' '["k",7,7]' '["l",9,9]' '["cudaLaunchKernel",7,7]')"
	run jq -c 'select(.from and .external_id)' <(tl-extract -q --compat --window "$w")
	assert_output ''
}

@test "names of calls, and which are shown, are tables that users can edit" {
	window "$(call 211 1 2 1)" "$(call 17 3 4 2)" "$(call 9999 5 6 3)"
	run events 'select(.cat == "cuda_runtime") | .name'
	assert_output "$(printf '%s\n' '"cudaLaunchKernel"' '"cbid_9999"')"
	cp -r "$root/share" "$T/share"
	printf '9999\tcudaTomorrow\n' >>"$T/share/cupti/runtime.tsv"
	sed -i '/cudaGetDevice$/d' "$T/share/cupti/sets.tsv"
	TL_SHARE=$T/share run events 'select(.cat == "cuda_runtime") | .name'
	assert_output "$(printf '%s\n' '"cudaLaunchKernel"' '"cudaGetDevice"' '"cudaTomorrow"')"
	printf 'nonsense\n' >>"$T/share/cupti/runtime.tsv"
	TL_SHARE=$T/share run -3 tl-extract --window "$w"
	assert_output --partial 'runtime.tsv:'
}

@test "calls may come by name, with the suffix of their version" {
	window '{"kind":"cuda_runtime","name":"cudaLaunchKernel_v7000","start":1,"end":2,"globalTid":281474976710656}' '{"kind":"cuda_driver","name":"cuMemCreate","start":3,"end":4,"globalTid":1174405191}'
	run events 'select(.from | startswith("cuda_")) | [.name, .args.cbid, .pid, .tid]'
	assert_output "$(printf '%s\n' '["cudaLaunchKernel",211,0,0]' '["cuMemCreate",549,70,71]')"
}

# ---- what the default does better than the reference rules

@test "an arrow between graph nodes never runs backwards: it is cut short and says so" {
	window "$(deps 2 1)" "$(kernel p 1000 5000 1 "$(node 1)")" "$(kernel q 4000 6000 1 "$(node 2)")"
	run events 'select(.ph == "s") | [.ts, .args.clamped_us]'
	assert_output '[4,1]'
	run tl-extract -o "$T/o" --window "$w"
	assert_output --partial '1 arrows between graph nodes would run backwards'
	run jq -c 'select(.ph == "s") | .ts' <(tl-extract --compat -q --window "$w")
	assert_output 5
}

@test "correlation 0 is never a replay: no arrow, no wait, no correlation" {
	window "$(deps 2 1)" "$(kernel p 1000 2000 0 "$(node 1)")" "$(kernel q 3000 4000 0 "$(node 2)")"
	run events 'select(.ph == "s" or .ph == "f")'
	assert_output ''
	run events 'select(.name == "q") | [.waits, has("correlation"), (.args | has("correlation"))]'
	assert_output '[[],false,false]'
	run jq -c 'select(.name == "q") | .waits | length' <(tl-extract --compat -q --window "$w")
	assert_output 1
}

@test "the launch's arrow stays when no arrow from a predecessor replaces it" {
	window "$(deps 2 1)" "$(deps 3 2)" "$(kernel q 3000 4000 1 "$(node 2)")" "$(kernel r 5000 6000 1 "$(node 3)")" "$(call 311 100 900 1)"
	run events 'select(.ph == "f") | [.flow < 1000, .ts]'
	assert_output "$(printf '%s\n' '[true,3]' '[false,5]')"
	run events 'select(.cat == "kernel") | .waits | length'
	assert_output "$(printf '%s\n' 0 1)"
}

@test "waits are ids of events of the same replay, and present exactly when the node has predecessors" {
	window "$(deps 2 1)" "$(kernel p 1000 2000 1 "$(node 1)")" "$(kernel q 3000 4000 1 "$(node 2)")" "$(kernel p 11000 12000 2 "$(node 1)")" "$(kernel q 13000 14000 2 "$(node 2)")"
	tl-extract -q --window "$w" >"$T/s"
	run jq -s -c 'map(select(.cat == "kernel")) | [.[1].waits == [.[0].id], .[3].waits == [.[2].id], (.[0] | has("waits"))]' "$T/s"
	assert_output '[true,true,false]'
}

@test "synchronisation has a lane of its own, stream -1 keeps its sign" {
	window "$(kernel k 1 2 1)" '{"kind":"cuda_sync","type":4,"start":1,"end":9,"contextId":1,"streamId":4294967295}' '{"kind":"cuda_sync","type":3,"start":2,"end":9,"contextId":1,"streamId":7}'
	run events 'select(.cat == "cuda_sync") | [.pid, .tid, .stream]'
	assert_output "$(printf '%s\n' '[0,"sync",-1]' '[0,"sync",7]')"
	run events 'select(.tid == "sync" and .name == "thread_name") | .args.name'
	assert_output '"synchronisation"'
}

@test "lanes and threads keep their signs: -2 and 2 do not fall together" {
	window "$(kernel a 1 2 1 "$(node 1),\"logicalLane\":-2,\"laneName\":\"TP\"")" "$(kernel b 3 4 1 "$(node 2),\"logicalLane\":2")" '{"kind":"cuda_runtime","cbid":211,"start":5,"end":6,"processId":70,"threadId":4294967290}'
	run events 'select(.ph == "X" and .cat != "Trace") | .tid'
	assert_output "$(printf '%s\n' -2 2 -6)"
	run events 'select(.name == "thread_name") | [.tid, .args.name]'
	assert_output "$(printf '%s\n' '[-6,"thread -6"]' '[-2,"TP"]' '[2,"stream 2"]' '[7,"stream 7"]')"
}

@test "only names that the host trace lacks are written" {
	window '{"ph":"M","name":"process_name","pid":70,"tid":0,"ts":0,"args":{"name":"trainer"}}' \
		'{"ph":"M","name":"thread_name","pid":70,"tid":71,"ts":0,"args":{"name":"main"}}' \
		'{"kind":"process","processId":80,"name":"worker"}' '{"kind":"device","deviceId":0,"name":"H100"}' \
		"$(call 211 1 2 1)" '{"kind":"cuda_runtime","cbid":211,"start":1,"end":2,"processId":80,"threadId":81}' '{"kind":"cuda_runtime","cbid":211,"start":1,"end":2,"processId":90,"threadId":91}' "$(kernel k 3 4 1)"
	run events 'select(.name == "process_name") | [.pid, .args.name]'
	assert_output "$(printf '%s\n' '[70,"trainer"]' '[0,"H100"]' '[80,"worker"]' '[90,"process 90"]')"
	run events 'select(.name == "thread_name" and .pid == 70) | .args.name'
	assert_output '"main"'
}

@test "a GPU whose number is a host process's pid gets a pid of its own" {
	window '{"kind":"cuda_runtime","cbid":211,"start":1,"end":2,"processId":1,"threadId":1,"correlationId":1}' \
		'{"kind":"kernel","name":"k","start":3,"end":4,"deviceId":1,"streamId":7,"correlationId":1}' '{"kind":"kernel","name":"k","start":3,"end":4,"deviceId":0,"streamId":7,"correlationId":1}'
	run events 'select(.cat == "kernel") | [.pid, .device]'
	assert_output "$(printf '%s\n' '["GPU 1",1]' '[0,0]')"
	run events 'select(.cat == "cuda_runtime") | .pid'
	assert_output 1
}

@test "architecture and name of a GPU come from the window" {
	window '{"kind":"device","deviceId":0,"name":"NVIDIA H200","arch":"sm_90"}' "$(kernel k 1 2 1)"
	run jq -c 'select(.key == "deviceProperties") | .value' <(tl-extract --window "$w")
	assert_output '[{"id":0,"name":"NVIDIA H200","computeMajor":9,"computeMinor":0}]'
}

@test "a lane's name is that of its GPU" {
	window '{"kind":"kernel","name":"a","start":1,"end":2,"deviceId":0,"streamId":7,"correlationId":1,'"$(node 1)"',"logicalLane":2,"laneName":"left"}' \
		'{"kind":"kernel","name":"b","start":1,"end":2,"deviceId":1,"streamId":7,"correlationId":1,'"$(node 2)"',"logicalLane":2,"laneName":"right"}'
	run events 'select(.name == "thread_name" and .tid == 2) | [.pid, .args.name]'
	assert_output "$(printf '%s\n' '[0,"left"]' '[1,"right"]')"
	run events 'select(.cat == "kernel") | .window.lane_name'
	assert_output "$(printf '%s\n' '"left"' '"right"')"
}

@test "host events of every phase stay" {
	window "$(kernel k 1 2 1)" '{"ph":"s","id":3,"cat":"fwdbwd","name":"fwdbwd","pid":70,"tid":71,"ts":1}' '{"ph":"C","name":"mem","pid":70,"ts":1,"args":{"x":1}}' '{"ph":"b","id":1,"cat":"a","name":"n","pid":70,"tid":71,"ts":1}' '{"ph":"i","name":"m","pid":70,"tid":71,"ts":"5.5"}'
	run jq -c '[.traceEvents[] | select(.pid == 70) | [.ph, .ts]]' <(tl-extract -q --window "$w" | tl-render -f chrome)
	assert_output '[["s",1],["C",1],["b",1],["i","5.5"]]'
}

@test "times are exact: before the base they are negative, overlaps are not cut, a cycle count is rounded" {
	window "$(kernel early -3000 500 1)" "$(kernel o1 8000 9000 1)" "$(kernel o2 8500 9900 1)" '{"kind":"environment","timestamp":0,"deviceId":0,"environmentKind":1,"smClock":1755,"memoryClock":1}' "$(kernel c 20000 21500 1)"
	run events 'select(.cat == "kernel") | [.ts, .dur]'
	assert_output "$(printf '%s\n' '[-3,3.5]' '[8,1]' '[8.5,1.4]' '[20,1.5]')"
	run events 'select(.from == "cycles") | [.args[""], .window.value]'
	assert_line --index 3 '[2633,2632.5]'
	run jq -c 'select(.name == "early") | [.ts, .dur]' <(tl-extract --compat -q --window "$w")
	assert_output '[0,3.5]'
}

@test "annotation and metadata follow one rule: members join args, a taken name gets a prefix" {
	window "$(kernel obj 1 2 1 '"metadata":"{\"stream\":\"shadow\",\"Group size\":8}","annotation":{"layer":3}')" \
		"$(kernel list 3 4 1 '"annotation":[{"a":1},"b"]')" "$(kernel text 5 6 1 '"annotation":"plain"')" "$(kernel broken 7 8 1 '"metadata":"{oops"')" "$(kernel both 9 10 1 '"annotation":{"pg":"1"},"metadata":{"pg":"2"}')"
	run events 'select(.cat == "kernel") | .args | del(.device, .context, .correlation)'
	assert_output "$(printf '%s\n' '{"stream":7,"layer":3,"metadata.stream":"shadow","Group size":8}' '{"stream":7,"annotation":[{"a":1},"b"]}' '{"stream":7,"annotation":"plain"}' '{"stream":7,"metadata":"{oops"}' '{"stream":7,"pg":"1","metadata.pg":"2"}')"
	run events 'select(.name == "obj") | .window.extra'
	assert_output '{"layer":3,"metadata.stream":"shadow","Group size":8}'
}

@test "launches on the per-thread default stream, and driver calls that launch, have arrows" {
	window "$(call 214 1 2 1)" "$(kernel k 3 4 1)" '{"kind":"cuda_driver","cbid":514,"start":5,"end":6,"processId":70,"threadId":71,"correlationId":2}' "$(kernel g 7 8 2)" '{"kind":"cuda_driver","cbid":29,"start":9,"end":10,"processId":70,"threadId":71,"correlationId":3}'
	run events 'select(.ph == "s") | .flow'
	assert_output "$(printf '%s\n' 1 2)"
	run events 'select(.cat == "cuda_driver") | .name'
	assert_output '"cuGraphLaunch"'
}

@test "an arrow starts only where one ends, and ends only where one starts" {
	window "$(call 131 1 2 1)" "$(call 41 3 4 2)" "$(kernel k 5 6 3)"
	run events 'select(.ph == "s" or .ph == "f")'
	assert_output ''
	run jq -c 'select(.ph == "s" or .ph == "f") | [.ph, .flow]' <(tl-extract --compat -q --window "$w")
	assert_output "$(printf '%s\n' '["f",3]' '["s",1]' '["s",2]')"
}

@test "a launch whose start stands in the host trace keeps its arrow" {
	window '{"ph":"s","id":4,"cat":"ac2g","name":"ac2g","pid":70,"tid":71,"ts":0}' "$(kernel k 5 6 4)"
	run events 'select(.ph == "s" or .ph == "f") | [.ph, .flow]'
	assert_output "$(printf '%s\n' '["s",4]' '["f",4]')"
}

@test "a driver call inside a runtime call of one correlation gives one arrow" {
	window "$(call 211 1 9 1)" '{"kind":"cuda_driver","cbid":307,"start":2,"end":8,"processId":70,"threadId":71,"correlationId":1}' "$(kernel k 10 11 1)"
	run events 'select(.ph == "s") | .ts'
	assert_output 0.001
}

@test "every kind of copy and memory has its name" {
	window '{"kind":"gpu_memcpy","start":1,"end":2,"copyKind":9,"srcKind":1,"dstKind":2}' '{"kind":"gpu_memcpy","start":1,"end":2,"copyKind":11,"srcKind":5,"dstKind":3}' '{"kind":"gpu_memset","start":1,"end":2,"memoryKind":5}' '{"kind":"gpu_memcpy","start":1,"end":2,"copyKind":77}'
	run events 'select(.ph == "X" and .from) | [.args["copy kind", "src kind", "dst kind", "memory kind"] | values]'
	assert_output "$(printf '%s\n' '["HtoH","pageable","pinned"]' '["UVM HtoD","managed","device"]' '[77]' '["managed"]' '[]')"
}

@test "a stream that waits names the stream and the record it waits for" {
	window '{"kind":"cuda_event","cudaEventSyncId":9,"correlationId":50,"deviceId":1,"contextId":1,"streamId":13,"eventId":4}' '{"kind":"cuda_sync","type":2,"start":1,"end":2,"contextId":1,"streamId":8,"cudaEventId":4,"cudaEventSyncId":9}' '{"kind":"cuda_sync","type":2,"start":1,"end":2,"contextId":1,"deviceId":3,"streamId":8,"cudaEventId":4}'
	run events 'select(.cat == "cuda_sync") | [.device, .args.wait_on_stream, .args.wait_on_cuda_event_record_corr_id]'
	assert_output "$(printf '%s\n' '[1,13,50]' '[3,-1,-1]')"
}

@test "NaN is never written" {
	window "$(kernel k 1 2 1 '"annotation":"NaN"')" '{"kind":"pm_sampling","start":1,"deviceId":0,"metrics":{"a":"NaN","b":null,"c":1.5}}'
	run events 'select(.ph == "C") | [.name, .args[""]]'
	assert_output '["c",1.5]'
	run events 'select(.cat == "kernel") | .args.annotation'
	assert_output '"NaN"'
}

@test "without a base the earliest row is it" {
	printf '%s\n' '{"kind":"kernel","name":"k","start":"1700000000000005000","end":"1700000000000006000"}' '{"kind":"cuda_runtime","cbid":211,"start":"1700000000000001000","end":"1700000000000002000"}' >"$w"
	run events 'select(.cat == "kernel") | .ts'
	assert_output 4
	run grep -c '"key":"baseTimeNanoseconds","value":1700000000000001000' <(tl-extract --window "$w")
	assert_output 1
}

@test "a user annotation spans the work of its lane, without widening it" {
	window '{"kind":"user_annotation","externalId":5,"name":"step"}' '{"kind":"external_correlation","externalId":6,"userExternalId":5,"correlationId":1}' "$(kernel a 1000 2000 1)" "$(kernel b 3000 4000 1 "$(node 1),\"logicalLane\":2")"
	run events 'select(.cat == "gpu_user_annotation") | [.name, .tid, .ts, .dur, .external_id]'
	assert_output "$(printf '%s\n' '["step",2,3,1,5]' '["step",7,1,1,5]')"
}

@test "metadata of a collective reaches the kernels launched under its external id" {
	window '{"kind":"external_metadata","externalId":6,"metadata":{"Collective name":"allreduce"}}' '{"kind":"external_correlation","externalId":6,"correlationId":1}' "$(kernel nccl 1 2 1)"
	run events 'select(.cat == "kernel") | .args["Collective name"]'
	assert_output '"allreduce"'
}

# ---- bad windows

@test "rows without start or end, or that end too early, are skipped and counted" {
	window "$(kernel good 1 2 1)" '{"kind":"kernel","name":"a","start":1}' '{"kind":"kernel","name":"b","end":1}' '{"kind":"cuda_runtime","cbid":1,"start":"x","end":2}' "$(kernel reversed 5 4 1)"
	run -1 tl-extract -o "$T/o" --window "$w"
	assert_output --partial '4 rows skipped: no start or end, or an end before the start, first at byte'
	run jq -c 'select(.type == "end") | [.gpu_ops, .skipped, (.faults[] | [.code, .count])]' "$T/o"
	assert_output '[1,4,["bad_time",4]]'
	run -3 tl-extract --strict -o "$T/p" --window "$w"
	assert_file_not_exists "$T/p"
}

@test "--compat keeps a row that ends before it starts, with length 0" {
	window "$(kernel reversed 5000 4000 1)"
	run jq -c 'select(.cat == "kernel") | [.ts, .dur]' <(tl-extract --compat --window "$w")
	assert_output '[5,0]'
}

@test "an unknown kind is named once and skipped, which is no damage" {
	window "$(kernel k 1 2 1)" '{"kind":"MARKER","id":1}' '{"kind":"MARKER","id":2}' '{"kind":"WEATHER"}'
	run -0 tl-extract -o "$T/o" --window "$w"
	assert_line --partial '2 rows of kind MARKER skipped'
	assert_line --partial '1 rows of kind WEATHER skipped'
	run jq -c 'select(.type == "end") | [.skipped, .faults]' "$T/o"
	assert_output '[3,[]]'
}

@test "lines that are not JSON, or neither row nor event, are skipped and counted" {
	window "$(kernel k 1 2 1)" '{"kind":"kernel",' '[1,2]' '{"a":1}' '' '// a remark' '}{'
	run -1 tl-extract -o "$T/o" --window "$w"
	assert_line --partial '2 lines skipped: not JSON'
	assert_line --partial '2 lines skipped: neither kind nor ph'
	run jq -c 'select(.type == "end") | .gpu_ops' "$T/o"
	assert_output 1
}

@test "what needs no guess is repaired, in rows and in host events" {
	window "$(kernel k 1 2 1)"
	printf '{"ph":"X","cat":"cpu_op","name":"a\\qb","pid":1,"tid":1,"ts":NaN,"dur":1}\n' >>"$w"
	printf '{"kind":"kernel","name":"k\377\\q","start":3,"end":4}\n' >>"$w"
	run -1 tl-extract -o "$T/o" --window "$w"
	run jq -c 'select(.cat == "cpu_op" or .cat == "kernel") | [.name, .ts]' "$T/o"
	assert_output "$(printf '%s\n' '["a\\qb",null]' '["k",0.001]' '["k\uFFFD\\q",0.003]' | jq -c .)"
	run jq -c 'select(.type == "end") | [.repaired, (.faults[] | .code, .count)]' "$T/o"
	assert_output '[2,"bad_escape",2,"bad_utf8",1,"bad_number",1,"bad_time",1]'
}

@test "a window cut in its last line says so" {
	window "$(kernel k 1 2 1)"
	printf '{"kind":"kernel","na' >>"$w"
	run -1 tl-extract -o "$T/o" --window "$w"
	run jq -c 'select(.type == "end") | [.gpu_ops, .faults[0].code]' "$T/o"
	assert_output '[1,"truncated_json"]'
}

@test "no duration event at all is an error: exit 3, no file, nothing on stdout" {
	window '{"ph":"i","name":"mark","pid":1,"tid":1,"ts":1,"s":"t"}'
	run -3 tl-extract -o "$T/o" --window "$w"
	assert_output --partial 'no duration event'
	assert_file_not_exists "$T/o"
	run -3 bash -c "tl-extract --window '$w' 2>/dev/null"
	assert_output ''
	: >"$w"
	run -3 tl-extract --window "$w"
	run -3 tl-extract --window "$T/missing"
}

@test "a line larger than --max-event is skipped, and reading goes on behind it" {
	window "$(kernel k 1 2 1)"
	{
		printf '{"kind":"kernel","name":"'
		head -c 400000 /dev/zero | tr '\0' x
		printf '","start":3,"end":4}\n'
		kernel last 5 6 1
	} >>"$w"
	run -1 tl-extract -o "$T/o" --max-event 64K --window "$w"
	run jq -s -c '[(.[-1].faults[] | [.code, .count])], map(select(.cat == "kernel") | .name)' "$T/o"
	assert_output "$(printf '%s\n' '[["oversize_event",1]]' '["k","last"]')"
}

@test "--window takes one trace, and no --rebase or --args" {
	window "$(kernel k 1 2 1)"
	trace >"$T/a.json"
	run -2 tl-extract --window "$w" "$T/a.json" "$T/a.json"
	run -2 tl-extract --window "$w" --rebase
	run -2 tl-extract --window "$w" --args none
	run -2 tl-extract --window - -
	run -2 tl-extract --compat "$T/a.json"
	cat "$T/a.json" "$T/a.json" >"$T/two.json"
	run -3 tl-extract --window "$w" "$T/two.json"
	assert_output --partial '2 traces, and one window'
}

@test "--cat and --name filter the merged events and keep ids" {
	window "$(call 211 1 2 1)" "$(kernel k 3 4 1)"
	tl-extract -q --window "$w" | jq -c 'select(.cat == "kernel") | .id' >"$T/id"
	run jq -c 'select(.type == "event" and .ph != "M") | [.id, .cat]' <(tl-extract -q --cat kernel --window "$w")
	assert_output "[$(cat "$T/id"),\"kernel\"]"
	run jq -c 'select(.type == "end") | [.events, .gpu_ops]' <(tl-extract -q --cat kernel --window "$w")
	assert_output '[11,1]'
}

# recount: from a stream, whether `end` says what jq counts in it, and [GPU ops, first start, last end]
recount() {
	jq -cs 'def ns: . * 1000 | round;
		map(select(.type == "event")) as $e | map(select(.type == "end"))[0] as $told
		| [$e[] | select(.ph != "M" and .ts != null)] as $t
		| [([$e[] | select(.ph == "X" and (.cat | IN("kernel", "gpu_memcpy", "gpu_memset")))] | length),
			([$t[].ts | ns] | min), ([$t[] | (.ts | ns) + (.dur // 0 | ns)] | max)] as $found
		| [$told.events, $told.gpu_ops, ($told | .ts_first, .ts_last | if . == null then . else ns end)]
			== [($e | length), $found[]], $found'
}

@test "end counts what was written, from every format and under every filter" {
	trace '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":70,"tid":71,"ts":1,"dur":300}' \
		'{"ph":"X","cat":"python_function","name":"f","pid":70,"tid":71,"ts":0.5,"dur":900}' \
		'{"ph":"i","cat":"x","name":"late","pid":70,"tid":71,"ts":2000.001,"s":"t"}' >"$T/host.json"
	tl-extract -q --window "$fixtures/window/all.ndjson" "$T/host.json" >"$T/s"
	tl-render -q -f chrome "$T/s" >"$T/t.json"
	tl-render -q -f pftrace -o "$T/t.pftrace" "$T/s"
	local filter input
	while read -r filter; do
		while read -r input; do
			# shellcheck disable=SC2086
			run recount < <(tl-extract -q $filter ${input//DIR/$fixtures/window})
			assert_line --index 0 true
		done <<-END
			--window DIR/all.ndjson $T/host.json
			--window DIR/all.ndjson
			$T/t.json
			$T/t.pftrace
		END
	done <<-'END'

		--cat kernel
		--cat kernel,gpu_memcpy,cpu_op
		--cat ac2g
		--cat python_function
		--name aten*
		--no-python
		--cat none
	END
}

@test "--cat kernel gives the same count and times from a window, Chrome JSON and Perfetto" {
	tl-extract -q --window "$fixtures/window/all.ndjson" >"$T/s"
	tl-render -q -f chrome "$T/s" >"$T/t.json"
	tl-render -q -f pftrace -o "$T/t.pftrace" "$T/s"
	recount < <(tl-extract -q --cat kernel --window "$fixtures/window/all.ndjson") >"$T/window"
	recount < <(tl-extract -q --cat kernel "$T/t.json") | diff "$T/window" -
	recount < <(tl-extract -q --cat kernel "$T/t.pftrace") | diff "$T/window" -
}

@test "the order of lines of different kinds does not matter" {
	tl-extract -q --window "$fixtures/window/all.ndjson" | jq -c 'select(.type == "event" and .from)' >"$T/a"
	jq -s -c 'group_by(.kind // "") | reverse | .[][]' <(grep -v '^//' "$fixtures/window/all.ndjson") >"$w"
	tl-extract -q --window "$w" | jq -c 'select(.type == "event" and .from)' | cmp - "$T/a"
}

# ---- the rest of the pipe

@test "a window without any host trace goes through the suite: every GPU op is owned once" {
	grep -v '"ph"' "$fixtures/window/all.ndjson" >"$w"
	tl-extract -q --window "$w" | tl-tree | tl-synth | tl-sourcemap | tl-overlap | tl-reliability >"$T/s"
	run jq -c 'select(.type == "coverage") | [.gpu_ops, .owned, .unlaunched, .duplicates]' "$T/s"
	assert_output '[5,5,0,0]'
	run jq -s -c 'map(select(.type == "op")) | [length, (map(.gpu_us) | add), (map(.gpu_ops[].id) | unique | length)]' "$T/s"
	assert_output '[5,6.5,5]'
	run jq -c 'select(.type == "timeline" and .device == null) | [.gpu_us, .streams]' "$T/s"
	assert_output '[6.5,3]'
	run jq -s -c 'map(.type) | [index("source"), index("kernel_group"), index("reliability")] | map(. != null)' "$T/s"
	assert_output '[true,true,true]'
	run tl-render "$T/s"
	assert_success
	assert_output --partial 'cudaGraphLaunch'
}

@test "with a host trace, GPU work belongs to the operators that launched it" {
	tl-extract -q --window "$fixtures/window/all.ndjson" | tl-tree | tl-synth -n >"$T/s"
	run jq -c 'select(.type == "op" and .kind != "orphan") | [.name, .gpu_us, .call_stack]' "$T/s"
	assert_output '["aten::mm",2,["aten::mm"]]'
}
