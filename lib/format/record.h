/* The frame of a trace, whatever it was read from: its `trace`, `meta` and `end` records, and how
 * its events go out between them (tl-records.5). What `end` counts is what was written: after the
 * filters.
 *
 *     struct tl_frame f = {.out = &out, .opt = opt, .got = &got};
 *     tl_frame_begin(&f, 0);                               // a trace, number 0
 *     tl_frame_meta(&f, key, value);                       // waits for the next line
 *     tl_frame_trace(&f, &(struct tl_origin){.source = name, .format = "pftrace"});
 *     struct tl_write *w = tl_frame_open(&f, id, 'X');     // an event
 *     tl_frame_cat(&f, TL_LIT("kernel"));
 *     tl_put_text(w, "name", name);
 *     tl_frame_ts(&f, ts);
 *     tl_frame_dur(&f, dur);
 *     tl_frame_close(&f);
 *     tl_frame_end(&f);
 *     tl_frame_free(&f);                                   // after the last trace
 *
 * Times are ns. An event costs the bytes of its line, under a filter also one reading of it. */
#ifndef TL_FORMAT_RECORD_H
#define TL_FORMAT_RECORD_H
#include "../stream/stream.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include "fault.h"

struct tl_extract_options {
	struct tl_list cat;  /* --cat, each a comma-separated list; none: all */
	struct tl_list name; /* --name, globs; none: all */
	bool no_python;
	const char *args; /* --args: NULL or "all", "none", or KEY,KEY */
	bool rebase, strict;
	const char *rank;   /* --rank, a JSON number, or NULL */
	uint64_t max_event; /* bytes */
};

/* What reading sources gave: each call adds to it, so it starts as {0}. */
struct tl_extracted {
	uint64_t traces;  /* traces written */
	bool damage;      /* some `end` lists damage */
	bool no_trace;    /* the last source is no trace, and was not read for that */
	bool rank_misfit; /* a rank was given, but there is more than one trace: wrong usage */
};

/* True when the options keep an event; JSON text, empty where absent. Those of ph M always stay. */
bool tl_is_wanted(const struct tl_extract_options *opt, struct tl_span ph, struct tl_span cat,
	struct tl_span name);

/* True when the comma-separated list has the word. */
bool tl_in_list(struct tl_span word, const char *list);

/* A zeroed rest is right for the first trace. */
struct tl_frame {
	struct tl_out *out;
	const struct tl_extract_options *opt;
	struct tl_extracted *got;

	/* the trace: the reader fills these, and may write events itself and add them to `sum` */
	uint64_t trace, skipped, repaired;
	struct tl_faults faults;
	struct tl_buf other_cats;   /* JSON, for `end`; "": none */
	struct tl_span more_faults; /* JSON list, before these: of a trace read beside it; or empty */
	struct tl_buf rank;         /* JSON, "" while it is not known; see tl_frame_rank */
	struct tl_sum sum;
	bool begun; /* its `trace` record is written */

	struct tl_buf rank_written, held; /* held: meta records that wait for the `trace` record */
	struct tl_write line;
	struct tl_mark mark; /* of the event in `line` */
	char ph;
};

void tl_frame_begin(struct tl_frame *f, uint64_t trace);
void tl_frame_free(struct tl_frame *f);

/* The source says the rank, which --rank overrides. Known after `trace`, it stands in `end`. */
void tl_frame_rank(struct tl_frame *f, uint64_t rank);
/* Appends the digits of "rank7", "rank-7" or "rank_7" in the last part of a path, if any. */
void tl_rank_from_name(const char *name, struct tl_buf *rank);

struct tl_origin {
	const char *source, *format;
	const int64_t *base_ns;   /* NULL: not known */
	struct tl_span rebase_us; /* JSON, or empty */
};
/* Once per trace, then the meta records that waited; the rank is that of the name of the source
 * when nothing else said it. */
void tl_frame_trace(struct tl_frame *f, const struct tl_origin *o);
void tl_frame_meta(struct tl_frame *f, struct tl_span key, struct tl_span value); /* key: inner */
void tl_frame_end(struct tl_frame *f);                                            /* and `got` */

/* One event, member by member; ph M has a `ts` that counts for nothing. */
struct tl_write *tl_frame_open(struct tl_frame *f, uint64_t id, char ph);
void tl_frame_cat(struct tl_frame *f, struct tl_span plain);
void tl_frame_ts(struct tl_frame *f, int64_t ts);
void tl_frame_dur(struct tl_frame *f, int64_t dur);
void tl_frame_close(struct tl_frame *f);
/* One whole event record, without LF: written and counted, unless it is filtered out. */
void tl_frame_event(struct tl_frame *f, struct tl_span line, const struct tl_mark *m);

#endif
