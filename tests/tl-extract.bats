# tl-extract: forms, damage, times, filters, containers, promises of the stream.
load helper

k='{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5,"args":{"stream":7}}'

# names of the events that come out
names() {
	jq -r 'select(.type=="event") | .name'
}
faults() {
	jq -r 'select(.type=="end") | .faults[] | "\(.code) \(.count) \(.offset)"'
}

@test "form: the small stream of the manual, byte for byte" {
	cd "$root/tests/fixtures"
	tl-extract t.json | golden t.ndjson
}

@test "form: bare array, without closing bracket, with leading, double and trailing commas: exit 0" {
	for text in "[$k]" "[$k" "[$k," "[,$k,,$k,]" "  [ $k , $k ]  "; do
		printf '%s' "$text" >"$T/a.json"
		run --separate-stderr tl-extract "$T/a.json"
		assert_success
		[ "$(names <<<"$output" | sort -u)" = k ]
		[ -z "$(faults <<<"$output")" ]
	done
}

@test "form: traceEvents anywhere, decoys in strings and inside other keys" {
	printf '{"a":{"traceEvents":[%s]},"b":"\\"traceEvents\\":[","traceEvents":[%s],"traceEvents2":[1],"z":1}' "${k/\"k\"/\"decoy\"}" "$k" >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_success
	[ "$(names <<<"$output")" = k ]
	[ "$(jq -r 'select(.type=="meta").key' <<<"$output" | paste -sd,)" = a,b,traceEvents2,z ]
}

@test "form: metadata behind the events stands before end, the rank in end" {
	printf '{"traceEvents":[%s],"distributedInfo":{"rank":3}}' "$k" >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_success
	[ "$(jq -r .type <<<"$output" | paste -sd,)" = trace,event,meta,end ]
	[ "$(jq -c 'select(.type=="trace") | has("rank")' <<<"$output")" = false ]
	[ "$(jq -c 'select(.type=="end").rank' <<<"$output")" = 3 ]
}

@test "form: rank from the file name, --rank wins, --rank with two traces is wrong usage" {
	trace "$k" >"$T/x_rank-12.json"
	[ "$(tl-extract "$T/x_rank-12.json" | jq -c 'select(.type=="trace").rank')" = 12 ]
	[ "$(tl-extract --rank 4 "$T/x_rank-12.json" | jq -c 'select(.type=="trace").rank')" = 4 ]
	run tl-extract --rank 4 "$T/x_rank-12.json" "$T/x_rank-12.json"
	assert_failure 2
	run bash -c "cat '$T/x_rank-12.json' '$T/x_rank-12.json' | tl-extract --rank 4"
	assert_failure 2
}

@test "form: several documents in one input are traces of their own" {
	trace "$k" >"$T/a.json"
	run --separate-stderr bash -c "cat '$T/a.json' '$T/a.json' | tl-extract"
	assert_success
	[ "$(jq -c 'select(.type=="event") | [.trace,.id]' <<<"$output" | paste -sd' ')" = '[0,0] [1,0]' ]
	assert_regex "$stderr" '2 traces in one input'
}

@test "form: events one per line without brackets" {
	printf '%s\n%s\n' "$k" "$k" | tl-extract -q >"$T/o"
	[ "$(names <"$T/o" | wc -l)" = 2 ]
}

@test "repair: bad escapes keep their backslash, valid ones stay" {
	printf '{"traceEvents":[{"ph":"X","name":"a\\cuda\\_x\\users\\n\\u00e9\\\\","ts":1}]}' >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(jq -c 'select(.type=="event").name' <<<"$output")" = '"a\\cuda\\_x\\users\né\\"' ]
	[ "$(faults <<<"$output")" = "bad_escape 3 35" ]
	assert_regex "$stderr" 'a.json: 3 bad escapes.*first at byte 35'
}

@test "repair: control characters, bad UTF-8, lone surrogates" {
	printf '{"traceEvents":[{"ph":"X","name":"a\001\tb\xff\xe2\x82c\\ud83d.\\ude80.\\ud83d\\ude80","ts":1}]}' >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(jq -r 'select(.type=="event").name | explode | map(tostring) | join(" ")' <<<"$output")" = '97 1 9 98 65533 65533 99 65533 46 65533 46 128640' ]
	[ "$(faults <<<"$output" | cut -d' ' -f1,2 | paste -sd,)" = 'control_char 2,bad_utf8 2,lone_surrogate 2' ]
	[ "$(jq -c 'select(.type=="end").repaired' <<<"$output")" = 1 ]
}

