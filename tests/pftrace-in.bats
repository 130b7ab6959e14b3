#!/usr/bin/env bats
# tl-extract reads Perfetto traces: what tl-render -f pftrace writes, and the same packets of others.

setup() {
	load helper
	p=$T/t.pftrace
	trace '{"ph":"M","name":"thread_name","pid":1,"tid":2,"ts":0,"args":{"name":"main"}}' \
		'{"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":2,"ts":10,"dur":20.5,"args":{"External id":5,"Input Dims":[[2,3],[]],"f":0.1,"b":true,"t":"x\"y","o":{"k":[1,"z"]}}}' \
		'{"ph":"X","cat":"cpu_op","name":"same span","pid":1,"tid":2,"ts":12,"dur":4}' \
		'{"ph":"X","cat":"cpu_op","name":"same span below","pid":1,"tid":2,"ts":12,"dur":4}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":13,"dur":1,"args":{"correlation":9,"External id":5}}' \
		'{"ph":"X","cat":"cpu_op","name":"overlaps","pid":1,"tid":2,"ts":14,"dur":30}' \
		'{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":3,"args":{"device":0,"stream":7,"correlation":9,"External id":5,"grid":[4,1,1],"block":[32,1,1],"registers per thread":40,"shared memory":64}}' \
		'{"ph":"s","id":9,"cat":"ac2g","name":"ac2g","pid":1,"tid":2,"ts":13}' '{"ph":"f","id":9,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":20,"bp":"e"}' \
		'{"ph":"s","id":3,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":2,"ts":10}' '{"ph":"f","id":3,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":2,"ts":44.5,"bp":"e"}' \
		'{"ph":"X","cat":"cpu_op","name":"backward","pid":1,"tid":2,"ts":44.5,"dur":2}' \
		'{"ph":"C","name":"mem","pid":1,"ts":15,"args":{"bytes":1024}}' >"$T/t.json"
	tl-extract "$T/t.json" >"$T/a"
	tl-render -f pftrace -o "$p" "$T/a"
}

# slices FILE: what the slices of a stream are, in order
slices() {
	tl-tree "$1" | jq -c 'select(.type == "event" and .ph == "X" and (.cat | IN("kernel", "gpu_memcpy", "gpu_memset") | not)) | [.name, .cat, .ts, .dur, .depth]'
}

# byte N: that byte
byte() {
	# shellcheck disable=SC2059
	printf "\\x$(printf %x "$1")"
}

