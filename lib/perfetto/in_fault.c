#include "in_inside.h"

void pf_in_fault(struct pf_in *r, enum tl_fault_code c, const char *detail)
{
	tl_faults_add(&r->f.faults, c, 1, r->at, detail);
	if (r->opt->strict && !r->failed) {
		tl_fail(r->e, r->at, "%s, at byte %llu", tl_fault_says(c), (unsigned long long)r->at);
		r->failed = true;
	}
}

int64_t pf_in_ts(const struct pf_in *r, uint64_t clock)
{
	return tl_ns_sub(clock > INT64_MAX ? INT64_MAX : (int64_t)clock, r->zero);
}
