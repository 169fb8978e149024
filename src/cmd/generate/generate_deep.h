/* generate_deep.h -- a text once more, for what is inside of it (--depth deep).
 *
 * The same tokens go through the model again, in a session without fused
 * operators, while the values that operators put out are looked at.  A mark,
 * DEEP_MARK and the token's number in the run, follows each token's
 * inference; analyse/generation/deep.h makes of it what is stored.  The first
 * session's times stay as they were. */
#pragma once

#include "base/json.h"
#include "cmd/text/own_sections.h"
#include "llm/generator.h"

struct generate_deep {
    const char *folder;
    struct generator_setup setup;
    struct ids prompt, made; /* ours; empty: there was no text */
    bool no_cache;
};

void generate_deep_keep(struct generate_deep *d, const struct ids *prompt,
        const struct ids *made);
void generate_deep_release(struct generate_deep *d);

/* Adds the member "deep": tokens and what it took, or the reason why it could
 * not be. */
void generate_deep_run(struct generate_deep *d, const struct own_sections *t,
        struct json *j);
