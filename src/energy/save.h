/* save.h -- what a run drew, written beside what it did: power over time with
 * the phase of each sample, and the energy of the run, of its sections, tokens,
 * layers and components.  All of it is gross. */
#pragma once

#include "base/error.h"
#include "model/run.h"
#include "store/store.h"

/* Less of a run's time covered by its sensors, and its total is not known. */
#define ENERGY_COVERED_LEAST 0.95

/* The store is still writing the run, all of whose inferences are flushed; its
 * end is not written yet, and `run` is given its energy here.  A section or an
 * inference in whose time a sensor said nothing has no energy, nor has a token
 * that no inference was seen for.  Where no source told anything, nothing is
 * written. */
int energy_save(struct store *s, struct run *run, struct error *e);
