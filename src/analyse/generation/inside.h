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

#include "analyse/operators/operators.h"
#include "energy/run_energy.h"

/* The store is still writing the run.  `energy` is NULL where none is known;
 * `layer_id` and `component_id` are the last that were given. */
int inside_keep(struct store *s, const struct run *run,
        const struct operators *o, const struct run_energy *energy,
        uint32_t layer_id, uint32_t component_id, struct error *e);
