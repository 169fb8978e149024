/* difference.h -- what is not alike in two runs, before their figures are
 * compared. */
#pragma once

#include "analyse/summary.h"
#include "base/buf.h"

enum difference_kind {
    DIFFERENCE_HOST,
    DIFFERENCE_RUNTIME,
    DIFFERENCE_MODELS,
    DIFFERENCE_BATCH,
    DIFFERENCE_SEQUENCE,
    DIFFERENCE_BYTES, /* of the inputs, where batch and sequence are alike */
    DIFFERENCE_THREADS,
    DIFFERENCE_LEVEL,
    DIFFERENCE_PROVIDERS,
    DIFFERENCE_TRACING,
    DIFFERENCES,
};

/* Both texts are empty where it is too much to say. */
struct difference {
    bool there;
    struct buf before, after;
};

/* Starts zeroed; all of them, by kind. */
void differences_find(struct difference *out, const struct summary *before,
        const struct summary *after);
void differences_release(struct difference *all);

/* Two hosts as runs have them, in JSON: whether they are the same machine, not
 * what it had free at the time. */
bool difference_same_host(const char *a, const char *b);

/* "host", "onnxruntime", "models", "batch", ... */
const char *difference_name(enum difference_kind kind);

/* An inference of one run is not the same work as one of the other. */
bool differences_other_work(const struct difference *all);
