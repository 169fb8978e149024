/* judgement_json.h -- a judgement's parts, as comparison_json.h and `check
 * --json` have them. */
#pragma once

#include "analyse/verdict/judgement.h"
#include "base/json.h"

/* The members verdict, because, advice, least, model, runs, differs, figures
 * and latency, into an object that is open. */
void judgement_json_members(struct json *j, const struct judgement *x);

/* The members operators and change_us.  Times are in whole nanoseconds, so that
 * they add up as they are written. */
void judgement_json_operators(struct json *j, const struct judgement *x);

/* A judged change of one figure, as one object. */
void judged_change_json(struct json *j, const struct judged_change *c);
