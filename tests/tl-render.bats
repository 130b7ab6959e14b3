load helper

# One trace as tl-extract gives it: an op, its launch with a flow, a kernel, keys around traceEvents.
stream() {
	cat <<-'END'
	{"type":"trace","trace":0,"schema":1,"source":"t.json","format":"chrome","rank":3}
	{"type":"meta","trace":0,"key":"schemaVersion","value":1}
	{"type":"meta","trace":0,"key":"baseTimeNanoseconds","value":1764412800000000000}
	{"type":"event","trace":0,"id":0,"ph":"M","name":"process_name","pid":100,"tid":0,"ts":0,"args":{"name":"python"}}
	{"type":"event","trace":0,"id":1,"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":10.5,"dur":30.25,"external_id":7,"args":{"External id":7}}
	{"type":"event","trace":0,"id":2,"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":20,"dur":4,"correlation":55,"args":{"correlation":55}}
	{"type":"event","trace":0,"id":3,"ph":"s","cat":"ac2g","name":"ac2g","pid":100,"tid":100,"ts":20,"flow":55,"chrome":{"id":55}}
	{"type":"event","trace":0,"id":4,"ph":"X","cat":"kernel","name":"gemm<float>","pid":0,"tid":7,"ts":31.127,"dur":9.472,"device":0,"stream":7,"correlation":55,"args":{"device":0,"stream":7,"correlation":55}}
	{"type":"event","trace":0,"id":5,"ph":"f","cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":31.127,"flow":55,"chrome":{"id":55,"bp":"e"}}
	{"type":"meta","trace":0,"key":"traceName","value":"t.json"}
	{"type":"end","trace":0,"events":6,"gpu_ops":1,"skipped":0,"repaired":0,"ts_first":10.5,"ts_last":40.75,"faults":[]}
	END
}

# What stream() was made from.
source_trace() {
	cat <<-'END'
	{"schemaVersion": 1, "baseTimeNanoseconds": 1764412800000000000,
	"traceEvents": [
	{"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": "python"}},
	{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 100, "tid": 100, "ts": 10.5, "dur": 30.25, "args": {"External id": 7}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100, "ts": 20, "dur": 4, "args": {"correlation": 55}},
	{"ph": "s", "id": 55, "pid": 100, "tid": 100, "ts": 20, "cat": "ac2g", "name": "ac2g"},
	{"ph": "X", "cat": "kernel", "name": "gemm<float>", "pid": 0, "tid": 7, "ts": 31.127, "dur": 9.472, "args": {"device": 0, "stream": 7, "correlation": 55}},
	{"ph": "f", "id": 55, "pid": 0, "tid": 7, "ts": 31.127, "cat": "ac2g", "name": "ac2g", "bp": "e"}
	],
	"traceName": "t.json"}
	END
}

# stream() as trace 1, of rank 4
second() {
	stream | sed 's/"trace":0/"trace":1/; s/"rank":3/"rank":4/'
}

