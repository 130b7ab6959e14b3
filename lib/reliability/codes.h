/* The codes of tl-reliability: listed here and nowhere else. */
#ifndef TL_RELIABILITY_CODES_H
#define TL_RELIABILITY_CODES_H
#include "reliability.h"

/* X(code, rules, affects, needs, clears idle, clears attribution, clears duration, quick, doubt,
 * what) See struct tl_reliability_code. The order is that of `reason`: what makes a trace useless
 * first of its kind. */
#define RL_CODE_TABLE(X)                                                                          \
	X(graph_coarse, EV, A | S | R, RL_N_DEVICE | RL_N_LAUNCH, NO, WRN, NO, false, true,           \
		"replayed graphs own most of the kernel time: no operators, no shapes")                   \
	X(graph_lost_kernels, EV, I | D | A, RL_N_LAUNCH, ERR, NO, NO, false, true,                   \
		"graph launches whose kernels were not recorded")                                         \
	X(no_device_events, EV, RL_A_ALL, RL_N_LAUNCH, ERR, ERR, NO, true, true,                      \
		"launches, but not one GPU op")                                                           \
	X(empty_timeline, EV, I, 0, ERR, NO, NO, true, true,                                          \
		"no GPU op, or none with a length: nothing to be idle in")                                \
	X(head_orphans, EV, A | I | S, RL_N_DEVICE | RL_N_LAUNCH, NO, NO, NO, false, true,            \
		"GPU ops at the start that were launched before the recording began")                     \
	X(tail_orphans, EV, A | I | S, RL_N_DEVICE | RL_N_LAUNCH, NO, NO, NO, false, true,            \
		"launches at the end whose GPU ops are missing")                                          \
	X(head_drop, EV, I | D | S, RL_N_DEVICE | RL_N_LAUNCH, WRN, NO, NO, false, true,              \
		"the first launches have no GPU op while all later ones do")                              \
	X(edge_gap, EV, I, RL_N_DEVICE, WRN, NO, NO, false, true,                                     \
		"the idle time is one gap beside stray ops at an edge")                                   \
	X(impossible_duration, EV, D | I | R, RL_N_DEVICE, WRN, NO, INF, false, true,                 \
		"ops that run far past the start of the next one on their stream")                        \
	X(zero_or_negative_time, EV, D | I, RL_N_DEVICE, ERR, NO, WRN, true, true,                    \
		"GPU ops with a time of 0, before 0, or that end before they start")                      \
	X(buffer_pressure, EV, D | I, RL_N_DEVICE, ERR, NO, NO, false, true,                          \
		"the profiler allocated or flushed its buffers while the GPU was measured")               \
	X(lazy_first_use, EV, I | S, RL_N_STEPS, NO, NO, NO, false, true,                             \
		"the first step is slow: modules are loaded and compiled in it")                          \
	X(host_overhead_profile, EV, I, RL_N_DEVICE | RL_N_CPU_OP | RL_N_PYTHON, NO, NO, NO, false,   \
		true, "Python stacks were recorded: idle time may be the profiler's own")                 \
	X(kernel_before_launch, EV, I | X_ | S, RL_N_DEVICE | RL_N_LAUNCH, ERR, NO, NO, false, true,  \
		"GPU ops that start before their launch: the clocks disagree")                            \
	X(corr_zero_or_dup, EV, A | X_, RL_N_DEVICE | RL_N_LAUNCH, NO, ERR, NO, false, true,          \
		"correlation ids absent, 0, or used twice")                                               \
	X(merged_ranks, EV, A | X_, 0, NO, ERR, NO, false, true,                                      \
		"several ranks in one file; their ids may collide")                                       \
	X(external_id_unusable, EV, A, RL_N_HOST_ID, NO, WRN, NO, false, true,                        \
		"External ids missing, repeated, or those of a wrapper around everything")                \
	X(shapes_missing, EV, R, RL_N_CPU_OP, NO, NO, NO, true, true, "operators without Input Dims") \
	X(steps_missing, EV, S, RL_N_ANNOTATE, NO, NO, NO, true, true, "no step annotation")          \
	X(truncated_input, EV, RL_A_ALL, 0, ERR, NO, NO, true, true,                                  \
		"the file was cut, or events in it could not be read")                                    \
	X(wrong_unit, EV, D | I, RL_N_DEVICE, WRN, NO, WRN, true, true,                               \
		"times in another unit than microseconds")                                                \
	X(duplicate_events, EV, D | I, RL_N_DEVICE, WRN, NO, WRN, false, true,                        \
		"the same GPU op twice")                                                                  \
	X(spin_collective, EV, I, RL_N_COMM, NO, NO, NO, false, true,                                 \
		"collectives that wait for other ranks: busy is not work")                                \
	X(overhead_as_work, EV, I | X_ | D, RL_N_DEVICE, NO, NO, NO, true, true,                      \
		"markers and syncs recorded as GPU ops")                                                  \
	X(unknown_backend, EV, RL_A_ALL, 0, NO, NO, NO, true, true,                                   \
		"device events of a back end that is not analysed")                                       \
	X(stream_wrong, EV, X_, RL_N_STREAM, NO, NO, NO, true, true,                                  \
		"stream ids that other tools cannot tell apart")                                          \
	X(partial_file_set, EV, RL_A_ALL, RL_N_WORLD, NO, NO, NO, true, false,                        \
		"fewer ranks in the stream than the job had")                                             \
	X(capture_not_run, EV, RL_A_ALL, 0, NO, NO, NO, true, true,                                   \
		"a graph capture, not the workload")                                                      \
	X(wrong_tool_granularity, EV, D | A, RL_N_DEVICE | RL_N_LAUNCH, NO, NO, NO, false, true,      \
		"one GPU op per graph replay instead of its kernels")                                     \
	X(util_over_100, EV, I, RL_N_DEVICE, NO, NO, NO, false, true,                                 \
		"more GPU time than the streams have room for")                                           \
	X(trace_stream_incomplete, V1, RL_A_ALL, 0, NO, NO, NO, true, true, "the reader met damage")  \
	X(impossible_kernel_durations, V1, D | I | R, RL_N_DEVICE, NO, NO, NO, false, true,           \
		"ops that run far past the start of the next one on their stream")                        \
	X(only_capture_fragments, V1, RL_A_ALL, RL_N_DEVICE, NO, NO, NO, true, true,                  \
		"the file is a graph capture sidecar")                                                    \
	X(no_gpu_kernels, V1, RL_A_ALL, 0, NO, NO, NO, true, true, "not one kernel")                  \
	X(low_op_correlation, EV | V1, A, RL_N_DEVICE | RL_N_LAUNCH, NO, INF, NO, false, true,        \
		"little of the kernel time belongs to an operator")                                       \
	X(cudagraph_replay, V1, A | S | R, 0, NO, NO, NO, true, true, "graphs were replayed")         \
	X(cudagraph_unreliable_idle, V1, I, 0, NO, NO, NO, false, true,                               \
		"idle exceeds the gate, or is undefined, while graphs were replayed")                     \
	X(capture_folder_not_used_for_core, EV | V1, 0, 0, NO, NO, NO, true, false,                   \
		"nothing is rebuilt from a capture folder")                                               \
	X(high_gpu_idle_pct, EV | V1, I, RL_N_DEVICE, NO, NO, NO, false, false,                       \
		"the GPU was idle for more than the gate allows")

#define RL_CODE_ENUM(code, ...) RL_##code,
enum rl_code { RL_CODE_TABLE(RL_CODE_ENUM) RL_CODES };
#undef RL_CODE_ENUM

#endif