@test "repair: NaN, Infinity and N/A become null; numbers that only the grammar refuses are kept" {
	printf '[{"ph":"X","name":"a","ts":1,"args":{"a":NaN,"b":-Infinity,"c":N/A,"d":+1,"e":01,"f":.5,"g":2.,"h":nan(ind),"i":1.5}}]' >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(jq -c 'select(.type=="event").args | map(if . then . + 0 else . end)' <<<"$output")" = '[null,null,null,1,1,0.5,2,null,1.5]' ]
	[ "$(faults <<<"$output" | cut -d' ' -f1,2)" = 'bad_number 8' ]
}

@test "times: text and exponents are rewritten exactly, the original stays in chrome" {
	printf '[{"ph":"X","name":"a","ts":"1717000000000000.001","dur":1.5e1},{"ph":"X","name":"b","ts":12.34567,"dur":1e-3}]' >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_success
	assert_line --partial '"ts":1717000000000000.001,"dur":15,"chrome":{"ts":"1717000000000000.001","dur":1.5e1}'
	assert_line --partial '"ts":12.34567,"dur":0.001,"chrome":{"dur":1e-3}'
	assert_line --partial '"ts_first":12.346,"ts_last":1717000000000015.001'
}

@test "times: a negative or missing number is left out, kept in chrome, counted" {
	printf '[{"ph":"X","name":"a","ts":1,"dur":-1},{"ph":"X","name":"b","ts":"x","dur":null},{"ph":"X","name":"c","ts":1e300}]' >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(jq -c 'select(.type=="event") | [has("ts"),has("dur"),.chrome]' <<<"$output" | paste -sd' ')" = '[true,false,{"dur":-1}] [false,false,{"ts":"x","dur":null}] [false,false,{"ts":1e+300}]' ] ||
		[ "$(jq -c 'select(.type=="event") | [has("ts"),has("dur")]' <<<"$output" | paste -sd' ')" = '[true,false] [false,false] [false,false]' ]
	[ "$(faults <<<"$output")" = 'bad_time 4 1' ]
}

@test "ids keep all 64 bits" {
	printf '[{"ph":"X","name":"a","pid":18446744073709551615,"tid":9007199254740993,"ts":1,"args":{"correlation":9007199254740993}}]' | tl-extract >"$T/o"
	grep -q '"pid":18446744073709551615,"tid":9007199254740993,"ts":1,"correlation":9007199254740993' "$T/o"
}

@test "damage: an event cut in two by another writer costs that event alone" {
	printf '{"traceEvents":[\n{"ph":"X","name":"a","ts":1},\n{"ph":"X","cat":"ker{"ph":"X","name":"b","ts":2},\nnel","name":"lost","ts":3,"args":{"x":[1,2]}},\n{"ph":"X","name":"c","ts":4}\n],"traceName":"t"}' >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(names <<<"$output" | paste -sd,)" = a,b,c ]
	[ "$(faults <<<"$output")" = "broken_event 1 47" ]
	[ "$(jq -c 'select(.type=="end").skipped' <<<"$output")" = 1 ]
	[ "$(jq -r 'select(.type=="meta").value' <<<"$output")" = t ]
}

