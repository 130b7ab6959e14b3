# tl-reliability: each code fires on a small stream that has the fault and stays silent on one that
# nearly has it; doubts in records; gates; the promises of every filter.
load helper

setup_file() {
	load helper
	tl-reliability --list >"$BATS_FILE_TMPDIR/list"
}

# ---- streams of a few lines: one event per line on stdin, without type, trace and id ----

k() { # name ts dur [corr] [stream] [more]: a kernel
	span kernel "$1" 0 "${5:-7}" "$2" "$3" "\"device\":0,\"stream\":${5:-7}${4:+,\"correlation\":$4}${6:+,$6}"
	echo
}
l() { # name ts dur corr [ext] [pid]: a runtime call
	span cuda_runtime "$1" "${6:-100}" 1 "$2" "$3" "\"correlation\":$4${5:+,\"external_id\":$5}"
	echo
}
o() { # name ts dur [ext] [args]: an operator
	span cpu_op "$1" 100 1 "$2" "$3" "${4:+\"external_id\":$4,}\"args\":{${5-\"Input Dims\":[[2,2]]}}"
	echo
}
x() { # cat name ts dur: any other host event
	span "$1" "$2" 100 1 "$3" "$4"
	echo
}
# work FROM TO: an operator, its launch and its kernel every 100 us
work() {
	for ((i = $1; i < $2; i++)); do
		o aten::mm $((i * 100)) 50 $((i + 1))
		l cudaLaunchKernel $((i * 100 + 10)) 5 $((i + 1)) $((i + 1))
		k gemm $((i * 100 + 20)) 60.5 $((i + 1))
	done
}
# stray: an op at the start, launched outside of any operator
stray() {
	l cudaLaunchKernel 0 0.5 900
	k stray 1 1 900
}
step() { x user_annotation "ProfilerStep#$1" "$2" "$3"; }

# stream [SOURCE] [META] [FAULTS] [TRACE]: the stream of a whole trace
stream() {
	awk -v src="${1:-t.json}" -v meta="${2:-}" -v faults="${3:-}" -v t="${4:-0}" '
		BEGIN {
			printf "{\"type\":\"trace\",\"trace\":%d,\"schema\":1,\"source\":\"%s\",\"format\":\"chrome\"}\n", t, src
			if (meta != "") printf "{\"type\":\"meta\",\"trace\":%d,%s}\n", t, meta
		}
		{ printf "{\"type\":\"event\",\"trace\":%d,\"id\":%d,%s}\n", t, NR - 1, $0 }
		END { printf "{\"type\":\"end\",\"trace\":%d,\"events\":%d,\"skipped\":0,\"repaired\":0,\"faults\":[%s]}\n", t, NR, faults }'
}
warnings() { tl-reliability -n "$@" | jq -c 'select(.type=="warning") | [.code, .severity, .count, .event]'; }

