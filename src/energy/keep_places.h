/* keep_places.h -- the energy and time of a transformer's layers and of their
 * components, written beside the run: of the operators that were looked into,
 * over the whole run.
 *
 * Where an operator belongs is told by its name (arch.h).  A component that
 * lies in no layer, such as the embedding, is written without one. */
#pragma once

#include "base/error.h"
#include "energy/run_energy.h"
#include "store/store.h"

/* Reads what is flushed, then adds rows; none where no operator's name tells
 * its place.  The label of a sum is the weakest of its operators'.  Where the
 * sensors did not cover the run, the rows have no energy. */
int keep_places(struct store *s, int64_t run, const struct run_energy *energy,
        bool covered, struct error *e);