# broken KIND N: an event that is broken in this way
broken() {
	case $1 in
	value) printf '{"ph":"X","name":"b%s","ts":1,"args":{"Stream":0x26,"l":[1,{"name":2}]}}' "$2" ;;
	quote) printf '{"ph":"X","name":"b%s"x","ts":1,"dur":5}' "$2" ;;
	brace) printf '{"ph":"X","name":"b"%s}x","ts":1,"args":{"a":{}}}' "$2" ;;
	single) printf "{'ph':'X','name':'b%s','ts':1}" "$2" ;;
	cut_string) printf '{"ph":"X","name":"b%s","cat":"ker' "$2" ;;
	cut_number) printf '{"name":"b%s","ph":"X","ts":12' "$2" ;;
	cut_list) printf '{"ph":"X","name":"b%s","args":{"Input Dims":[[1,2' "$2" ;;
	bracket) printf '{"ph":"X","name":"b%s","args":{"l":[1,2}}' "$2" ;;
	esac
}
# members PATTERN KIND: g for a good event, b for a broken one
members() {
	local i sep=
	for ((i = 0; i < ${#1}; i++)); do
		printf '%s' "$sep"
		case ${1:i:1} in
		g) printf '{"ph":"X","name":"g%d","ts":1,"args":{"a":[{"name":"x"}]}}' "$i" ;;
		b) broken "$2" "$i" ;;
		esac
		sep=$3
	done
}

@test "damage: each broken member counts, in a row and in turn with good ones, and no comma is missed" {
	for kind in value quote brace single cut_string cut_number cut_list bracket; do
		for pattern in gbg gbbg gbgbg bbg gbb bgbgbb gbbbbbbgg; do
			for sep in , $',\n'; do
				printf '{"traceEvents":[%s],"z":1}' "$(members "$pattern" $kind "$sep")" >"$T/a.json"
				run -1 --separate-stderr tl-extract "$T/a.json"
				good=${pattern//b/} bad=${pattern//g/}
				echo "$kind $pattern"
				refute_regex "$stderr" comma
				printf '%s\n' "$output" >>"$T/all"
				echo "$kind $pattern" >>"$T/names"
				echo "$kind $pattern [1] [${#good},${#bad},[\"broken_event\",${#bad}]]" >>"$T/want"
			done
		done
	done
	# of each file the top-level values, then the counts of its end
	jq -nrc 'foreach inputs as $r ([]; if $r.type == "trace" then [] elif $r.type == "meta" then . + [$r.value] else . end;
		if $r.type == "end" then . , ($r | [.events,.skipped,(.faults|map([.code,.count])[])]) else empty end)' "$T/all" |
		paste -d' ' - - | paste -d' ' "$T/names" - | diff "$T/want" -
}

@test "damage: an event inside a broken one is read, and what is around it is one damage" {
	printf '[{"ph":"X","name":"out","ts":1,"args":{"in":{"ph":"X","name":"in","ts":1},"l":[{"q":1},{"r":0x1}],"z":}},%s,{"ph":"X","ts":0x1},%s]' "$k" "$k" >"$T/a.json"
	run -1 --separate-stderr tl-extract "$T/a.json"
	assert_equal "$(names <<<"$output" | paste -sd,)" in,k,k
	assert_equal "$(jq -c 'select(.type=="end").skipped' <<<"$output")" 2
}

@test "form: {} as the first or last member is a mark, elsewhere no event" {
	printf '{"traceEvents":[{}\n,%s,%s,{}]}' "$k" "$k" >"$T/a.json"
	run -0 --separate-stderr tl-extract "$T/a.json"
	assert_equal "$(jq -c 'select(.type=="end") | [.events,.skipped,.faults]' <<<"$output")" '[2,0,[]]'
	assert_equal "$stderr" ''
	printf '[%s,{},%s,{},{}]' "$k" "$k" >"$T/a.json"
	run -1 --separate-stderr tl-extract "$T/a.json"
	assert_equal "$(jq -c 'select(.type=="end") | [.events,.skipped]' <<<"$output")" '[2,2]'
}

# rows of a trace: cat, device, stream, correlation of each span
rows() {
	jq -c 'select(.type=="event" and .ph!="M") | [.name,.cat,.device,.stream,.correlation]' | paste -sd' '
}
# named PID NAME [TID]: names a process, or a thread of it
named() {
	if [ $# = 2 ]; then
		printf '{"ph":"M","name":"process_name","pid":%s,"args":{"name":"%s"}}' "$1" "$2"
	else
		printf '{"ph":"M","name":"thread_name","pid":%s,"tid":%s,"args":{"name":"%s"}}' "$1" "$3" "$2"
	fi
}
same_trace() {
	diff <(jq -cS '.traceEvents[]' "$1") <(tl-extract -q "$1" | tl-tree | tl-render -f chrome | jq -cS '.traceEvents[]')
}

@test "other producers: streams of JAX are GPU ops, its XLA rows are none, TPUs have them there" {
	names=("$(named 1 /device:GPU:3)" "$(named 1 'Stream #13(Compute)' 13)" "$(named 1 'XLA Ops' 2)" "$(named 2 /device:TPU:0)" "$(named 2 'XLA Ops' 5)" "$(named 9 /host:CPU)")
	spans=('{"ph":"X","pid":1,"tid":13,"ts":1,"dur":1,"name":"fusion","args":{"correlation_id":"7"}}'
		'{"ph":"X","pid":1,"tid":13,"ts":3,"dur":1,"name":"MemcpyD2D"}' '{"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"dot"}'
		'{"ph":"X","pid":2,"tid":5,"ts":1,"dur":1,"name":"tpu"}' '{"ph":"X","pid":9,"tid":5,"ts":1,"dur":1,"name":"host","cat":""}'
		'{"ph":"X","pid":9,"tid":5,"ts":1,"dur":1,"name":"cuLaunchKernel","args":{"correlation_id":"7"}}')
	want='["fusion","kernel",3,13,"7"] ["MemcpyD2D","gpu_memcpy",3,13,null] ["dot",null,null,null,null] ["tpu","kernel",0,5,null] ["host","cpu_op",null,null,null] ["cuLaunchKernel","cuda_driver",null,null,"7"]'
	trace "${names[@]}" "${spans[@]}" >"$T/a.json"
	assert_equal "$(tl-extract "$T/a.json" 2>"$T/e" | tee "$T/s" | rows)" "$want"
	assert_equal "$(cat "$T/e")" ''
	assert_equal "$(jq -c 'select(.type=="end") | [.gpu_ops,.other_cats]' "$T/s")" '[3,null]'
	same_trace "$T/a.json"
	trace "${spans[@]}" "${names[@]}" >"$T/b.json"
	assert_equal "$(tl-extract -q "$T/b.json" | rows)" "$want"
	assert_equal "$(tl-extract -q "$T/b.json" | jq -c 'select(.type=="event").id' | paste -sd,)" 0,1,2,3,4,5,6,7,8,9,10,11
	assert_equal "$(tl-extract -q --rebase --cat kernel "$T/b.json" | rows)" '["fusion","kernel",3,13,"7"] ["tpu","kernel",0,5,null]'
	same_trace "$T/b.json"
}

@test "other producers: Ascend, rocprof, MTIA" {
	trace "$(named 5 'Ascend Hardware')" "$(named 6 CANN)" \
		'{"ph":"X","pid":5,"tid":2,"ts":"1.5","dur":"1","name":"MatMul","args":{"Stream Id":2,"connection_id":9}}' \
		'{"ph":"X","pid":5,"tid":2,"ts":"3","dur":"1","name":"MEMCPY_ASYNC","args":{"Stream Id":2}}' \
		'{"ph":"X","pid":5,"tid":2,"ts":"5","dur":"1","name":"EVENT_WAIT"}' \
		'{"ph":"X","pid":6,"tid":1,"ts":"0","dur":"1","name":"Node@launch","args":{"connection_id":9}}' >"$T/a.json"
	assert_equal "$(tl-extract -q "$T/a.json" | rows)" \
		'["MatMul","kernel",null,2,9] ["MEMCPY_ASYNC","gpu_memcpy",null,2,null] ["EVENT_WAIT",null,null,null,null] ["Node@launch","cann_runtime",null,null,9]'
	same_trace "$T/a.json"
	printf '{"traceEvents":[{}\n,%s,%s,%s,{"ph":"X","name":"vadd","pid":"6","tid":"0","ts":"7","dur":"2","args":{"dev-id":"0","queue-id":"1"}}
		,{"ph":"X","name":"CopyHostToDevice","pid":"1","tid":"0","ts":"3","dur":"2","args":{"dev-id":"0","queue-id":"0"}}
		,{"ph":"X","name":"hipLaunchKernel","pid":"2","tid":"44","ts":"5","dur":"1"}]}' \
		"$(named '"1"' COPY)" "$(named '"6"' GPU0)" "$(named '"2"' 'CPU HIP API')" >"$T/r.json"
	assert_equal "$(tl-extract "$T/r.json" 2>"$T/e" | rows)" \
		'["vadd","kernel","0","1",null] ["CopyHostToDevice","gpu_memcpy","0","0",null] ["hipLaunchKernel","hip_runtime",null,null,null]'
	assert_equal "$(cat "$T/e")" ''
	trace '{"ph":"X","cat":"mtia_ccp_events","name":"pe","pid":0,"tid":3,"ts":1,"dur":2,"args":{"device":0,"stream":1}}' >"$T/m.json"
	assert_equal "$(tl-extract -q "$T/m.json" | rows)" '["pe","kernel",0,1,null]'
	assert_equal "$(tl-extract -q "$T/m.json" | jq -c 'select(.ph=="X").chrome')" '{"cat":"mtia_ccp_events"}'
	same_trace "$T/m.json"
	trace '{"ph":"X","cat":"mtia_ccp_events","name":"dma_request","pid":0,"tid":3,"ts":1,"dur":2,"args":{"stream":1}}' \
		'{"ph":"X","cat":"mtia_ccp_events","name":"event_wait","pid":0,"tid":3,"ts":3,"dur":900,"args":{"stream":1}}' >"$T/m.json"
	assert_equal "$(tl-extract -q "$T/m.json" | jq -c 'select(.ph=="X").cat' | xargs)" 'gpu_memcpy mtia_ccp_events'
	assert_equal "$(tl-extract -q "$T/m.json" | tl-overlap -n | jq -c 'select(.type=="timeline" and has("device")).busy_us')" 2
}

