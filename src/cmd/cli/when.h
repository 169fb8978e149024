/* when.h -- moments and spans of time, as people write them. */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* "90s", "45m", "12h", "30d", "2w".  -EINVAL: it is none, or too long. */
int when_span(uint64_t *out_ns, const char *text, struct error *e);

/* "2026-11-16", "2026-11-16 12:30", "2026-11-16T12:30:59" in local time, or
 * with "Z" behind it in UTC; or a span, which is meant back from `now_ns`.  In
 * nanoseconds since 1970.  -EINVAL. */
int when_moment(uint64_t *out_ns, const char *text, uint64_t now_ns,
        struct error *e);
