#include "codes.h"
#include <string.h>

#define EV TL_RULE_EVIDENCE
#define V1 TL_RULE_V1
#define I TL_A_IDLE
#define D TL_A_DURATION
#define A TL_A_ATTRIBUTION
#define S TL_A_STEPS
#define X_ TL_A_OVERLAP
#define R TL_A_ROOFLINE
#define NO TL_SEV_NONE
#define INF TL_SEV_INFO
#define WRN TL_SEV_WARNING
#define ERR TL_SEV_ERROR

#define ROW(code, rules, affects, needs, idle, attribution, duration, quick, doubt, what) \
	{#code, rules, affects, needs, idle, attribution, duration, quick, doubt, what},
const struct tl_code tl_codes[] = {TL_CODE_TABLE(ROW)};
const size_t tl_codes_n = RL_CODES;

int tl_code_find(const char *code)
{
	for (size_t i = 0; i < RL_CODES; i++)
		if (strcmp(code, tl_codes[i].code) == 0)
			return (int)i;
	return -1;
}
