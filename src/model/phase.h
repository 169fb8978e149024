/* phase.h -- the parts of generating text, by number and by name. */
#pragma once

#include "hook/record.h"

/* "other", "pre_inference", "prefill", "decode", "post_inference". */
const char *phase_name(enum phase phase);
