load helper

# decode [OPTION...]: stdin rendered as a Perfetto trace, as protoc shows it
decode() {
	tl-render -q -f pftrace "$@" | protoc --proto_path="$root/share/proto" --decode=Trace pftrace.proto
}

# records LINE... : a stream of one trace with these records
records() {
	echo '{"type":"trace","trace":0,"schema":1,"source":"t.json","format":"chrome"}'
	[ $# = 0 ] || printf '%s\n' "$@"
	echo '{"type":"end","trace":0,"events":0,"gpu_ops":0,"skipped":0,"repaired":0,"faults":[]}'
}

# slice ID NAME TS DUR [MORE]: a host event on thread 1
slice() {
	printf '{"type":"event","trace":0,"id":%s,"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s%s}\n' "$@"
}

# The slices of a decoded trace, a line each in the order of the file: B or E, track, name, time. For
# a trace with one name per slice.
slices() {
	awk '
		/^packet/ { ts = ""; type = ""; track = ""; iid = "" }
		/^ *timestamp:/ { ts = $2 }
		/^ *event_names/ { naming = 1 }
		naming && /iid:/ { n = $2 }
		naming && /name:/ { name[n] = $2; naming = 0 }
		/type: TYPE_SLICE/ { type = $2 == "TYPE_SLICE_BEGIN" ? "B" : "E" }
		/^ *name_iid:/ { iid = $2 }
		/track_uuid:/ { track = $2 }
		/^}/ && type != "" { line[++k] = type " " track " " (type == "B" ? "%" iid : "") " " ts }
		END { for (i = 1; i <= k; i++) { split(line[i], f, " ")
			if (f[1] == "B") { id = substr(f[3], 2); print "B", f[2], name[id], f[4] } else print "E", f[2], f[3] } }'
}

@test "a small trace, whole" {
	decode <"$fixtures/pftrace/small.ndjson" | golden pftrace/small.txt
}

@test "a GPU op without a launch in the trace is drawn all the same, and correlation 0 links nothing" {
	run -0 decode < <(records \
		'{"type":"event","trace":0,"id":0,"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"correlation":0}' \
		'{"type":"event","trace":0,"id":1,"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2,"device":0,"stream":7,"correlation":0}' \
		'{"type":"event","trace":0,"id":2,"ph":"X","cat":"Memcpy","name":"m","pid":0,"tid":7,"ts":8,"dur":2}')
	assert_equal "$(grep -c gpu_render_stage_event <<<"$output")" 2
	refute_output --partial gpu_correlation
}

@test "a launch is linked to what it launched: by tl-tree's word, else by correlation, the inner call first" {
	launch='"type":"event","trace":0,"ph":"X","cat":"cuda_runtime","pid":1,"tid":1,"correlation":5'
	kernel='"type":"event","trace":0,"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"dur":2,"device":0,"stream":7,"correlation":5'
	records "{$launch,\"id\":0,\"name\":\"outer\",\"ts\":1,\"dur\":5}" "{$launch,\"id\":1,\"name\":\"inner\",\"ts\":2,\"dur\":1}" \
		"{$kernel,\"id\":2,\"ts\":9}" "{$kernel,\"id\":3,\"ts\":12}" >"$T/s"
	decode "$T/s" >"$T/out"
	# both of the second slice's, the inner call
	run -0 awk '/TYPE_SLICE_BEGIN/ { n++ } /submission_event_ids/ { print n, $2 }' "$T/out"
	assert_output $'2 1\n2 2'
	sed 's/"id":3,/"id":3,"launcher":0,/' "$T/s" | decode >"$T/out"
	run -0 awk '/name: "outer"/ { o = 1 } /submission_event_ids/ { print $2 }' "$T/out"
	assert_output $'2\n1'
}

@test "calls of two processes with one correlation are not guessed between" {
	run -0 decode < <(records \
		'{"type":"event","trace":0,"id":0,"ph":"X","cat":"cuda_runtime","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"correlation":5}' \
		'{"type":"event","trace":0,"id":1,"ph":"X","cat":"cuda_runtime","name":"b","pid":2,"tid":1,"ts":1,"dur":1,"correlation":5}' \
		'{"type":"event","trace":0,"id":2,"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9,"dur":2,"correlation":5}')
	refute_output --partial gpu_correlation
}

