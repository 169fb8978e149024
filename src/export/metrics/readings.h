/* readings.h -- what was sampled of the machine, as the last values of a run's
 * series. */
#pragma once

#include "export/subject_book.h"

/* The last reading of each metric of each subject.  Starts zeroed. */
struct readings {
    struct map at; /* metric and subject to their place in `last` */
    struct reading *last;
    size_t count, cap;
};

void readings_take(struct readings *r, const struct reading *x);
void readings_release(struct readings *r);

/* Without those of a subject, which has gone. */
void readings_forget(struct readings *r, uint32_t subject);

/* Adds a figure for each.  A number that is none (NaN, infinity) is left out.
 */
void readings_collect(const struct readings *r, const struct subject_book *b,
        struct figure_list *out);

/* The same of a stored run. */
int readings_read(struct figure_list *out, struct store *s, int64_t run,
        struct error *e);