@test "other producers: a user's table; a damaged one ends with 3; what stays unknown is named" {
	trace '{"ph":"X","cat":"npu_work","name":"x","pid":4,"tid":3,"ts":1,"dur":2,"args":{"q":8}}' \
		'{"ph":"X","cat":"else","name":"y","pid":4,"tid":3,"ts":1,"dur":2}' '{"ph":"i","cat":"mark","name":"z","ts":1}' >"$T/a.json"
	run -0 --separate-stderr tl-extract "$T/a.json"
	assert_regex "$stderr" 'neither host nor GPU work to tl: npu_work \(1\), else \(1\)$'
	assert_equal "$(jq -c 'select(.type=="end").other_cats' <<<"$output")" '[{"cat":"npu_work","count":1},{"cat":"else","count":1}]'
	assert_regex "$(tl-reliability -n <<<"$output")" 'no GPU op, but work of categories .*"other_cats":\[\{"cat":"npu_work"'
	assert_regex "$(tl-render <<<"$output")" 'Categories of its other spans: npu_work \(1\), else \(1\)\.'
	cp -R "$root/share" "$T/share"
	printf 'npu_*\t*\t*\t*\tkernel\tpid\tq\t-\n' >>"$T/share/producers/chrome.tsv"
	assert_equal "$(TL_SHARE=$T/share tl-extract -q "$T/a.json" | rows)" '["x","kernel",4,8,null] ["y","else",null,null,null] ["z","mark",null,null,null]'
	printf 'oops\n' >>"$T/share/producers/chrome.tsv"
	TL_SHARE=$T/share run -3 tl-extract -q "$T/a.json"
	assert_regex "$output" 'chrome.tsv:[0-9]+: not an entry'
	trace "$k" >"$T/k.json"
	TL_SHARE=$T/share run -0 tl-extract -q "$T/k.json"
}

