/* dims.h -- numbers for the dimensions that a model leaves open.
 *
 * What somebody gave counts; else the dimension's own name and place tell what
 * it is for: a batch is 1, a sequence 16, the past of a cache 0, the total
 * their sum, the sides of an image 224, and so on.  What tells nothing is 1.
 * Every choice is listed, so that a report can say what was assumed.
 *
 * Pure: no ONNX Runtime is needed. */
#pragma once

#include "base/buf.h"
#include "ort/tensor_spec.h"

enum dim_role {
    DIM_BATCH,
    DIM_SEQUENCE, /* tokens or frames that go in */
    DIM_PAST,     /* what a cache holds already */
    DIM_TOTAL,    /* past and sequence together */
    DIM_SUM,      /* named like "past_sequence_length + 1" */
    DIM_SIDE,     /* of an image */
    DIM_CHANNELS,
    DIM_AUDIO, /* samples of sound */
    DIM_UNKNOWN,
};

/* One `--dim NAME=N`. */
struct dim_given {
    struct str name;
    int64_t value;
};

struct dims_wish {
    const struct dim_given *given;
    size_t given_count;
    int64_t batch; /* 0: nobody asked */
};

/* An open dimension; the same name stands for the same number everywhere. */
struct dim_choice {
    char *name; /* its own, or "INPUT:AXIS" where it has none */
    enum dim_role role;
    int64_t value;
    bool given; /* by somebody; else assumed */
};

struct dims {
    int64_t (*shape)[TENSOR_RANK_MAX]; /* of each input */
    struct dim_choice *choice;         /* in the order of the inputs */
    size_t choice_count;
    bool has_batch; /* the model takes batches of any size */
    int64_t batch, sequence, past, total;
};

/* -EINVAL: a name that was given is none of the model's, or a batch was asked
 * for that the model does not leave open.  Then `out` is empty. */
int dims_resolve(struct dims *out, const struct tensor_specs *inputs,
        const struct dims_wish *wish, struct error *e);

void dims_release(struct dims *d);

/* Adds "sequence_length = 16 (--dim sequence_length=N), ...": those that were
 * assumed.  Nothing when none was. */
void dims_explain(struct buf *out, const struct dims *d);
