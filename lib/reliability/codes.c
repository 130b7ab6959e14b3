#include "codes.h"
#include <string.h>

#define EV RL_RULE_EVIDENCE
#define V1 RL_RULE_V1
#define I RL_A_IDLE
#define D RL_A_DURATION
#define A RL_A_ATTRIBUTION
#define S RL_A_STEPS
#define X_ RL_A_OVERLAP
#define R RL_A_ROOFLINE
#define NO RL_SEV_NONE
#define INF RL_SEV_INFO
#define WRN RL_SEV_WARNING
#define ERR RL_SEV_ERROR

#define ROW(code, rules, affects, needs, idle, attribution, duration, quick, doubt, what) \
	{#code, rules, affects, needs, idle, attribution, duration, quick, doubt, what},
const struct tl_reliability_code tl_reliability_codes[] = {RL_CODE_TABLE(ROW)};
const size_t tl_reliability_codes_n = RL_CODES;

int tl_reliability_find(const char *code)
{
	for (size_t i = 0; i < RL_CODES; i++)
		if (strcmp(code, tl_reliability_codes[i].code) == 0)
			return (int)i;
	return -1;
}
