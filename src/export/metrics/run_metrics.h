/* run_metrics.h -- a run's metrics, counted as things happen: while it runs, or
 * from the store afterwards, with the same result, unless tracing is so dear
 * that it depends on what came later which inferences count.
 *
 * What grows in memory grows with the number of processes and sessions, not of
 * inferences.  For one thread. */
#pragma once

#include "export/metrics/figure_list.h"
#include "store/store.h"

struct run_metrics;

/* What the run is, for those who name it once and not in each figure. */
struct run_metrics_about {
    char *run; /* its id */
    char *command;
    char *version;   /* of ortmeter */
    char *host_name; /* NULL: not known */
    uint64_t started_wall_ns;
};

struct counting; /* analyse/counting.h */

struct run_metrics *run_metrics_new(const struct run *run);
/* NULL is welcome. */
void run_metrics_free(struct run_metrics *f);

const struct run_metrics_about *run_metrics_about(const struct run_metrics *f);

/* A process may be told again, when more is known of it. */
void run_metrics_process(struct run_metrics *f, const struct process *p);
void run_metrics_library(struct run_metrics *f, const struct library *l);
void run_metrics_session(struct run_metrics *f, const struct session *s);
void run_metrics_inference(struct run_metrics *f, const struct inference *i);
/* What tracing costs so far, and which sessions share it: which inferences
 * count depends on it, by what is known when they come. */
void run_metrics_traced(struct run_metrics *f, const struct traced_sum *x);
void run_metrics_operators_of(struct run_metrics *f, const struct session *s);
/* Whether one that came is in the figures (analyse/counting.h). */
bool run_metrics_counts(const struct run_metrics *f, const struct inference *i);
/* Which inferences count is known beforehand; takes it. */
void run_metrics_counting(struct run_metrics *f, struct counting *c);
/* What ortmeter itself used; a 0 is not known. */
void run_metrics_meter(struct run_metrics *f, uint64_t cpu_ns,
        uint64_t rss_bytes);

/* No inference comes any more: texts under way have got all their tokens. */
void run_metrics_end(struct run_metrics *f);

/* Adds what is known by now, sorted.  The list borrows the histograms: it is
 * gone before the next call. */
void run_metrics_collect(const struct run_metrics *f, struct figure_list *out);

/* Adds what it is and what ortmeter used, without sorting: where nobody looks
 * at ONNX Runtime, nothing can be said of it. */
void run_metrics_collect_meter(const struct run_metrics *f,
        struct figure_list *out);

/* All of a stored run, sorted, with its summary's figures.  `f` is the caller's
 * to free when it has released the list. */
int run_metrics_read(struct run_metrics **f, struct figure_list *out,
        struct store *s, int64_t run, struct error *e);
