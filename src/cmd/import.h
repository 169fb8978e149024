/* import.h -- a file of another tool's, as a run of ours.  Only for import.c
 * and what it lists. */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "store/store.h"

/* The beginning of a file that an importer may look at. */
#define IMPORT_HEAD_BYTES ((size_t)1 << 16)

/* What was found.  A figure that a kind of file does not have stays 0. */
struct import_tally {
    uint64_t bytes;
    uint64_t events; /* of all kinds */
    uint64_t node_events;
    uint64_t sessions, inferences, operators, operator_runs;
    uint64_t kept; /* of the events: those that the run holds */
    uint64_t cut_bytes, broken, skipped_bytes;
    bool cut;       /* the end is missing */
    bool has_start; /* else all times are of unknown distance to each other */
    uint64_t duration_ns;
};

struct importer {
    const char *name; /* in JSON */
    const char *about;
    size_t state_size; /* of the zeroed state that every call is given */

    /* Whether it is such a file. */
    bool (*recognise)(struct str head, bool whole);
    void (*begin)(void *state, struct store *s);
    void (*feed)(void *state, const char *bytes, size_t len);
    /* Adds what is left to the store.  -EINVAL: it was no such file at all. */
    int (*end)(void *state, struct import_tally *out, struct error *e);
    /* Called once, also after a failed end(). */
    void (*release)(void *state);
};

extern const struct importer import_profile, import_qnn_csv;

/* A text for the store, which knows no NUL: that becomes U+FFFD.  NULL where
 * there is none.  Valid until the next change of `b`. */
const char *import_text(struct buf *b, struct str text);