# a stream of one trace with these lines between `trace` and `end`
records() {
	echo '{"type":"trace","trace":0,"schema":1,"source":"t.json","format":"chrome"}'
	[ $# = 0 ] || printf '%s\n' "$@"
	echo '{"type":"end","trace":0,"events":0,"gpu_ops":0,"skipped":0,"repaired":0,"faults":[]}'
}

# report JQ [FORMAT]: an empty trace through a report of this text
report() {
	printf '%s\n' "$1" >"$T/r.jq"
	records | tl-render -r "$T/r.jq" -f "${2:-md}"
}

# compares two JSON documents as values
same_json() {
	diff -u <(jq -S . "$1") <(jq -S . "$2")
}

@test "chrome: the events come back with their keys, and what tools added stays out" {
	stream | tl-render -f chrome >"$T/out.json"
	source_trace >"$T/in.json"
	same_json "$T/in.json" "$T/out.json"
}

@test "chrome: odd values survive the way through tl-extract" {
	cat >"$T/in.json" <<-'END'
	{"displayTimeUnit": "ms", "a\"b": {"x": [1, {"y": null}]}, "traceEvents": [
	{"ph": "X", "name": "text times", "ts": "12.500", "dur": "3", "pid": "Spans", "tid": "t 1"},
	{"ph": "X", "name": "exponents", "ts": 1.25e4, "dur": 2E-1, "pid": -1, "tid": 3},
	{"ph": "X", "name": "negative", "ts": -4.0005, "dur": -2, "pid": 1, "tid": 1},
	{"ph": "X", "name": "not a time", "ts": null, "dur": {}, "pid": 1, "tid": 1},
	{"ph": "X", "name": "many digits", "ts": 1764412800000020.5012345678, "dur": 0.123456, "pid": 1, "tid": 1},
	{"ph": "X", "cat": 7, "name": ["no text"], "pid": null, "tid": true, "ts": 1, "args": "text"},
	{"ph": "X", "name": "clash", "pid": 1, "tid": 1, "ts": 1, "id": 18446744073709551615, "trace": 5, "type": "t",
	 "device": 4, "stream": "s", "parent": 1, "depth": 2, "chrome": {"chrome": 1}, "window": 3, "flow": [1], "gpu_ops": 9},
	{"ph": "C", "name": "", "pid": 1, "ts": 2, "args": {"": 0}},
	{"ph": "b", "cat": "req", "id2": {"local": "0x1"}, "name": "\u00e9\ud83d\ude00\n", "pid": 1, "tid": 1, "ts": 3},
	{"ph": "B", "name": "begin", "pid": 1, "tid": 1, "ts": 3, "dur": 8},
	{"ph": "E", "pid": 1, "tid": 1, "ts": 4},
	{"ph": "i", "s": "g", "name": "instant", "ts": 5, "tts": 9, "cname": "bad", "sf": 1},
	{"ph": "longer", "name": "phase"}
	], "otherData": {}, "last": "x"}
	END
	tl-extract -q "$T/in.json" | tl-render -f chrome >"$T/out.json"
	same_json "$T/in.json" "$T/out.json"
	tl-extract -q --rebase "$T/in.json" | tl-render -f chrome >"$T/out.json"
	same_json "$T/in.json" "$T/out.json"
	# jq reads doubles: where they end, the text must tell
	assert_file_contains "$T/out.json" '"ts":1764412800000020.5012345678,'
	assert_file_contains "$T/out.json" '"id":18446744073709551615[,}]'
	assert_file_contains "$T/out.json" '"ts":-4.0005,'
}

@test "chrome: a bare array comes back as an object" {
	echo '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}' >"$T/in.json"
	run -0 jq -c . <(tl-extract -q "$T/in.json" | tl-render -f chrome)
	assert_output '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}'
}

@test "chrome: what tl-tree adds to begin events is not written, their own dur is" {
	trace '{"ph":"B","name":"a","pid":1,"tid":1,"ts":1,"dur":77}' '{"ph":"B","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":2}' \
		'{"ph":"E","pid":1,"tid":1,"ts":5}' '{"ph":"E","pid":1,"tid":1,"ts":21}' '{"ph":"B","cat":"kernel","name":"open","pid":0,"tid":7,"ts":3,"dur":4}' >"$T/b.json"
	for pipe in cat tl-tree 'tl-tree | tl-overlap | tl-tree'; do
		tl-extract -q "$T/b.json" | bash -c "$pipe" | tl-render -f chrome | jq -cS '.traceEvents[]' | diff <(jq -cS '.traceEvents[]' "$T/b.json") -
	done
	assert_equal "$(tl-extract -q "$T/b.json" | tl-tree | jq -c 'select(.name=="b").dur')" 3
}

@test "a damaged line ends in no figure and no trace: exit 3 with its place, or left out and counted" {
	trace '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"a":1}}' | tl-extract -q >"$T/s"
	op='{"type":"op","trace":0,"id":0,"name":"a","gpu_us":5,"gpu_ops":[{"id":0,"name":"k","dur":5}]}'
	for line in '{"type":"op","trace":0,"id":0,"name":"a","gpu_us":5,"gpu_ops":[{"id":0,"na}' '{"type":"timeline","trace":0,nonsense !!! }' \
		'{"type":"event","trace":0,"id":1,"ph":"X","cat":"kernel","name":"x","ts":3,"dur":9,"args":{"x":62N}}' \
		$'{"type":"event","trace":0,"id":1,"ph":"X","cat":"kernel","name":"\xff","ts":3,"dur":9}' '{"type":"op","trace":0,"x":[1,]}'; do
		{ head -n 3 "$T/s"; printf '%s\n' "$line" "$op"; tail -n 1 "$T/s"; } >"$T/bad"
		for as in '-r ops' '-r kernels' '-f chrome' '-f pftrace'; do
			run -3 tl-render $as -o "$T/out" "$T/bad"
			assert_output --regexp "bad:4:[0-9]+: not JSON"
			assert_not_exists "$T/out"
			run -1 --separate-stderr tl-render --skip-bad $as -o "$T/out" "$T/bad"
			assert_regex "$stderr" '1 line left out, first at line 4'
			rm "$T/out"
		done
	done
}

# mutated KEEP: the stream once for each member of its derived records and each odd value, numbered
mutated() {
	jq -nc '[inputs] as $all
		| [ $all[] | .type as $t | keys_unsorted[] | select(IN("type","trace") | not) | [$t, .] ] | unique as $fields
		| ["x", 5, [], [[[1]]], {a: {b: 1}}, true, null, "DELETE"] as $odd
		| ($odd | length) as $n
		| range($fields | length) as $i | range($n) as $j | $all[]
		| if .type == $fields[$i][0] and has($fields[$i][1])
		  then if $odd[$j] == "DELETE" then delpaths([[$fields[$i][1]]]) else .[$fields[$i][1]] = $odd[$j] end
		  else . end
		| {type: .type, trace: ($i * $n + $j)} + del(.type, .trace)'
}

@test "no value of an odd type makes a report fail: all reports, all members of all records" {
	{
		trace '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":90}' \
			'{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":20,"args":{"External id":1,"Input Dims":[[64,32],[32,16]],"Input type":["float","float"]}}' \
			'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":2,"args":{"correlation":1}}' \
			'{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":20,"args":{"correlation":1,"device":0,"stream":7}}' \
			'{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":8,"ts":20,"dur":30,"args":{"device":0,"stream":8}}' \
			'{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":80,"dur":5,"args":{"device":0,"stream":7}}'
	} | tl-extract -q | tl-tree | tl-synth --arch H100 --group=inputs | tl-sourcemap | tl-overlap --by-step --gaps 3 --lanes 2 | tl-reliability -n | grep -v '"type":"op"' >"$T/s"
	mutated <"$T/s" >"$T/m"
	reports=$(tl-render --list | awk '/^[a-z]/ { name = $1 } /^ / && !/tl-collective/ { print name }')
	assert [ "$(wc -w <<<"$reports")" -ge 14 ]
	run -0 xargs -P "$(nproc)" -I{} tl-render -q -r {} -o "$T/{}" "$T/m" <<<"$reports"
	assert_output ''
	for report in $reports; do
		assert_file_not_empty "$T/$report"
	done
	run -0 --separate-stderr tl-render -r kernels "$T/m"
	assert_regex "$stderr" 'of unexpected form are left out of the report, first '
}

@test "no event of a trace makes a report fail: shapes that are none, nesting without end" {
	local n=0
	deep=$(printf '[%.0s' {1..300})1$(printf ']%.0s' {1..300})
	for args in '"Input Dims":[5,6]' '"Input Dims":7' '"Input Dims":[[5],6,"x",{"a":1}]' "\"Input Dims\":$deep" "\"Concrete Inputs\":$deep,\"Input type\":$deep"; do
		for name in '"aten::mm"' "$deep" 7; do
			n=$((n + 1))
			trace "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":$name,\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":20,\"args\":{\"External id\":1,$args}}" \
				'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":2,"args":{"correlation":1}}' \
				"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":$name,\"pid\":0,\"tid\":7,\"ts\":10,\"dur\":20,\"args\":{\"correlation\":1,\"device\":0,\"stream\":7}}" >"$T/$n.json"
		done
	done
	tl-extract -q "$T"/*.json | tl-tree | tl-synth | tl-sourcemap -q | tl-overlap -q | tl-reliability -q >"$T/s"
	assert_equal "$(grep -c '^{"type":"end"' "$T/s")" 15
	for report in ops gemm kernels summary triage; do
		run -0 tl-render -q -r "$report" -o "$T/out" "$T/s"
	done
	trace '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":20,"args":{"External id":1,"Input Dims":[5,6]}}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":2,"args":{"correlation":1}}' \
		'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":20,"args":{"correlation":1,"device":0,"stream":7}}' |
		tl-extract -q | tl-tree | tl-synth | tl-render -r ops >"$T/out"
	grep -q '| 5x6 |' "$T/out"
}

@test "what steers a terminal or turns the text around is shown in no form; headings are escaped" {
	name='k\u001b]0;x\u0007 \u007f \u0085 \u009b31m \u202e \u200b \u2028 \ufeff é …'
	trace "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"$name\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2}" >"$T/<img onerror=x>](y)"
	tl-extract -q "$T/<img onerror=x>](y)" >"$T/s"
	for form in md table csv tsv; do
		tl-render -f $form <"$T/s" >"$T/out"
		run ! grep -qP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xef\xbb\xbf' "$T/out"
		grep -q 'é …' "$T/out"
	done
	tl-render <"$T/s" | grep -qF '\<img onerror=x>\](y)'
}

@test "csv: a text that a spreadsheet takes for a formula gets an apostrophe, a figure none, --raw nothing" {
	trace '{"ph":"X","cat":"kernel","name":"=cmd|x","pid":0,"tid":7,"ts":1,"dur":2}' '{"ph":"X","cat":"kernel","name":"@SUM","pid":0,"tid":7,"ts":4,"dur":2}' |
		tl-extract -q >"$T/s"
	printf '[.[] | select(.type=="kernel_total")] | {columns: [{name:"-name"},{name:"n"}], rows: map([.name, -5])}' >"$T/r.jq"
	assert_equal "$(tl-render -f csv -r "$T/r.jq" "$T/s" | tr -d '\r' | paste -sd' ')" "-name,n '=cmd|x,-5 '@SUM,-5"
	assert_equal "$(tl-render -f csv --raw -r "$T/r.jq" "$T/s" | tr -d '\r' | paste -sd' ')" '-name,n =cmd|x,-5 @SUM,-5'
	assert_equal "$(tl-render -f tsv -r "$T/r.jq" "$T/s" | head -n 2 | tail -n 1 | cut -f1)" '=cmd|x'
	run -2 tl-render --raw -f md "$T/s"
}

@test "chrome: what was written reads as the same stream again" {
	source_trace >"$T/t.json"
	tl-extract -q "$T/t.json" >"$T/1"
	(cd "$T" && tl-extract -q t.json | tl-render -f chrome -o t.json)
	tl-extract -q "$T/t.json" | diff "$T/1" -
}

@test "chrome: keys that stood behind traceEvents are not put before it" {
	run jq -c --stream 'select(length == 2) | .[0][0]' <(stream | tl-render -f chrome)
	assert_equal "$(uniq <<<"$output" | paste -sd' ')" '"schemaVersion" "baseTimeNanoseconds" "traceEvents" "traceName"'
}

@test "chrome: events out of the order of their ids are put back into it" {
	stream | grep -v '"event"' | sed '/"end"/d' >"$T/s"
	stream | grep '"event"' | shuf --random-source=/bin/ls >>"$T/s"
	stream | tail -1 >>"$T/s"
	stream | tl-render -f chrome | jq -S . >"$T/want"
	tl-render -f chrome "$T/s" | jq -S . | diff -u "$T/want" -
	tl-render -f chrome <"$T/s" | jq -S . | diff -u "$T/want" -
}

@test "chrome: ids with gaps keep their order" {
	records "$(stream | grep '"id":[135],' | tac)" >"$T/s"
	run -0 jq -c '[.traceEvents[].ph]' <(tl-render -f chrome "$T/s")
	assert_output '["X","s","f"]'
}

@test "chrome: the original of a repaired time stands in place of the plain one" {
	run -0 jq -c '.traceEvents' <(records \
		'{"type":"event","trace":0,"id":0,"ph":"X","name":"a","ts":12500,"dur":5,"chrome":{"ts":"1.25e4","dur":"5"}}' \
		'{"type":"event","trace":0,"id":1,"ph":"X","name":"b","ts":1,"chrome":{"dur":-3}}' | tl-render -f chrome)
	assert_output '[{"ph":"X","name":"a","ts":"1.25e4","dur":"5"},{"ph":"X","name":"b","ts":1,"dur":-3}]'
}

@test "chrome: a begin event keeps no length that tl-tree gave it" {
	run -0 jq -c '.traceEvents' <(records \
		'{"type":"event","trace":0,"id":0,"ph":"B","name":"a","pid":1,"tid":1,"ts":1,"dur":5,"depth":0}' \
		'{"type":"event","trace":0,"id":1,"ph":"E","pid":1,"tid":1,"ts":6}' | tl-render -f chrome)
	assert_output '[{"ph":"B","name":"a","pid":1,"tid":1,"ts":1},{"ph":"E","pid":1,"tid":1,"ts":6}]'
}

@test "chrome: rebased times are moved back exactly, beyond what a double holds" {
	run -0 tl-render -f chrome <(
		echo '{"type":"trace","trace":0,"schema":1,"source":"t","format":"chrome","rebase_us":1764412800000020.501}'
		echo '{"type":"event","trace":0,"id":0,"ph":"X","name":"a","ts":-0.501,"dur":1}'
		echo '{"type":"event","trace":0,"id":1,"ph":"X","name":"b","ts":0.0005,"dur":1}'
		echo '{"type":"end","trace":0,"events":2,"gpu_ops":0,"skipped":0,"repaired":0,"faults":[]}'
	)
	assert_output --partial '"ts":1764412800000020,'
	assert_output --partial '"ts":1764412800000020.5015,'
}

@test "chrome: no events and no keys is still a document" {
	run -0 jq -c . <(records | tl-render -f chrome)
	assert_output '{"traceEvents":[]}'
}

@test "chrome: .gz in the name of the output, or --gzip, compresses" {
	stream | tl-render -f chrome >"$T/plain"
	stream | tl-render -f chrome -o "$T/a.json.gz"
	gzip -dc "$T/a.json.gz" | cmp - "$T/plain"
	stream | tl-render -f chrome --gzip | gzip -dc | cmp - "$T/plain"
	stream | tl-render -f chrome --gzip | cmp - "$T/a.json.gz"
}

@test "chrome: several traces do not fit in one output" {
	{ stream; second; } >"$T/s"
	run -2 tl-render -f chrome -o "$T/out.json" "$T/s"
	assert_output --partial "several traces"
	assert_not_exists "$T/out.json"
	run -2 tl-render -f chrome "$T/s"
}

@test "chrome: {trace} and {rank} name a file for each trace" {
	{ stream; second; } >"$T/s"
	stream | tl-render -f chrome >"$T/want"
	tl-render -f chrome -o "$T/t{trace}.json" "$T/s"
	tl-render -f chrome -o "$T/r{rank}.json" "$T/s"
	for f in t0 t1 r3 r4; do
		cmp "$T/want" "$T/$f.json"
	done
	assert_equal "$(find "$T" -name '*.json' | wc -l)" 4
}

@test "chrome: a rank that comes with the end of the trace still names its file" {
	stream | sed 's/,"rank":3//; s/"faults"/"rank":3,"faults"/' | tl-render -f chrome -o "$T/r{rank}.json"
	source_trace >"$T/in.json"
	same_json "$T/in.json" "$T/r3.json"
}

@test "chrome: a trace without a rank, and two of one rank, are refused by {rank}" {
	run -2 tl-render -f chrome -o "$T/r{rank}.json" <(stream | sed 's/,"rank":3//')
	assert_output --partial "no rank"
	run -2 tl-render -f chrome -o "$T/r{rank}.json" <(stream; stream)
	assert_output --partial "two traces"
}

@test "chrome: --merge tells pids, flows and ranks apart and keeps one of each key" {
	{ stream; second | sed 's/"t.json"}/"u.json"}/'; } | tl-render -f chrome --merge >"$T/m" 2>"$T/err"
	run -0 jq -c '[.traceEvents[].pid] | unique' "$T/m"
	assert_output '["rank3:0","rank3:100","rank4:0","rank4:100"]'
	run -0 jq -c '[.traceEvents[].id | values] | unique' "$T/m"
	assert_output '["rank3:55","rank4:55"]'
	run -0 jq -r '.traceName, .schemaVersion, (.traceEvents | length)' "$T/m"
	assert_output $'t.json\n1\n12'
	assert_file_contains "$T/err" '1 top-level value'
}

@test "chrome: --merge moves times to the base of the first trace" {
	{ stream; second | sed 's/1764412800000000000/1764412800000001500/'; } | tl-render -q -f chrome --merge >"$T/m"
	run -0 jq -c '[.traceEvents[] | select(.name == "aten::mm") | .ts]' "$T/m"
	assert_output '[10.5,12]'
}

@test "chrome: --merge needs -f chrome and one output" {
	run -2 tl-render --merge -f md /dev/null
	run -2 tl-render --merge -f chrome -o "$T/{trace}" /dev/null
}

@test "a cut stream: what came is written to stdout, whole, to no file, and the exit status is 3" {
	stream | head -6 >"$T/s"
	run -3 bash -c 'tl-render -q -f chrome "$0" >"$1"' "$T/s" "$T/out.json"
	assert_equal "$(jq '.traceEvents | length' "$T/out.json")" 3
	run -3 tl-render -q -f chrome -o "$T/file.json" "$T/s"
	assert_file_not_exists "$T/file.json"
	run -3 tl-render -f md "$T/s"
	assert_output --partial 'the stream was cut'
	run -3 tl-render -f chrome /dev/null
}

@test "/dev/full gives exit 3 and a message" {
	for f in chrome md csv; do
		run -3 bash -c 'tl-render -f '$f' "$0" >/dev/full' <(stream)
		assert_output --partial 'cannot write'
	done
}

@test "a line that is no record ends the tool, or is left out with --skip-bad" {
	{ stream | sed 's/"id":1,/"ID":1,/'; } >"$T/s"
	run -3 tl-render -f chrome "$T/s"
	assert_output --partial "$T/s:5"
	run -1 --separate-stderr tl-render --skip-bad -f chrome "$T/s"
	assert_equal "$(jq '.traceEvents | length' <<<"$output")" 5
}

@test "the bytes do not depend on the locale or on the run" {
	for f in chrome md table csv tsv; do
		tl-render -f $f <(stream) >"$T/1"
		LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 tl-render -f $f <(stream) | cmp - "$T/1"
	done
}

@test "an unknown format or report is wrong usage" {
	run -2 tl-render -f html /dev/null
	run -2 tl-render -r nowhere /dev/null
	assert_output --partial 'no such report; there are: attention categories'
	run -2 tl-render -r doubt /dev/null # a module of reports
	assert_output --partial 'doubt: no such report'
	run -2 tl-render -f chrome -r summary /dev/null
}

@test "report: the example of share/reports/README.md gives what it says" {
	local readme=$root/share/reports/README.md
	block() { sed -n "/^\`\`\`$1/,/^\`\`\`\$/{/^\`\`\`/d;p}" "$readme"; }
	block jq >"$T/busiest.jq"
	block json | tl-render -f md -r "$T/busiest.jq" | diff -u <(block markdown) -
}

@test "report: GPU ops are counted from op rows where the stream holds no events" {
	echo '{columns: [{name: "n"}, {name: "c"}, {name: "u", num: 3}], rows: [.[] | select(.type == "kernel_total") | [.name, .count, .gpu_us]]}' >"$T/r.jq"
	run -0 tl-render -f csv -r "$T/r.jq" <(records \
		'{"type":"op","trace":0,"id":0,"event":0,"name":"a","kind":"leaf","category":"x","gpu_ops":[{"id":1,"name":"k","cat":"kernel","ts":1,"dur":2.5},{"id":2,"name":"l","cat":"kernel","ts":1,"dur":9}],"gpu_us":11.5}' \
		'{"type":"op","trace":0,"id":1,"event":3,"name":"a","kind":"leaf","category":"x","gpu_ops":[{"id":3,"name":"k","cat":"kernel","ts":1,"dur":2.5}],"gpu_us":2.5}')
	assert_output $'n,c,u\r\nl,1,9.000\r\nk,2,5.000\r'
}

@test "report: every trace of the stream has its own" {
	echo '"source \(.[0].source), \(length) records"' >"$T/r.jq"
	run -0 tl-render -f md -r "$T/r.jq" <(stream | grep -v '"event"'; second | grep -v '"event"')
	assert_output $'source t.json, 2 records\n\nsource t.json, 2 records'
	{ stream; second; } | tl-render -f md -r "$T/r.jq" -o "$T/{rank}.md"
	assert_file_exists "$T/3.md"
	cmp "$T/3.md" "$T/4.md"
}

@test "markdown: pipes, line ends and markup of a cell are escaped" {
	run -0 report '{columns: [{name: "a|b"}], rows: [["x|y\\z"], ["1\n2"], ["vec<float>"], ["a < b"], ["T* p, U* q"], ["__x__"], ["fused__to_copy__2"], ["aten::add_"], [null]]}'
	assert_output '| a\|b |
| --- |
| x\|y\\z |
| 1<br>2 |
| vec\<float> |
| a < b |
| T\* p, U\* q |
| \_\_x\_\_ |
| fused__to_copy__2 |
| aten::add_ |
| — |'
}

@test "csv: quotes as RFC 4180 has it, a blank line between tables, no text" {
	run -0 report '"text", {h: "head"}, {columns: [{name: "a"}, {name: "b, c"}], rows: [["q\"q", "l\nm"], [null, " x"]]}, {columns: [{name: "d"}], rows: [[null], [true]]}' csv
	assert_output $'a,"b, c"\r\n"q""q","l\nm"\r\n," x"\r\n\r\nd\r\n""\r\ntrue\r'
}

@test "tsv: tabs, line ends and backslashes are written as escapes" {
	run -0 report '{columns: [{name: "a"}, {name: "b"}], rows: [["x\ty", "l\r\nm\\n"]]}' tsv
	assert_output $'a\tb\nx\\ty\tl\\r\\nm\\\\n'
}

@test "numbers have the digits asked for, and nothing else is grouped or rounded" {
	run -0 report '{columns: [{name: "a", num: 2}, {name: "b"}], rows: [[1234567.005, 9.472], [-0.001, 12345678], [null, 1e-7], ["-", 0.1], [2, 2.0]]}' csv
	assert_output $'a,b\r\n1234567.00,9.472\r\n0.00,12345678\r\n,1e-07\r\n-,0.1\r\n2.00,2\r'
}

@test "table: long texts lose their middle to a mark, figures stand to the right, no colour in a pipe" {
	run -0 report '{columns: [{name: "name"}, {name: "n", num: 1}], rows: [["k" * 100 + "end", 1], ["é", 10.25]]}' table
	assert_line --index 0 "$(printf '%-60s     n' name)"
	assert_line --index 2 --regexp '^k{40}…k{16}end   1\.0$'
	assert_line --index 3 --regexp '^é {59}  10\.2$'
	refute_output --partial $'\033'
}

@test "on a terminal the default is a table that fits it, bold unless NO_COLOR" {
	command -v script >/dev/null || skip "needs script(1)"
	echo '{h: "Head"}, {columns: [{name: "name"}, {name: "n", num: 1}], rows: [["k" * 100, 1]]}' >"$T/r.jq"
	records >"$T/s"
	script -qec true /dev/null >/dev/null 2>&1 || skip "no pseudo-terminals here"
	run -0 script -qec "stty cols 40; tl-render -r $T/r.jq $T/s" /dev/null
	assert_line --partial $'\033[1mHead\033[0m'
	assert_line --regexp '^k+…k+ +1\.0.?$'
	run -0 script -qec "stty cols 40; NO_COLOR=1 tl-render -r $T/r.jq $T/s" /dev/null
	refute_output --partial $'\033'
	run awk 'length($0) > 44 { print "too wide:", $0 }' <<<"$output" # … has three bytes, CR one
	assert_output ''
	run -0 script -qec "tl-render -o $T/out -r $T/r.jq $T/s" /dev/null
	assert_file_contains "$T/out" '## Head'
}

@test "words of a report go on in further lines, in tables and, on a terminal, in paragraphs" {
	local words='a finding of more words than a cell has room for, so that it takes two lines, verylongwordthatisnotbrokenbeforeitsend'
	run -0 report "\"$words\""' as $words | {columns: [{name: "n", num: 0}, {name: "what", wrap: true}, {name: "k"}], rows: [[1, $words, "x"], [2, null, "y"], [3, "short", "z"]]}' table
	assert_output "\
n  what                                                          k
-  ------------------------------------------------------------  -
1  a finding of more words than a cell has room for, so that it  x
   takes two lines, verylongwordthatisnotbrokenbeforeitsend
2  —                                                             y
3  short                                                         z"
	run -0 report "{columns: [{name: \"what\", wrap: true}], rows: [[\"$words\"]]}" md
	refute_output --partial '…'
	script -qec true /dev/null >/dev/null 2>&1 || skip "no pseudo-terminals here"
	echo '"one two three four five six seven\neight nine", {h: "a heading that is longer than the line"}' >"$T/r.jq"
	records >"$T/s"
	run -0 script -qec "stty cols 12; NO_COLOR=1 tl-render -r $T/r.jq $T/s" /dev/null
	assert_equal "$(tr -d '\r' <<<"$output")" "\
one two
three four
five six
seven
eight nine

a heading that is longer than the line"
	run -0 tl-render -f table -r "$T/r.jq" "$T/s"
	assert_line 'one two three four five six seven'
}

@test "table: what a trace calls a kernel does not steer the terminal" {
	run -0 report '"a\u001b[2J", {columns: [{name: "x"}], rows: [["a\u001b]0;t\u0007b\u009bc\nd"]]}' table
	refute_output --partial $'\033'
	refute_output --partial $'\xc2\x9b'
	assert_output --partial 'c d'
}

@test "a name of 70000 characters: shortened for people, whole in CSV" {
	name=$(printf 'k%.0s' {1..70000})
	records "{\"type\":\"event\",\"trace\":0,\"id\":0,\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"$name\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2}" >"$T/s"
	tl-render -f csv "$T/s" | grep -q "^$name,"
	run -0 tl-render -f md "$T/s"
	assert_output --partial 'k…k'
	assert [ ${#output} -lt 2000 ]
}

@test "a report that does not compile is named with its line, exit 2" {
	run -2 report $'# fine\n1 +'
	assert_output --partial 'r.jq, line 2'
}

@test "a report that fails, or gives no block, is named, exit 3; what it gave before stands" {
	run -3 report '"first", (.[0] | .x.y.z = 1 | .x | .[0])'
	assert_output --partial 'first'
	assert_output --partial "$T/r.jq"
	run -3 report '"first", 5'
	assert_output --partial 'output 2'
	run -3 report '{columns: [{name: "a"}], rows: [[1, 2]]}'
	assert_output --partial 'row 1'
	run -3 tl-render -r "$T/absent.jq" /dev/null
}

@test "a report finds modules beside it and in share/rules, and no ~/.jq" {
	echo 'def here: "beside";' >"$T/own.jq"
	echo 'def here: "home";' >"$T/.jq"
	run -0 report 'include "own"; here'
	assert_output 'beside'
	HOME=$T run -2 report 'here'
}

@test "summary: an empty trace has no figure that is none" {
	run -0 tl-render -f md <(records)
	refute_output --regexp 'nan|NaN|inf|idle'
	assert_output --partial 'no GPU op'
}

@test "summary: a stream without rows of operators says what is missing" {
	run -0 tl-render -f md <(stream)
	assert_output --partial '| gemm\<float> | 1 | 0.009 | 100.00 | 9.472 |'
	assert_output --partial 'tl-tree | tl-synth'
	refute_output --partial 'idle'
}

@test "summary: a stream that was stored in groups, or without anything, says what it can" {
	run -0 tl-render -f md <(stream | grep -v '"event"' | sed '/"end"/d'
		echo '{"type":"op_group","trace":0,"name":"aten::mm","category":"GEMM","kind":"leaf","count":2,"gpu_us":9.472,"gpu_ops":3}'
		stream | tail -1)
	assert_output --partial '| aten::mm | GEMM | 2 | 0.009 | 100.00 | 3 |'
	assert_output --partial 'kernels are not known by name'
	run -0 tl-render -f md <(stream | grep -v '"event"')
	assert_output --partial '| GPU ops | 1 |'
	assert_output --partial 'Not known'
	refute_output --partial 'null'
}

@test "summary: what tl-reliability took back is a dash, with a section that says why" {
	run -0 tl-render -f md <(stream | sed '/"end"/d'
		echo '{"type":"timeline","trace":0,"window_us":100,"busy_us":null,"idle_us":null,"idle_share":null,"compute_us":9,"comm_us":0,"memcpy_us":0,"exposed_comm_us":0,"exposed_memcpy_us":0,"gpu_us":9,"idle_reliable":false,"raw_idle_us":91}'
		echo '{"type":"warning","trace":0,"code":"graph_lost_kernels","severity":"warning","message":"launches own | no kernels","count":4}'
		echo '{"type":"reliability","trace":0,"idle_reliable":false,"attribution_reliable":true,"duration_reliable":true,"reason":"graph_lost_kernels"}'
		stream | tail -1)
	assert_output --partial 'DATA RELIABILITY'
	assert_output --partial '| all | 0.100 | — | — | — | 0.009 |'
	assert_output --partial 'launches own \| no kernels'
	refute_output --partial '91'
}

@test "summary: graph launches without a device event show no idle figure" {
	run -0 tl-render -f md <(records \
		'{"type":"event","trace":0,"id":0,"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":1,"dur":2}' \
		'{"type":"timeline","trace":0,"window_us":0,"busy_us":0,"idle_us":0,"idle_share":0,"gpu_us":0}')
	refute_output --partial 'idle'
}

@test "--list: every report, what it answers, and a pipe that makes it" {
	local trace=$T/train-rank0.json.gz name pipe
	"$root/examples/traces.sh" "$T"
	tl-render --list >"$T/list"
	run -0 awk '!/^ /{ print $1 }' "$T/list"
	for f in "$root"/share/reports/*.jq; do
		name=${f##*/} name=${name%.jq}
		! grep -q '^#: ' "$f" || assert_line "$name"
	done
	while read -r pipe; do
		name=${pipe##* }
		bash -o pipefail -c "${pipe/tl-extract/tl-extract -q \"$trace\"}" >"$T/out" || fail "$name"
		run ! grep -iE 'has not run|must come before' "$T/out"
	done < <(grep '^ ' "$T/list")
}

@test "several reports of a trace follow each other" {
	local f
	for f in md csv; do
		tl-render -f $f -r summary <(stream) >"$T/1"
		tl-render -f $f -r ops <(stream) >"$T/2"
		tl-render -f $f -r summary -r ops <(stream) | grep -v '^.\?$' >"$T/both"
		cat "$T/1" "$T/2" | grep -v '^.\?$' | cmp - "$T/both"
	done
}