# fires CODE SEVERITY COUNT EVENT [OPTION...]: the stream on stdin gives exactly this warning of CODE
fires() {
	local code=$1 want="[\"$1\",\"$2\",$3,$4]"
	shift 4
	assert_equal "$(warnings "$@" | grep "\"$code\"")" "$want"
}
# silent CODE [OPTION...]: and this one no warning of CODE, nor is CODE untestable
silent() {
	local code=$1 out
	shift
	grep -q "^$code"$'\t' "$BATS_FILE_TMPDIR/list" || return 1
	out=$(tl-reliability -n "$@" | jq -c --arg c "$code" 'select(.type=="warning" and .code==$c),
		(select(.type=="reliability") | .untestable | index($c) | select(.) | "untestable"), (select(.type=="end") | "end")')
	assert_equal "$out" '"end"'
}
reliability() { tl-reliability -n "$@" | jq -c 'select(.type=="reliability")'; }
flags() { reliability "$@" | jq -c '[.idle_reliable, .attribution_reliable, .duration_reliable, .reason]'; }

@test "a healthy trace: no warning, all flags true, no reason" {
	{ step 1 0 1000; work 0 10; } | stream >"$T/s"
	assert_equal "$(warnings "$T/s")" ""
	assert_equal "$(flags "$T/s")" "[true,true,true,null]"
	assert_equal "$(flags --rule v1 "$T/s")" "[true,true,null,null]"
	assert_equal "$(reliability "$T/s" | jq -c '[.graph_launches,.attributed_share,.suppress_candidates,.rule]')" '[0,100,false,"evidence"]'
}

# ---- one detector after the other ----

@test "fires graph_coarse: half of the kernel time from a replay" {
	{ work 0 2; l hipGraphLaunch 300 5 90; k a 310 60.5 90; k b 371 60.5 90; } | stream >"$T/s"
	fires graph_coarse warning 2 7 "$T/s"
	assert_equal "$(flags "$T/s")" '[true,false,true,"graph_coarse"]'
}
@test "silent graph_coarse: a little less than half" {
	{ work 0 2; l cuGraphLaunch 300 5 90; k a 310 60.5 90; k b 371 60.4 90; } | stream | silent graph_coarse
}

@test "fires graph_lost_kernels: replays without kernels before the last launch" {
	{ for g in 1 2 3; do l cudaGraphLaunch $((g * 100)) 5 $g; done; k a 310 10 3; l cudaGraphLaunch 500 5 4; } | stream >"$T/s"
	fires graph_lost_kernels error 2 0 "$T/s"
	assert_equal "$(reliability "$T/s" | jq -c '[.idle_reliable,.reason,.graph_launches,.graph_launches_recorded]')" '[false,"graph_coarse",4,1]'
}
@test "fires graph_lost_kernels: no replay has any, and with no GPU op at all" {
	{ work 0 3; l cudaGraphLaunch 350 5 90; } | stream | fires graph_lost_kernels error 1 9
	l hipGraphLaunch 350 5 90 | stream | fires graph_lost_kernels error 1 0
}
@test "fires graph_lost_kernels: one replay has fewer kernels than the others of its graph" {
	for g in 1 2 3; do
		l cudaGraphLaunch $((g * 100)) 5 $g
		for ((i = 0; i < (g == 2 ? 8 : 10); i++)); do k n$i $((g * 100 + 10 + i)) 1 $g 7 '"args":{"graph id":5}'; done
	done | stream >"$T/s"
	fires graph_lost_kernels error 1 11 "$T/s"
}
@test "silent graph_lost_kernels: the last replay is cut off, and 9 of 10 kernels are there" {
	{ l cudaGraphLaunch 100 5 1; k a 110 10 1; l cudaGraphLaunch 200 5 2; } | stream | silent graph_lost_kernels
	for g in 1 2 3; do
		l cudaGraphLaunch $((g * 100)) 5 $g
		for ((i = 0; i < (g == 2 ? 9 : 10); i++)); do k n$i $((g * 100 + 10 + i)) 1 $g 7 '"args":{"graph id":5}'; done
	done | stream | silent graph_lost_kernels
}

@test "fires no_device_events: launches alone; idle and attribution false, duration not known" {
	{ o aten::mm 0 50 1; l cudaLaunchKernel 10 5 1 1; l cudaLaunchKernel 20 5 2 1; } | stream >"$T/s"
	fires no_device_events error 2 null "$T/s"
	assert_equal "$(flags "$T/s")" '[false,false,null,"no_device_events"]'
}
@test "silent no_device_events: one GPU op is there" {
	{ work 0 1; l cudaLaunchKernel 70 5 2; } | stream | silent no_device_events
}

@test "fires empty_timeline: no GPU op and no launch, or GPU ops without length" {
	{ o aten::mm 0 50; l cudaGetDevice 10 5 1; } | stream >"$T/s"
	fires empty_timeline error 1 null "$T/s"
	assert_equal "$(flags "$T/s")" '[false,null,null,"empty_timeline"]'
	{ k a 5 0; k b 5 0; } | stream | fires empty_timeline error 1 null
}
@test "silent empty_timeline: a nanosecond of work" {
	k a 5 0.001 | stream | silent empty_timeline
}

@test "fires head_orphans: kernels without a launch, all near the start" {
	{ for i in 1 2 3; do k old $i 0.5 $((900 + i)); done; work 1 12; } | stream >"$T/s"
	fires head_orphans warning 3 0 "$T/s"
	assert_equal "$(flags "$T/s")" '[true,true,true,null]'
}
@test "silent head_orphans: too few, or spread over the span" {
	{ k old 1 0.5 900; work 1 52; } | stream | silent head_orphans
	{ for i in 1 400 1000; do k old $i.5 0.5 $((900 + i)); done; work 0 12; } | stream | silent head_orphans
}

@test "fires tail_orphans: launches without a kernel behind the last one that has one" {
	{ work 0 5; l cudaLaunchKernel 510 5 91; l cudaLaunchKernel 520 5 92; } | stream >"$T/s"
	fires tail_orphans warning 2 15 "$T/s"
	assert_equal "$(flags "$T/s")" '[true,true,true,null]'
}
@test "fires tail_orphans: kernels near the end without a launch" {
	{ work 0 10; for i in 1 2; do k new 9$i""0 5 $((900 + i)); done; } | stream | fires tail_orphans warning 2 30
}
@test "fires tail_orphans: a graph is launched while another one is captured" {
	{ work 0 5; l hipStreamBeginCapture 505 1 90; l hipGraphLaunch 510 5 91; l hipStreamEndCapture 520 5 92; } | stream | fires tail_orphans warning 1 16
}
@test "silent tail_orphans: the last calls launch nothing, or only into a graph that is captured" {
	{ work 0 5; l cudaMemGetInfo 510 5 91; l cudaLaunchHostFunc 520 5 92; } | stream | silent tail_orphans
	{ work 0 5; l hipStreamBeginCapture 505 1 90; l hipLaunchKernel 510 5 91; l hipStreamEndCapture 520 5 92; } | stream | silent tail_orphans
}

@test "fires head_drop: three launches without a kernel, then none" {
	{ for i in 1 2 3; do l cudaLaunchKernel $i 0.5 $((900 + i)); done; work 1 6; } | stream >"$T/s"
	fires head_drop warning 3 0 "$T/s"
	assert_equal "$(flags "$T/s")" '[false,true,true,"head_drop"]'
}
@test "silent head_drop: two launches, or a later launch lacks its kernel too" {
	{ for i in 1 2; do l cudaLaunchKernel $i 0.5 $((900 + i)); done; work 1 6; } | stream | silent head_drop
	{ for i in 1 2 3 310; do l cudaLaunchKernel $i.2 0.5 $((900 + i)); done; work 1 6; } | stream | silent head_drop
}

@test "fires edge_gap: a stray op, then a fifth of the span without any" {
	{ stray; work 3 10; } | stream >"$T/s"
	fires edge_gap warning 1 4 "$T/s"
	assert_equal "$(flags "$T/s")" '[false,true,true,"edge_gap"]'
}
@test "silent edge_gap: a shorter gap, and a wide one with work on both sides" {
	{ stray; work 1 10; } | stream | silent edge_gap
	{ k work 0 30; work 3 10; } | stream | silent edge_gap
}

overrun() { # FIRST_END: ops on stream 9, the first of which ends at FIRST_END us
	for i in 1 2 3; do l cudaLaunchKernel 0 0.1 90$i 1; done
	k long 0 "$1" 901 9
	k next 1000 900 902 9
	k last 2000 900 903 9
	work 0 5
}
@test "fires impossible_duration: an op runs far past the next one on its stream" {
	overrun 3000 | stream >"$T/s"
	fires impossible_duration warning 1 3 "$T/s"
	assert_equal "$(flags "$T/s")" '[false,true,false,"impossible_duration"]'
	tl-reliability -n "$T/s" | jq -c 'select(.code=="impossible_duration") | [.device,.stream,.excess_us,.gpu_us,.gpu_us_clipped]' >"$T/f"
	assert_equal "$(cat "$T/f")" "[0,9,2000,4800,2800]"
}
@test "impossible_duration's clipped figure is what tl-overlap --clip takes" {
	{ overrun 3000.5; k pdl 2898 20 "" 9; } | stream >"$T/s"
	as=$(tl-overlap "$T/s" | jq 'select(.type=="timeline" and (has("device")|not)).gpu_us')
	clipped=$(tl-overlap --clip "$T/s" | jq 'select(.type=="timeline" and (has("device")|not)).gpu_us')
	tl-reliability -n "$T/s" | jq --argjson d "$(jq -n "$as - $clipped")" 'select(.code=="impossible_duration") | .gpu_us - .gpu_us_clipped == $d and $d == 2000.5' | grep -qx true
}
@test "fires impossible_duration: a small share is a remark that spoils durations alone" {
	{ overrun 2000; k big 10000 7000 "" 9; } | stream >"$T/s"
	fires impossible_duration info 1 3 "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[0,2]' | tr '\n' ' ')" "true false "
}
@test "silent impossible_duration: under 1 ms, under 5 %, other streams, equal starts" {
	overrun 1999.9 | stream | silent impossible_duration
	{ overrun 2000; k big 10000 20000 "" 9; } | stream | silent impossible_duration
	{ k long 0 9000 "" 8; k next 1000 9000 "" 9; } | stream | silent impossible_duration
	{ k long 0 9000 "" 9; k same 0 1 "" 9; k late 9000 1 "" 9; } | stream | silent impossible_duration
}

@test "fires zero_or_negative_time: a negative length kept by tl-extract, a start before 0" {
	{ work 0 3; k bad 500 1 | sed 's/"dur":1/"chrome":{"dur":-5}/'; } | stream >"$T/s"
	fires zero_or_negative_time error 1 9 "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[0,2]' | tr '\n' ' ')" "false false "
	{ work 0 3; k bad -5 1; } | stream | fires zero_or_negative_time error 1 9
}
@test "fires zero_or_negative_time: a start at 0 long before the others, many ops of no length" {
	{ k bad 0 1; k good 3600000001 5; } | stream | fires zero_or_negative_time error 1 0
	{ work 0 20; l cudaLaunchKernel 1985 1 99 1; k a 1990 0 99; } | stream >"$T/s"
	fires zero_or_negative_time warning 1 61 "$T/s"
	assert_equal "$(flags "$T/s")" '[true,true,false,"zero_or_negative_time"]'
}
@test "silent zero_or_negative_time: relative times from 0, one op of a hundred of no length" {
	{ k good 0 1; k good 3600000000 5; } | stream | silent zero_or_negative_time
	{ work 0 100; k a 10050 0; } | stream | silent zero_or_negative_time
}

@test "fires buffer_pressure: over 1 % of the span; a flush before launches without kernels; a remark" {
	{ work 0 10; x overhead "Activity Buffer Request" 300 11; } | stream >"$T/s"
	fires buffer_pressure error 1 30 "$T/s"
	assert_equal "$(flags "$T/s")" '[false,true,true,"buffer_pressure"]'
	{ work 0 10; x overhead "Buffer Flush" 300 0.01; l cudaLaunchKernel 390 1 99; } | stream | fires buffer_pressure error 1 30
	{ work 0 10; x overhead "Buffer Flush" 300 5; } | stream | fires buffer_pressure info 1 30
}
@test "fires buffer_pressure: kernels and calls end at a million" {
	awk 'BEGIN { p = "{\"type\":\"event\",\"trace\":0,\"id\":"; print "{\"type\":\"trace\",\"trace\":0}"
		for (i = 0; i < 1000000; i++)
			print p i ",\"ph\":\"X\",\"cat\":\"" (i % 2 ? "kernel" : "cuda_runtime") "\",\"ts\":" i ",\"dur\":0.4}"
		print "{\"type\":\"end\",\"trace\":0}" }' >"$T/s"
	fires buffer_pressure warning 1 null "$T/s"
	grep -v '"id":7,' "$T/s" | silent buffer_pressure
}
@test "silent buffer_pressure: before the first GPU op, or too short to matter" {
	{ x overhead "Activity Buffer Request" 0 300; work 4 10; } | stream | silent buffer_pressure
	{ work 0 10; x overhead "Buffer Flush" 300 0.09; x overhead "Other" 300 500; } | stream | silent buffer_pressure
}

steps() { # FIRST_DUR: four steps, the first one that long
	x user_annotation ProfilerStep#1 0 "$1"
	for i in 2 3 4; do x user_annotation ProfilerStep#$i $((i * 1000)) 100; done
}
@test "fires lazy_first_use: the first of four steps takes over 1.5 times the median" {
	{ work 0 5; steps 151; x overhead "Lazy Function Loading" 1 20; } | stream >"$T/s"
	fires lazy_first_use info 1 15 "$T/s"
	assert_equal "$(tl-reliability -n "$T/s" | jq -c 'select(.code=="lazy_first_use")|[.first_us,.median_us,.lazy_us]')" "[151,100,20]"
}
@test "silent lazy_first_use: 1.5 times" {
	{ work 0 5; steps 150; } | stream | silent lazy_first_use
}
@test "three steps are too few for lazy_first_use: untestable" {
	{ work 0 5; steps 900 | head -3; } | stream >"$T/s"
	assert_equal "$(reliability "$T/s" | jq '.untestable|index("lazy_first_use") != null')" true
}

