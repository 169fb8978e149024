/* operators_runs.c -- sums from single runs of operators, where nobody kept
 * sums: of imported profiles.
 *
 * Profiles are in whole microseconds, cut down: so what lies between two
 * operators is a little too long, and an inner one may seem to stick out of the
 * one around it.  Nothing is made less than nothing for that. */
#include "analyse/operators/operators_state.h"
#include "analyse/spread.h"
#include "base/alloc.h"
#include "base/hist.h"
#include "base/map.h"

#include <stdlib.h>

#define DEPTH_MAX 64

/* Self times of an operator in inferences of a phase. */
struct runs_of {
    struct spread spread;
    struct hist_part part; /* the same, to be put together with others */
    double total_ns, self_ns;
};

struct traced_inference {
    uint32_t session;
    uint8_t phase;
    uint64_t start_ns, end_ns;
};

struct reader {
    struct operators *out;
    struct traced_inference *inferences; /* of number 1, 2, ... */
    size_t count, cap;
    struct runs_of (*of)[PHASES + 1]; /* by operator, in their order */

    /* The one whose runs are coming. */
    uint64_t number;
    struct operator_run *runs;
    size_t run_count, run_cap;
};

static void take_inference(void *to, const struct inference *i)
{
    struct reader *r = to;

    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 256;
        r->inferences =
                alloc_resize(r->inferences, r->cap * sizeof(*r->inferences));
    }
    r->inferences[r->count++] = (struct traced_inference){
        .session = i->flags & FLAG_FAILED ? 0 : i->session,
        .phase = i->phase < PHASES ? i->phase : PHASE_OTHER,
        .start_ns = i->start_ns,
        .end_ns = i->start_ns + i->duration_ns,
    };
}

static uint64_t duration_of(const struct operator_run *x)
{
    return x->kernel_known ? x->kernel_ns : x->raw_ns;
}

static void add_run(struct runs_of *of, double total_ns, double self_ns)
{
    spread_add(&of->spread, (uint64_t)self_ns);
    hist_part_add(&of->part, (uint64_t)self_ns);
    of->total_ns += total_ns;
    of->self_ns += self_ns;
}

/* What lies in the operator that is still to come, at one depth. */
struct inner {
    double ns; /* 0: nothing */
    bool any;
    uint32_t thread;
};

/* Self times, inner ones coming before the one that they are in; adds up those
 * of leaves and of the others. */
static void add_runs(struct reader *r, uint8_t phase, struct traced_sum *sum)
{
    struct inner inner[DEPTH_MAX + 1] = { { 0 } };

    for (size_t i = 0; i < r->run_count; i++) {
        const struct operator_run *x = &r->runs[i];
        struct operator_figures *o = operators_by_id(r->out, x->operator_id);
        uint32_t depth = x->depth < DEPTH_MAX ? x->depth : DEPTH_MAX - 1;

        if (x->in_cycles) { /* no time is known */
            o->cycles += x->cycles;
            o->times[phase].count++;
            o->times[PHASES].count++;
            continue;
        }

        struct inner *in = &inner[depth + 1], *beside = &inner[depth];
        bool contains = in->any && in->thread == x->thread;
        double total = (double)duration_of(x);
        double self = contains ? total - in->ns : total;
        size_t place = (size_t)(o - r->out->items);

        self = self > 0 ? self : 0;
        o->contains |= contains;
        *(contains ? &sum->flow_ns : &sum->kernels_ns) += (uint64_t)self;
        sum->operator_runs++;
        if (contains)
            *in = (struct inner){ 0 };
        if (beside->thread != x->thread)
            *beside = (struct inner){ .thread = x->thread };
        beside->ns += total;
        beside->any = true;
        add_run(&r->of[place][phase], total, self);
        add_run(&r->of[place][PHASES], total, self);
    }
}

/* Before, between and after the outermost ones. */
static void add_gaps(const struct reader *r, const struct traced_inference *x,
        struct traced_sum *sum)
{
    uint64_t first_ns = UINT64_MAX, last_ns = 0, outer_ns = 0, busy_ns = 0;
    bool beside = false;

