/* Protobuf on the wire: a cursor over the fields of one message, in place, without recursion.
 *
 *     struct pf_wire it = pf_wire_open(message);
 *     struct pf_wire_field f;
 *     while (pf_wire_next(&it, &f)) switch (f.number) ...
 *     if (it.bad) ...                            // not a message at it.p
 */
#ifndef TL_PERFETTO_WIRE_H
#define TL_PERFETTO_WIRE_H
#include "../base/base.h"
#include "pftrace.fields.h"
#include "pftrace.pb-c.h"

struct pf_wire {
	const char *p, *end;
	bool bad;
};

enum pf_wire_type { PF_WIRE_VARINT = 0, PF_WIRE_64 = 1, PF_WIRE_LEN = 2, PF_WIRE_32 = 5 };

struct pf_wire_field {
	uint32_t number;
	enum pf_wire_type type;
	uint64_t u;       /* varint, fixed64 and fixed32 */
	struct tl_span s; /* strings, bytes, messages; empty for the others */
};

static inline struct pf_wire pf_wire_open(struct tl_span message)
{
	return (struct pf_wire){message.p, message.n ? message.p + message.n : message.p, false};
}

bool pf_wire_next(struct pf_wire *w, struct pf_wire_field *f);

/* A varint at *p, which moves behind it; false when there is none before `end`. */
bool pf_wire_varint(const char **p, const char *end, uint64_t *v);

/* The first field of that number; a zeroed one when absent. */
struct pf_wire_field pf_wire_get(struct tl_span message, uint32_t number);

static inline double pf_wire_double(const struct pf_wire_field *f)
{
	double d;
	memcpy(&d, &f->u, sizeof d);
	return d;
}

#endif