python() { for ((i = 0; i < $1; i++)); do x python_function f.py $((i)) 1; done; }
@test "fires host_overhead_profile: more than 5 Python calls per operator and half idle" {
	{ work 0 2; l cudaLaunchKernel 310 1 9; k c 400 25 9; python 11; } | stream | fires host_overhead_profile info 1 null
}
@test "silent host_overhead_profile: 5 calls per operator; busy; idle that is not reliable" {
	{ work 0 2; l cudaLaunchKernel 310 1 9; k c 400 25 9; python 10; } | stream | silent host_overhead_profile
	{ work 0 2; python 11; } | stream | silent host_overhead_profile
	{ work 0 2; k c 900 0.5 2; python 11; } | stream | silent host_overhead_profile
}

@test "fires kernel_before_launch: more than 1 us; all of few, or 1 ms" {
	{ work 0 5; l cudaLaunchKernel 600 5 90; k early 598.9 20 90; } | stream >"$T/s"
	fires kernel_before_launch error 1 16 "$T/s"
	assert_equal "$(flags "$T/s")" '[false,true,true,"kernel_before_launch"]'
	{ work 0 101; l cudaLaunchKernel 10600 5 990; k early 10598 20 990; } | stream | fires kernel_before_launch warning 1 304
	{ work 0 101; l cudaLaunchKernel 11600 5 990; k early 10598 20 990; } | stream | fires kernel_before_launch error 1 304
}
@test "silent kernel_before_launch: 1 us is rounding" {
	{ work 0 5; l cudaLaunchKernel 600 5 90; k early 599 20 90; } | stream | silent kernel_before_launch
}

@test "fires corr_zero_or_dup: ids of 0, ids used twice, two kernels of one launch" {
	{ work 0 5; k lost 600 5 0; } | stream >"$T/s"
	fires corr_zero_or_dup error 1 15 "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[1,3]' | tr '\n' ' ')" 'false "corr_zero_or_dup" '
	{ work 0 5; l cudaMemsetAsync 600 5 3; } | stream | fires corr_zero_or_dup error 1 7
	{ work 0 5; k more 600 5 3; } | stream | fires corr_zero_or_dup warning 1 7
}
@test "silent corr_zero_or_dup: one id of 0 in a hundred, a driver call inside the runtime's, a graph" {
	{ work 0 99; k lost 9980 5 0; } | stream | silent corr_zero_or_dup
	{ work 0 5; l cuLaunchKernel 211 1 3 | sed s/cuda_runtime/cuda_driver/; } | stream | silent corr_zero_or_dup
	{ work 0 5; l cudaGraphLaunch 600 5 90; k a 610 5 90; k b 620 5 90; } | stream | silent corr_zero_or_dup
}

ranks() { # CORR: two processes on two devices, correlations from 1 and from CORR
	work 0 3
	for i in 0 1 2; do
		l cudaLaunchKernel $((i * 100)) 5 $((i + $1)) $((i + 50)) 200
		k gemm $((i * 100 + 9)) 60.5 $((i + $1)) 7 "\"external_id\":$((i + 50))" | sed 's/"device":0/"device":1/'
	done
}
@test "fires merged_ranks: two processes and devices with the same correlation ids" {
	ranks 1 | stream >"$T/s"
	fires merged_ranks error 3 9 "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[1,3]' | tr '\n' ' ')" 'false "merged_ranks" '
	work 0 3 | stream merged-8-ranks.json | fires merged_ranks warning 1 null
}
@test "silent merged_ranks: ranges of correlation ids apart; one process with two devices" {
	ranks 4 | stream | silent merged_ranks
	{ work 0 3; l cudaLaunchKernel 400 5 90; k b 410 5 90 | sed 's/"device":0/"device":1/'; } | stream | silent merged_ranks
	work 0 3 | stream merged.json '"key":"distributedInfo","value":{"rank":0}' | silent merged_ranks
}

wrapper() { # KERNELS: as many kernel names under one operator's id, and one healthy kernel
	o "Torch-Compiled Region: 0/0" 0 900 1
	l hipGraphLaunch 10 5 70 1
	for ((i = 0; i < $1; i++)); do k k$i $((i * 10 + 20)) 9.5 70; done
	work 10 11
}
@test "fires external_id_unusable: one id owns 51 kernel names and most of the time" {
	wrapper 51 | stream >"$T/s"
	fires external_id_unusable warning 51 2 "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[1]')" false
}
@test "fires external_id_unusable: most launches without an id, most operators with the same one" {
	{ work 0 2; for i in 3 4 5; do l cudaLaunchKernel ${i}00 5 9$i; k a ${i}10 5 9$i; done; } | stream | fires external_id_unusable info 3 6
	{ work 0 2; for i in 1 2 3 4; do o aten::add ${i}00.9 2 77; done; } | stream | silent external_id_unusable
	{ work 0 2; for i in 1 2 3 4 5; do o aten::add ${i}00.9 2 77; done; } | stream | fires external_id_unusable info 4 7
}
@test "fires external_id_unusable: launches have the id of no operator around them" {
	{ work 0 1; for i in 2 3; do o aten::mm ${i}00 50 $((i + 30)); l cudaLaunchKernel ${i}10 5 9$i $((i - 1)); k a ${i}20 5 9$i; done; } | stream >"$T/s"
	fires external_id_unusable info 2 5 "$T/s"
	{ work 0 1; for i in 2 3; do o aten::mm ${i}00 50 $((i + 30)); l cudaLaunchKernel ${i}10 5 9$i 7777; k a ${i}20 5 9$i; done; } | stream | fires external_id_unusable info 2 5
}
@test "silent external_id_unusable: half of the launches have the id of an operator around them, if not of the innermost" {
	{ work 0 1; o outer 200 50 31; o inner 205 40 32; l cudaLaunchKernel 210 5 90 31; k a 220 5 90
		for i in 3 4; do o aten::mm ${i}00 50 $((i + 30)); l cudaLaunchKernel ${i}10 5 9$i 1; k a ${i}20 5 9$i; done; } | stream | silent external_id_unusable
	{ o outer 200 50 31; o inner 205 40 ''; l cudaLaunchKernel 210 5 90 77; k a 220 5 90; } | stream | silent external_id_unusable
}
@test "silent external_id_unusable: 50 kernel names, half of the launches without an id" {
	wrapper 50 | stream | silent external_id_unusable
	{ work 0 2; for i in 3 4; do l cudaLaunchKernel ${i}00 5 9$i; k a ${i}10 5 9$i; done; } | stream | silent external_id_unusable
}

@test "fires shapes_missing: most operators with GPU work have no Input Dims" {
	{ work 0 1; for i in 2 3; do o aten::mm ${i}00 50 8$i ''; l cudaLaunchKernel ${i}10 5 9$i; k a ${i}20 5 9$i; done; } | stream | fires shapes_missing info 2 3
	o aten::mm 0 50 1 '' | stream | fires shapes_missing info 1 null
}
@test "silent shapes_missing: half of them have, and operators without GPU work do not count" {
	{ work 0 1; o aten::mm 200 50 82 ''; l cudaLaunchKernel 210 5 92; k a 220 5 92; for i in 3 4 5; do o aten::view ${i}00 5 8$i ''; done; } | stream | silent shapes_missing
}

@test "fires steps_missing: no annotation of a step" {
	{ work 0 1; x user_annotation "Optimizer.step#SGD.step" 0 5; x user_annotation "stepwise" 0 5; x user_annotation "footstep2x" 0 1; } |
		sed s/footstep2x/footsteps/ | sed s/stepwise/misstepwise/ | stream | fires steps_missing info 1 null
}
@test "silent steps_missing: ProfilerStep, step[...], decode_step_3" {
	for name in 'ProfilerStep#3' 'step[DECODE bs=32]' decode_step_3 'Iteration 4' denoise; do
		{ work 0 1; x user_annotation "$name" 0 5; } | stream | silent steps_missing
	done
}

