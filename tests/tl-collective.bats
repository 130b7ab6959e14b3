load helper

# comm NAME TS DUR [MORE ARGS]: a kernel with the metadata of a call of 1000 floats in the group "0"
comm() {
	printf '{"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic()","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"device":0,"stream":7,"Collective name":"%s","In msg nelems":1000,"Out msg nelems":1000,"Group size":2,"dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]"%s}}' \
		"$2" "$3" "$1" "${4:+,$4}"
}
bare() { # bare NAME TS DUR [STREAM [MORE ARGS [DEVICE]]]: a kernel without
	printf '{"ph":"X","cat":"kernel","name":"%s","pid":%s,"tid":%s,"ts":%s,"dur":%s,"args":{"device":%s,"stream":%s%s}}' \
		"$1" "${6:-0}" "${4:-7}" "$2" "$3" "${6:-0}" "${4:-7}" "${5:+,$5}"
}
host() { # host CAT NAME TS DUR [ARGS]
	printf '{"ph":"X","cat":"%s","name":"%s","pid":100,"tid":1,"ts":%s,"dur":%s,"args":{%s}}' "$1" "$2" "$3" "$4" "${5:-}"
}
# rank R EVENT...: the trace $T/rankR.json; $world and $config (a member of distributedInfo) are the job's
rank() {
	local IFS=, r=$1
	shift
	printf '{"distributedInfo":{"rank":%s,"world_size":%s%s},"traceEvents":[%s]}' "$r" "${world:-2}" "${config:+,$config}" "$*" >"$T/rank$r.json"
}
# together [OPTION]...: the set of all ranks, in $T/out
together() {
	tl-extract -q "$T"/rank*.json | tl-collective -n "$@" >"$T/out"
}
of() { # of TYPE JQ: JQ of each record of a type, one per line
	jq -c "select(.type == \"$1\") | $2" "$T/out"
}
set_of() { # the records of the set in a file, whatever its number
	jq -c 'select(.type | IN("ranks", "comm_group", "clock", "collective", "straggler")) | del(.trace)' "$1"
}

@test "latency is the shortest duration, the rest is waiting; bytes and rates" {
	rank 0 "$(comm allreduce 1000 100 '"Seq":5')" "$(comm _allgather_base 2000 90 '"Out msg nelems":2000,"Seq":6')"
	rank 1 "$(comm allreduce 1060 40 '"Seq":5')" "$(comm _allgather_base 2010 80 '"Out msg nelems":2000,"Seq":6')"
	together
	run -0 of collective '[.index, .kind, .bytes, .latency_us, .wait_us, .start_skew_us, .end_skew_us, .last, .late_us, .first, .algo_gb_s, .bus_gb_s, .doubts]'
	assert_output '[5,"allreduce",4000,40,[60,0],60,0,1,60,0,0.1,0.1,null]
[6,"allgather",8000,80,[10,0],10,0,1,10,0,0.1,0.05,null]'
	run -0 of straggler '[.rank, .comm_us, .collectives, .wait_us, .first, .last, .late_us, .caused_us]'
	assert_output '[0,190,2,70,2,0,0,0]
[1,120,2,0,0,2,70,70]'
	run -0 of ranks '[.traces, .ranks, .world_size, .missing, .duplicates]'
	assert_output '[2,[0,1],2,0,null]'
	run -0 jq -c 'select(.type == "end") | [.trace, .events]' "$T/out"
	assert_output '[0,2]
[1,2]
[2,0]'
}

@test "nobody is late by less than a microsecond and a hundredth" {
	rank 0 "$(comm allreduce 1000 200)" "$(comm allreduce 2000 200)"
	rank 1 "$(comm allreduce 1003 197)" "$(comm allreduce 2002.5 197.5)"
	together
	run -0 of collective '[.last, .first]'
	assert_output '[1,0]
[null,null]'
}

@test "every kind: bytes are those of the larger side, and each has its factor" {
	local n=0 k events=()
	for k in allreduce all_gather_into_tensor_coalesced _reduce_scatter_base all_to_all broadcast _reduce_oop gather scatter all_to_allv barrier; do
		events+=("$(comm "$k" $((1000 + 100 * n)) 40 '"Group size":4,"Process Group Ranks":"[0, 1, 2, 3]","Out msg nelems":2000')")
		n=$((n + 1))
	done
	for k in 0 1 2 3; do world=4 rank $k "${events[@]}"; done
	together
	run -0 of collective '[.kind, .bytes, .bus_gb_s, has("wait_us")]'
	assert_output '["allreduce",8000,0.3,true]
["allgather",8000,0.15,true]
["reducescatter",8000,0.15,true]
["alltoall",8000,0.15,true]
["broadcast",8000,0.2,false]
["reduce",8000,0.2,false]
["gather",8000,0.15,false]
["scatter",8000,0.15,false]
["alltoallv",8000,null,false]
["barrier",null,null,true]'
}

