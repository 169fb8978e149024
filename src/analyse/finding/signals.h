/* signals.h -- what went on around the inferences of a run, as far as it was
 * sampled: when the program was switched out, faulted pages in, waited for
 * storage; when others used the CPUs.  For causes.h. */
#pragma once

#include "analyse/finding/causes.h"
#include "analyse/finding/findings.h"

struct signals {
    struct cause *items; /* those of which something was read */
    size_t count;
    bool **there; /* theirs */
};

/* Of the case's inferences. */
int signals_read(struct signals *out, const struct finding_case *c,
        struct error *e);
void signals_release(struct signals *s);
