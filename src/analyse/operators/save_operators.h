/* save_operators.h -- what follows from the operators of a run, written beside
 * it: which reads what which other one made, and the time and energy of a
 * transformer's layers and their components, over all traced inferences.
 *
 * And the same of single tokens and sections, where that is known (inside.h).
 *
 * Where an operator belongs is in operators.h.  A component that lies in no
 * layer, such as the embedding, is written without one. */
#pragma once

#include "base/error.h"
#include "model/run.h"
#include "store/store.h"

/* Reads what is flushed, then adds rows; none where no operator's place is
 * known.  The store is still writing the run, which has the energy that was
 * kept (energy/save.h): without it the rows have none.  The label of a sum is
 * the weakest of its operators'. */
int save_operators(struct store *s, const struct run *run, struct error *e);