@test "width by dtype, however it is spelled" {
	local n=0 d events=()
	for d in Float8_e4m3fn 'unsigned char' c10::Half UInt16 'long int' ComplexFloat c10::complex\<double\> Quaternion; do
		events+=("$(comm allreduce $((1000 + 100 * n)) 40 "\"dtype\":\"$d\"")")
		n=$((n + 1))
	done
	rank 0 "${events[@]}"
	rank 1 "${events[@]}"
	together
	run -0 of collective '.bytes'
	assert_output '1000
1000
2000
2000
8000
8000
16000
null'
}

@test "two groups of one name on other ranks are two groups" {
	local r
	for r in 0 1; do world=4 rank $r "$(comm allreduce 1000 50)"; done
	for r in 2 3; do world=4 rank $r "$(comm allreduce 1000 80 '"Process Group Ranks":"[2, 3]","dtype":"Half"')"; done
	together
	run -0 of comm_group '[.name, .ranks, .seen, .matched]'
	assert_output '["0",[0,1],2,2]
["0",[2,3],2,2]'
	run -0 of collective '[.ranks, .bytes, .mismatch]'
	assert_output '[[0,1],4000,null]
[[2,3],2000,null]'
}

@test "without Seq a window that begins with another operation is laid beside the others" {
	local n t rank0=() rank1=()
	for n in 0 1 2 3 4 5; do
		t=$((1000 + 300 * n + 40 * n * n))
		rank0+=("$(comm allreduce $t 60)")
		[ $n = 0 ] || rank1+=("$(comm allreduce $((t + 20)) 40)")
	done
	rank 0 "${rank0[@]}"
	rank 1 "${rank1[@]}"
	together
	run -0 of collective '[.index, .start_skew_us]'
	assert_output '[1,20]
[2,20]
[3,20]
[4,20]
[5,20]'
	run -0 of comm_group '[.ops, .matched, .doubts]'
	assert_output '[11,10,["shifted"]]'
}

@test "an operation that is lost in the middle: by Seq, and without" {
	local n t rank0=() rank1=() seq0=() seq1=()
	for n in 0 1 2 3 4 5 6 7; do
		t=$((1000 + 1000 * n))
		rank0+=("$(comm allreduce $t 60)")
		seq0+=("$(comm allreduce $t 60 "\"Seq\":$n")")
		[ $n = 6 ] || rank1+=("$(comm allreduce $t 60)")
		[ $n = 6 ] || seq1+=("$(comm allreduce $t 60 "\"Seq\":$n")")
	done
	rank 0 "${seq0[@]}"
	rank 1 "${seq1[@]}"
	together
	run -0 of collective 'select(.lost) | [.index, .seen, .lost, .ranks, .last, .doubts]'
	assert_output '[6,1,1,[0],null,["lost"]]'
	rank 0 "${rank0[@]}"
	rank 1 "${rank1[@]}"
	together
	run -0 of collective '.index'
	assert_output '0
1
2
3
4
5'
	run -0 of comm_group '.doubts | index("ends_apart") != null'
	assert_output true
}

@test "what contradicts wherever it is laid is not matched" {
	rank 0 "$(comm allreduce 1000 50)" "$(comm allreduce 2000 50)"
	rank 1 "$(comm allgather 1000 50)" "$(comm allgather 2000 50)"
	together
	run -0 of comm_group '[.collectives, .matched, .unmatched, .doubts]'
	assert_output '[0,0,[1],["no_match"]]'
}

@test "of few operations times tell nothing: as they stand" {
	rank 0 "$(comm allreduce 1000 50)" "$(comm allreduce 2000 50)"
	rank 1 "$(comm allreduce 9000 50)" "$(comm allreduce 9900 50)"
	together --raw-clocks
	run -0 of collective '[.index, .end_skew_us, .doubts]'
	assert_output '[0,8000,["ends_apart"]]
[1,7900,["ends_apart"]]'
	run -0 of comm_group '.doubts'
	assert_output '["few"]'
	run -0 of straggler '.collectives'
	assert_output '0
0'
}