# packet FIELD [BYTES]: a packet with one field (16 to 2047) of up to 100 bytes, given as \x..
packet() {
	local n=$((${#2} / 4))
	byte 10 && byte $((n + 3)) && byte $((($1 << 3 & 127) | 130)) && byte $(($1 >> 4)) && byte $n
	printf %b "${2:-}"
}

@test "names, times and nesting of slices come back" {
	tl-extract "$p" >"$T/b"
	run diff <(slices "$T/a") <(slices "$T/b")
	assert_output ''
	assert_equal "$(slices "$T/b" | wc -l)" 6
}

@test "args keep their types" {
	run jq -c 'select(.name == "outer") | .args' <(tl-extract "$p")
	assert_output '{"External id":5,"Input Dims":[[2,3],[]],"b":true,"f":0.1,"o":{"k":[1,"z"]},"t":"x\"y"}'
}

@test "a GPU op comes back with its args and its launch" {
	run jq -c 'select(.cat == "kernel") | [.name, .ts, .dur, .device, .stream, .correlation, .args.grid, .args.block, .args["registers per thread", "shared memory", "External id"]]' <(tl-extract "$p")
	assert_output '["gemm",20,3,0,7,9,[4,1,1],[32,1,1],40,64,5]'
	run jq -c 'select(.type == "coverage") | [.gpu_ops, .owned, .orphans, .duplicates]' <(tl-extract "$p" | tl-tree | tl-synth)
	assert_output '[1,1,0,0]'
}

@test "flows come back between the same slices" {
	run jq -c 'select(.ph == "s" or .ph == "f") | [.ph, .cat, .ts, .tid]' <(tl-extract "$p")
	assert_output "$(printf '%s\n' '["s","ac2g",13,2]' '["s","flow",10,2]' '["f","ac2g",20,7]' '["f","flow",44.5,2]')"
}

@test "counters come back" {
	run jq -c 'select(.ph == "C") | [.name, .pid, .ts, .args[""]]' <(tl-extract "$p")
	assert_output '["mem bytes",1,15,1024]'
}

@test "a window comes back: stages, waits, counters of GPUs, base" {
	tl-extract -q --window "$fixtures/window/all.ndjson" >"$T/a"
	tl-render -f pftrace -o "$p" "$T/a"
	tl-extract "$p" >"$T/b"
	run grep -c '"base_ns":1700000000000000000' "$T/b"
	assert_output 1
	local facts='select(.ph == "X" and (.from // "" | IN("kernel", "gpu_memcpy", "gpu_memset", "graph_event_node", "graph_host_node"))) | [.cat, .name, .ts, .dur, .stream, .correlation, (.waits | length), (.args | to_entries | sort)]'
	run diff <(jq -c "$facts" "$T/a") <(jq -c "$facts" "$T/b")
	assert_output ''
	facts='select(.ph == "C") | [.name, .pid, .ts, .args[""]]'
	run diff <(jq -c "$facts" "$T/a" | sort) <(jq -c "$facts" "$T/b" | sort)
	assert_output ''
}

@test "what was read is written and read again without a difference" {
	for f in "$T/t.json" "--window $fixtures/window/all.ndjson"; do
		# shellcheck disable=SC2086
		tl-extract -q $f | tl-render -f pftrace -o "$p"
		tl-extract "$p" >"$T/b"
		tl-render -f pftrace -o "$T/u.pftrace" "$T/b"
		tl-extract "$T/u.pftrace" >"$T/c"
		run diff <(jq -cS 'select(.type == "event" and .ph != "M")' "$T/b") <(jq -cS 'select(.type == "event" and .ph != "M")' "$T/c")
		assert_output ''
	done
}

@test "a Perfetto trace is known by its bytes: gzipped, from stdin, under any name" {
	tl-extract "$p" >"$T/b"
	gzip -c "$p" >"$T/t.json"
	tl-extract "$T/t.json" | sed "s|$T/t.json|$p|" | cmp - "$T/b"
	tl-extract <"$p" | sed "s|\"source\":\"-\"|\"source\":\"$p\"|" | cmp - "$T/b"
	(
		head -c 1 "$p"
		sleep 0.2
		tail -c +2 "$p"
	) | tl-extract | sed "s|\"source\":\"-\"|\"source\":\"$p\"|" | cmp - "$T/b"
}

@test "JSON that begins with a line break is still JSON" {
	printf '\n{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]}' >"$T/j"
	run jq -c 'select(.type == "trace") | .format' <(tl-extract "$T/j")
	assert_output '"chrome"'
	printf '\n\n[\n{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]' >"$T/j"
	run jq -c 'select(.type == "end") | .events' <(tl-extract "$T/j")
	assert_output 1
}

@test "packets of kinds that tl does not know are counted and named" {
	{
		cat "$p"
		packet 33 '\x08\x01'
		packet 33 '\x08\x01'
		packet 99
	} >"$T/x"
	run -0 tl-extract -o "$T/o" "$T/x"
	assert_line --partial '2 packets trace_config (field 33) skipped'
	assert_line --partial '1 packets of a kind that tl does not know (field 99) skipped'
	run jq -c 'select(.type == "end") | [.events, .skipped]' "$T/o"
	assert_output "$(jq -c 'select(.type == "end") | [.events, 3]' <(tl-extract "$p"))"
}

@test "a cut file gives what is whole, and says so" {
	head -c $(($(wc -c <"$p") - 5)) "$p" >"$T/x"
	run -1 tl-extract -o "$T/o" "$T/x"
	assert_output --partial 'the input ends inside the trace'
	run jq -c 'select(.type == "end") | [.events > 10, .faults[0].code]' "$T/o"
	assert_output '[true,"truncated_json"]'
}

@test "bytes that are no packet end the trace, a broken packet does not" {
	{
		cat "$p"
		packet 53 '\x0b\x0b'
		packet 60 '\x08\x63\x12\x01\x78'
		printf 'garbage'
	} >"$T/x"
	run -1 tl-extract -o "$T/o" "$T/x"
	run jq -c 'select(.type == "end") | [.faults[].code]' "$T/o"
	assert_output '["broken_event","trailing_garbage"]'
	run -3 tl-extract --strict -o "$T/o2" "$T/x"
}

@test "a slice that never ends has no length" {
	# descriptor of track 5 (thread 2 of process 1), a begin named "open" on it
	printf '\x0a\x0d\x50\x01\xe2\x03\x08\x08\x05\x22\x04\x08\x01\x10\x02' >"$T/x"
	printf '\x0a\x12\x40\xe8\x07\x50\x01\x5a\x0b\x48\x01\x58\x05\xba\x01\x04open' >>"$T/x"
	run jq -c 'select(.name == "open") | [.ph, .ts, has("dur"), .pid, .tid]' <(tl-extract "$T/x")
	assert_output '["X",1,false,1,2]'
}

@test "--cat and --name filter, and keep ids" {
	run jq -c 'select(.type == "event" and .ph != "M") | .cat' <(tl-extract --cat kernel "$p")
	assert_output '"kernel"'
	run -3 tl-extract --rebase "$p"
}

@test "a flow may begin and end in slices of a process that has no thread" {
	protoc --proto_path="$root/share/proto" --encode=Trace pftrace.proto >"$T/flow.pftrace" <<-'END'
		packet { track_descriptor { uuid: 1 process { pid: 5 } } }
		packet { timestamp: 10 track_event { type: TYPE_SLICE_BEGIN track_uuid: 1 name: "a" flow_ids: 7 } }
		packet { timestamp: 20 track_event { type: TYPE_SLICE_END track_uuid: 1 } }
		packet { timestamp: 30 track_event { type: TYPE_SLICE_BEGIN track_uuid: 1 name: "b" flow_ids: 7 } }
		packet { timestamp: 40 track_event { type: TYPE_SLICE_END track_uuid: 1 } }
	END
	run jq -c 'select(.cat == "flow") | [.ph, .pid, .tid, .ts]' < <(tl-extract "$T/flow.pftrace")
	assert_output '["s",5,0,0.01]
["f",5,0,0.03]'
}

@test "stages that repeat an event id are records of their own; a wait means the first one" {
	protoc --proto_path="$root/share/proto" --encode=Trace pftrace.proto >"$T/graph.pftrace" <<-'END'
		packet { timestamp: 5 gpu_render_stage_event { event_id: 8 duration: 1 name: "waits" event_wait_ids: 9 } }
		packet { timestamp: 10 gpu_render_stage_event { event_id: 9 duration: 1 name: "a" } }
		packet { timestamp: 20 gpu_render_stage_event { event_id: 9 duration: 1 name: "b" } }
		packet { timestamp: 30 gpu_render_stage_event { event_id: 9 duration: 1 name: "c" } }
	END
	run jq -c 'select(.type == "event") | [.name, .id, .waits]' <(tl-extract "$T/graph.pftrace")
	assert_output '["waits",0,[1]]
["a",1,null]
["b",2,null]
["c",3,null]'
}
