/* history_state.h -- how history.c keeps its readings; for history_figures.c.
 *
 *     series ─► lane[RAW]:     block ─► block ─► block   512 readings each
 *            └► lane[SECONDS]: block ─► block            409 seconds each
 *
 * Every block is also in one queue of all blocks, in the order of being taken.
 * What is taken when none is free is the head of that queue: it is the oldest
 * of its lane as well, since blocks are taken and filled in the order of time.
 */
#pragma once

#include "base/map.h"
#include "live/history.h"

#define BLOCK_BYTES 8192
#define NO_BLOCK    UINT32_MAX
#define NO_SERIES   UINT32_MAX

struct raw {
    uint64_t time_ns;
    double value;
};

/* One second.  Floats: seven digits are plenty for a rollup. */
struct second {
    uint16_t offset; /* in seconds from the block's base */
    uint16_t count;
    float min, mean, max;
    float squares; /* sum of the squared distances to the mean */
};

struct block {
    union {
        struct raw raw[BLOCK_BYTES / sizeof(struct raw)];
        struct second second[BLOCK_BYTES / sizeof(struct second)];
    };
};

enum { LANE_RAW, LANE_SECONDS, LANES };

/* What is known of a block, beside it. */
struct block_note {
    uint32_t next;         /* in the lane, towards the newer */
    uint32_t older, newer; /* in the queue of all; older: also the free list */
    uint32_t series;
    uint16_t lane;
    uint16_t count;
    uint64_t base_s; /* LANE_SECONDS: what offsets count from */
};

struct lane {
    uint32_t first, last; /* NO_BLOCK: empty */
    uint32_t blocks;
};

/* The second that is not over yet. */
struct current {
    uint64_t second;
    uint32_t count;
    double min, mean, max, squares;
};

struct kept_series {
    uint64_t key;
    uint32_t older, newer; /* in the order of last use */
    bool used;
    struct lane lane[LANES];
    struct current current;
    uint64_t last_ns;
};

struct history {
    size_t bytes;
    struct block *block;
    struct block_note *note;
    uint32_t block_count;
    uint32_t used_blocks;    /* the first so many have been in use, */
    uint32_t free_block;     /* and of those this one is free, or NO_BLOCK */
    uint32_t oldest, newest; /* of all blocks in use */
    struct kept_series *series;
    uint32_t series_cap, series_count;
    uint32_t stalest, freshest; /* of the series */
    struct map by_key;
    uint64_t late, forgotten;
};

/* NULL: nothing is known of it. */
const struct kept_series *history_series(const struct history *h,
        uint32_t subject, enum metric_id metric);
