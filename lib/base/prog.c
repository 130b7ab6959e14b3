#include "msg.h"

const char *tl_prog = "tl";
bool tl_quiet;
