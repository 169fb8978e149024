/* figures.h -- a run's metrics, counted as things happen: while it runs, or
 * from the store afterwards, with the same result.
 *
 * What grows in memory grows with the number of processes and sessions, not of
 * inferences.  For one thread. */
#pragma once

#include "export/metrics/figure_list.h"
#include "store/store.h"

struct figures;

/* What the run is, for those who name it once and not in each figure. */
struct figures_about {
    char *run; /* its id */
    char *command;
    char *version;   /* of ortmeter */
    char *host_name; /* NULL: not known */
    uint64_t started_wall_ns;
};

struct counting; /* analyse/counting.h */

struct figures *figures_new(const struct run *run);
/* NULL is welcome. */
void figures_free(struct figures *f);

const struct figures_about *figures_about(const struct figures *f);

/* A process may be told again, when more is known of it. */
void figures_process(struct figures *f, const struct process *p);
void figures_library(struct figures *f, const struct library *l);
void figures_session(struct figures *f, const struct session *s);
void figures_inference(struct figures *f, const struct inference *i);
/* What tracing costs, before the inferences that it is of: which of them count
 * depends on it. */
void figures_traced(struct figures *f, const struct traced_sum *x);
/* Which inferences count is known beforehand; takes it. */
void figures_counting(struct figures *f, struct counting *c);
/* What ortmeter itself used; a 0 is not known. */
void figures_meter(struct figures *f, uint64_t cpu_ns, uint64_t rss_bytes);

/* No inference comes any more: texts under way have got all their tokens. */
void figures_end(struct figures *f);

/* Adds what is known by now, sorted.  The list borrows the histograms: it is
 * gone before the next call. */
void figures_collect(const struct figures *f, struct figure_list *out);

/* Adds what it is and what ortmeter used, without sorting: where nobody looks
 * at ONNX Runtime, nothing can be said of it. */
void figures_collect_meter(const struct figures *f, struct figure_list *out);

/* All of a stored run, sorted, with its summary's figures.  `f` is the caller's
 * to free when it has released the list. */
int figures_read(struct figures **f, struct figure_list *out, struct store *s,
        int64_t run, struct error *e);
