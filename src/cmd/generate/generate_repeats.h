/* generate_repeats.h -- how far times of the same generation lie apart. */
#pragma once

#include "analyse/spread.h"
#include "base/json.h"
#include "llm/generator.h"

/* Generations with prompts of one length.  Starts zeroed. */
struct generate_repeats {
    struct spread first, later; /* ns: until the first token, and each later */
};

void generate_repeats_add(struct generate_repeats *r,
        const struct generator_result *result);

/* Adds a member for each where there are two or more: mean, median, stddev,
 * min, max in milliseconds, and between what the mean lies with 95 %, if
 * generations are independent.  Nothing is added after. */
void generate_repeats_json(struct json *j, struct generate_repeats *r);
void generate_repeats_release(struct generate_repeats *r);

/* What all steps but the first took. */
uint64_t generate_later_ns(const struct generator_result *r);
