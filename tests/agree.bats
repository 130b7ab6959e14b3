# Whatever order the tools stand in, they tell the same of a trace. Small random traces, some well
# formed and some odd (tests/agree/traces.c), run as one stream; a test fails with the first trace
# that differs, which is kept in build/agree/kept.
#
# TL_AGREE_N traces of each kind (default 50), from seed TL_AGREE_SEED (default 1).
load helper

setup_file() {
	load helper
	set -o pipefail
	local n=${TL_AGREE_N:-50} seed=${TL_AGREE_SEED:-1} k=0 d
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir as-is moved renamed
	"$bin/agree/traces" as-is "$n" "$seed"
	"$bin/agree/traces" -s 1000000250 moved "$n" "$seed" # 1000000.25 us
	"$bin/agree/traces" -p renamed "$n" "$seed"
	tl-extract -q as-is/{plain,odd}-*.json >as-is.stream
	tl-extract -q moved/{plain,odd}-*.json >moved.stream
	tl-extract -q renamed/{plain,odd}-*.json >renamed.stream
	awk -v seed="$seed" -f "$root/tests/agree/shuffle.awk" as-is.stream >shuffled.stream
	tl-tree <as-is.stream >tree.stream
	awk -F '"' '/^{"type":"trace"/ { print n++, $12 }' as-is.stream >names
	# all as one stream, so that each tool starts once
	for d in "${times[@]}"; do
		awk -v from=$((2 * n * k++)) -f "$root/tests/agree/number.awk" $d.stream
	done >stream
	echo 'def fusions: [];' >rules.jq # they take most of the time, and there are none here
	tl-overlap -n --by-step --gaps 5 --rules rules.jq stream | part overlap
	tl-reliability -n stream | part reliability
	tl-sourcemap -n stream | part sourcemap
	tl-tree stream | tl-synth -q -n | part synth
	tl-synth -q <tree.stream | tl-sourcemap | tl-overlap --rules rules.jq | tl-reliability >full.stream
	jq -sc -f "$root/tests/agree/facts.jq" full.stream >facts
}

times=(as-is tree shuffled moved renamed)

# part TOOL: what it said, to AS-IS.TOOL and so on
part() {
	awk -v n="$(wc -l <names)" -v to="$(printf "%s.$1 " "${times[@]}")" -f "$root/tests/agree/part.awk"
}

setup() {
	set -o pipefail
	D=$BATS_FILE_TMPDIR
	agree=$root/tests/agree
}