@test "members that contradict each other by Seq are kept" {
	rank 0 "$(comm allreduce 1000 50 '"Seq":1')" "$(comm allreduce 2000 50 '"Seq":2')"
	rank 1 "$(comm allreduce 1000 50 '"Seq":1,"In msg nelems":900')" "$(comm allgather 2000 50 '"Seq":2,"dtype":"Half"')"
	together
	run -0 of collective '[.bytes, .mismatch, .doubts]'
	assert_output '[null,["elements"],["mismatch"]]
[null,["kind","dtype"],["mismatch"]]'
}

@test "clocks of two hosts are corrected, and left with --raw-clocks" {
	local n t rank0=() rank1=()
	for n in 0 1 2 3; do
		t=$((1000 + 300 * n + 40 * n * n))
		rank0+=("$(comm allreduce $t 60)")
		rank1+=("$(comm allreduce $((t + 5000020)) 40)")
	done
	rank 0 "${rank0[@]}"
	rank 1 "${rank1[@]}"
	together
	run -0 of clock '[.rank, .via, .offset_us, .spread_us, .pairs, .corrected]'
	assert_output '[1,0,5000000,0,4,true]'
	run -0 of collective '[.ts, .start_us, .start_skew_us, .end_skew_us, .last]'
	assert_line -n 0 '[1000,[0,20],20,0,1]'
	together --raw-clocks
	run -0 of collective '[.ts, .start_skew_us, .end_skew_us, .wait_us]'
	assert_line -n 0 '[1000,5000020,5000000,[20,0]]'
	run -0 of clock '.corrected'
	assert_output false
}

@test "clocks go from rank to rank where no operation has both" {
	local n t rank0=() rank1=() rank2=()
	for n in 0 1 2 3; do
		t=$((1000 + 300 * n + 40 * n * n))
		rank0+=("$(comm allreduce $t 60)")
		rank1+=("$(comm allreduce $((t + 100)) 60)" "$(comm allreduce $((t + 200)) 60 '"Process Group Name":"1","Process Group Ranks":"[1, 2]"')")
		rank2+=("$(comm allreduce $((t + 1200)) 60 '"Process Group Name":"1","Process Group Ranks":"[1, 2]"')")
	done
	world=3 rank 0 "${rank0[@]}"
	world=3 rank 1 "${rank1[@]}"
	world=3 rank 2 "${rank2[@]}"
	together
	run -0 of clock '[.rank, .via, .offset_us]'
	assert_output '[1,0,100]
[2,1,1100]'
}

@test "a rank without a trace keeps its name, and there is no verdict" {
	local r
	for r in 0 2; do world=3 rank $r "$(comm allreduce 1000 $((50 - 10 * r)) '"Seq":1,"Group size":3,"Process Group Ranks":"[0, 1, 2]"')"; done
	together
	run -0 of ranks '[.ranks, .world_size, .missing]'
	assert_output '[[0,2],3,1]'
	run -0 of collective '[.ranks, .seen, .missing, .last, .latency_us, .doubts]'
	assert_output '[[0,2],2,1,null,30,["missing_ranks"]]'
	run -0 of straggler '[.rank, .collectives, .last]'
	assert_output '[0,0,null]
[2,0,null]'
}

@test "a second trace of a rank is left out, said, and counted" {
	rank 0 "$(comm allreduce 1000 50)"
	cp "$T/rank0.json" "$T/again.json"
	run -1 --separate-stderr bash -c 'tl-extract -q "$0/rank0.json" "$0/again.json" | tl-collective -n >"$0/out"' "$T"
	assert_equal "$stderr" "tl-collective: $T/again.json: left out of the set: another trace is of its rank"
	run -0 of ranks '[.traces, .ranks, .duplicates]'
	assert_output '[2,[0],1]'
	run -0 of comm_group '.ops'
	assert_output 1
}