@test "a graph node waits for its predecessors; only roots are linked to the launch" {
	node='"type":"event","trace":0,"ph":"X","cat":"kernel","pid":0,"tid":7,"dur":2,"correlation":5,"from":"kernel"'
	run -0 decode < <(records \
		'{"type":"event","trace":0,"id":0,"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":1,"dur":1,"correlation":5,"from":"cuda_runtime","window":{"tid":1}}' \
		"{$node,\"id\":1,\"name\":\"root\",\"ts\":5}" \
		"{$node,\"id\":2,\"name\":\"next\",\"ts\":8,\"waits\":[1]}" \
		"{$node,\"id\":3,\"name\":\"lost\",\"ts\":9,\"waits\":[]}")
	assert_equal "$(grep -o 'submission_event_ids: .*' <<<"$output" | paste -sd' ')" 'submission_event_ids: 1 submission_event_ids: 3'
	assert_equal "$(grep -o 'event_wait_ids: .*' <<<"$output")" 'event_wait_ids: 1'
}

@test "slices nest, ends stand before begins of their time, lengths of zero stay" {
	run -0 slices < <(records "$(slice 0 parent 0 10)" "$(slice 1 a 0 5)" "$(slice 2 b 5 5)" "$(slice 3 zero 10 0)" "$(slice 4 next 10 1)" | decode)
	assert_output 'B 2 "parent" 0
B 2 "a" 0
E 2 5000
B 2 "b" 5000
E 2 10000
E 2 10000
B 2 "next" 10000
B 2 "zero" 10000
E 2 10000
E 2 11000'
}

@test "a slice that overlaps its neighbour keeps its times, on a lane of its own" {
	run -0 slices < <(records "$(slice 0 a 0 10)" "$(slice 1 b 5 10)" "$(slice 2 c 7 10)" "$(slice 3 d 16 1)" | decode)
	assert_output 'B 2 "a" 0
B 3 "b" 5000
B 4 "c" 7000
E 2 10000
E 3 15000
B 2 "d" 16000
E 4 17000
E 2 17000'
}

@test "a thousand slices that all overlap are drawn, in linear time" {
	records "$(for i in {0..999}; do slice "$i" "s$i" "$i" 2000; done)" >"$T/s"
	run -0 slices < <(timeout 20 tl-render -q -f pftrace "$T/s" | protoc --proto_path="$root/share/proto" --decode=Trace pftrace.proto)
	assert_equal "${#lines[@]}" 2000
	assert_equal "$(awk '/^B/ { t[$2] = $4 } /^E/ && $3 - t[$2] != 2000000 { bad++ } END { print bad + 0 }' <<<"$output")" 0
}

@test "instants, begin and end, async spans" {
	run -0 slices < <(records \
		'{"type":"event","trace":0,"id":0,"ph":"i","name":"i","pid":1,"tid":1,"ts":1}' \
		'{"type":"event","trace":0,"id":1,"ph":"B","name":"open","pid":1,"tid":1,"ts":2}' \
		'{"type":"event","trace":0,"id":2,"ph":"B","name":"in","pid":1,"tid":1,"ts":3}' \
		'{"type":"event","trace":0,"id":3,"ph":"E","pid":1,"tid":1,"ts":4}' \
		'{"type":"event","trace":0,"id":4,"ph":"b","cat":"r","name":"async","pid":1,"tid":1,"ts":3,"chrome":{"id":9}}' \
		'{"type":"event","trace":0,"id":5,"ph":"e","cat":"r","name":"async","pid":1,"tid":2,"ts":8,"chrome":{"id":9}}' | decode)
	assert_output 'B 2 "i" 1000
E 2 1000
B 2 "open" 2000
B 2 "in" 3000
B 3 "async" 3000
E 2 4000
E 2 8000
E 3 8000'
}

@test "a begin that tl-tree joined has its length, and its end is not used again" {
	run -0 slices < <(trace '{"ph":"B","name":"a","pid":1,"tid":1,"ts":1}' '{"ph":"B","name":"b","pid":1,"tid":1,"ts":2}' \
		'{"ph":"E","pid":1,"tid":1,"ts":3}' '{"ph":"E","pid":1,"tid":1,"ts":5}' | tl-extract -q | tl-tree | decode)
	assert_output 'B 2 "a" 1000
B 2 "b" 2000
E 2 3000
E 2 5000'
}

@test "flows join the slices around their ends; an end that lies in none draws nothing" {
	flow='"type":"event","trace":0,"cat":"fwdbwd","name":"fwdbwd","pid":1'
	run -0 decode < <(records "$(slice 0 fwd 0 10)" "$(slice 1 inner 2 5)" "$(slice 2 bwd 20 10)" \
		"{$flow,\"id\":3,\"ph\":\"s\",\"tid\":1,\"ts\":3,\"flow\":1,\"chrome\":{\"id\":1}}" \
		"{$flow,\"id\":4,\"ph\":\"f\",\"tid\":1,\"ts\":20,\"flow\":1,\"chrome\":{\"id\":1}}" \
		"{$flow,\"id\":5,\"ph\":\"s\",\"tid\":1,\"ts\":9,\"flow\":2,\"chrome\":{\"id\":2}}" \
		"{$flow,\"id\":6,\"ph\":\"f\",\"tid\":8,\"ts\":20,\"flow\":2,\"chrome\":{\"id\":2}}")
	run -0 awk '/TYPE_SLICE_BEGIN/ { t = 1 } /timestamp/ { ts = $2 } /flow_ids/ { print ts, $2 }' <<<"$output"
	assert_output $'2000 1\n20000 1'
}

