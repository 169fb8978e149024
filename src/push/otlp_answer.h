/* otlp_answer.h -- what an OTLP receiver says to a request that it accepted:
 * perhaps that it refused some of it. */
#pragma once

#include "base/error.h"
#include "base/str.h"

/* Returns how many points or spans it refused, from an Export*ServiceResponse
 * in protobuf or JSON, and puts its reason into `why`, which is else untouched.
 * Anything that is no such answer refuses nothing: its status was good. */
uint64_t otlp_answer_refused(struct str answer, struct error *why);