@test "fires truncated_input: a cut file, lost events, repairs" {
	work 0 5 | stream t.json '' '{"code":"broken_event","count":2,"offset":7},{"code":"truncated_json","count":1,"offset":812,"detail":"x"}' >"$T/s"
	fires truncated_input error 3 null "$T/s"
	assert_equal "$(flags "$T/s")" '[false,true,true,"truncated_input"]'
	assert_equal "$(tl-reliability -n "$T/s" | jq -c 'select(.code=="truncated_input")|[.fault,.offset]')" '["truncated_json",812]'
	work 0 5 | stream t.json '' '{"code":"oversize_event","count":2,"offset":7}' | fires truncated_input warning 2 null
	work 0 5 | stream t.json '' '{"code":"bad_time","count":4,"offset":7}' | fires truncated_input info 4 null
}
@test "truncated_input says that no event is missing only where none is" {
	for code in bad_time not_an_event bad_utf8; do
		work 0 5 | stream t.json '' '{"code":"'$code'","count":4,"offset":7}' >"$T/s"
		assert_regex "$(tl-reliability -n "$T/s")" 'no event is missing'
		sed 's/"skipped":0/"skipped":4/' "$T/s" | fires truncated_input warning 4 null
		refute_regex "$(sed 's/"skipped":0/"skipped":4/' "$T/s" | tl-reliability -n)" 'no event is missing'
	done
	work 0 5 | stream t.json '' '{"code":"trailing_garbage","count":1,"offset":7}' >"$T/s"
	fires truncated_input info 1 null "$T/s"
	refute_regex "$(tl-reliability -n "$T/s")" 'no event is missing'
}
@test "silent truncated_input: an end without faults" {
	work 0 5 | stream | silent truncated_input
}

@test "fires wrong_unit: whole numbers that are nanoseconds, a length that cannot be" {
	{ k a 0 20000; k b 3600000000 20000; k c 3600100000 5; } | stream >"$T/s"
	fires wrong_unit error 2 0 "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[0,2]' | tr '\n' ' ')" "false false "
	{ work 0 5; k huge 600 3600000001; } | stream | fires wrong_unit warning 1 15
}
@test "silent wrong_unit: decimals, a short span, half of the ops short" {
	{ k a 0.5 20000; k b 3600000000 20000; } | stream | silent wrong_unit
	{ k a 0 20000; k b 3599900000 20000; } | stream | silent wrong_unit
	{ k a 0 20000; k b 3600000000 5; } | stream | silent wrong_unit
	{ work 0 5; k huge 600 3600000000; } | stream | silent wrong_unit
}

@test "fires duplicate_events: device, stream, time, length and name again" {
	{ work 0 5; k gemm 120 60.5 2; } | stream >"$T/s"
	fires duplicate_events warning 1 15 "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[0,2]' | tr '\n' ' ')" "false false "
}
@test "silent duplicate_events: any one of the five differs, or there is no length" {
	{ work 0 5; k gemm 120 60.5 "" 8; k gemm2 120 60.5; k gemm 120 60.4; k gemm 120.1 60.5; k gemm 120 60.5 | sed 's/"device":0/"device":1/'
		k s 700 0; k s 700 0; } | stream | silent duplicate_events
}

comm() { for i in 1 2 3 4; do k ncclDevKernel_AllReduce ${i}00.1 5 "" 9; done; k ncclDevKernel_AllReduce 600.1 "$1" "" 9; }
@test "fires spin_collective: the longest takes over 20 times the median" {
	{ work 0 5; comm 100.1; } | stream | fires spin_collective info 1 19
}
@test "silent spin_collective: 20 times; where tl-overlap told classes, they decide" {
	{ work 0 5; comm 100.1 | sed 's/$/,"class":"compute"/'; } | stream >"$T/s"
	assert_equal "$(warnings "$T/s" | grep spin)" ""
	{ work 0 5; comm 100.1 | sed 's/ncclDevKernel_AllReduce/x/; s/$/,"class":"communication"/'; } | stream | fires spin_collective info 1 19
	{ work 0 5; comm 100; } | stream | silent spin_collective
}

@test "fires overhead_as_work: a marker and a sync as GPU ops" {
	{ work 0 5; k Marker 600 5; k "Context Sync" 610 5; } | stream | fires overhead_as_work warning 2 15
}
@test "silent overhead_as_work: kernels whose name begins so; syncs of their own category" {
	{ work 0 5; k marker_kernel 600 5 | sed 's/marker_kernel/markers_kernel/'; x cuda_sync "Context Sync" 610 5; } | stream | silent overhead_as_work
}

@test "fires unknown_backend: device events of MTIA, HPU, privateuse1" {
	{ work 0 5; x mtia_ccp_events a 1 1; x privateuse1_driver_x b 1 1; x hpu_op c 1 1; } | stream >"$T/s"
	fires unknown_backend warning 3 15 "$T/s"
	assert_equal "$(tl-reliability -n "$T/s" | jq -r 'select(.code=="unknown_backend").cat')" mtia_ccp_events
}
@test "silent unknown_backend: spellings of 2021, XPU runtime calls" {
	{ k a 1 5 | sed s/kernel/Kernel/; x Operator b 1 1; x xpu_runtime c 1 1; } | stream | silent unknown_backend
}

@test "fires stream_wrong: an id above 2^53" {
	{ work 0 5; k a 600 5 "" 9007199254740993; } | stream | fires stream_wrong warning 1 15
}
@test "silent stream_wrong: 2^53" {
	{ work 0 5; k a 600 5 "" 9007199254740992; } | stream | silent stream_wrong
}

world='"key":"distributedInfo","value":{"rank":0,"world_size":2}'
@test "fires partial_file_set: two ranks, one trace; the warning is the last trace's" {
	work 0 5 | stream t.json "$world" | fires partial_file_set info 1 null
	{ work 0 5 | stream a "${world/:2/:3}"; work 0 5 | stream b "${world/:2/:3}" '' 1; } >"$T/s"
	assert_equal "$(tl-reliability -n "$T/s" | jq -c 'select(.code=="partial_file_set")|[.trace,.world_size,.traces]')" "[1,3,2]"
	assert_equal "$(tl-reliability -n "$T/s" | tail -1 | jq -r .type)" end
}
@test "silent partial_file_set: as many traces as ranks" {
	{ work 0 5 | stream a "$world"; work 0 5 | stream b "$world" '' 1; } >"$T/s"
	assert_equal "$(warnings "$T/s" | grep partial_file_set)" ""
	work 0 5 | stream t.json "${world/:2/:1}" | silent partial_file_set
}

@test "fires capture_not_run: a capture that is not replayed, a sidecar's name" {
	{ l cudaStreamBeginCapture 0 5 1; l cudaLaunchKernel 10 5 2; l cudaStreamEndCapture 20 5 3; } | stream | fires capture_not_run warning 1 0
	work 0 5 | stream dir/graph_capture_rank0.json | fires capture_not_run warning 1 null
	work 0 5 | stream capture_traces/bs_32_FULL.json.gz | fires capture_not_run warning 1 null
}
@test "silent capture_not_run: a replay follows; asking whether a stream is capturing" {
	{ work 0 5; l cudaStreamBeginCapture 500 5 91; l cudaStreamEndCapture 520 5 93; l cudaGraphLaunch 530 1 94; k a 540 5 94; } | stream | silent capture_not_run
	{ work 0 5; l cudaStreamIsCapturing 500 5 91; l cudaStreamGetCaptureInfo_v2 510 5 92; } | stream bs_x.json | silent capture_not_run
}

@test "fires wrong_tool_granularity: each replay is one op called graph" {
	for g in 1 2; do l cudaGraphLaunch ${g}00 5 $g; k "CUDA Graph 3" ${g}10 50 $g; done | stream | fires wrong_tool_granularity warning 2 1
}
@test "silent wrong_tool_granularity: a graph of one kernel" {
	for g in 1 2; do l cudaGraphLaunch ${g}00 5 $g; k decode ${g}10 50 $g; done | stream | silent wrong_tool_granularity
}

@test "fires util_over_100: more GPU time than the streams have room for; a timeline that says so" {
	{ k a 0 5000; k b 10 4990; } | stream | fires util_over_100 warning 1 null
	{ work 0 5 | stream | sed '$d'; echo '{"type":"timeline","trace":0,"window_us":10,"busy_us":10.1}'; echo '{"type":"end","trace":0,"events":15}'; } |
		fires util_over_100 warning 1 null
}
@test "silent util_over_100: overlap of two streams, of a per mille on one, and overlaps below 1 ms" {
	{ k a 0 5000; k b 10 4990 "" 8; } | stream | silent util_over_100
	{ k a 0 5000; k b 3998 5000; } | stream | fires util_over_100 warning 1 null
	{ k a 0 2000000; k b 1998500 2000000; } | stream | silent util_over_100
	{ k a 0 5000; k b 4001 5000; k c 8002 5000; } | stream | silent util_over_100
}