@test "kernels of one call are one operation, described by the call or the annotation in it" {
	local calls=("$(host cpu_op record_param_comms 100 50 '"External id":9,"Collective name":"allgather","In msg nelems":500,"Out msg nelems":1000,"dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]"')"
		"$(host cuda_runtime cudaLaunchKernel 110 5 '"correlation":1')" "$(host cuda_runtime cudaLaunchKernel 120 5 '"correlation":2')"
		"$(host cpu_op record_param_comms 200 50 '"External id":10')" "$(host user_annotation nccl:all_reduce 210 30 '"Input Dims":[[10,20],[5]],"Input type":["float","float"]')"
		"$(host cuda_runtime cudaLaunchKernel 220 5 '"correlation":3')")
	rank 0 "${calls[@]}" "$(bare 'ncclKernel_Broadcast()' 1000 40 7 '"correlation":1')" "$(bare 'ncclKernel_Broadcast()' 1050 40 7 '"correlation":2')" \
		"$(bare 'ncclKernel_AllReduce()' 2000 40 7 '"correlation":3')" "$(bare 'ncclDevKernel_ReduceScatter_Sum()' 3000 40 7)" "$(bare 'ncclDevKernel_SendRecv()' 4000 40)"
	for between in cat tl-tree; do
		tl-extract -q "$T/rank0.json" | $between | tl-collective -n >"$T/out"
		run -0 of comm '[.event, .ts, .dur, .kernels, .kind, .name, .from, .group_name, .dtype, .in_elements, .out_elements]'
		assert_output '[6,1000,90,2,"allgather","allgather","launch","0","Float",500,1000]
[8,2000,40,null,"allreduce","all_reduce","annotation",null,"float",205,null]
[9,3000,40,null,"reducescatter",null,"name",null,null,null,null]
[10,4000,40,null,null,null,"name",null,null,null,null]'
	done
	# operations without a group are of the one that their stream has
	run -0 of comm_group '[.name, .ops, .assumed]'
	assert_output '["0",4,null]'
}

@test "without a launch the call is the one of the External id, where that is one call's" {
	rank 0 "$(host cpu_op record_param_comms 100 50 '"External id":9,"Collective name":"broadcast"')" "$(bare 'ncclKernel()' 1000 40 7 '"External id":9')" \
		"$(host cpu_op record_param_comms 200 50 '"External id":8,"Collective name":"reduce"')" "$(host cpu_op record_param_comms 300 50 '"External id":8,"Collective name":"gather"')" \
		"$(bare 'ncclKernel()' 2000 40 7 '"External id":8')"
	together
	run -0 of comm '[.kind, .from]'
	assert_output '["broadcast","launch"]
[null,"name"]'
}

@test "kernels of a graph replay are operations of their own" {
	rank 0 "$(host cpu_op record_param_comms 100 50 '"Collective name":"allreduce"')" "$(host cuda_runtime cudaGraphLaunch 110 5 '"correlation":1')" \
		"$(bare 'ncclDevKernel_AllReduce()' 1000 40 7 '"correlation":1')" "$(bare 'ncclDevKernel_AllGather()' 2000 40 7 '"correlation":1')"
	together
	run -0 of comm '[.kind, .from, .graph]'
	assert_output '["allreduce","name",true]
["allgather","name",true]'
}

@test "a stream stands for the group that nothing names; numbers of streams differ between ranks" {
	rank 0 "$(bare 'ncclDevKernel_AllReduce()' 1000 40 7)" "$(bare 'ncclDevKernel_AllGather()' 2000 40 9)"
	rank 1 "$(bare 'ncclDevKernel_AllReduce()' 1000 40 17)" "$(bare 'ncclDevKernel_AllGather()' 2000 40 13)"
	together
	run -0 of comm_group '[.name, .assumed, .group_size, .matched]'
	assert_output '["stream 0",true,null,2]
["stream 1",true,null,2]'
	run -0 of collective '[.kind, .ranks, .doubts]'
	assert_output '["allreduce",[0,1],["size_unknown"]]
["allgather",[0,1],["size_unknown"]]'
}

@test "sends and receives: the k-th of each pair, and none without a peer" {
	rank 0 "$(comm send 1000 50 '"Src Rank":0,"Dst Rank":1')" "$(comm recv 2000 50 '"Src Rank":1,"Dst Rank":0')" "$(comm send 3000 50 '"Src Rank":0,"Dst Rank":1')" "$(comm send 4000 50)"
	rank 1 "$(comm recv 1010 40 '"Src Rank":0,"Dst Rank":1')" "$(comm send 2010 40 '"Src Rank":1,"Dst Rank":0')" "$(comm recv 3010 40 '"Src Rank":0,"Dst Rank":1')"
	together
	run -0 of collective '[.kind, .src, .dst, .index, .ranks, .ts, .latency_us, .bus_gb_s, .wait_us]'
	assert_output '["p2p",0,1,0,[0,1],1000,40,0.1,null]
["p2p",0,1,1,[0,1],3000,40,0.1,null]
["p2p",1,0,0,[0,1],2000,40,0.1,null]'
	run -0 of comm_group '[.ops, .matched, .doubts]'
	assert_output '[7,6,["peer_unknown"]]'
}

