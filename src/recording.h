/* recording.h -- a program is sampled while it runs, and the store keeps it.
 *
 * Every second of every series is kept as a rollup, and every reading that
 * differs from the one before it; one that does not is kept once a second.
 * Nothing is lost by it, and a quiet program takes little room.  Of energy and
 * power the last reading before each change is kept as well, because it tells
 * when they changed.
 *
 * Driven by the thread that owns the store; it takes no part in other work of
 * that thread, whose cost is not counted as sampling's. */
#pragma once

#include "base/error.h"
#include "energy/recorder.h"
#include "store/store.h"

struct push;
struct recording;

struct recording_plan {
    struct store *store;
    uint64_t start_ns; /* of the run, of mono_ns(): readings count from it */
    uint32_t pid;      /* the program; what it starts is followed */
    double hz;         /* 0: as usual */
    double budget;     /* a share of one core */
    struct push *push; /* is told, too (push/push.h); or NULL */
    const struct energy_plan *energy; /* NULL: as usual */
};

int recording_open(struct recording **out, const struct recording_plan *plan,
        struct error *e);

/* When something is due, of mono_ns(). */
uint64_t recording_next_ns(const struct recording *r);

/* Reads what is due, if anything is. */
void recording_step(struct recording *r);

/* The last reading, best while the program has ended and was not waited for;
 * and what was missing. */
void recording_finish(struct recording *r);

/* Has the energy of the run kept beside it, as keep.h says, where a source told
 * of any.  What cannot be told is no reason to stop. */
void recording_keep_energy(struct recording *r, struct run *run);

/* Frees.  NULL is welcome. */
void recording_close(struct recording *r);
