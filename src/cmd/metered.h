/* metered.h -- starts a program under the meter: what the commands that do so
 * have in common. */
#pragma once

#include "cmd/options.h"
#include "cmd/push_options.h"
#include "session.h"

#define METERED_HZ 100 /* to sample at, unless told otherwise */

/* As the options have it. */
struct metered_settings {
    const char *db; /* or NULL */
    const char *key_file;
    struct option_texts tags;
    const char *ops;
    uint64_t buffer;             /* records; 0: as many as usual */
    double hz;                   /* of sampling; 0: none */
    struct option_choice energy; /* of energy_mode_names */
    struct cpu_model_given watts;
    const char *meter; /* or NULL */
    struct push_settings push;
};

/* Whether the options make sense: -EINVAL with a sentence that names one. */
int metered_check(const struct metered_settings *s, struct error *e);

/* Runs the program to its end and records it.  `store` gets the database, open,
 * for the caller to read the run from and to close; it is NULL on failure,
 * which means that the program was not started. */
int metered_run(struct session_outcome *out, struct store **store,
        const struct metered_settings *s, char *const *argv, struct error *e);