# none WHAT FILE: the file has no differences; else says what differs, and keeps the first trace.
none() {
	local file seed
	if awk -v what="$1" -f "$agree/report.awk" "$D/names" "$2" >"$T/message"; then
		file=$(sed -nE '1s/.* first is ([^:]*):$/\1/p' "$T/message")
		seed=${file##*-}
		mkdir -p "$bin/agree/kept"
		cp "$D/$file" "$bin/agree/kept/"
		cat "$T/message"
		echo "  the trace: $bin/agree/kept/${file##*/}; again: TL_AGREE_N=1 TL_AGREE_SEED=${seed%.json} tests/run.sh tests/agree.bats"
		return 1
	fi
}

# records FILE SED: its derived records, as a set, in what SED leaves of them
records() {
	sed -E "$2" "$1" | LC_ALL=C sort
}

# same TOOL A B [SED]: the tool said the same of streams A and B
same() {
	records "$D/$2.$1" "${4:-}" >"$T/a" && records "$D/$3.$1" "${4:-}" >"$T/b" && [ -s "$T/a" ] || return 1
	diff "$T/a" "$T/b" >"$T/differ" && return 0
	none "tl-$1" "$T/differ"
}

# same_of_all A B SED: all tools did
same_of_all() {
	local tool rc=0
	for tool in overlap reliability sourcemap synth; do
		same $tool "$1" "$2" "$3" || rc=1
	done
	return $rc
}

# counted from 0 as the rows are written, which is their order by time
row_number='s/^(."type":"op","trace":[0-9]+),"id":[0-9]+/\1/'

@test "tl-overlap says the same with and without tl-tree" {
	same overlap as-is tree
}

@test "tl-reliability says the same with and without tl-tree" {
	same reliability as-is tree
}

@test "tl-sourcemap says the same with and without tl-tree" {
	same sourcemap as-is tree
}

@test "the order of the events says nothing" {
	same_of_all as-is shuffled "$row_number"
}

@test "the moment at which the clock began says nothing" {
	same_of_all as-is moved 's/,?"(ts|step_ts)":[0-9.]+//g'
}

@test "the numbers of processes say nothing" {
	same_of_all as-is renamed "$row_number; s/,?\"(pid|process)\":([0-9]+|\"[^\"]*\")//g"
}

# facts NAME: what the tools' records in one stream say of one fact
facts() {
	grep -F "\"fact\":\"$1\"" "$D/facts" >"$T/differ" || return 0
	none "$1" "$T/differ"
}

@test "every GPU op has one operator: tl-tree's operator, tl-synth's row, tl-sourcemap's launch_op" {
	facts operator
}

@test "attributed_share is the kernel time that has an operator" {
	facts share
}

@test "tl-synth owns every GPU op once" {
	facts owned
}

@test "class communication and comm_us are one thing" {
	facts comm
}

@test "class communication and comm_us are one thing without tl-tree, too" {
	tl-overlap --rules "$D/rules.jq" <"$D/as-is.stream" >"$T/stream"
	jq -sc -f "$agree/facts.jq" "$T/stream" >"$T/differ"
	none comm "$T/differ"
}

@test "end says what the stream holds, whatever was asked for" {
	cd "$T"
	mkdir stream
	cp "$D/as-is.stream" stream
	tl-extract -q --cat kernel "$D"/as-is/{plain,odd}-*.json >'stream/--cat kernel'
	tl-extract -q --name 'aten::*' "$D"/as-is/{plain,odd}-*.json >'stream/--name aten::*'
	tl-tree --in 'aten::mm' <"$D/as-is.stream" >'stream/--in aten::mm'
	jq -nc -f "$agree/end.jq" stream/* >differ
	none 'end' differ
}

@test "end says what the stream holds of a Perfetto trace and an activity window, too" {
	cd "$T"
	mkdir stream pf
	tl-render -f pftrace -o 'pf/{trace}.pftrace' "$D/as-is.stream"
	seq 0 $(($(wc -l <"$D/names") - 1)) | sed 's/.*/pf\/&.pftrace/' >files
	xargs tl-extract -q <files >stream/pftrace
	xargs tl-extract -q --cat kernel <files >'stream/pftrace --cat kernel'
	jq -nc -f "$agree/end.jq" stream/* >differ
	none 'end' differ
	for filter in --cat=kernel --cat=cuda_runtime '--name=*' '--name=*gemm*' --no-python; do
		tl-extract -q "$filter" --window "$fixtures/window/all.ndjson" >stream/window
		run -0 jq -nc -f "$agree/end.jq" stream/window
		assert_output ''
	done
}

# What --by-step says of each step by name, what --in keeps of it, and what tl-overlap says of that.
@test "tl-overlap --by-step and tl-tree --in agree about every step" {
	cd "$T"
	grep -E '"cat":"(gpu_user_annotation|user_annotation|Operator)"' "$D/as-is.stream" >steps
	cat "$D/as-is.overlap" >>steps
	jq -nc 'foreach inputs as $r ({}; if $r.name then .["\($r.trace) \($r.id)"] = $r.name else . end;
		if $r.type != "timeline" or $r.device then empty
		elif $r.step then {type: "said", trace: $r.trace, gpu_us: $r.gpu_us, nested: $r.nested, name: .["\($r.trace) \($r.event)"]}
		else {type: "all", trace: $r.trace, gpu_us: $r.gpu_us} end)' steps >facts
	jq -c 'select(.type == "meta" and .key == "steps") | {type: "steps", trace, value}' <(grep '"type":"meta"' "$D/as-is.stream") >>facts
	jq -r 'select(.type == "said").name' facts | sort -u >names
	[ -s names ]
	local traces k=0
	traces=$(wc -l <"$D/names")
	while read -r name; do
		tl-tree --in "$name" <"$D/as-is.stream" | awk -v from=$((traces * k)) -f "$agree/number.awk"
		k=$((k + 1))
	done <names >in
	{
		grep -iE '"cat":"(kernel|gpu_mem)' in | jq -c 'select(.ph == "X" or .dur != null) | {type: "in", trace, id, dur}'
		tl-overlap -n --rules "$D/rules.jq" in |
			jq -c 'select(.type == "timeline" and .device == null) | {type: "pooled", trace, gpu_us}'
	} | jq -c --argjson n "$traces" --rawfile names names '
		.name = ($names | split("\n"))[.trace / $n | floor] | .trace %= $n' >>facts
	jq -sc -f "$agree/steps.jq" facts >differ
	none steps differ
}
