/* inspect.h -- what `ortmeter inspect` found, and its two ways to tell it. */
#pragma once

#include "base/buf.h"
#include "onnx/arch.h"
#include "onnx/model.h"
#include "onnx/study.h"
#include "onnx/tally.h"

struct inspection {
    const char *path; /* of the model file */
    const struct onnx_model *model;
    const struct study *study;
    const struct arch *arch;
    struct tally tally;
    bool nodes; /* a row for each node is wanted, too */
};

/* Calls `tell` for each size of an input that is neither fixed nor chosen, by
 * its name or as "input:axis", each name once. */
void inspection_open_sizes(const struct inspection *x,
        void (*tell)(void *context, struct str name), void *context);

/* Adds the report for people, in colours or without. */
void inspect_text(struct buf *out, const struct inspection *x, bool colours);

/* Adds the report for programs: one document. */
void inspect_json(struct buf *out, const struct inspection *x);