@test "fires high_gpu_idle_pct: idle above the gate, with reliable data" {
	{ work 0 2; l cudaLaunchKernel 910 5 90; k c 920 80 90; l cudaLaunchKernel 1910 5 91; k c 1920 80 91; } | stream >"$T/s"
	fires high_gpu_idle_pct warning 1 null --idle-gate 85 "$T/s"
	assert_equal "$(reliability --idle-gate 85 "$T/s" | jq .suppress_candidates)" true
	silent high_gpu_idle_pct --idle-gate 86 "$T/s"
}
@test "silent high_gpu_idle_pct: idle at the gate; idle that is not reliable" {
	{ k a 0 10; k b 90 10; } | stream >"$T/s"
	silent high_gpu_idle_pct "$T/s"
	{ k a 0 0.1; k b 90 10; } | stream | silent high_gpu_idle_pct
}

@test "fires low_op_correlation: under a tenth of the kernel time inside an operator" {
	{ work 0 1; l cudaLaunchKernel 200 5 90; k c 220 545 90; } | stream >"$T/s"
	fires low_op_correlation warning 1 null "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[1,3]' | tr '\n' ' ')" 'false "low_op_correlation" '
	silent low_op_correlation --attribution-floor 9.9 "$T/s"
}
@test "silent low_op_correlation: a tenth; an id instead of nesting" {
	{ work 0 1; l cudaLaunchKernel 200 5 90; k c 220 544.5 90; } | stream | silent low_op_correlation
	{ work 0 1; o Backward 195 20 9 | sed 's/"tid":1/"tid":2/'; l cudaLaunchKernel 200 5 90 9; k c 220 545 90; } | stream | silent low_op_correlation
}
@test "fires low_op_correlation: an id that names what had ended before the launch is no operator of it" {
	{ work 0 1; l cudaLaunchKernel 200 5 90 1; k c 220 545 90; } | stream | fires low_op_correlation warning 1 null
}

@test "fires capture_folder_not_used_for_core: a folder was named; it changes nothing else" {
	work 0 5 | stream >"$T/s"
	fires capture_folder_not_used_for_core info 1 null --capture-folder dir "$T/s"
	assert_equal "$(reliability --capture-folder dir "$T/s")" "$(reliability "$T/s")"
}
@test "silent capture_folder_not_used_for_core: none was" {
	work 0 5 | stream | silent capture_folder_not_used_for_core
}

# ---- rule v1 ----

@test "fires trace_stream_incomplete: any damage, under v1" {
	work 0 5 | stream t.json '' '{"code":"bad_escape","count":4,"offset":7}' | fires trace_stream_incomplete warning 4 null --rule v1
}
@test "silent trace_stream_incomplete: none" { work 0 5 | stream | silent trace_stream_incomplete --rule v1; }
@test "fires impossible_kernel_durations: as impossible_duration" {
	overrun 3000 | stream | fires impossible_kernel_durations warning 1 3 --rule v1
}
@test "silent impossible_kernel_durations: under 1 ms" { overrun 1999 | stream | silent impossible_kernel_durations --rule v1; }
@test "fires only_capture_fragments: kernels in a sidecar" {
	work 0 1 | stream bs_32.json | fires only_capture_fragments warning 1 null --rule v1
}
@test "silent only_capture_fragments: another name" { work 0 1 | stream bs.json | silent only_capture_fragments --rule v1; }
@test "fires no_gpu_kernels: only a copy" {
	k a 1 5 | sed 's/"kernel"/"gpu_memcpy"/' | stream | fires no_gpu_kernels warning 1 null --rule v1
}
@test "silent no_gpu_kernels: one kernel" { k a 1 5 | stream | silent no_gpu_kernels --rule v1; }
@test "fires cudagraph_replay: runtime or driver, CUDA or HIP, counted once per correlation" {
	{ l cudaGraphLaunch 1 5 1; l cuGraphLaunch 2 1 1 | sed s/cuda_runtime/cuda_driver/; l hipGraphLaunch 9 1 2; k a 10 5 1; } | stream |
		fires cudagraph_replay info 2 null --rule v1
}
@test "silent cudagraph_replay: graphs instantiated and uploaded only" {
	{ l cudaGraphInstantiate 1 5 1; l cudaGraphUpload 9 1 2; k a 10 5 1; } | stream | silent cudagraph_replay --rule v1
}
@test "fires cudagraph_unreliable_idle: idle over the gate, or nothing recorded, with graph launches" {
	{ l cudaGraphLaunch 1 5 1; k a 10 5 1; k b 100 5 1; } | stream >"$T/s"
	fires cudagraph_unreliable_idle warning 1 null --rule v1 "$T/s"
	assert_equal "$(flags --rule v1 "$T/s")" '[false,false,null,"cudagraph_incomplete_trace"]'
	l cudaGraphLaunch 1 5 1 | stream | fires cudagraph_unreliable_idle warning 1 null --rule v1
}
@test "silent cudagraph_unreliable_idle: busy enough; idle without graphs is plain idle" {
	{ l cudaGraphLaunch 1 5 1; k a 10 10 1; k b 90 20 1; } | stream | silent cudagraph_unreliable_idle --rule v1
	{ k a 10 5; k b 100 5; } | stream >"$T/s"
	silent cudagraph_unreliable_idle --rule v1 "$T/s"
	fires high_gpu_idle_pct warning 1 null --rule v1 "$T/s"
	assert_equal "$(flags --rule v1 "$T/s")" '[true,true,null,null]'
}
@test "v1 counts External ids of graph launches; evidence does not" {
	{ o region 0 90 1; l hipGraphLaunch 1 5 1 1; k a 10 40 1; k b 50 50 1; } | stream >"$T/s"
	assert_equal "$(reliability --rule v1 "$T/s" | jq -c '[.attributed_share,.attribution_reliable]')" "[100,true]"
	assert_equal "$(reliability "$T/s" | jq -c '[.attributed_share,.attribution_reliable]')" "[0,false]"
}

# ---- the list of codes ----

@test "every code has an explanation, a line in the man page, and both kinds of test" {
	tl-reliability --list | cut -f1 >"$T/codes"
	[ "$(wc -l <"$T/codes")" -gt 30 ]
	while read -r code; do
		grep -q "^@test \"fires $code: " "$BATS_TEST_FILENAME" || fail "no test that $code fires"
		grep -q "^@test \"silent $code: " "$BATS_TEST_FILENAME" || fail "no test that $code is silent"
		grep -q "^\.It Li $code\$" "$root/share/man/tl-reliability.1" || fail "$code is not in the man page"
	done <"$T/codes"
	assert_equal "$(sed -n 's/^\.It Li \([a-z_0-9]*\)$/\1/p' "$root/share/man/tl-reliability.1")" "$(cat "$T/codes")"
	assert_equal "$(jq -rn -L "$root/share/rules" 'include "reliability"; explanations | keys_unsorted[]' | sort)" "$(sort "$T/codes")"
}
@test "--explain says what a code means, how it was met, what to do; an unknown code is wrong usage" {
	run -0 tl-reliability --explain graph_lost_kernels
	assert_line --index 0 --partial "graph_lost_kernels: "
	assert_line "What it means:"
	assert_line "For the next trace:"
	run -2 tl-reliability --explain nonsense
}
@test "--list and --explain need no input" {
	run -0 bash -c 'tl-reliability --list </dev/null | wc -l'
	refute_output 0
}

# ---- doubts in records ----

