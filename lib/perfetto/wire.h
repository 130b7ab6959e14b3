/* Protobuf on the wire: a cursor over the fields of one message, in place, without recursion.
 *
 *     struct tl_wire it = tl_wire_open(message);
 *     struct tl_wire_field f;
 *     while (tl_wire_next(&it, &f)) switch (f.number) ...
 *     if (it.bad) ...                            // not a message at it.p
 */
#ifndef TL_PF_WIRE_H
#define TL_PF_WIRE_H
#include "../base/buf.h"

struct tl_wire {
	const char *p, *end;
	bool bad;
};

enum tl_wire_type { TL_WIRE_VARINT = 0, TL_WIRE_64 = 1, TL_WIRE_LEN = 2, TL_WIRE_32 = 5 };

struct tl_wire_field {
	uint32_t number;
	enum tl_wire_type type;
	uint64_t u;       /* varint, fixed64 and fixed32 */
	struct tl_span s; /* strings, bytes, messages; empty for the others */
};

static inline struct tl_wire tl_wire_open(struct tl_span message)
{
	return (struct tl_wire){message.p, message.n ? message.p + message.n : message.p, false};
}

bool tl_wire_next(struct tl_wire *w, struct tl_wire_field *f);

/* A varint at *p, which moves behind it; false when there is none before `end`. */
bool tl_wire_varint(const char **p, const char *end, uint64_t *v);

/* The first field of that number; a zeroed one when absent. */
struct tl_wire_field tl_wire_get(struct tl_span message, uint32_t number);

static inline double tl_wire_double(const struct tl_wire_field *f)
{
	double d;
	memcpy(&d, &f->u, sizeof d);
	return d;
}

#endif
