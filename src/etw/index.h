/* index.h -- where the buffers of a trace are: found by one walk over their
 * headers and first records, then ordered by processor and time. */
#pragma once

#include "etw/buffer.h"
#include "etw/live/source.h"
#include "etw/trace.h"

struct etw_place {
    uint64_t at;
    int64_t first_time;
    uint32_t bytes, used;
    uint16_t processor;
    bool compressed;
};

struct etw_index {
    struct etw_place *places;
    size_t count, cap;
    enum etw_compression compression;
};

/* Fills the index, what the trace says of itself, and what is wrong with it. */
int etw_index_build(struct etw_index *out, struct etw_source *s,
        struct etw_info *info, struct etw_tally *tally);

void etw_index_release(struct etw_index *x);