# says EXIT REGEX TEXT: of a file with this text
says() {
	printf "$3" >"$T/f.json"
	run --separate-stderr tl-extract "$T/f.json"
	assert_equal "$status|$output|${#stderr_lines[@]}" "$1||1"
	assert_regex "$stderr" "$2"
}

@test "what is no trace is named, with what helps, in one line, exit 3" {
	says 3 'without traceEvents' '{"traceEvents":null,"a":{"traceEvents":[]}}'
	says 3 'without traceEvents' '{"tp_size":4}\n{"traceEvents":[]}'
	says 3 'holds no event' '[{"block":1},{"block":2}]'
	says 3 'holds no event' '["a",1]'
	says 3 'not JSON before any traceEvents, at byte 5' '{"a":oops,"traceEvents":[]}'
	says 3 'execution trace' '{"schema":"1.0.1","nodes":[{"id":1'
	says 3 'jsonlines .*window.sql' '{"data":["a"]}\n{"Type":79}\n{"Type":79}\n'
	says 3 'records of tl' '{"type":"trace","trace":0,"schema":1}\n'
	says 3 "extract --window $T/f.json" '{"kind":"header"}\n{"kind":"kernel"}\n'
	says 3 'rocprofv3: .*pftrace' '{"rocprofiler-sdk-tool":[{'
	says 3 "sqlite3 -batch $T/f.json < share/nsys/window.sql | tl-extract --window -" 'SQLite format 3\0'
	says 3 "unzip -p $T/f.json | tl-extract" 'PK\3\4aa'
	says 3 'xz -dc' '\xfd7zXZ\0'
	says 3 'HTML' '<!DOCTYPE html>'
	says 3 'xplane.pb of XLA' '\n\x20\x08\x01\x12\x09/host:CPU\x1a\x10aaaaaaaaaaaaaaaa'
	tar -cf "$T/t.tar" -C "$root" README.md
	run -3 --separate-stderr tl-extract "$T/t.tar"
	assert_regex "$stderr" 'tar -xOf'
}

@test "a document without events behind a trace is passed over and told" {
	printf '{"traceEvents":[%s]}\n{"a":1}\n{"b":1}\n' "$k" >"$T/a.json"
	run -1 --separate-stderr tl-extract "$T/a.json"
	assert_equal "$(jq -c 'select(.type=="end").events' <<<"$output")" 1
	assert_regex "$stderr" '2 documents without events .* at byte 1'
}

