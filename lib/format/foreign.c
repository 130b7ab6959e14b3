#include "foreign.h"

/* In texts, $ stands for the name of the file. */
#define THEN " | tl-extract"

static const struct {
	size_t at; /* where the bytes stand */
	struct tl_span bytes;
	const char *says;
} beginnings[] = {
	{0, TL_LIT("SQLite format 3"),
		"an SQLite database: of Nsight Systems, use sqlite3 -batch $ < share/nsys/window.sql" THEN
		" --window -"},
	{0, TL_LIT("PK\x03\x04"), "a zip archive: use unzip -p $" THEN},
	{0,
		TL_LIT("\xfd"
			   "7zXZ"),
		"xz data: use xz -dc $" THEN},
	{0, TL_LIT("BZh"), "bzip2 data: use bzip2 -dc $" THEN},
	{0, TL_LIT("\x04\x22\x4d\x18"), "lz4 data: use lz4 -dc $" THEN},
	{0, TL_LIT("7z\xbc\xaf\x27\x1c"), "a 7z archive: use 7z x -so $" THEN},
	{0, TL_LIT("\x1f\x9d"), "compressed data: use uncompress -c $" THEN},
	{257, TL_LIT("ustar"), "a tar archive: use tar -xOf $" THEN},
	{0, TL_LIT("\xff\xfe"), "UTF-16 text: use iconv -f UTF-16 -t UTF-8 $" THEN},
	{0, TL_LIT("\xfe\xff"), "UTF-16 text: use iconv -f UTF-16 -t UTF-8 $" THEN},
	{0, TL_LIT("\x80\x04"),
		"a Python pickle, not a trace: read the trace that export_chrome_trace writes"},
	{0, TL_LIT("<"), "HTML or XML, not a trace: read the file that the viewer was given"},
};

static const struct {
	struct tl_span key;
	bool first; /* tells only as the first key */
	const char *says;
} keys[] = {
	{TL_LIT("rocprofiler-sdk-tool"), false,
		"JSON of rocprofv3: run it with --output-format pftrace, and read that"},
	{TL_LIT("nodes"), false,
		"an execution trace, without times of a GPU: read the trace that the profiler wrote beside "
		"it"},
	{TL_LIT("data"), true,
		"jsonlines of Nsight Systems: export the report with --type sqlite, and use sqlite3 -batch "
		"REPORT.sqlite < share/nsys/window.sql" THEN " --window -"},
	{TL_LIT("type"), true, "records of tl already: give it to the tools behind tl-extract"},
	{TL_LIT("kind"), true, "an activity window: use tl-extract --window $"},
};

static bool say(const char *says, const char *name, struct tl_error *e)
{
	const char *cut = strchr(says, '$');
	if (cut)
		tl_fail(e, 0, "%.*s%s%s", (int)(cut - says), says, name, cut + 1);
	else
		tl_fail(e, 0, "%s", says);
	return true;
}

/* XSpace of XLA: planes, each of an id and a name that begins with '/'; a packet of Perfetto has no
 * such fields. */
static bool is_xplane(struct tl_span h)
{
	size_t i = 1;
	if (h.n < 16 || h.p[0] != 0x0a)
		return false;
	while (i < 10 && (h.p[i] & 0x80))
		i++;
	i++;
	if (h.p[i] == 0x08) {
		for (i++; i < 10 && (h.p[i] & 0x80); i++)
			;
		i++;
	}
	return i + 3 < h.n && h.p[i] == 0x12 && h.p[i + 2] == '/';
}

bool tl_foreign_bytes(struct tl_span head, const char *name, struct tl_error *e)
{
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
		size_t at = beginnings[i].at, n = beginnings[i].bytes.n;
		if (head.n >= at + n && memcmp(head.p + at, beginnings[i].bytes.p, n) == 0)
			return say(beginnings[i].says, name, e);
	}
	return is_xplane(head) &&
		   say("an xplane.pb of XLA: read the trace.json.gz that its profiler wrote beside it",
			   name, e);
}

bool tl_foreign_key(struct tl_span key, bool first, const char *name, struct tl_error *e)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if ((first || !keys[i].first) && tl_span_eq(key, keys[i].key))
			return say(keys[i].says, name, e);
	return false;
}