@test "the arrow of a launch ends at its GPU op, not at the annotation around that" {
	run -0 decode "$fixtures/pftrace/small.ndjson"
	assert_output --partial 'render_stage_submission_event_ids'
	refute_output --partial 'flow_ids'
}

@test "args become typed annotations, by key" {
	run -0 decode < <(records "$(slice 0 a 0 1 ',"args":{"z":1,"a":"t","f":1.5,"b":true,"n":null,"u":18446744073709551615,"o":{"k":[1,[]]}}')")
	run -0 awk '/debug_annotations/ { on = 1 } on && /^ *(name|[a-z]+_value):/ { printf "%s%s ", $1, $2 } /name_iid/ { on = 0 }' <<<"$output"
	assert_output 'string_value:"t" name:"a" bool_value:true name:"b" double_value:1.5 name:"f" string_value:"null" name:"n" name:"o" name:"k" int_value:1 uint_value:18446744073709551615 name:"u" int_value:1 name:"z" '
}

@test "counters: of a process, and of GPUs with their descriptors" {
	run -0 decode < <(records \
		'{"type":"event","trace":0,"id":0,"ph":"C","name":"mem","pid":1,"ts":1,"args":{"used":5,"x":"no"}}' \
		'{"type":"event","trace":0,"id":1,"ph":"C","name":"Power (W)","pid":"GPU 0 Counters","ts":2,"args":{"":300.5},"from":"environment","start_ns":2000,"window":{"device":0,"value":300.5}}')
	assert_output --partial 'double_counter_value: 5'
	assert_output --partial 'name: "mem used"'
	assert_output --partial 'value_direction: 2'
	assert_output --partial 'double_value: 300.5'
	refute_output --partial '"mem x"'
}

@test "counters of two GPUs have ids of their own" {
	sample='"type":"event","trace":0,"ph":"C","name":"Power (W)","pid":"GPU","ts":2,"args":{"":1},"from":"environment","start_ns":2000'
	run -0 decode < <(records "{$sample,\"id\":0,\"window\":{\"device\":0,\"value\":1}}" "{$sample,\"id\":1,\"window\":{\"device\":3,\"value\":2}}")
	assert_equal "$(grep 'counter_id:' <<<"$output" | tr -s ' ' | sort | uniq -c | tr -s ' ' | paste -sd,)" ' 2 counter_id: 0, 2 counter_id: 1'
	assert_equal "$(grep 'gpu_id:' <<<"$output" | tr -s ' ' | paste -sd,)" ' gpu_id: 0, gpu_id: 3'
}

@test "times before the base of the clock are not lost" {
	run -0 slices < <(records "$(slice 0 a -5.5 2)" "$(slice 1 b 1 2)" | decode)
	assert_output 'B 2 "a" 0
E 2 2000
B 2 "b" 6500
E 2 8500'
}

@test "times are absolute when the trace says what they are relative to, and rebasing does not show" {
	trace '{"ph":"X","name":"a","pid":1,"tid":1,"ts":10.5,"dur":1}' | sed 's/{/{"baseTimeNanoseconds":1764412800000000000,/' >"$T/t.json"
	run -0 decode < <(tl-extract -q "$T/t.json")
	assert_output --partial 'timestamp: 1764412800000010500'
	assert_output --partial 'clock_snapshot'
	assert_equal "$(tl-extract -q --rebase "$T/t.json" | decode)" "$output"
}

@test "several traces: refused, in files, or merged with processes and GPUs told apart" {
	{
		records "$(slice 0 a 1 2)" '{"type":"event","trace":0,"id":1,"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2,"device":0,"stream":7}'
		records "$(slice 0 b 1 2)" '{"type":"event","trace":0,"id":1,"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2,"device":0,"stream":7}' |
			sed 's/"trace":0/"trace":1/; s/"format"/"rank":5,"format"/'
	} >"$T/s"
	run -2 tl-render -f pftrace -o "$T/out" "$T/s"
	assert_not_exists "$T/out"
	tl-render -f pftrace -o "$T/{trace}.pftrace" "$T/s"
	assert_file_exists "$T/1.pftrace"
	run -0 decode --merge "$T/s"
	assert_output --partial 'process_name: "trace0 process 1"'
	assert_output --partial 'process_name: "rank5 process 1"'
	assert_equal "$(grep -A1 'process {' <<<"$output" | grep -c 'pid: 1$')" 1
	assert_equal "$(grep 'gpu_id' <<<"$output" | sort | uniq -c | tr -s ' ' | paste -sd,)" ' 1 gpu_id: 0, 1 gpu_id: 1'
	assert_equal "$(grep ' event_id' <<<"$output" | paste -sd' ' | tr -s ' ')" ' event_id: 1 event_id: 2'
}