@test "a list that PyTorch has cut is the one of pg_config, through --map too" {
	local r config='"pg_config":[{"pg_name":"0","ranks":[0,1,2,5]}]'
	for r in 0 1; do
		world=6 rank $r "$(comm allreduce 1000 50 '"Group size":4,"Process Group Ranks":"[0, ..., 5]"')"
		tl-extract -q "$T/rank$r.json" | tl-collective -n --map -o "$T/$r.tl"
	done
	together
	run -0 of comm_group '[.group_size, .ranks, .missing]'
	assert_output '[4,[0,1,2,5],2]'
	run -0 of comm '.ranks'
	assert_output 'null
null'
	tl-collective -n "$T"/*.tl >"$T/mapped"
	diff <(set_of "$T/out") <(set_of "$T/mapped")
}

@test "more ranks than a group of unknown members has: nothing is matched" {
	local r
	for r in 0 1 2; do world=3 rank $r "$(comm allreduce 1000 50 '"Process Group Ranks":"[0, ..., 5]"')"; done
	together
	run -0 of comm_group '[.seen, .collectives, .doubts]'
	assert_output '[3,0,["group_ambiguous"]]'
}

@test "--map on each rank and a run over the results give the same set, and so does a run over a set" {
	"$root/examples/traces.sh" "$T/made"
	local r
	for r in 0 1; do tl-extract -q "$T/made/train-rank$r.json.gz" | tl-collective -n --map -o "$T/$r.tl"; done
	run grep -c '"format":"ranks"' "$T/0.tl"
	assert_output 0
	tl-extract -q "$T"/made/train-rank*.json.gz | tl-tree | tl-collective -n >"$T/out"
	[ "$(set_of "$T/out" | grep -c '"collective"')" -gt 5 ]
	diff <(set_of "$T/out") <(tl-collective -n "$T"/*.tl | set_of /dev/stdin)
	tl-collective "$T/out" | diff "$T/out" -
}

@test "what is read passes byte for byte" {
	rank 0 "$(comm allreduce 1000 50)"
	tl-extract -q "$T/rank0.json" >"$T/in"
	tl-collective "$T/in" | grep -vE '"type":"(comm|rank)"' | head -n "$(wc -l <"$T/in")" | diff "$T/in" -
}

@test "no communication: the set is its first record" {
	rank 0 "$(bare gemm 1000 50)"
	together
	run -0 jq -r 'select(.trace == 1) | .type' "$T/out"
	assert_output 'trace
ranks
end'
}

@test "one trace of a node without a rank: each device is a rank" {
	trace "$(bare 'ncclDevKernel_AllReduce()' 1000 40 7 '' 4)" "$(bare 'ncclDevKernel_AllReduce()' 1010 30 7 '' 12)" >"$T/node.json"
	tl-extract -q "$T/node.json" | tl-collective -n >"$T/out"
	run -0 of collective '[.ranks, .events, .latency_us]'
	assert_output '[[0,1],[0,1],30]'
}

@test "--in and --step: what belongs to them" {
	rank 0 "$(host user_annotation ProfilerStep#3 100 90)" "$(host cuda_runtime cudaLaunchKernel 110 5 '"correlation":1')" \
		"$(host user_annotation ProfilerStep#4 200 90)" "$(host cuda_runtime cudaLaunchKernel 210 5 '"correlation":2')" \
		"$(comm allreduce 1000 50 '"correlation":1')" "$(comm allreduce 2000 50 '"correlation":2')"
	together --step 4
	run -0 of comm '.ts'
	assert_output 2000
	together --in ProfilerStep#3
	run -0 of comm '.ts'
	assert_output 1000
	run -2 tl-collective --step x
}

@test "lists of over 64 members are cut, figures are of all" {
	local r list
	list=$(seq -s ', ' 0 69)
	for r in $(seq 0 69); do
		world=70 rank "$r" "$(comm allreduce $((1000 + r * 10)) $((1000 - r * 10)) "\"Seq\":0,\"Group size\":70,\"Process Group Ranks\":\"[$list]\"")"
	done
	together
	run -0 of collective '[.seen, (.ranks | length), .ranks[0], .ranks[7], .ranks[8], .ranks[15], (.wait_us | length), .latency_us, .last, .start_skew_us]'
	assert_output '[70,16,0,7,62,69,16,310,69,690]'
	together --all-members
	run -0 of collective '.ranks | length'
	assert_output 70
}

@test "exposed time of each member, where tl-overlap was" {
	rank 0 "$(comm allreduce 1000 50)" "$(bare gemm 1010 10 9)"
	rank 1 "$(comm allreduce 1000 50)"
	tl-extract -q "$T"/rank*.json | tl-overlap | tl-collective -n >"$T/out"
	run -0 of collective '.exposed_us'
	assert_output '[40,50]'
}

@test "a stream that is cut gets no set" {
	rank 0 "$(comm allreduce 1000 50)"
	tl-extract -q "$T/rank0.json" | grep -v '"end"' >"$T/cut"
	run -3 --separate-stderr tl-collective -n "$T/cut"
	refute_output --partial '"format":"ranks"'
}

@test "a comm record without a time ends the run, or is left out" {
	printf '%s\n' '{"type":"trace","trace":0,"schema":1,"rank":0}' '{"type":"comm","trace":0,"event":1,"ts":5}' '{"type":"end","trace":0}' >"$T/in"
	run -3 tl-collective "$T/in"
	assert_output --partial "$T/in:2"
	run -1 tl-collective --skip-bad "$T/in"
}

@test "--rules changes what a kind is" {
	echo 'def kind: if .name == "my_op" then {kind: "allreduce", sync: true, same: true} else default_kind end;' >"$T/my.jq"
	rank 0 "$(comm my_op 1000 50)"
	together --rules "$T/my.jq"
	run -0 of collective '.kind'
	assert_output '"allreduce"'
}

@test "other tools pass a set on and add nothing to it; no trace is written of it" {
	rank 0 "$(comm allreduce 1000 50)"
	rank 1 "$(comm allreduce 1000 50)"
	tl-extract -q "$T"/rank*.json | tl-collective >"$T/in"
	sed -n '/"format":"ranks"/,$p' "$T/in" >"$T/set"
	[ "$(wc -l <"$T/set")" -ge 6 ]
	for tool in tl-tree tl-synth tl-sourcemap tl-overlap tl-reliability; do
		$tool -q <"$T/in" | sed -n '/"format":"ranks"/,$p' | diff "$T/set" - || { echo "$tool"; false; }
		$tool -q <"$T/set" | diff "$T/set" -
	done
	tl-render -f chrome -o "$T/{trace}.out.json" "$T/in"
	run -0 ls "$T"/*.out.json
	assert_output "$T/0.out.json
$T/1.out.json"
	tl-render -r ops "$T/in" >"$T/with"
	sed '/"format":"ranks"/,$d' "$T/in" | tl-render -r ops | diff "$T/with" -
}

@test "a set that is cut is noticed by whom it passes" {
	rank 0 "$(comm allreduce 1000 50)"
	tl-extract -q "$T/rank0.json" | tl-collective -n | sed '$d' >"$T/in"
	run -3 tl-overlap "$T/in"
}

@test "report collectives: the set alone, who was waited for, clocks, what was not matched" {
	local n t rank0=() rank1=()
	for n in 0 1 2 3; do
		t=$((1000 + 300 * n + 40 * n * n))
		rank0+=("$(comm allreduce $t 60)" "$(bare 'ncclDevKernel_AllReduce()' $((t + 70)) 10 9)")
		rank1+=("$(comm allreduce $((t + 5000020)) 40)" "$(bare 'ncclDevKernel_AllGather()' $((t + 5000070)) 10 9)")
	done
	world=3 rank 0 "${rank0[@]}"
	world=3 rank 1 "${rank1[@]}"
	tl-extract -q "$T"/rank*.json | tl-collective -n | tl-render -r collectives >"$T/out"
	grep -v '^$' "$T/out" | golden tl-collective/report.md
	run -0 --separate-stderr bash -c 'tl-extract -q "$0/rank0.json" | tl-render -r collectives' "$T"
	assert_equal "$stderr" 'tl-render: no set is in the stream: tl-collective must come before'
	assert_output ''
}
