# What the codes of tl-reliability mean, how people met them, and what to do when capturing the next
# trace. `tl-reliability --explain CODE` prints an entry, the report `health` shows the remedies.
# The codes themselves are listed by `tl-reliability --list`; each has an entry here.

def explanations: {

graph_coarse: {
  means: "At least half of the kernel time was launched by replays of a CUDA or HIP graph. All kernels of a replay share one launch, so neither their operators nor their shapes are in the file. Their times are good.",
  met: "Serving engines in decode: 40 launches for 41,960 kernels (TraceLens #827); the same with vLLM (#45069) and SGLang (#24370).",
  remedy: "Record a second trace of the same model without graphs (enforce_eager, disable-cuda-graph), or of the graph capture itself, and hand its sources over: tl-sourcemap --map FILE."},

graph_lost_kernels: {
  means: "Graph launches stand in the file whose kernels do not, or only in part. The GPU looks idle while it worked: idle and busy time are not known, and sums are too small.",
  met: "448 of 512 replays recorded (SGLang PR #35390); 32 launches and no kernel instead of 18,400 (Hyperloom #747); 26 % idle reported where the GPU was 99 % busy (TraceLens #728).",
  remedy: "Warm the graphs up before the profiler starts, record fewer steps, update the profiler library (CUPTI, roctracer or rocprofiler), or record without graphs."},

no_device_events: {
  means: "The host launched kernels, and the file holds no GPU op at all. Nothing about the GPU can be told.",
  met: "A preloaded library or another profiler that owns the tracer; a container without the right to use CUPTI; a CUPTI that does not fit the driver (kineto #859, pytorch #67349).",
  remedy: "Ask for ProfilerActivity.CUDA, run one profiler at a time, look at LD_PRELOAD, check the rights for performance counters, and compare the CUPTI and driver versions."},

empty_timeline: {
  means: "There is no GPU op with a length, so there is no window in which the GPU could be busy or idle: both are not known, not 0.",
  met: "Traces of the host alone; traces filtered by category; back ends whose device rows have other names.",
  remedy: "Record device activity as well, or read the file for what it is: a host trace."},

head_orphans: {
  means: "Kernels near the start have no launch in the file: they were queued before the recording began. They belong to no operator, and the first part of the trace shows work of an earlier step.",
  met: "A quarter to a third of the kernels in ordinary traces of eager models (TraceLens #108, pytorch #162481).",
  remedy: "Synchronise the device before the profiler starts (torch.cuda.synchronize()), or use a schedule with a warm-up step and look at the later steps."},

tail_orphans: {
  means: "The last launches have no GPU op, or GPU ops near the end have no launch: the recording stopped before the work was done.",
  met: "Profilers stopped without a synchronisation (kineto #743, pytorch PR #57036).",
  remedy: "Synchronise the device before the profiler stops."},

head_drop: {
  means: "The first launches of the session have no GPU op while all later ones have: records were lost at the start, and idle time there is false.",
  met: "The first kernels of each profiling session missing, with only an INFO line to tell (pytorch #192021, kineto #996).",
  remedy: "Use a schedule with warm-up steps and leave the first step out of the analysis."},

edge_gap: {
  means: "More than a fifth of the span is one gap with hardly any GPU time on one side: a stray op at an edge stretches the window. The idle share says how far away that op is, not how idle the GPU was.",
  met: "Traces that a tool has cut into steps, with one op of a neighbour left in; a teardown kernel long after the work (Hyperloom #416).",
  remedy: "Cut the stream to the part that matters: tl-tree --in NAME, or record a whole number of steps."},

impossible_duration: {
  means: "Ops run past the start of the next op on their stream, by at least 1 ms and 5 % of the stream's time. A stream runs one op after the other: their recorded lengths are wrong.",
  met: "Overflowing or stale end times of ROCm tools (TraceLens #669, roctracer #104). Overlaps of some microseconds are legal (programmatic dependent launch) and are not meant.",
  remedy: "tl-overlap --clip ends such ops where the next one starts; better, record again with a newer profiler library."},

zero_or_negative_time: {
  means: "GPU ops start before 0, end before they start, start at 0 hours before the rest, or take no time. CUPTI writes 0 for a time that it does not know.",
  met: "Half of a trace with zero times (pytorch #188481); kineto #109.",
  remedy: "Record fewer events at once (no stacks, no memory), update the profiler library, and leave such ops out."},

buffer_pressure: {
  means: "The profiler requested or flushed its buffers while the GPU was measured, long enough to be seen, or launches after it lost their GPU ops; or the number of records ends at a known limit.",
  met: "Dropped activities after a full buffer (kineto #1020); the limit of a million records in roctracer (PR #1081).",
  remedy: "Record fewer steps, raise the buffer size (KINETO_CUPTI_BUFFER..., rocprof's buffer options), or leave out stacks and shapes."},

lazy_first_use: {
  means: "The first step takes over 1.5 times the median of the others: modules are loaded, kernels compiled or tuned in it.",
  met: "First steps 20 times slower (kineto #328).",
  remedy: "Warm up before recording, and leave the first step out of averages."},

host_overhead_profile: {
  means: "Python functions were recorded in great number and the GPU is idle more than half of the time: a launch-bound program is slowed by with_stack itself, and the idle time may not exist without the profiler.",
  met: "About 7 % slower with stacks (vLLM PR #35240), more where steps are short (kineto #743).",
  remedy: "Record once more without with_stack and compare the step times before you act on the idle share."},

kernel_before_launch: {
  means: "GPU ops start before the call that launched them: the clocks of host and device disagree. Delays between launch and start, and which step an op belongs to, are wrong by as much.",
  met: "Clocks converted only once per session (kineto #1380, rocprofiler #84).",
  remedy: "Update the profiler library; look at host and device times apart."},

corr_zero_or_dup: {
  means: "Correlation ids are absent or 0 and no flow replaces them, used by several runtime calls, or several GPU ops share a launch that replays no graph. GPU ops are joined to the wrong launch or to none.",
  met: "All communication kernels with id 0 (roctracer #100); ids reused (kineto #520).",
  remedy: "Update the profiler library; do not merge traces without telling their ids apart."},

merged_ranks: {
  means: "The file holds several ranks. Where their correlation ids are the same, tools that join by id alone mix the ranks; sums over the file are sums over ranks.",
  met: "Merged traces with 258 % utilisation (nsys-ai #142); TraceLens #581.",
  remedy: "Analyse the files of the ranks, all in one stream: tl-extract rank*.json.gz."},

external_id_unusable: {
  means: "External ids do not lead to operators: most launches have none, or that of no operator around them, operators share them, or one wrapper owns nearly all kernels through its id.",
  met: "Compiled regions that launch a whole graph under their own id; traces whose runtime calls carry no ids (kineto #846, pytorch #122833); PyTorch 1.13 to 2.0, which number launches and operators apart.",
  remedy: "tl joins by launch and nesting, and asks ids only where these leave it open, so figures by operator can still be right; for compiled regions use tl-sourcemap, or record an eager run."},

shapes_missing: {
  means: "Operators have no Input Dims, so FLOPs, bytes and rooflines cannot be computed.",
  met: "Serving engines that profile without shapes (vLLM #45069, SGLang PR #25787).",
  remedy: "Record with record_shapes=True."},

steps_missing: {
  means: "No annotation marks a step, so nothing can be averaged or compared per step.",
  met: "Profilers started and stopped by hand; annotations lost in graph mode (HTA #238).",
  remedy: "Call profiler.step(), or wrap the step in record_function(\"step\")."},

truncated_input: {
  means: "The file ends too early, or events in it could not be read. The end of the run, or some ops, are missing.",
  met: "A profiler killed while it wrote (vLLM #22748); disks and uploads cut short (pytorch #33961).",
  remedy: "Wait until the profiler has written the file; compress it afterwards; check with gzip -t."},

wrong_unit: {
  means: "Lengths or times are too large for microseconds: nanoseconds in fields meant for microseconds, or a length that overflowed.",
  met: "Exporters with another unit (kineto #853, triton PR #7663, perfetto #983).",
  remedy: "Divide by 1000 what the exporter wrote, or use one that follows the trace format; displayTimeUnit changes nothing."},

duplicate_events: {
  means: "GPU ops stand in the file twice: same device, stream, time, length and name. Sums are too large.",
  met: "Two profilers recording at once, traces merged with themselves.",
  remedy: "Run one profiler at a time; merge each file once."},

spin_collective: {
  means: "The longest collective takes over 20 times the median: it waited in a kernel for other ranks. The GPU was busy and did no work.",
  met: "NCCL kernels that spin until all ranks arrive (nccl #1025, #1778).",
  remedy: "Compare the ranks: the one with the short collective is the late one."},

overhead_as_work: {
  means: "Markers or synchronisations are recorded as GPU ops and count as busy time.",
  met: "Traces with cuda_sync rows on GPU tracks (HTA PR #162, pytorch PR #193924).",
  remedy: "Leave them out: tl-extract ... | jq -c 'select(.name != \"Marker\")', or switch off sync events in the profiler."},

unknown_backend: {
  means: "The file holds device events of categories that tl does not take for GPU ops. Their work is not in any figure.",
  met: "Traces of MTIA, HPU and privateuse1 back ends (torch-xpu-ops #3985).",
  remedy: "Read the host side only, or rename the categories to kernel and gpu_memcpy when converting."},

stream_wrong: {
  means: "Stream ids are above 2^53. tl keeps them whole; tools that read numbers as doubles take different streams for one.",
  met: "Pointers written as stream ids by HIP tools (kineto PR #1416, HTA #268).",
  remedy: "Nothing for tl; for other tools, update the profiler library."},

partial_file_set: {
  means: "The job had more ranks than the stream holds. What the others did is not known.",
  met: "One rank read and taken for all (HTA #107).",
  remedy: "Give tl-extract the files of all ranks."},

capture_not_run: {
  means: "The file shows the capture of a graph: kernels are launched into the graph and do not run. It is no measurement of the workload.",
  met: "Sidecar files of serving engines taken for the trace (Hyperloom #394, TraceLens #973).",
  remedy: "Analyse the trace of the run; this file serves as tl-sourcemap --map for it."},

wrong_tool_granularity: {
  means: "Each graph replay is one GPU op: the tool recorded graphs, not kernels.",
  met: "Nsight Systems with its default graph tracing (SGLang #3049).",
  remedy: "nsys profile --cuda-graph-trace=node."},

util_over_100: {
  means: "GPU ops take more time than their streams have room for, so they overlap where they cannot.",
  met: "Sums taken for utilisation (nsys-ai #142, #574).",
  remedy: "Look for duplicate_events, merged_ranks and impossible_duration; record again."},

high_gpu_idle_pct: {
  means: "The GPU was idle for more than the gate allows, and the trace is good enough to say so. Faster kernels would not help: the host is late.",
  met: "Launch-bound decode steps without graphs.",
  remedy: "Look at tl-overlap --gaps; use graphs, larger batches, fewer host synchronisations."},

low_op_correlation: {
  means: "Less of the kernel time than the floor can be given to an operator.",
  met: "Graph replays, launches without operators, runtime calls filtered out.",
  remedy: "Record the host side too; for graphs see graph_coarse."},

capture_folder_not_used_for_core: {
  means: "A capture folder was named. No figure is rebuilt from it: what was not recorded stays unknown.",
  met: "Capture folders of serving engines beside the trace.",
  remedy: "Use the capture trace as tl-sourcemap --map, which finds sources and changes no time."},

trace_stream_incomplete: {
  means: "The reader met damage in the file (rule v1; see truncated_input).",
  met: "Files cut short or with broken events.",
  remedy: "Wait until the profiler has written the file."},

impossible_kernel_durations: {
  means: "Ops run far past the start of the next one on their stream (rule v1; see impossible_duration).",
  met: "TraceLens #669, Hyperloom #1116.",
  remedy: "tl-overlap --clip, or record again with a newer profiler library."},

only_capture_fragments: {
  means: "The file's name is that of a graph capture sidecar (rule v1; see capture_not_run).",
  met: "Sidecar files of serving engines taken for the trace.",
  remedy: "Analyse the trace of the run."},

no_gpu_kernels: {
  means: "The file could be read and holds no kernel (rule v1; see no_device_events).",
  met: "Host-only traces, filtered traces, lost device records.",
  remedy: "Ask for ProfilerActivity.CUDA."},

cudagraph_replay: {
  means: "Graphs were replayed (rule v1). A remark on the mechanism; the flags say whether it hurts.",
  met: "Every serving trace with graphs.",
  remedy: "See graph_coarse and graph_lost_kernels under the rule evidence."},

cudagraph_unreliable_idle: {
  means: "Idle exceeds the gate, or cannot be computed, and graphs were replayed (rule v1): it may be that their kernels were not recorded. No candidate is dropped because of it.",
  met: "Idle of 98 % from replays whose kernels were lost (Hyperloom #747).",
  remedy: "Use the rule evidence, which looks at whether the kernels are there."}
};

# CODE -> {means, met, remedy}; null for what is no code.
def explain: explanations[.];