derived() { # a healthy or unhealthy trace on stdin, with records of the other tools before its end
	sed '$i\
{"type":"op","trace":0,"id":0,"name":"aten::mm"}\
{"type":"timeline","trace":0,"device":0,"window_us":100,"busy_us":10,"idle_us":90,"idle_share":90,"compute_us":10,"zz":{"a":[1]}}\
{"type":"gap","trace":0,"device":0,"ts":1,"dur":2}\
{"type":"coverage","trace":0,"gpu_ops":2}\
{"type":"kernel_group","trace":0,"name":"a","share":1}\
{"type":"op_group","trace":0,"name":"a","share":1}\
{"type":"action","trace":0,"name":"a"}'
}
@test "an unreliable idle is null in timelines, the raw figures stay beside it, order and keys are kept" {
	{ stray; work 3 10; } | stream | derived >"$T/s"
	tl-reliability -n "$T/s" | grep -v warning >"$T/out"
	assert_equal "$(sed -n 3p "$T/out")" '{"type":"timeline","trace":0,"device":0,"window_us":100,"busy_us":null,"idle_us":null,"idle_share":null,"compute_us":10,"zz":{"a":[1]},"idle_reliable":false,"doubts":["edge_gap"],"raw_idle_us":90,"raw_busy_us":10,"raw_idle_share":90}'
	assert_equal "$(jq -r .type "$T/out" | tr '\n' ' ')" "trace op timeline gap coverage kernel_group op_group action reliability end "
	assert_equal "$(sed -n 5,8p "$T/out")" '{"type":"coverage","trace":0,"gpu_ops":2,"attribution_reliable":true}
{"type":"kernel_group","trace":0,"name":"a","share":1,"doubts":["edge_gap"]}
{"type":"op_group","trace":0,"name":"a","share":1,"attribution_reliable":true}
{"type":"action","trace":0,"name":"a","attribution_reliable":true,"doubts":["edge_gap"]}'
}
@test "a reliable idle stays as it is" {
	{ step 1 0 9; work 0 10; } | stream | derived | tl-reliability -n >"$T/out"
	assert_equal "$(grep timeline "$T/out")" '{"type":"timeline","trace":0,"device":0,"window_us":100,"busy_us":10,"idle_us":90,"idle_share":90,"compute_us":10,"zz":{"a":[1]},"idle_reliable":true}'
}
@test "a second pass replaces what the first one wrote, whatever its rule" {
	{ l cudaGraphLaunch 1 5 1; k a 10 5 1; k b 100 5 1; work 20 22; } | stream | derived >"$T/s"
	for first in v1 evidence; do
		for second in v1 evidence; do
			tl-reliability --rule $first "$T/s" | tl-reliability --rule $second >"$T/two"
			tl-reliability --rule $second "$T/s" | cmp - "$T/two"
		done
	done
}
@test "a stored stream without events keeps its verdict; a gate on it fails" {
	{ stray; work 3 10; } | stream | derived | tl-reliability -n >"$T/s"
	run -0 --separate-stderr tl-reliability --rule v1 "$T/s"
	assert_equal "$output" "$(cat "$T/s")"
	assert_equal "$stderr" "tl-reliability: trace 0: no events in the stream (-n): nothing is judged, earlier verdicts stay"
	run -1 tl-reliability -o /dev/null --gate head_drop "$T/s"
}
@test "no GPU op and graph launches: no figure of idle or busy in the stream, nor in any report" {
	l cudaGraphLaunch 1 5 1 | stream | tl-tree | tl-overlap --gaps 3 | grep -v '"timeline"' |
		sed '$i{"type":"timeline","trace":0,"window_us":0,"busy_us":0,"idle_us":0,"idle_share":0}' >"$T/s"
	for rule in v1 evidence; do
		tl-reliability --rule $rule "$T/s" >"$T/v"
		assert_equal "$(jq -c 'select(.type=="timeline")|[.idle_us,.busy_us,.idle_share,.raw_idle_share,.idle_reliable]' "$T/v")" "[null,null,null,0,false]"
		for report in "$root"/share/reports/*.jq; do
			report=$(basename "$report" .jq)
			grep -q "^include \"$report\";" "$root"/share/reports/*.jq && continue # a module
			grep -qx '#: sets' "$root/share/reports/$report.jq" && continue
			tl-render -f md -r "$report" "$T/v" >"$T/r" || fail "$report"
			grep -q 'DATA RELIABILITY' "$T/r" || fail "$report is silent about doubts"
			refute grep -q '[0-9] \?% idle' "$T/r"
			tl-render -f tsv -r "$report" "$T/v" | awk -F'\t' '
				NF == 0 || NR == 1 { head = 1 } NF == 0 { next }
				head { for (i = 1; i <= NF; i++) idle[i] = $i ~ /idle (us|ms|%)|busy (us|ms)/; n = NF; head = 0; next }
				{ for (i = 1; i <= n; i++) if (idle[i] && $i != "") { print; bad = 1 } } END { exit bad }' || fail "$report shows idle time"
		done
	done
}

# ---- reports ----

@test "health names what is not reliable, why, and the remedy" {
	{ stray; work 3 10; } | stream | tl-reliability | tl-render -f md -r health >"$T/r"
	grep -q '| idle and busy time | no | edge.*_gap |' "$T/r"
	grep -q 'Not reliable in this trace: idle and busy time (edge_gap)' "$T/r"
	grep -q '^- edge_gap: Cut the stream' "$T/r"
}
@test "health of a healthy trace has no remedies; without tl-reliability it says nothing" {
	{ step 1 0 9; work 0 10; } | stream >"$T/s"
	tl-reliability "$T/s" | tl-render -f md -r health | grep -q 'Nothing was found'
	tl-render -f md -r health "$T/s" | grep -q 'has not run'
}

# ---- gates ----

@test "gates: idle, reliable, and a code decide the exit status" {
	{ work 0 2; l cudaLaunchKernel 910 5 90; k c 920 80 90; l cudaLaunchKernel 1910 5 91; k c 1920 80 91; } | stream >"$T/idle"
	{ stray; work 3 10; } | stream >"$T/bad"
	run -1 tl-reliability -o /dev/null --gate idle=80 "$T/idle"
	run -0 tl-reliability -o /dev/null --gate idle=90 "$T/idle"
	run -0 tl-reliability -o /dev/null --gate reliable "$T/idle"
	run -1 tl-reliability -o /dev/null --gate reliable "$T/bad"
	run -1 tl-reliability -o /dev/null --gate edge_gap "$T/bad"
	run -0 tl-reliability -o /dev/null --gate head_drop "$T/bad"
	run -1 tl-reliability -o /dev/null --gate head_drop --gate edge_gap "$T/bad"
}
@test "a gate on idle holds with unreliable idle, and says so" {
	{ stray; work 9 11; } | stream >"$T/s"
	run -0 --separate-stderr tl-reliability -o /dev/null --gate idle=10 "$T/s"
	assert_equal "$stderr" "tl-reliability: trace 0: --gate idle=10 holds, since idle time is not reliable"
}
@test "a gate on what the trace cannot tell holds, and says so" {
	k a 0 10 | stream >"$T/s"
	run -0 --separate-stderr tl-reliability -o /dev/null --gate head_drop "$T/s"
	assert_equal "$stderr" "tl-reliability: trace 0: --gate head_drop holds, since nothing tells"
}
@test "gates: wrong ones are wrong usage; a cut stream outranks them" {
	for g in idle idle=x idle=101 nonsense; do run -2 tl-reliability --gate $g </dev/null; done
	run -2 tl-reliability --quick --gate idle=80 </dev/null
	run -2 tl-reliability --quick --gate edge_gap </dev/null
	run -2 tl-reliability --rule v1 --gate edge_gap </dev/null
	run -2 tl-reliability --rule v3 </dev/null
	{ stray; work 3 10; } | stream | sed '$d' >"$T/s"
	run -3 tl-reliability -o /dev/null --gate reliable "$T/s"
}

# ---- --quick ----

@test "--quick gives the codes of constant memory, claims no flag true, and lists the rest" {
	{ k a 1 5 1 | sed 's/"dur":5/"dur":0/'; k Marker 2 5 2; x mtia_x a 1 1; l cudaLaunchKernel 1 1 1 1; } |
		stream graph_capture.json "$world" '{"code":"truncated_gzip","count":1,"offset":9}' >"$T/s"
	assert_equal "$(tl-reliability -n --quick "$T/s" | jq -r 'select(.code).code' | tr '\n' ' ')" \
		"zero_or_negative_time steps_missing truncated_input overhead_as_work unknown_backend partial_file_set capture_not_run "
	assert_equal "$(flags --quick "$T/s")" '[false,null,false,"zero_or_negative_time"]'
	assert_equal "$(reliability --quick "$T/s" | jq '.untestable | index("edge_gap") != null and index("attribution_reliable") != null')" true
	work 0 5 | stream >"$T/s"
	assert_equal "$(flags --quick "$T/s")" '[null,null,null,null]'
}
@test "--quick finds ids that are absent, too" {
	{ work 0 5; k lost 600 5 0; for i in 1 2 3 4 5 6; do l cudaLaunchKernel 60$i 1 9$i; done; } | stream >"$T/s"
	fires corr_zero_or_dup error 1 15 --quick "$T/s"
	fires external_id_unusable info 6 16 --quick "$T/s"
	assert_equal "$(flags --quick "$T/s")" '[null,false,null,"corr_zero_or_dup"]'
}
@test "--quick and the full run agree on every code that both can tell" {
	{ k a 1 5 | sed 's/"dur":5/"dur":0/'; k Marker 2 5; x mtia_x a 1 1; o mm 1 1 1 ''; } | stream >"$T/s"
	tl-reliability --list | awk -F'\t' '$3 == "quick" { print $1 }' >"$T/codes"
	assert_equal "$(warnings --quick "$T/s")" "$(warnings "$T/s" | grep -F -f <(sed 's/.*/"&"/' "$T/codes"))"
}

