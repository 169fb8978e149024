/* interned.h -- texts that are written once and then named by a number. */
#pragma once

#include "base/map.h"

/* Starts zeroed. */
struct interned {
    struct map by_hash; /* to numbers */
    char **texts;       /* by number, from 1 */
    size_t count;
};

/* The text's number, from 1.  `fresh` is set where it has not been asked for
 * before, and else untouched. */
uint64_t interned_number(struct interned *x, const char *text, bool *fresh);

void interned_release(struct interned *x);
