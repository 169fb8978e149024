/* operators_window.h -- operators in a stretch of a run: by the inferences that
 * ended in it and whose operator runs were kept one by one. */
#pragma once

#include "analyse/operators/operators.h"

struct operator_window_times {
    uint64_t count;
    double total_ns, self_ns;
};

struct operators_window {
    /* By the places of operators.tables, and phase; the last: all. */
    uint64_t (*inferences)[PHASES + 1];
    /* By the places of operators.items, and phase. */
    struct operator_window_times (*times)[PHASES + 1];
};

/* Times are since the run's start: [from_ns, to_ns). */
int operators_window_read(struct operators_window *out,
        const struct operators *all, struct store *s, int64_t run,
        uint64_t from_ns, uint64_t to_ns, struct error *e);
void operators_window_release(struct operators_window *w);

/* Puts what is known of the stretch in the place of what is known of the whole
 * run: counts and sums of times, and the number of traced inferences.  Figures
 * that only the whole has are cleared. */
void operators_window_apply(const struct operators_window *w,
        struct operators *all);
