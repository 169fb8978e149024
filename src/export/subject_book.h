/* subject_book.h -- what a run's readings are about, by number: looked up and
 * named for exports. */
#pragma once

#include "base/map.h"
#include "export/metrics/figure_list.h"
#include "model/subscriber.h"
#include "store/store.h"

/* Starts zeroed. */
struct subject_book {
    struct map subjects; /* number to struct subject, whose texts are owned */
};

/* Collects them as a run is told; or reads those of a stored run. */
struct subscriber subject_book_subscriber(struct subject_book *b);
int subject_book_read(struct subject_book *b, struct store *s, int64_t run,
        struct error *e);
void subject_book_add(struct subject_book *b, uint32_t id,
        const struct subject *x);
/* NULL: it is not there. */
const struct subject *subject_book_find(const struct subject_book *b,
        uint32_t id);
void subject_book_release(struct subject_book *b);

/* Labels that say what it is: cpu, device, zone, sensor, pid, program, tid,
 * thread. */
void subject_label(struct figure *f, const struct subject_book *b, uint32_t id);

/* Adds the name of a series of readings: the metric's and the subject's. */
void subject_add_series(struct buf *out, const struct subject_book *b,
        enum metric_id metric, uint32_t id);
