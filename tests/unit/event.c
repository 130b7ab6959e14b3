/* Event lines into fields, and the meaning of categories. */
#include "../../lib/trace/event.h"
#include "expect.h"

static struct tl_event e;

static bool reads(const char *line)
{
	return tl_event_read(tl_str(line), &e);
}

static bool field(enum tl_field f, const char *text)
{
	return tl_span_eq(e.f[f], tl_str(text));
}

static void fields(void)
{
	EXPECT(reads("{\"type\":\"event\",\"trace\":0,\"id\":18446744073709551615,\"ph\":\"X\",\"cat\":"
				 "\"kernel\",\"name\":\"a\\\"b\",\"pid\":\"1\",\"tid\":-7,\"ts\":10.0005,\"dur\":2,"
				 "\"later\":[{\"id\":3}],\"args\":{\"id\":9}}"));
	EXPECT(e.id == UINT64_MAX && e.ph == 'X' && e.has_ts && e.has_dur);
	EXPECT(e.ts == 10001 && e.dur == 2000 && e.end == 12001);
	EXPECT(field(TL_F_NAME, "\"a\\\"b\"") && field(TL_F_PID, "\"1\"") && field(TL_F_TID, "-7"));
	EXPECT(field(TL_F_ARGS, "{\"id\":9}") && e.f[TL_F_STREAM].n == 0);
	EXPECT(tl_event_is_gpu_op(&e));

	EXPECT(reads("{\"dur\":1,\"hidden_by_compute_us\":4,\"ts\":2,\"id\":1,\"id\":5,\"ph\":\"M\"}"));
	EXPECT(e.id == 1 && field(TL_F_HIDDEN_BY_COMPUTE_US, "4") && e.end == 3000);
	EXPECT(!tl_event_is_gpu_op(&e));
}

static void odd(void)
{
	EXPECT(reads("{\"id\":0}"));
	EXPECT(!e.has_ts && !e.has_dur && e.end == 0 && e.ph == 0);
	EXPECT(reads("{\"id\":0,\"ph\":\"XY\",\"ts\":\"soon\",\"dur\":-1}"));
	EXPECT(!e.has_ts && !e.has_dur && e.dur == 0 && e.ph == 0);
	EXPECT(reads("{\"id\":0,\"ts\":-5,\"dur\":9223372036854775.807}"));
	EXPECT(e.dur == INT64_MAX && e.end == INT64_MAX - 5000);
	EXPECT(reads("{\"id\":0,\"ts\":5,\"dur\":9223372036854775.807}"));
	EXPECT(e.end == INT64_MAX);
	EXPECT(!reads("{\"id\":-1}"));
	EXPECT(!reads("{\"ts\":1}"));
	EXPECT(!reads("{\"id\":1,\"ts\":"));
	EXPECT(!reads("[1]"));
	EXPECT(!reads(""));
}

static void categories(void)
{
	static const struct {
		const char *cat;
		enum tl_cat is;
	} all[] = {{"\"cpu_op\"", TL_CAT_CPU_OP}, {"Operator", TL_CAT_CPU_OP},
		{"python_function", TL_CAT_PYTHON}, {"cuda_runtime", TL_CAT_RUNTIME},
		{"Runtime", TL_CAT_RUNTIME}, {"mtia_runtime", TL_CAT_RUNTIME},
		{"hip_driver", TL_CAT_DRIVER}, {"user_annotation", TL_CAT_ANNOTATION},
		{"gpu_user_annotation", TL_CAT_GPU_ANNOTATION}, {"KERNEL", TL_CAT_KERNEL},
		{"Memcpy", TL_CAT_MEMCPY}, {"gpu_memset", TL_CAT_MEMSET}, {"cuda_sync", TL_CAT_SYNC},
		{"overhead", TL_CAT_OVERHEAD}, {"ac2g", TL_CAT_AC2G}, {"async_cpu_to_gpu", TL_CAT_AC2G},
		{"fwdbwd", TL_CAT_FWDBWD}, {"Trace", TL_CAT_TRACE}, {"kernels", TL_CAT_OTHER},
		{"", TL_CAT_OTHER}, {"null", TL_CAT_OTHER}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		EXPECT(tl_cat_of(tl_str(all[i].cat)) == all[i].is);

	EXPECT(tl_is_graph_launch(TL_LIT("\"cudaGraphLaunch\"")));
	EXPECT(tl_is_graph_launch(TL_LIT("hip_graph_launch_ex")));
	EXPECT(tl_is_graph_launch(TL_LIT("CUGRAPHLAUNCH_ptsz")));
	EXPECT(!tl_is_graph_launch(TL_LIT("cudaLaunchKernel")));
}

int main(void)
{
	fields();
	odd();
	categories();
	return expect_failures > 0;
}