@test "directories: what is no trace is passed over, in one note" {
	mkdir "$T/d"
	trace "$k" >"$T/d/rank0.json"
	echo '{"tp_size":4}' >"$T/d/args.json"
	echo '{"nodes":[]}' >"$T/d/et.json"
	run -0 --separate-stderr tl-extract "$T/d"
	assert_equal "$(names <<<"$output")" k
	assert_equal "$stderr" "tl-extract: $T/d: 2 files that are no trace passed over, first args.json: no trace: JSON without traceEvents"
	rm "$T/d/rank0.json"
	run -3 tl-extract -q "$T/d"
	assert_output "tl-extract: $T/d: no trace in this directory"
}

@test "a trace given to a filter: the message says the pipe" {
	trace "$k" >"$T/a.json"
	run -3 tl-overlap "$T/a.json"
	assert_output --partial "use tl-extract $T/a.json | tl-overlap"
	gzip "$T/a.json"
	run -3 tl-tree <"$T/a.json.gz"
	assert_output --partial "use tl-extract FILE | tl-tree"
}

@test "damage: a broken last event does not swallow the metadata behind the array" {
	printf '{"traceEvents":[%s,{"ph":"X","name":"b" "ts":2,"args":{"Input Dims":[[1],[2]],"Input type":["float"]}}],"traceName":"t","distributedInfo":{"rank":5}}' "$k" >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(names <<<"$output")" = k ]
	[ "$(jq -r 'select(.type=="meta").key' <<<"$output" | paste -sd,)" = traceName,distributedInfo ]
	[ "$(jq -c 'select(.type=="end") | [.rank,.skipped]' <<<"$output")" = '[5,1]' ]
}

@test "damage: members that are no events, and junk between events" {
	printf '[%s,1,"x",[2],null,{"name":"no ph"},%s oops %s]' "$k" "$k" "$k" >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(names <<<"$output" | wc -l)" = 3 ]
	[ "$(faults <<<"$output" | cut -d' ' -f1,2 | paste -sd,)" = 'broken_event 1,not_an_event 5' ]
	[ "$(jq -c 'select(.type=="event").id' <<<"$output" | paste -sd,)" = 0,1,2 ]
}

