/* input_rates.c -- FLOPs or cycles a second of each class of work.
 *
 * An inference that was looked into has the FLOPs of its operators, in their
 * own classes.  One that was not has as many as those of its class that were,
 * in the mean; where that tells nothing, what its session's model costs.
 *
 * Cycles are counted of a process, and read a few times a second: what each
 * class had of them follows as its energy does from a counter of joules. */
#include "energy/input/input.h"

#include "base/alloc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CYCLES_MAX 1e9 /* millions a second: of a hundred thousand cores */

const char *const energy_by_names[] = { "busy", "flops", "cycles", NULL };

static double at(const double *items, size_t count, uint32_t id)
{
    return id && id <= count ? items[id - 1] : NAN;
}

static double operator_flops(const struct energy_key *key,
        const struct energy_class *c)
{
    return c->operator_id && c->operator_id <= key->operator_count
                   ? key->operator_flops[c->operator_id - 1].in[c->phase]
                   : NAN;
}

/* --- FLOPs ---------------------------------------------------------------- */

/* Inferences of one class, and what is known of those looked into. */
struct looked {
    uint64_t inferences;
    uint64_t into; /* of which that many were looked into, */
    double flops;  /* and cost so much; of operators that can be told, */
    bool partly;   /* and there are others */
};

struct flops {
    const struct energy_input *g;
    const struct energy_key *key;
    double *amount;        /* of each class; NAN: not known */
    struct looked *looked; /* of each class of inferences */
    uint32_t *class_of;    /* of inferences 1, 2, ...; 0: not seen */
    bool *into;            /* of inferences: it was looked into */
};

static void take_inferences(struct flops *f)
{
    for (size_t i = 0; i < f->g->span_count; i++) {
        const struct work_span *x = &f->g->spans[i];
        const struct energy_class *c = &f->g->out->classes[x->work_class];

        if (c->work != ENERGY_INFERENCE || x->owner > f->g->inference_count)
            continue;
        f->class_of[x->owner] = x->work_class;
        f->looked[x->work_class].inferences++;
    }
}

static void take_operators(struct flops *f)
{
    for (size_t i = 0; i < f->g->span_count; i++) {
        const struct work_span *x = &f->g->spans[i];
        const struct energy_class *c = &f->g->out->classes[x->work_class];
        double flops = operator_flops(f->key, c);

        if (c->work != ENERGY_OPERATOR)
            continue;
        f->amount[x->work_class] += flops;
        if (x->owner > f->g->inference_count || !f->class_of[x->owner])
            continue;

        struct looked *l = &f->looked[f->class_of[x->owner]];

        l->into += !f->into[x->owner];
        f->into[x->owner] = true;
        l->flops += isnan(flops) ? 0 : flops;
        l->partly |= isnan(flops);
    }
}

/* Where operators are parts of their inferences: these have the FLOPs of them,
 * and each operator's part is by what it computes.  Those of which that is not
 * known keep their part of the time. */
static void take_splits(struct flops *f)
{
    const struct energy_input *g = f->g;
    double *known = alloc_zero(g->out->class_count, sizeof(*known));
    double *work = alloc_zero(g->out->class_count, sizeof(*work));

    for (size_t i = 0; i < g->split_count; i++) {
        const struct work_split *x = &g->splits[i];
        double flops = operator_flops(f->key, &g->out->classes[x->to]);

        f->looked[x->from].partly |= isnan(flops);
        if (isnan(flops))
            continue;
        known[x->from] += x->share;
        work[x->from] += flops * g->split_runs[i];
    }
    for (size_t i = 0; i < g->split_count; i++) {
        struct work_split *x = &g->splits[i];
        double flops = operator_flops(f->key, &g->out->classes[x->to]);

        if (!isnan(flops) && work[x->from] > 0)
            x->share =
                    known[x->from] * flops * g->split_runs[i] / work[x->from];
    }
    for (uint32_t i = 0; i < g->out->class_count; i++)
        if (work[i] > 0) {
            f->looked[i].into = f->looked[i].inferences;
            f->looked[i].flops = work[i] * (double)f->looked[i].inferences;
            f->amount[i] = f->looked[i].flops;
        }
    free(known);
    free(work);
}

static void sum_inferences(struct flops *f)
{
    for (uint32_t i = 0; i < f->g->out->class_count; i++) {
        const struct energy_class *c = &f->g->out->classes[i];
        const struct looked *l = &f->looked[i];
        double each = l->flops > 0 ? l->flops / (double)l->into
                                   : at(f->key->session_flops,
                                             f->key->session_count, c->session);

        if (c->work == ENERGY_OPERATOR || f->amount[i] > 0)
            continue;
        f->amount[i] = c->work == ENERGY_INFERENCE
                               ? each * (double)(l->inferences - l->into)
                               : NAN;
    }
}

