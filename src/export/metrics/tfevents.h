/* tfevents.h -- TensorBoard's event files: records with checksums, each an
 * Event of tensorboard/compat/proto/event.proto.
 *
 * Names of series are tags; TensorBoard groups them by what stands before the
 * first slash.  Values are kept in single precision there. */
#pragma once

#include "base/hist.h"
#include "export/sink.h"

struct tfevents;

/* Writes what a file begins with. */
struct tfevents *tfevents_new(struct sink *to, uint64_t wall_ns);
/* NULL is welcome. */
void tfevents_free(struct tfevents *t);

void tfevents_scalar(struct tfevents *t, uint64_t wall_ns, int64_t step,
        const char *tag, double value);

/* Values divided by `per_unit`; `squares` is the sum of theirs.  Nothing is
 * written where the histogram is empty. */
void tfevents_histogram(struct tfevents *t, uint64_t wall_ns, int64_t step,
        const char *tag, const struct hist *h, double squares, double per_unit);