@test "examples/batch/health.sh: a line per trace file, whatever is in it" {
	mkdir -p "$T/d/deep"
	printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":1,"ts":1,"dur":5.5}]}' >"$T/d/a.json"
	printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":1,"ts":1,"dur":5.5},{"ph"' | gzip >"$T/d/deep/b c.json.gz"
	: >"$T/d/e.json"
	run -1 env TL_BIN="$bin" "$root/examples/batch/health.sh" "$T/d"
	assert_output "$(printf 'ok\t%s/a.json\t1\t0\t\nerror\t%s/deep/b c.json.gz\t1\t0\ttruncated_input\nunreadable\t%s/e.json\t\t\t' "$T/d" "$T/d" "$T/d")"
}

# ---- links ----

@test "tl-tree's links are used where they are, and give the same verdict as raw correlations" {
	{ step 1 0 9; work 0 6; l cudaGraphLaunch 800 5 90; k a 810 5 90; k b 820 5 90; } | stream >"$T/s"
	tl-tree "$T/s" | tl-reliability -n >"$T/tree"
	tl-reliability -n "$T/s" | cmp - "$T/tree"
}
@test "B and E events are joined, with tl-tree and without" {
	work 0 3 | awk -F'"dur":' '/cpu_op|launch/i && !/kernel/ { split($2, d, /[,}]/); match($0, /"ts":[0-9]+/)
		ts = substr($0, RSTART + 5, RLENGTH - 5); sub(/"ph":"X"/, "\"ph\":\"B\""); sub(/"dur":[0-9.]+,?/, ""); print
		print "\"ph\":\"E\",\"pid\":100,\"tid\":1,\"ts\":" ts + d[1]; next } { print }' | stream >"$T/s"
	assert_equal "$(grep -c '"ph":"[BE]"' "$T/s")" 12
	assert_equal "$(reliability "$T/s" | jq .attributed_share)" 100
	tl-tree "$T/s" | tl-reliability -n >"$T/tree"
	tl-reliability -n "$T/s" | cmp - "$T/tree"
}
# alike FILE: tl-tree before it changes nothing
alike() {
	tl-reliability -n "$1" >"$T/without"
	tl-tree "$1" | tl-reliability -n | cmp - "$T/without"
}
only() { # CODE...: no warning of these
	local code
	for code; do refute grep -q "\"code\":\"$code\"" "$T/without"; done
}
@test "ids that are texts are ids; what is negative, null or absent is none" {
	{ work 0 3; o aten::mm 600 50; l cudaLaunchKernel 610 5 '"0xa9"'; k hex 620 50 '"0xa9"'; } | stream >"$T/s"
	alike "$T/s"
	only corr_zero_or_dup head_orphans tail_orphans low_op_correlation
	assert_equal "$(reliability "$T/s" | jq .attributed_share)" 100
	{ o aten::mm 0 50; l cudaLaunchKernel 10 5 -1; k a 20 50 -1; k b 80 50 null; } | stream >"$T/s"
	alike "$T/s"
	assert_equal "$(reliability "$T/s" | jq .attributed_share)" 0
	fires corr_zero_or_dup error 2 2 "$T/s"
}
@test "a number and its digits in quotes are one id" {
	{ work 0 3; l cudaLaunchKernel 610 5 '"77"'; k a 620 50 77; } | stream | silent tail_orphans
}
@test "a launch that a flow alone tells is a launch" {
	{ o aten::mm 100 50; l cudaLaunchKernel 110 20 null 5; k gemm 200 10
		echo '"ph":"s","cat":"ac2g","name":"ac2g","pid":100,"tid":1,"ts":110,"flow":4'
		echo '"ph":"f","cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":200,"flow":4'; } | stream >"$T/s"
	alike "$T/s"
	only corr_zero_or_dup head_orphans tail_orphans low_op_correlation
	assert_equal "$(reliability "$T/s" | jq .attributed_share)" 100
	grep -v '"ph":"s"' "$T/s" | fires corr_zero_or_dup error 1 2
}
@test "a driver call inside a graph launch of its correlation is a replay" {
	{ o run 100 50; l hipGraphLaunch 110 30 9; l hipModuleLaunchKernel 112 20 9 | sed s/cuda_runtime/hip_driver/; k a 200 10 9; k b 220 10 9; } | stream >"$T/s"
	alike "$T/s"
	assert_equal "$(reliability "$T/s" | jq -c '[.graph_launches, .graph_launches_recorded, .attributed_share]')" "[1,1,0]"
	fires graph_coarse warning 2 3 "$T/s"
}
@test "an op of a replay whose launch was filtered out is one still" {
	{ work 0 2; l hipGraphLaunch 300 5 90; k a 310 60.5 90; k b 371 60.5 90; } | stream | tl-tree | grep -v GraphLaunch >"$T/s"
	fires graph_coarse warning 2 7 "$T/s"
}
@test "the operator of a launch: early by clock rounding, grazing, in another rank, never without a call" {
	{ o aten::mm 100 50; l cudaLaunchKernel 99.8 5 9; k a 200 10 9; } | stream >"$T/early"
	{ o aten::mm 100 10; l cudaLaunchKernel 109 20 9; k a 200 10 9; } | stream >"$T/graze"
	{ o aten::mm 100 50 5 | sed 's/"pid":100/"pid":"rank0"/'; l cudaLaunchKernel 110 20 9 5 '"rank1"'; k a 200 10 9 7 '"external_id":5'; } | stream >"$T/rank"
	{ o aten::mm 100 50 5; l cudaLaunchKernel 300 5 8; k a 200 10 9 7 '"external_id":5'; } | stream >"$T/id"
	for f in early:100 graze:0 rank:0 id:0; do
		alike "$T/${f%:*}"
		assert_equal "$f $(reliability "$T/${f%:*}" | jq .attributed_share)" "$f ${f#*:}"
	done
}
@test "shapes are those of the operators that have the GPU work" {
	{ o aten::mm 100 10; l cudaLaunchKernel 109 20 9; k a 200 10 9; } | stream >"$T/graze"
	silent shapes_missing "$T/graze"
	{ o aten::relu 0 5; o aten::mm 100 10 5 ''; l cudaLaunchKernel 109 20 9; k a 200 10 9; } | stream >"$T/graze"
	silent shapes_missing "$T/graze"
	{ o outer 100 50 5; o inner 110 20 6 ''; l cudaLaunchKernel 115 5 9; k a 200 10 9; } | stream | fires shapes_missing info 1 1
}
@test "a span of a B and an E counts with all that it says, tl-tree or not" {
	pair() { sed 's/"ph":"X"/"ph":"B"/; s/,"dur":[0-9.]*//'; }
	{ x overhead "Buffer Flush" 300 1 | pair; echo '"ph":"E","pid":100,"tid":1,"ts":311'; work 0 1
		k gemm 610 9 90 | pair; echo '"ph":"E","pid":0,"tid":7,"ts":620'; l cudaLaunchKernel 600 5 90 1
		x python_function f.py 700 1 | pair; echo '"ph":"E","pid":100,"tid":1,"ts":701'
		x user_annotation ProfilerStep#1 800 1 | pair; echo '"ph":"E","pid":100,"tid":1,"ts":801'; x mtia_ccp_events a 900 1 | pair; } | stream >"$T/s"
	alike "$T/s"
	only steps_missing no_device_events
	fires buffer_pressure error 1 0 "$T/s"
	fires unknown_backend warning 1 12 "$T/s"
	refute jq -e 'select(.type=="reliability") | .untestable | index("host_overhead_profile")' "$T/without"
}
@test "devices and streams are those of the suite: 0 and \"0\" are one, a tid is no stream, pids tell apart" {
	{ k a 100 50; k a 100 50 | sed 's/"device":0,"stream":7/"device":"0","stream":"7"/'; } | stream | fires duplicate_events warning 1 1
	{ k a 100 50; k a 100 50 | sed 's/"stream":7/"zz":7/'; } | stream | silent duplicate_events
	{ k a 100 50; k a 100 50 | sed 's/"pid":0/"pid":1/'; } | stream | silent duplicate_events
	{ k a 100 50; k a 100 50 | sed 's/"device":0/"device":null/'; } | stream | fires duplicate_events warning 1 1
}
@test "impossible_duration says the process too where the device's number is that of two" {
	overrun 3000 | stream >"$T/s"
	assert_equal "$(tl-reliability -n "$T/s" | jq -c 'select(.code=="impossible_duration")|has("process")')" false
	{ overrun 3000; k other 100 5 | sed 's/"pid":0/"pid":"rank1"/'; } | stream >"$T/s"
	assert_equal "$(tl-reliability -n "$T/s" | jq -c 'select(.code=="impossible_duration")|[.device,.process,.stream,.streams]')" "[0,0,9,1]"
}

# ---- ranks ----

two() { # DEVICE: work of two ranks whose pids say so, the second on that device
	ranks 1 | awk -v d="$1" '{ r = /"pid":200/ || /"device":1/; sub(/"device":1/, "\"device\":" d) }
		/"kernel"/ { sub(/"pid":0/, "\"pid\":\"rank" r " gpu\"") } { sub(/"pid":[12]00/, "\"pid\":\"rank" r " cpu\""); print }'
}
@test "ranks that were merged count as ranks, by their pids or by devices of one number" {
	for d in 0 1; do
		two $d | stream t.json "$world" >"$T/s"
		silent partial_file_set "$T/s"
		silent partial_file_set --quick "$T/s"
		two $d | stream t.json "${world/:2/:3}" >"$T/s"
		assert_equal "$(tl-reliability -n "$T/s" | jq -c 'select(.code=="partial_file_set")|[.world_size,.ranks,.traces]')" "[3,2,1]"
	done
	{ k a 100 50; k b 100 50 | sed 's/"pid":0/"pid":8/'; } | stream t.json "$world" | silent partial_file_set
	{ k a 100 50; k b 100 50 | sed 's/"pid":0/"pid":1/; s/"device":0/"device":1/'; } | stream t.json "$world" | fires partial_file_set info 1 null
}
@test "tl-render --merge gives a file of all ranks, whose links are not in doubt" {
	for r in 0 1; do
		work 0 3 | sed 's/.*/{&}/' | jq -s --argjson r $r '{distributedInfo: {rank: $r, world_size: 2},
			traceEvents: map({ph, cat, name, pid, tid, ts, dur, args: ({correlation, device, stream, "External id": .external_id} | with_entries(select(.value != null)))})}' >"$T/r$r.json"
	done
	tl-extract "$T/r0.json" "$T/r1.json" | tl-render -q -f chrome --merge -o "$T/all.json"
	tl-extract "$T/all.json" >"$T/s"
	alike "$T/s"
	only partial_file_set low_op_correlation external_id_unusable
	fires merged_ranks warning 1 null "$T/s"
	assert_equal "$(flags "$T/s" | jq -c '.[1]')" true
}
@test "merged_ranks: correlations that are texts have no range" {
	ranks 4 | sed 's/"correlation":\([0-9]*\)/"correlation":"x\1"/' |
		awk '{ match($0, /"ts":[0-9]+/); print substr($0, RSTART + 5, RLENGTH - 5) "\t" $0 }' | sort -sn | cut -f2- | stream | silent merged_ranks
}

