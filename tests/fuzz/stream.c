/* A stream of records through what tl-tree does with it: read, table, links, tree. The tree must
 * hold each of its events once, below its parent. */
#include "../../lib/stream/records.h"
#include "../../lib/trace/fwdbwd.h"
#include "../../lib/trace/link.h"
#include "../../lib/trace/tree.h"
#include "../../lib/trace/within.h"
#include "fuzz.h"

static void check(const struct tl_tree *tree)
{
	struct tl_table *t = tree->t;
	bool *seen = calloc((size_t)t->n + 1, 1);
	for (uint32_t k = 0; k < tree->n; k++) {
		uint32_t i = tree->order[k], up = tree->parent[i];
		MUST(!seen[i] && (t->flags[i] & TL_ROW_TREE));
		MUST(up == TL_NO_ROW ? tree->depth[i] == 0
							 : seen[up] && tree->depth[i] == tree->depth[up] + 1);
		seen[i] = true;
	}
	for (uint32_t i = 0; i < t->n; i++)
		MUST(seen[i] == !!(t->flags[i] & TL_ROW_TREE));
	free(seen);
}

static void build(struct tl_table *t)
{
	struct tl_fwdbwd links;
	tl_table_finish(t);
	tl_clamp_frames(t);
	struct tl_tree *tree = tl_tree_build(t, tl_link_anew(t));
	check(tree);
	tl_fwdbwd_find(&links, t, tree->parent);
	tl_fwdbwd_free(&links);
	tl_within(tree, TL_LIT("step"));
	tl_tree_again(tree);
	check(tree);
	tl_tree_free(tree);
	tl_table_clear(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (fuzz_is_zstd(data, n))
		return 0; /* is refused, which ends a tool */
	char *file = fuzz_file(0, data, n);
	tl_common = (struct tl_common){.output = "/dev/null", .skip_bad = true, .quiet = true};
	struct tl_stream *s = tl_stream_open(&file, 1);
	struct tl_table *t = tl_table_new(TL_TAKE_ALL);
	struct tl_record r;
	struct tl_event e;
	static const char *const drop[] = {"depth", "parent", NULL};
	tl_stream_hold(s, true);
	while (tl_stream_next(s, &r)) {
		if (r.kind == TL_EVENT && tl_event_read(r.line, &e)) {
			tl_table_add(t, &e, r.line);
			tl_stream_pass_with(s, &r, TL_LIT(",\"depth\":0"), drop);
		} else if (r.kind == TL_EVENT) {
			tl_stream_bad(s, &r);
		} else {
			tl_stream_pass(s, &r);
		}
		if (r.kind == TL_END || r.kind == TL_CUT) {
			build(t);
			tl_stream_forget(s);
		}
	}
	tl_table_free(t);
	tl_stream_close(s);
	return 0;
}
