/* proc_pressure.h -- /proc/pressure/cpu and its kin: time lost waiting. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct proc_pressure {
    bool has_some, has_full;
    uint64_t some_us; /* some thread waited */
    uint64_t full_us; /* all that had work to do waited */
};

/* -EINVAL: it says neither; `out` is untouched. */
int proc_pressure_parse(struct proc_pressure *out, struct str text);
