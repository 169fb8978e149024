/* inside.h -- what is inside of tokens and sections, written beside a run: the
 * layers and components of each token, and the sections of an inference.
 *
 * Both come of the inferences whose timelines were kept, and in which no
 * operators ran side by side.  A token has the layers of the last inference
 * that its thread ended before it was told; several that came at once have
 * those of the first.
 *
 * An inference within a section that the program told, of prefill or decode,
 * becomes these sections, each with the runtime's own work before its
 * operators:
 *
 *     prefill             decode
 *     embedding_lookup    embedding         the table of tokens
 *     position_embedding  position          what else comes before the layers
 *     layers              layers            from their first operator to their
 *                                           last
 *     final_layernorm     final_layernorm   until the norm's end
 *     lm_head             lm_head           what follows
 *     kv_cache_store      kv_cache_append   what lies behind the last operator:
 *                                           the results are handed out
 *
 * Where all inferences of a section are known so, `between_sections` is what
 * remains of it: its parts are its time, to the nanosecond. */
#pragma once

#include "analyse/generation/deep.h"
#include "analyse/operators/operators.h"
#include "energy/run_energy.h"

struct inside;

/* The last ids that rows were given. */
struct inside_ids {
    uint32_t layer, component, deep;
};

/* Finds all of it out; what lies within components goes to `deep`, too.
 * `energy` is NULL where none is known.  The others outlive it. */
int inside_read(struct inside **out, struct store *s, const struct run *run,
        const struct operators *o, const struct run_energy *energy,
        struct deep *deep, struct error *e);
void inside_free(struct inside *x); /* NULL is welcome */

/* The store is still writing the run, and `deep` is finished. */
void inside_write(const struct inside *x, struct store *s,
        struct inside_ids *ids);
