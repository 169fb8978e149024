/* moment.h -- moments as requests name them. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum moment_kind {
    MOMENT_WALL,  /* ns since 1970 */
    MOMENT_BACK,  /* ns before now, or before the end of a stored run */
    MOMENT_SINCE, /* ns since the run's start */
};

struct moment {
    enum moment_kind kind;
    uint64_t ns;
    bool whole_day; /* a date without a time */
};

/* "2026-01-31", "2026-01-31T12:00:00.5Z", "…+01:00", without an offset UTC; ns
 * as 16 digits or more; "-15m" (s m h d); "1.4575s".  -EINVAL: none of
 * these. */
int moment_read(struct moment *out, struct str s);

/* In ns since 1970, for a run that lies between these. */
uint64_t moment_wall(const struct moment *m, uint64_t start_wall_ns,
        uint64_t end_wall_ns);
