/* generation_list.h -- the texts that a run generated, and which inference was
 * part of which. */
#pragma once

#include "analyse/generation.h"
#include "base/map.h"

/* Starts zeroed. */
struct generation_list {
    struct generation_told *items; /* in the order of their ends */
    size_t count, cap;
    uint64_t last_end_ns; /* of the inferences */
    struct map cursor;    /* session and thread to where to look next */
    struct map next;      /* item to the next of its session and thread */
    struct map last;      /* session and thread to their last item */
};

int generation_list_read(struct generation_list *l, struct store *s,
        int64_t run, struct error *e);

/* False: the inference was part of none.  To be asked in the order of the
 * inferences' starts. */
bool generation_list_find(struct generation_list *l, const struct span *s,
        size_t *item);

void generation_list_release(struct generation_list *l);
