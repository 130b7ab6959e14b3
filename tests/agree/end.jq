# Streams in, one line out for each trace whose `end` does not say what the stream holds.
# Run with -nc; a stream's file name says what was asked of it.
def ns: . * 1000 | round;
def is_gpu_op: .ph == "X" and ((.cat // "") | ascii_downcase | IN("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"));
def figures: {events, gpu_ops, ts_first, ts_last};

foreach inputs as $r ({};
	if $r.type == "trace" then {events: 0, gpu_ops: 0}
	elif $r.type == "event" then
		.events += 1
		| if $r | is_gpu_op then .gpu_ops += 1 else . end
		| if $r.ph != "M" and $r.ts != null then
			.ts_first = ([.ts_first // empty, ($r.ts | ns)] | min)
			| .ts_last = ([.ts_last // empty, ($r.ts | ns) + ($r.dur // 0 | ns)] | max)
		  else . end
	elif $r.type == "end" then .end = ($r | figures | (.ts_first, .ts_last) |= (if . then ns else . end))
	else . end;
	if $r.type == "end" and .end != figures
	then {trace: $r.trace, stream: (input_filename | split("/")[-1]), "end": .end, counted: figures}
	else empty end)
