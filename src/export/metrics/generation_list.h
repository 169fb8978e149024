/* generation_list.h -- the texts that a run generated, and which inference was
 * part of which. */
#pragma once

#include "analyse/generation/generation.h"
#include "base/map.h"

/* Starts zeroed. */
struct generation_list {
    struct generation_told *items; /* in the order of their starts */
    size_t count, cap;
    uint64_t last_end_ns; /* of the inferences */
    struct map key;       /* an inference's number to its text's key */
    struct map item;      /* a text's key to its item */
};

int generation_list_read(struct generation_list *l, struct store *s,
        int64_t run, struct error *e);

/* False: the inference was part of none. */
bool generation_list_find(const struct generation_list *l, const struct span *s,
        size_t *item);

void generation_list_release(struct generation_list *l);
