/* comparison_json.h -- runs of before and of after, as `compare --json` and
 * /api/compare have them: one document, however many there are. */
#pragma once

#include "analyse/verdict/comparison.h"
#include "analyse/verdict/judgement.h"
#include "base/json.h"

/* The verdict and its evidence; of one run each also what both are as a whole.
 * What is not known is left out. */
void comparison_json(struct buf *out, const struct judgement *x);

/* The same into an object that is open, without the version of the schema. */
void comparison_json_members(struct json *j, const struct judgement *x);
