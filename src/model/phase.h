/* phase.h -- the parts of generating text, by number and by name. */
#pragma once

#include "wire/record.h"

/* Of power: nothing of the program ran. */
#define PHASE_IDLE PHASES

/* "other", "pre_inference", "prefill", "decode", "post_inference", "idle". */
const char *phase_name(enum phase phase);

/* The phase of a stretch of time of which each had so much: the one with the
 * most, of equals the first; PHASE_IDLE where none had any. */
enum phase phase_of_most(const uint64_t ns[PHASES]);
