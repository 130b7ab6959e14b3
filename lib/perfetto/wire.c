#include "wire.h"

bool pf_wire_varint(const char **p, const char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)*(*p)++;
		*v |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return true;
	}
	return false;
}

static bool take(struct pf_wire *w, size_t n, struct pf_wire_field *f)
{
	if ((size_t)(w->end - w->p) < n)
		return false;
	if (f->type == PF_WIRE_LEN)
		f->s = (struct tl_span){w->p, n};
	else
		memcpy(&f->u, w->p, n); /* little-endian, as the machines that tl runs on */
	w->p += n;
	return true;
}

bool pf_wire_next(struct pf_wire *w, struct pf_wire_field *f)
{
	uint64_t tag, n;
	*f = (struct pf_wire_field){0};
	if (w->bad || w->p == w->end)
		return false;
	bool ok = pf_wire_varint(&w->p, w->end, &tag) && tag >> 3 && tag >> 3 < UINT32_C(1) << 29;
	f->number = (uint32_t)(tag >> 3);
	f->type = (enum pf_wire_type)(tag & 7);
	if (ok && f->type == PF_WIRE_VARINT)
		ok = pf_wire_varint(&w->p, w->end, &f->u);
	else if (ok && f->type == PF_WIRE_LEN)
		ok = pf_wire_varint(&w->p, w->end, &n) && take(w, n, f);
	else
		ok = ok && (f->type == PF_WIRE_64 || f->type == PF_WIRE_32) &&
			 take(w, f->type == PF_WIRE_64 ? 8 : 4, f);
	w->bad = !ok;
	return ok;
}

struct pf_wire_field pf_wire_get(struct tl_span message, uint32_t number)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	while (pf_wire_next(&it, &f))
		if (f.number == number)
			return f;
	return (struct pf_wire_field){0};
}