/* Of an inference, in the mean of all; NAN where of some it is not known. */
static double mean_flops(const struct flops *f)
{
    double sum = 0, count = 0;

    for (uint32_t i = 0; i < f->g->out->class_count; i++) {
        const struct energy_class *c = &f->g->out->classes[i];
        const struct looked *l = &f->looked[i];

        if (c->work != ENERGY_INFERENCE)
            continue;
        sum += l->partly                  ? NAN
               : l->into == l->inferences ? l->flops
                                          : l->flops + f->amount[i];
        count += (double)l->inferences;
    }
    return count > 0 ? sum / count : NAN;
}

static int count_flops(double *amount, const struct energy_input *g,
        const struct energy_key *key, struct error *e)
{
    size_t inferences = g->inference_count + 1;
    struct flops f = {
        .g = g,
        .key = key,
        .amount = amount,
        .looked = alloc_zero(g->out->class_count, sizeof(*f.looked)),
        .class_of = alloc_zero(inferences, sizeof(*f.class_of)),
        .into = alloc_zero(inferences, sizeof(*f.into)),
    };
    bool known = false;

    take_inferences(&f);
    take_operators(&f);
    if (g->split_count)
        take_splits(&f);
    sum_inferences(&f);
    g->out->inference_flops = mean_flops(&f);
    for (uint32_t i = 1; i < g->out->class_count; i++)
        known |= amount[i] > 0;
    free(f.looked);
    free(f.class_of);
    free(f.into);
    if (!known)
        return fail(e, -ENODATA,
                "nothing can be shared by FLOPs: no operator was recorded "
                "whose FLOPs can be told (see run --ops), and no model's file "
                "tells those of an inference");
    return 0;
}

/* --- cycles --------------------------------------------------------------- */

/* One process's counter, among the work of that process. */
static void add_cycles(double *amount, const struct energy_input *g,
        const struct input_subject *x, uint64_t end_ns)
{
    const uint64_t *process = map_find(&g->processes, x->number);
    uint32_t classes = g->out->class_count;
    struct work_span *spans = alloc_zero(g->span_count + 1, sizeof(*spans));
    size_t count = 0;
    struct work_pieces pieces;
    struct series series;
    struct attribution a;

    for (size_t i = 0; i < g->span_count && process; i++)
        if (g->spans[i].thread >> THREAD_BITS == *process)
            spans[count++] = g->spans[i];
    pieces_from_spans(&pieces, spans, count, NULL);
    series_from_counter(&series, x->cycles.items, x->cycles.count,
            &(struct series_sensor){ .most_watts = CYCLES_MAX });
    attribution_init(&a, classes, 0);
    attribution_add(&a, &(struct attribute_input){ .series = &series,
                                .pieces = &pieces,
                                .end_ns = end_ns,
                                .sharpen = true });
    for (uint32_t i = 0; i < classes; i++)
        amount[i] += (double)a.classes[i].own_uj;
    attribution_release(&a);
    series_release(&series);
    pieces_release(&pieces);
    free(spans);
}

static int count_cycles(double *amount, const struct energy_input *g,
        uint64_t end_ns, struct error *e)
{
    bool known = false;

    for (size_t i = 0; i < g->subject_count; i++)
        if (g->subjects[i].cycles.count > 1) {
            add_cycles(amount, g, &g->subjects[i], end_ns);
            known = true;
        }
    if (!known)
        return fail(e, -ENODATA,
                "nothing can be shared by cycles: they were not counted in "
                "this run%s%s",
                g->no_cycles ? ", as " : "", g->no_cycles ? g->no_cycles : "");
    return 0;
}

/* --- a second ------------------------------------------------------------- */

int input_rates(double *rate, const struct energy_input *g,
        const struct energy_key *key, struct error *e)
{
    uint64_t end_ns = g->duration_ns ? g->duration_ns : g->last_ns;
    uint32_t classes = g->out->class_count;
    int rc = key->by == ENERGY_BY_FLOPS ? count_flops(rate, g, key, e)
                                        : count_cycles(rate, g, end_ns, e);

    if (rc)
        return rc;

    struct work_pieces pieces;
    struct attribution time;
    double known_s = 0, all_s = 0;

    pieces_from_spans(&pieces, g->spans, g->span_count, NULL);
    attribution_init(&time, classes, 0);
    attribution_time(&time, &pieces, NULL, 0, 0, end_ns);
    for (uint32_t i = 1; i < classes; i++) {
        double busy_s = time.classes[i].busy_s;

        all_s += busy_s;
        known_s += isnan(rate[i]) ? 0 : busy_s;
        rate[i] = busy_s > 0 ? rate[i] / busy_s : NAN;
    }
    g->out->by = key->by;
    g->out->by_known = all_s > 0 ? known_s / all_s : 0;
    attribution_release(&time);
    pieces_release(&pieces);
    return 0;
}
