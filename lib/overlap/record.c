/* The frame of the records of tl-overlap. */
#include "inside.h"

void overlap_begin(struct tl_overlap *o, const char *type, uint32_t device)
{
	o->record_of = device;
	tl_record(&o->w, type, o->trace);
	if (device != NONE)
		overlap_json(o, "device", o->t->places.devices[device].text);
}

void overlap_json(struct tl_overlap *o, const char *key, struct tl_span json)
{
	tl_put_json(&o->w, key, json.n ? json : TL_LIT("null"));
}

void overlap_end(struct tl_overlap *o, struct tl_stream *s)
{
	const struct tl_device *d = o->record_of == NONE ? NULL : &o->t->places.devices[o->record_of];
	if (d && d->ambiguous)
		overlap_json(o, "process", d->pid);
	tl_stream_write(s, tl_record_end(&o->w));
}
