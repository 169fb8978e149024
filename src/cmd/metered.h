/* metered.h -- starts a program under the meter: what the commands that do so
 * have in common. */
#pragma once

#include "cmd/options.h"
#include "cmd/push_options.h"
#include "fleet/shipper.h"
#include "session.h"

#define METERED_HZ 100 /* to sample at, unless told otherwise */

/* As the options have it. */
struct metered_settings {
    const char *db; /* or NULL */
    const char *key_file;
    const char *store; /* of many machines, or NULL */
    struct option_texts tags;
    const char *ops;
    uint64_t buffer;             /* records; 0: as many as usual */
    double hz;                   /* of sampling; 0: none */
    struct option_choice energy; /* of energy_mode_names */
    struct cpu_model_given watts;
    const char *meter;        /* or NULL */
    const char *meter_offset; /* seconds, or NULL */
    struct push_settings push;
};

/* Whether the options make sense: -EINVAL with a sentence that names one. */
int metered_check(const struct metered_settings *s, struct error *e);

struct metered {
    struct session_outcome outcome;
    struct store *store;     /* the database, to read the run from */
    struct shipper *shipper; /* NULL: nothing is sent anywhere */
};

/* Runs the program to its end and records it.  Failure means that the program
 * was not started, and that there is nothing to close. */
int metered_run(struct metered *out, const struct metered_settings *s,
        char *const *argv, struct error *e);

/* Sends the rest of the run to the store of many machines, where one is wanted,
 * and closes all.  What could not be sent is told on stderr, in the name of the
 * verb: it stays in the database, and is sent later. */
void metered_close(struct metered *m, const char *verb);
