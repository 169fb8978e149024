/* phase.h -- the parts of generating text, by number and by name. */
#pragma once

#include "hook/record.h"

/* Of power: nothing of the program ran. */
#define PHASE_IDLE PHASES

/* "other", "pre_inference", "prefill", "decode", "post_inference", "idle". */
const char *phase_name(enum phase phase);