# ---- steps ----

@test "steps that a trace of 2021 calls operators are steps, and no operators" {
	{ x Operator ProfilerStep#1 0 100; x Runtime cudaLaunchKernel 20 5 | sed 's/$/,"correlation":3/'; k a 30 20 3; } | stream >"$T/s"
	silent steps_missing "$T/s"
	alike "$T/s"
	assert_equal "$(reliability "$T/s" | jq .attributed_share)" 0
}
@test "lazy_first_use looks at the steps of the best form, not at those within them" {
	{ work 0 5; steps 151; for i in 0 5 10 15 20; do x user_annotation iteration $i 2; done; } | stream | fires lazy_first_use info 1 15
	{ work 0 5; steps 150; for i in 1 2 3 4 5; do x user_annotation ProfilerStep#1$i 40${i}0 2; done; } | stream | silent lazy_first_use
	{ work 0 5; steps 150; x user_annotation ProfilerStep#9 10 1; x user_annotation "Iteration 1" 5 3000; } | stream | silent lazy_first_use
}

@test "ids of 64 bits are not rounded" {
	{ o a 0 50 18446744073709551615; l cudaLaunchKernel 10 5 18446744073709551614 18446744073709551615; k x 20 50 18446744073709551614
		l cudaLaunchKernel 70 5 18446744073709551615; k y 80 50 18446744073709551615; } | stream >"$T/s"
	assert_equal "$(reliability "$T/s" | jq .attributed_share)" 50
}

# ---- promises of every filter ----

@test "records that doubts do not concern pass byte for byte, unknown types and keys too" {
	{ work 0 3; } | stream | sed 's/"id":4,/"id":4,"zz" : {"é":[1.50]}, /; 3i{"type":"zzz","trace":0,"a" : 1e3}' >"$T/s"
	tl-reliability "$T/s" | grep -v '"type":"\(warning\|reliability\)"' | cmp - "$T/s"
}
@test "two traces in a stream: each has its own verdict" {
	{ { stray; work 3 10; } | stream a; { step 1 0 9; work 0 5; } | stream b '' '' 1; } >"$T/s"
	assert_equal "$(reliability "$T/s" | jq -c '[.trace,.idle_reliable]' | tr '\n' ' ')" "[0,false] [1,true] "
	assert_equal "$(tl-reliability -n "$T/s" | jq -r '"\(.type)\(.trace)"' | grep -v warning | tr '\n' ' ')" "trace0 reliability0 end0 trace1 reliability1 end1 "
}
@test "a cut stream: the verdict says so, exit 3" {
	{ step 1 0 9; work 0 5; } | stream | sed '$d' >"$T/s"
	run -3 --separate-stderr tl-reliability -n "$T/s"
	assert_equal "$(jq -c 'select(.type=="reliability")|[.idle_reliable,.reason]' <<<"$output")" '[false,"truncated_input"]'
	run -3 tl-reliability -n </dev/null
}
@test "a full disk is an error; head -1 ends it quietly; the output is the same every time" {
	work 0 2000 | stream >"$T/s"
	run -3 bash -c "tl-reliability '$T/s' >/dev/full"
	assert_output --partial "tl-reliability: "
	run bash -c "tl-reliability '$T/s' | head -1 | jq -r .type; exit \${PIPESTATUS[0]}"
	assert_output trace
	tl-reliability "$T/s" >"$T/1"
	LC_ALL=C.UTF-8 tl-reliability - <"$T/s" | cmp - "$T/1"
}
@test "names with escapes, and names that are no text, make valid figures" {
	for name in '"mtia_a\"\u00e9\\b"'; do
		printf '"ph":"X","cat":%s,"name":"a","ts":1,"dur":1\n' "$name" | stream >"$T/s"
		assert_equal "$(tl-reliability -n "$T/s" | jq -c 'select(.code=="unknown_backend").cat')" "$(jq -c . <<<"$name")"
	done
	wrapper 51 | sed 's/"Torch-Compiled Region: 0.0"/{"a":"b"}/' | stream >"$T/s"
	assert_equal "$(tl-reliability -n "$T/s" | jq -r 'select(.code=="external_id_unusable").operator')" '{"a":"b"}'
}
@test "fields of the wrong kind neither crash nor count" {
	cat >"$T/e" <<-'EOF'
		"ph":"X","cat":"kernel","name":3,"pid":null,"tid":[1],"ts":"x","dur":{},"device":"a","stream":-1,"correlation":"b","external_id":1.5,"args":7
		"ph":"X","cat":"kernel","ts":9223372036854775807,"dur":9223372036854775807,"correlation":-1
		"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","ts":1e300,"correlation":[]
		"ph":"X","cat":"cpu_op","args":[],"ts":-9223372036854775,"dur":1
		"ph":"X","cat":"overhead","name":"Buffer Flush"
		"ph":"X","cat":"user_annotation","name":"step#","ts":1,"dur":1
		"ph":"X"
	EOF
	stream t.json '"key":"distributedInfo","value":[1]' '7' <"$T/e" >"$T/s"
	run -0 bash -c "tl-reliability -n '$T/s' | jq -r .type | sort -u | tr '\n' ' '"
	assert_output "end reliability trace warning "
}
@test "cost grows with the events, not faster, whatever repeats" {
	for n in 2000 20000; do
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) {
			printf "\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":90,\"external_id\":1\n", i * 10
			printf "\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":1,\"correlation\":%d,\"external_id\":%d\n", i, i * 10 + 1, i % 7, i
			printf "\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"Buffer Flush\",\"ts\":%d,\"dur\":1\n", i * 10
			printf "\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":1,\"ts\":%d,\"dur\":50,\"correlation\":%d,\"external_id\":%d\n", i % 99, i * 10 + 2, i % 7, i } }' | stream >"$T/$n"
	done
	local t0 t1 t2
	t0=$(date +%s%N)
	tl-reliability -n "$T/2000" >/dev/null
	t1=$(date +%s%N)
	tl-reliability -n "$T/20000" >/dev/null
	t2=$(date +%s%N)
	[ $((t2 - t1)) -lt $((40 * (t1 - t0) + 500000000)) ]
}