@test "damage: input that ends inside an event, inside the array, inside metadata" {
	full="{\"traceEvents\":[$k,$k],\"traceName\":\"t\"}"
	for n in 150 $((${#k} * 2 + 17)) $((${#full} - 3)); do
		printf '%s' "${full:0:n}" >"$T/a.json"
		run --separate-stderr tl-extract "$T/a.json"
		assert_failure 1
		[ "$(faults <<<"$output")" = "truncated_json 1 $n" ]
		assert_regex "$stderr" "input ends inside .* at byte $n; [12] events read"
	done
}

@test "damage: every prefix of a trace gives a whole stream and never a crash" {
	full="{\"a\":1,\"traceEvents\":[$k,{\"ph\":\"X\",\"name\":\"\\u00e9é\",\"ts\":1.5e3,\"dur\":2}],\"z\":true}"
	printf '%s' "$full" >"$T/full"
	size=$(wc -c <"$T/full")
	for ((n = 1; n < size; n++)); do
		head -c "$n" "$T/full" >"$T/a.json"
		rc=0
		tl-extract -q "$T/a.json" >"$T/o" 2>"$T/e" || rc=$?
		[ "$rc" = 1 ] || [ "$rc" = 0 ]
		jq -es 'length >= 2 and .[-1].type == "end" and (.[-1].faults | length) == (if '"$rc"' == 1 then 1 else 0 end)' "$T/o" >/dev/null
	done
}

@test "damage: an event above --max-event is skipped, what is around it is read" {
	big=$(head -c 5000 /dev/zero | tr '\0' x)
	printf '[%s,{"ph":"X","name":"%s","ts":1,"args":{"a":{"b":1}}},%s]' "$k" "$big" "$k" >"$T/a.json"
	run --separate-stderr tl-extract --max-event 4K "$T/a.json"
	assert_failure 1
	[ "$(names <<<"$output" | paste -sd,)" = k,k ]
	[ "$(faults <<<"$output" | cut -d' ' -f1,2)" = 'oversize_event 1' ]
}

@test "damage: text behind the trace; text that is no trace at all" {
	printf '{"traceEvents":[%s]}\nProfiler stopped.\n' "$k" >"$T/a.json"
	run --separate-stderr tl-extract "$T/a.json"
	assert_failure 1
	[ "$(faults <<<"$output" | cut -d' ' -f1,2)" = 'trailing_garbage 1' ]
	run --separate-stderr tl-extract <<<'hello'
	assert_failure 3
	[ -z "$output" ]
	assert_regex "$stderr" 'no JSON trace'
	run --separate-stderr tl-extract </dev/null
	assert_failure 3
	assert_regex "$stderr" 'empty input'
}

@test "damage: hopeless nesting and quotes cost linear time" {
	awk 'BEGIN { printf "["; for (i = 0; i < 300000; i++) printf "{\"a\":"; for (i = 0; i < 300000; i++) printf "\"{"; print "" }' >"$T/a.json"
	run -1 --separate-stderr timeout 60 tl-extract "$T/a.json"
}

@test "damage: --strict stops with the place" {
	printf '{"traceEvents":[%s,oops,%s]}' "$k" "$k" >"$T/a.json"
	run --separate-stderr tl-extract --strict "$T/a.json"
	assert_failure 3
	assert_regex "$stderr" "at byte $((${#k} + 17))"
	refute_line --partial '"type":"end"'
}

@test "gzip: by magic bytes, several members, cut, damaged, padded, followed by junk" {
	trace "$k" "$k" >"$T/a.json"
	half=$(($(wc -c <"$T/a.json") / 2))
	{ head -c "$half" "$T/a.json" | gzip; tail -c +$((half + 1)) "$T/a.json" | gzip; } >"$T/two"
	[ "$(tl-extract "$T/two" | names | wc -l)" = 2 ]
	[ "$(tl-extract <"$T/two" | names | wc -l)" = 2 ]
	run -0 --separate-stderr tl-extract "$T/two"
	[[ $stderr == *'2 gzip members, read as one'* ]]
	gzip -c "$T/a.json" >"$T/one"
	run -0 --separate-stderr tl-extract "$T/one"
	[ -z "$stderr" ]
	{ cat "$T/two"; head -c 512 /dev/zero; } >"$T/padded"
	run -0 tl-extract "$T/padded"
	{ cat "$T/two"; echo junk; } >"$T/junk"
	run --separate-stderr tl-extract "$T/junk"
	assert_failure 1
	[ "$(faults <<<"$output" | cut -d' ' -f1,2)" = 'trailing_garbage 1' ]
	head -c -12 "$T/two" >"$T/cut"
	run --separate-stderr tl-extract "$T/cut"
	assert_failure 1
	[ "$(faults <<<"$output" | cut -d' ' -f1,2)" = 'truncated_gzip 1' ]
	gzip -c "$T/a.json" >"$T/bad"
	size=$(wc -c <"$T/bad")
	printf '\377\377\377\377' | dd of="$T/bad" bs=1 seek=$((size - 8)) conv=notrunc status=none
	run --separate-stderr tl-extract "$T/bad"
	assert_failure 1
	[ "$(faults <<<"$output" | cut -d' ' -f1,2)" = 'bad_gzip 1' ]
	[ "$(names <<<"$output" | wc -l)" = 2 ]
}

@test "zstd is named, with the command that reads it" {
	printf '\050\265\057\375xxxx' >"$T/a.zst"
	run --separate-stderr tl-extract "$T/a.zst"
	assert_failure 3
	assert_regex "$stderr" 'zstd -dc .*a.zst \| tl-extract'
}

@test "directories: traces in natural order, capture sidecars left out with a note" {
	mkdir "$T/d"
	for n in rank10 rank2 graph_capture_3; do trace "${k/\"k\"/\"$n\"}" >"$T/d/$n.json"; done
	echo text >"$T/d/notes.txt"
	run --separate-stderr tl-extract "$T/d"
	assert_success
	[ "$(names <<<"$output" | paste -sd,)" = rank2,rank10 ]
	assert_regex "$stderr" '1 graph-capture traces left out'
	[ "$(tl-extract --all "$T/d" | names | paste -sd,)" = graph_capture_3,rank2,rank10 ]
	mkdir "$T/empty"
	run -3 --separate-stderr tl-extract "$T/empty"
}

@test "a missing file does not keep the others from being read; exit 3" {
	trace "$k" >"$T/a.json"
	run --separate-stderr tl-extract "$T/none.json" "$T/a.json"
	assert_failure 3
	[ "$(names <<<"$output")" = k ]
	assert_regex "$stderr" 'none.json: cannot open'
}

@test "filters keep ids, ph M and the args that are asked for" {
	printf '[{"ph":"M","name":"process_name","args":{"name":"p"}},{"ph":"X","cat":"python_function","name":"f","ts":0},{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":1,"args":{"External id":1,"Sequence number":2}},%s]' "$k" >"$T/a.json"
	[ "$(tl-extract --cat kernel,gpu_memcpy "$T/a.json" | jq -c 'select(.type=="event") | [.id,.ph]' | paste -sd' ')" = '[0,"M"] [3,"X"]' ]
	[ "$(tl-extract --name 'aten::*' --name k "$T/a.json" | jq -c 'select(.type=="event").id' | paste -sd,)" = 0,2,3 ]
	[ "$(tl-extract --no-python "$T/a.json" | jq -c 'select(.type=="event").id' | paste -sd,)" = 0,2,3 ]
	[ "$(tl-extract --args none "$T/a.json" | jq -c 'select(.id==2) | [has("args"),.external_id]')" = '[false,1]' ]
	[ "$(tl-extract --args 'Sequence number,x' "$T/a.json" | jq -c 'select(.id==2).args')" = '{"Sequence number":2}' ]
	[ "$(tl-extract --cat kernel "$T/a.json" | jq -c 'select(.type=="end") | [.events,.gpu_ops]')" = '[2,1]' ]
}

@test "rebase: exact, from the first event that is no metadata" {
	printf '[{"ph":"M","name":"p","ts":0},{"ph":"X","name":"a","ts":1717000000000000.0015,"dur":1},{"ph":"X","name":"b","ts":1717000000000002}]' >"$T/a.json"
	run --separate-stderr tl-extract --rebase "$T/a.json"
	assert_success
	[ "$(head -n 1 <<<"$output")" = "{\"type\":\"trace\",\"trace\":0,\"schema\":1,\"source\":\"$T/a.json\",\"format\":\"chrome\",\"rebase_us\":1717000000000000.0015}" ]
	assert_line --partial '"name":"a","ts":0,'
	assert_line --partial '"name":"b","ts":1.9985}'
}

@test "the first record leaves before the input ends" {
	mkfifo "$T/in"
	{ printf '{"traceEvents":[%s,\n' "$k"; for _ in $(seq 2000); do printf '%s,\n' "$k"; done; sleep 5; printf '%s]}' "$k"; } >"$T/in" &
	run timeout 4 bash -c "tl-extract --line-buffered '$T/in' | head -n 2"
	assert_success
	[ "${#lines[@]}" = 2 ]
	kill %1 2>/dev/null || true
}

@test "memory does not grow with the input" {
	awk -v k="$k" 'BEGIN { printf "["; for (i = 0; i < 300000; i++) printf "%s,\n", k }' >"$T/big.json"
	peak=$(tl-extract -q "$T/big.json" 2>&1 >/dev/null | cat; /usr/bin/time -f %M tl-extract -q "$T/big.json" 2>&1 >/dev/null | tail -n 1)
	[[ ${TL_BIN:-} != *asan* ]] || skip "sanitizers take memory of their own"
	[ "$peak" -le 16384 ]
}

@test "/dev/full fails loudly, head ends quietly, two runs give the same bytes in any locale" {
	trace "$k" >"$T/a.json"
	run --separate-stderr bash -c "tl-extract '$T/a.json' >/dev/full"
	assert_failure 3
	assert_regex "$stderr" 'tl-extract: stdout: cannot write: No space left'
	awk -v k="$k" 'BEGIN { printf "["; for (i = 0; i < 20000; i++) printf "%s,\n", k }' >"$T/big.json"
	run --separate-stderr bash -c "tl-extract -q '$T/big.json' | head -n 1"
	assert_success
	[ -z "$stderr" ]
	tl-extract "$T/a.json" >"$T/1"
	LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 tl-extract "$T/a.json" >"$T/2"
	cmp "$T/1" "$T/2"
}

@test "-o writes whole files only" {
	trace "$k" >"$T/a.json"
	tl-extract -o "$T/out.ndjson" "$T/a.json"
	tl-extract "$T/a.json" | cmp - "$T/out.ndjson"
	mkfifo "$T/in"
	{ printf '{"traceEvents":[%s,\n' "$k"; sleep 3; } >"$T/in" &
	timeout 1 tl-extract -o "$T/never" "$T/in" || true
	kill %1 2>/dev/null || true
	[ -z "$(find "$T" -name '*never*')" ]
	run -3 tl-extract -o "$T/no/such/dir" "$T/a.json"
}

@test "wrong usage: exit 2, one line" {
	for args in '--nope' '-x' '--max-event' '--max-event 1X' '--rank x' '--quiet=1'; do
		# shellcheck disable=SC2086
		run --separate-stderr tl-extract $args
		assert_failure 2
		[ "$(wc -l <<<"$stderr")" = 1 ]
	done
}
