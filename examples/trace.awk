# Helpers of the example generators: a host thread with nested spans, streams that run kernels in
# order, and a Kineto-like file around them. All times are in ns; the clock moves with work().

function begin_file(gpu, world) {
	printf "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": \"%s\", \"totalGlobalMem\": 85024112640, \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132}\n  ],\n", gpu
	printf "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, \"world_size\": %d},\n", rank, world
	printf "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1764000000000000000,\n  \"traceEvents\": ["
	pid = 4000 + rank
	seed = 12345 + rank * 77
	comma = ""
	meta(pid, 0, "process_name", "\"name\": \"python\"")
	meta(0, 0, "process_name", "\"name\": \"GPU 0\"")
	meta(pid, pid, "thread_name", sprintf("\"name\": \"thread %d (python)\"", pid))
}

function end_file(name) {
	printf "\n  ],\n  \"traceName\": \"%s\"\n}\n", name
}

function emit(text) {
	printf "%s\n  %s", comma, text
	comma = ","
}

function meta(p, t, name, args) {
	emit(sprintf("{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s, \"ts\": 0, \"args\": {%s}}", name, p, t, args))
}

# the same jitter on every machine: integers below 2^31 only
function jitter(n) {
	seed = (seed * 1103 + 12345) % 2147483
	return seed % n
}

function us(ns) {
	return sprintf("%d.%03d", int(ns / 1000), ns % 1000)
}

function work(ns) {
	now += ns + jitter(int(ns / 8) + 1)
}

# open() and close_span() nest on the current thread; the span is written when it closes
function open(cat, name, args) {
	depth++
	sp_cat[depth] = cat; sp_name[depth] = name; sp_args[depth] = args; sp_ts[depth] = now
	work(400)
}

function close_span() {
	work(300)
	emit(sprintf("{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": %s, \"dur\": %s, \"args\": {%s}}",
		sp_cat[depth], sp_name[depth], pid, tid, us(sp_ts[depth]), us(now - sp_ts[depth]), sp_args[depth]))
	depth--
}

function python(name) {
	python_id++
	open("python_function", name, sprintf("\"Python id\": %d, \"Python parent id\": %s, \"Python module id\": 0", python_id, python_up[python_depth] ? python_up[python_depth] : "null"))
	python_up[++python_depth] = python_id
}

function python_end() {
	python_depth--
	close_span()
}

# shapes and types are JSON lists; sequence 0: none
function op(name, shapes, types, sequence,    args) {
	external++
	args = sprintf("\"External id\": %d", external)
	if (shapes != "")
		args = args sprintf(", \"Input Dims\": %s, \"Input type\": %s, \"Input Strides\": %s, \"Concrete Inputs\": %s", shapes, types, strides(shapes), "[]")
	if (sequence)
		args = args sprintf(", \"Sequence number\": %d, \"Fwd thread id\": %d", sequence, tid == pid ? 0 : 1)
	open("cpu_op", name, args)
	op_external[depth] = external
}

# contiguous strides of a list of shapes, as text
function strides(shapes,    n, i, j, s, part, list, out, one, dims, d) {
	gsub(/[ ]/, "", shapes)
	s = substr(shapes, 2, length(shapes) - 2)
	out = ""
	while (s != "") {
		if (!match(s, /^\[[0-9,]*\],?/))
			return "[]" # a list of tensor lists
		part = substr(s, 1, RLENGTH)
		s = substr(s, RLENGTH + 1)
		gsub(/[\[\]]|,$/, "", part)
		n = part == "" ? 0 : split(part, dims, ",")
		one = 1; list = ""
		for (i = n; i > 0; i--) {
			list = one (list == "" ? "" : ", " list)
			one *= dims[i]
		}
		out = out (out == "" ? "" : ", ") "[" list "]"
	}
	return "[" out "]"
}

# a launch on the current thread, and its kernel on a stream; dur in ns; after: earliest start
function launch(call, cat, name, stream, dur, after, more,    start, ext) {
	correlation++
	ext = external
	work(700)
	emit(sprintf("{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": %s, \"dur\": %s, \"args\": {\"External id\": %d, \"cbid\": 211, \"correlation\": %d}}",
		call, pid, tid, us(now), us(2600), ext, correlation))
	emit(sprintf("{\"ph\": \"s\", \"id\": %d, \"pid\": %d, \"tid\": %d, \"ts\": %s, \"cat\": \"ac2g\", \"name\": \"ac2g\"}", correlation, pid, tid, us(now)))
	start = now + 4200
	now += 2600
	return gpu(cat, name, stream, dur, start > after ? start : after, correlation, ext, more, 1)
}

# a GPU op of its own (graph replays have many per launch); returns its end
function gpu(cat, name, stream, dur, start, corr, ext, more, flow) {
	dur += jitter(int(dur / 16) + 1)
	if (start < free[stream])
		start = free[stream] + 900
	free[stream] = start + dur
	emit(sprintf("{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 0, \"tid\": %d, \"ts\": %s, \"dur\": %s, \"args\": {\"External id\": %d, \"device\": 0, \"context\": 1, \"stream\": %d, \"correlation\": %d%s}}",
		cat, name, stream, us(start), us(dur), ext, stream, corr, more))
	if (flow)
		emit(sprintf("{\"ph\": \"f\", \"id\": %d, \"pid\": 0, \"tid\": %d, \"ts\": %s, \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"}", corr, stream, us(start)))
	return free[stream]
}

function grid(x, y, block) {
	return sprintf(", \"registers per thread\": 128, \"shared memory\": 49152, \"grid\": [%d, %d, 1], \"block\": [%d, 1, 1]", x, y, block)
}

function bf16(n,    i, s) {
	for (i = 0; i < n; i++)
		s = s (i ? ", " : "") "\"c10::BFloat16\""
	return "[" s "]"
}