    for (size_t i = 0; i < r->run_count; i++) {
        const struct operator_run *o = &r->runs[i];
        uint64_t end_ns = o->start_ns + duration_of(o);

        if (o->depth || o->in_cycles)
            continue;
        beside |= o->start_ns < last_ns;
        if (end_ns > last_ns)
            busy_ns += end_ns - (o->start_ns > last_ns ? o->start_ns : last_ns);
        first_ns = o->start_ns < first_ns ? o->start_ns : first_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
        outer_ns += duration_of(o);
    }
    sum->count++;
    sum->run_ns += x->end_ns - x->start_ns;
    if (last_ns == 0)
        return;
    if (beside) {
        sum->beside++;
        sum->beside_run_ns += x->end_ns - x->start_ns;
        sum->busy_ns += busy_ns;
        return;
    }
    sum->before_ns += first_ns > x->start_ns ? first_ns - x->start_ns : 0;
    sum->after_ns += x->end_ns > last_ns ? x->end_ns - last_ns : 0;
    sum->between_ns +=
            last_ns - first_ns > outer_ns ? last_ns - first_ns - outer_ns : 0;
}

static void add_sum(struct traced_sum *to, const struct traced_sum *x)
{
    to->count += x->count;
    to->run_ns += x->run_ns;
    to->before_ns += x->before_ns;
    to->kernels_ns += x->kernels_ns;
    to->flow_ns += x->flow_ns;
    to->between_ns += x->between_ns;
    to->after_ns += x->after_ns;
    to->beside += x->beside;
    to->beside_run_ns += x->beside_run_ns;
    to->busy_ns += x->busy_ns;
    to->operator_runs += x->operator_runs;
}

/* Its last operator run was read.  Of those that belong to no inference that
 * is known, the operators are known all the same. */
static void close_inference(struct reader *r)
{
    const struct traced_inference *x = r->number && r->number <= r->count
                                               ? &r->inferences[r->number - 1]
                                               : NULL;
    uint8_t phase = x ? x->phase : PHASE_OTHER;
    struct traced_sum sum = { 0 };

    if (!r->run_count)
        return;
    add_runs(r, phase, &sum);
    if (x && x->session) {
        struct operator_table *t = operators_make_table(r->out, x->session);

        add_gaps(r, x, &sum);
        add_sum(&t->sums[phase], &sum);
        add_sum(&t->sums[PHASES], &sum);
    }
    r->run_count = 0;
}

static void take_operator_run(void *to, const struct operator_run *x)
{
    struct reader *r = to;

    if (r->number != x->inference)
        close_inference(r);
    r->number = x->inference;
    if (!operators_by_id(r->out, x->operator_id))
        return;
    if (r->run_count == r->run_cap) {
        r->run_cap = r->run_cap ? 2 * r->run_cap : 256;
        r->runs = alloc_resize(r->runs, r->run_cap * sizeof(*r->runs));
    }
    r->runs[r->run_count++] = *x;
}

static char *write_spread(const struct hist_part *p)
{
    struct buf text = { 0 };

    hist_part_write(p, &text);

    char *copy = alloc_text(buf_cstr(&text));

    buf_release(&text);
    return copy;
}

static void finish(struct reader *r)
{
    for (size_t i = 0; i < r->out->count; i++)
        for (int p = 0; p <= PHASES; p++) {
            struct runs_of *of = &r->of[i][p];
            struct spread_figures f;

            if (spread_figures(&of->spread, &f))
                r->out->items[i].times[p] = (struct operator_times){
                    .count = f.count,
                    .total_ns = of->total_ns,
                    .self_ns = of->self_ns,
                    .median_ns = f.median,
                    .stddev_ns = f.stddev,
                    .min_ns = f.min,
                    .max_ns = f.max,
                    .spread = p < PHASES ? write_spread(&of->part) : NULL,
                };
            hist_part_release(&of->part);
            spread_release(&of->spread);
        }
}

int operators_sum_runs(struct operators *o, struct store *s, int64_t run,
        struct error *e)
{
    struct reader r = { .out = o };
    int rc = store_each_inference(s, run, take_inference, &r, e);

    r.of = alloc_zero(o->count + 1, sizeof(*r.of));
    if (!rc)
        rc = store_each_operator_run(s, run, take_operator_run, &r, e);
    close_inference(&r);
    finish(&r);
    free(r.of);
    free(r.runs);
    free(r.inferences);
    return rc;
}
