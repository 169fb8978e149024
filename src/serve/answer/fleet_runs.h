/* fleet_runs.h -- runs of many machines, behind the same handlers: what a
 * request is about is copied from the server into a store of its own
 * (fleet/fetch.h).  Not for others. */
#pragma once

#include "serve/route.h"

/* Puts into `store` what a request is about; what is in there already stays
 * where it will do.  Not 0: the answer is a problem.  A run that is not there
 * leaves an empty store, in which handlers do not find it either. */
int fleet_open(struct call *c, struct store **store, struct answer *a);

/* The runs that a filter names, and how many there are in all; the store is
 * the caller's. */
int fleet_list(struct call *c, const struct run_filter *f, struct store **out,
        uint64_t *total, struct error *e);