@test "no packed ids, which readers drop, and state is cleared before anything is interned" {
	tl-render -q -f pftrace "$fixtures/pftrace/small.ndjson" | protoc --decode_raw >"$T/raw"
	run -0 awk '/^  13: 1$/ { print "cleared" } /^  12 \{/ && !k++ { print "interned" }' "$T/raw"
	assert_output $'cleared\ninterned'
}

@test "--compat follows the reference: names of calls decide, correlation 0 too" {
	records \
		'{"type":"event","trace":0,"id":0,"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"correlation":0,"args":{"cbid":211,"correlation":0},"from":"cuda_runtime","start_ns":1000,"end_ns":2000,"window":{"tid":1}}' \
		'{"type":"event","trace":0,"id":1,"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2,"correlation":0,"args":{},"from":"kernel","start_ns":5000,"end_ns":7000,"window":{"name":"k","device":0,"context":1,"stream":7,"correlation":0,"grid":[4,1,1],"block":[32,1,1]}}' >"$T/s"
	run -0 decode --compat "$T/s"
	assert_output --partial 'render_stage_submission_event_ids: 1'
	run -0 decode "$T/s"
	refute_output --partial 'gpu_correlation'
}

@test "a cut stream, /dev/full, gzip, an empty trace" {
	records "$(slice 0 a 0 1)" | head -2 >"$T/s"
	run -3 bash -c 'tl-render -q -f pftrace "$0" >"$1"' "$T/s" "$T/out"
	assert_file_not_empty "$T/out"
	run -3 bash -c 'tl-render -f pftrace "$0" >/dev/full' "$fixtures/pftrace/small.ndjson"
	assert_output --partial 'cannot write'
	tl-render -f pftrace -o "$T/a.pftrace.gz" "$fixtures/pftrace/small.ndjson"
	gzip -dc "$T/a.pftrace.gz" | cmp - <(tl-render -f pftrace "$fixtures/pftrace/small.ndjson")
	run -0 tl-render -f pftrace <(records)
	assert_output ''
}

@test "odd events are drawn or counted, never a crash" {
	run -0 tl-render -f pftrace -o "$T/out" <(records \
		'{"type":"event","trace":0,"id":0,"ph":"X","name":"no ts","pid":1,"tid":1}' \
		'{"type":"event","trace":0,"id":1,"ph":"Z","name":"odd phase","ts":1}' \
		'{"type":"event","trace":0,"id":2,"ph":"X","name":"nowhere","ts":1,"args":"text"}' \
		'{"type":"event","trace":0,"id":3,"ph":"E","ts":1}' \
		'{"type":"event","trace":0,"id":4,"ph":"X","name":"\u0000nul","pid":-5,"tid":"t","ts":9223372036854775.807,"dur":5}' \
		'{"type":"event","trace":0,"id":5,"ph":"X","cat":"kernel","ts":1,"args":{"grid":"x","block":[1]},"device":"gpu","stream":{"a":1}}')
	assert_output 'tl-render: 3 events have no time, or no place in a Perfetto trace, and are left out'
	run -0 slices < <(protoc --proto_path="$root/share/proto" --decode=Trace pftrace.proto <"$T/out")
	assert_output --partial '"nowhere"'
}

@test "--annotate draws rows, stages and warnings, and adds to the args of GPU ops" {
	run -0 decode --annotate < <(records "$(slice 0 aten::mm 1 5)" \
		'{"type":"event","trace":0,"id":1,"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":2,"args":{"stream":7},"class":"compute","stage":"prefill","hidden_us":1}' \
		'{"type":"op","trace":0,"id":0,"event":0,"name":"aten::mm","kind":"model","category":"GEMM","pid":1,"tid":1,"dur":5,"gpu_ops":[],"gpu_us":2}' \
		'{"type":"warning","trace":0,"code":"graph_coarse","severity":"warning","message":"half of it","event":1}')
	assert_output --partial 'thread_name: "operators 1"'
	assert_output --partial 'thread_name: "stage prefill"'
	assert_output --partial 'name: "warning: graph_coarse"'
	assert_output --partial 'name: "hidden_us"'
	run -0 decode < <(records "$(slice 0 a 1 5 ',"class":"x"')" '{"type":"op","trace":0,"id":0,"event":0,"name":"row","pid":1,"tid":1,"dur":5,"gpu_ops":[]}')
	refute_output --partial operators
	refute_output --partial class
	run -2 tl-render --annotate -f md /dev/null
}
