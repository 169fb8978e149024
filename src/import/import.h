/* import.h -- a file of another tool's, as a run of ours.  Only for
 * cmd/cli/import_file.c and the importers that it lists. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "store/store.h"

/* The beginning of a file, by which it is recognised. */
#define IMPORT_HEAD_BYTES ((size_t)1 << 16)

struct import_tally {
    uint64_t events;      /* whole ones, of all kinds */
    uint64_t node_events; /* of these, the ones that tell of operators */
    uint64_t sessions, inferences, operators, operator_runs;
    uint64_t broken;        /* events in the midst that are not whole */
    uint64_t skipped_bytes; /* of these, and of what is no event at all */
    uint64_t cut_bytes;     /* at the end, of an event that is not whole */
    bool cut;               /* the file's end is missing */
    uint64_t duration_ns;   /* from the first event to the end of the last */
    struct buf note;        /* what to know about it, in sentences */
    struct buf *texts;      /* of the run, where the file tells them; owned */
    size_t text_count;
};

struct importer {
    const char *name;  /* in JSON */
    const char *about; /* for people */
    size_t state_size; /* of the zeroed state that every call is given */
    /* The file tells the run itself: the importer begins and ends it, and fills
     * `run`, which holds only the command line's tags then. */
    bool own_run;

    /* Whether it is such a file; `head` is its beginning, or all of it. */
    bool (*recognise)(struct str head);
    /* The run has begun; what is found is added to it. */
    void (*begin)(void *state, struct store *s, struct run *run);
    void (*feed)(void *state, const char *bytes, size_t len);
    /* In place of feed(), for a file that is read here and there: no pipe, and
     * not compressed.  NULL: it is fed. */
    int (*read)(void *state, const char *path, struct error *e);
    /* Adds what is left.  -EINVAL: it was no such file after all. */
    int (*end)(void *state, struct import_tally *out, struct error *e);
    /* Called once, also after a failed end() or feed. */
    void (*release)(void *state);
};

extern const struct importer import_profile, import_qnn_csv;
extern const struct importer import_json, import_etl;

/* A text for the store, which takes no NUL: U+FFFD stands for it.  NULL: there
 * is none.  Valid until the next change of `b`, which is emptied first. */
const char *import_text(struct buf *b, struct str text);

/* A hash of the text, going on from another's; begin with 0. */
uint64_t import_hash(uint64_t hash, struct str text);
