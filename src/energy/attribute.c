#include "energy/attribute.h"

#include "base/alloc.h"
#include "energy/calibrate/fit.h"
#include "energy/calibrate/sweep.h"
#include "energy/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OWN, IDLE, OTHER, PARTS };

/* One sensor on its way into the account. */
struct pass {
    struct attribution *a;
    const struct attribute_input *in;
    double *weight;  /* of a second of each class */
    double *seconds; /* of each class */
    double *error;   /* watts, of each class */
    double *cell;    /* PARTS for each class */
    double joules;
    size_t *kind;       /* of each class, in the fit */
    struct fit *fit;    /* while it is filled, */
    uint64_t fitted_ns; /* up to here */
    struct fit_part *parts;
    size_t part_cap;
    size_t share_at; /* the first share that may matter */
};

void attribution_init(struct attribution *a, uint32_t class_count,
        uint32_t owner_count)
{
    *a = (struct attribution){
        .classes = alloc_zero(class_count + 1, sizeof(*a->classes)),
        .class_count = class_count,
        .owner_own_j = alloc_zero(owner_count + 1, sizeof(double)),
        .owner_all_j = alloc_zero(owner_count + 1, sizeof(double)),
        .owner_count = owner_count,
        .idle_known = true,
        .other_known = true,
    };
}

void attribution_release(struct attribution *a)
{
    free(a->classes);
    free(a->owner_own_j);
    free(a->owner_all_j);
    *a = (struct attribution){ 0 };
}

/* --- one interval --------------------------------------------------------- */

/* Our share of the CPU time in the interval; where nothing was seen, all of
 * it. */
static double own_share(struct pass *p, const struct series_interval *x)
{
    const struct cpu_share *shares = p->in->shares;
    size_t count = p->in->share_count;
    double own = 0, seen = 0;

    while (p->share_at < count && shares[p->share_at].end_ns <= x->start_ns)
        p->share_at++;
    for (size_t i = p->share_at; i < count && shares[i].start_ns < x->end_ns;
            i++) {
        uint64_t from = shares[i].start_ns > x->start_ns ? shares[i].start_ns
                                                         : x->start_ns;
        uint64_t to =
                shares[i].end_ns < x->end_ns ? shares[i].end_ns : x->end_ns;

        if (to <= from)
            continue;
        own += shares[i].own * (double)(to - from);
        seen += (double)(to - from);
    }
    return seen > 0 && !p->in->alone ? fmin(fmax(own / seen, 0), 1) : 1;
}

struct split {
    double part[PARTS];
};

static struct split split(struct pass *p, const struct series_interval *x)
{
    double length_s = (double)(x->end_ns - x->start_ns) / 1e9;
    double idle = p->in->idle_watts ? *p->in->idle_watts * length_s : 0;

    idle = fmin(idle, x->joules);

    double own = (x->joules - idle) * own_share(p, x);

    return (struct split){
        { [OWN] = own, [IDLE] = idle, [OTHER] = x->joules - idle - own }
    };
}

/* --- what a second of each class weighs ----------------------------------- */

static void count_seconds(void *to, const struct series_interval *x,
        const struct sweep_part *parts, size_t count)
{
    struct pass *p = to;

    (void)x;
    for (size_t i = 0; i < count; i++)
        p->seconds[parts[i].work_class] += parts[i].seconds;
}

static void fill_fit(void *to, const struct series_interval *x,
        const struct sweep_part *parts, size_t count)
{
    struct pass *p = to;

    if (count > p->part_cap) {
        p->part_cap = count * 2;
        p->parts = alloc_resize(p->parts, p->part_cap * sizeof(*p->parts));
    }
    for (size_t i = 0; i < count; i++)
        p->parts[i] = (struct fit_part){
            .kind = p->kind[parts[i].work_class],
            .seconds = parts[i].seconds,
        };
    fit_add(p->fit, &(struct fit_window){
                            .joules = split(p, x).part[OWN],
                            .parts = p->parts,
                            .count = count,
                            .start_slack_s = (double)x->start_slack_ns / 1e9,
                            .end_slack_s = (double)x->end_slack_ns / 1e9,
                            .follows = x->start_ns == p->fitted_ns,
                    });
    p->fitted_ns = x->end_ns;
}

/* The greatest classes are fitted one by one, the others together.  Returns how
 * many kinds there are. */
static size_t choose_kinds(struct pass *p)
{
    uint32_t classes = p->a->class_count;
    size_t kinds = 0;

    for (uint32_t i = 0; i < classes; i++)
        p->kind[i] = SIZE_MAX;
    while (kinds < FIT_KINDS_MAX - 1) {
        uint32_t best = classes;

        for (uint32_t i = 0; i < classes; i++)
            if (p->kind[i] == SIZE_MAX && p->seconds[i] > 0 &&
                    (best == classes || p->seconds[i] > p->seconds[best]))
                best = i;
        if (best == classes)
            break;
        p->kind[best] = kinds++;
    }

    bool rest = false;

    for (uint32_t i = 0; i < classes; i++) {
        if (p->kind[i] != SIZE_MAX)
            continue;
        rest |= p->seconds[i] > 0;
        p->kind[i] = kinds;
    }
    return kinds + rest;
}

static void sharpen(struct pass *p, const struct series *series)
{
    size_t kinds = choose_kinds(p);
    double *watts = alloc_zero(kinds + 1, sizeof(*watts));
    double *error = alloc_zero(kinds + 1, sizeof(*error));

    p->fit = fit_new(kinds);
    p->share_at = 0;
    sweep(series, p->in->pieces, fill_fit, p);
    if (fit_solve(p->fit, watts, error)) {
        for (uint32_t i = 0; i < p->a->class_count; i++) {
            p->weight[i] = watts[p->kind[i]];
            p->error[i] = error[p->kind[i]];
        }
        p->a->sharpened = true;
    }
    fit_free(p->fit);
    free(watts);
    free(error);
}

/* FLOPs a second, against their mean: so that work of which they are not known,
 * and time outside of all work, keep their weight of 1. */
static void weigh_by_rate(struct pass *p)
{
    const double *rate = p->in->rate;
    double work = 0, seconds = 0;

    for (uint32_t i = 1; i < p->a->class_count; i++) {
        if (isnan(rate[i]))
            continue;
        work += rate[i] * p->seconds[i];
        seconds += p->seconds[i];
    }
    for (uint32_t i = 1; i < p->a->class_count && work > 0; i++)
        if (!isnan(rate[i]))
            p->weight[i] = rate[i] * seconds / work;
}

/* --- sharing -------------------------------------------------------------- */

static void share_out(void *to, const struct series_interval *x,
        const struct sweep_part *parts, size_t count)
{
    struct pass *p = to;
    struct split s = split(p, x);
    double weights = 0, seconds = 0;

    for (size_t i = 0; i < count; i++) {
        weights += p->weight[parts[i].work_class] * parts[i].seconds;
        seconds += parts[i].seconds;
    }
    p->joules += x->joules;
    for (size_t i = 0; i < count; i++) {
        uint32_t c = parts[i].work_class;
        double by_time = parts[i].seconds / seconds;
        double by_weight = weights > 0
                                   ? p->weight[c] * parts[i].seconds / weights
                                   : by_time;
        double own = s.part[OWN] * by_weight;
        double idle = s.part[IDLE] * by_time;
        double other = s.part[OTHER] * by_time;

        p->cell[c * PARTS + OWN] += own;
        p->cell[c * PARTS + IDLE] += idle;
        p->cell[c * PARTS + OTHER] += other;
        if (parts[i].owner < p->a->owner_count) {
            p->a->owner_own_j[parts[i].owner] += own;
            p->a->owner_all_j[parts[i].owner] += own + idle + other;
        }
    }
}

/* What operators have of their inferences: taken off there, so that all adds up
 * as before. */
static void split_classes(struct pass *p)
{
    const struct attribute_input *in = p->in;
    size_t cells = (size_t)p->a->class_count * PARTS;
    double *whole = alloc_zero(cells + 1, sizeof(*whole));

    memcpy(whole, p->cell, cells * sizeof(*whole));
    for (size_t i = 0; i < in->split_count; i++) {
        const struct work_split *x = &in->splits[i];

        if (in->here && !in->here[x->to])
            continue;
        for (int part = 0; part < PARTS; part++) {
            double moved = whole[x->from * PARTS + part] * x->share;

            p->cell[x->from * PARTS + part] -= moved;
            p->cell[x->to * PARTS + part] += moved;
        }
        p->error[x->to] = p->error[x->from];
        p->seconds[x->to] += p->seconds[x->from] * x->share;
    }
    for (size_t i = 0; i < cells; i++) /* rounding */
        p->cell[i] = p->cell[i] > 0 ? p->cell[i] : 0;
    free(whole);
}

/* Whole microjoules that add up, into the account. */
static void enter(struct pass *p)
{
    struct attribution *a = p->a;
    size_t cells = (size_t)a->class_count * PARTS;
    uint64_t *whole = alloc_zero(cells + 1, sizeof(*whole));
    uint64_t total_uj = (uint64_t)llround(p->joules * 1e6);

    for (size_t i = 0; i < cells; i++)
        p->cell[i] *= 1e6;
    exact_parts(whole, p->cell, cells, total_uj);
    for (uint32_t i = 0; i < a->class_count; i++) {
        struct class_energy *c = &a->classes[i];

        c->own_uj += whole[i * PARTS + OWN];
        c->idle_uj += whole[i * PARTS + IDLE];
        c->other_uj += whole[i * PARTS + OTHER];
        c->error_j = hypot(c->error_j, p->error[i] * p->seconds[i]);
    }
    a->total_uj += total_uj;
    free(whole);
}

void attribution_add(struct attribution *a, const struct attribute_input *in)
{
    size_t n = a->class_count;
    struct series clipped;
    struct pass p = {
        .a = a,
        .in = in,
        .weight = alloc_zero(n, sizeof(double)),
        .seconds = alloc_zero(n, sizeof(double)),
        .error = alloc_zero(n, sizeof(double)),
        .cell = alloc_zero(n * PARTS, sizeof(double)),
        .kind = alloc_zero(n, sizeof(size_t)),
    };

    series_clip(&clipped, in->series, in->start_ns, in->end_ns);
    for (size_t i = 0; i < n; i++)
        p.weight[i] = 1;
    sweep(&clipped, in->pieces, count_seconds, &p);
    if (in->rate)
        weigh_by_rate(&p);
    else if (in->sharpen)
        sharpen(&p, &clipped);
    p.share_at = 0;
    sweep(&clipped, in->pieces, share_out, &p);
    split_classes(&p);
    enter(&p);
    a->idle_known &= in->idle_watts != NULL;
    a->other_known &= in->alone || in->share_count > 0;
    series_release(&clipped);
    free(p.weight);
    free(p.seconds);
    free(p.error);
    free(p.cell);
    free(p.kind);
    free(p.parts);
}

static void add_time(void *to, const struct series_interval *x,
        const struct sweep_part *parts, size_t count)
{
    struct attribution *a = to;

    (void)x;
    for (size_t i = 0; i < count; i++)
        a->classes[parts[i].work_class].busy_s += parts[i].seconds;
}

void attribution_time(struct attribution *a, const struct work_pieces *pieces,
        const struct work_split *splits, size_t split_count, uint64_t start_ns,
        uint64_t end_ns)
{
    struct series_interval run = { .start_ns = start_ns, .end_ns = end_ns };

    sweep(&(struct series){ .intervals = &run, .count = 1 }, pieces, add_time,
            a);

    double *whole = alloc_zero(a->class_count + 1, sizeof(*whole));

    for (uint32_t i = 0; i < a->class_count; i++)
        whole[i] = a->classes[i].busy_s;
    for (size_t i = 0; i < split_count; i++) {
        a->classes[splits[i].to].busy_s +=
                whole[splits[i].from] * splits[i].share;
        a->classes[splits[i].from].busy_s -=
                whole[splits[i].from] * splits[i].share;
    }
    free(whole);
}

struct attribution_lines attribution_lines(const struct attribution *a)
{
    struct attribution_lines l = { .total_uj = a->total_uj };

    for (uint32_t i = 0; i < a->class_count; i++) {
        l.idle_uj += a->classes[i].idle_uj;
        l.other_uj += a->classes[i].other_uj;
        if (i)
            l.attributed_uj += a->classes[i].own_uj;
        else
            l.unattributed_uj += a->classes[i].own_uj;
    }
    return l;
}

bool attribution_adds_up(const struct attribution *a)
{
    struct attribution_lines l = attribution_lines(a);

    return l.idle_uj + l.other_uj + l.unattributed_uj + l.attributed_uj ==
           l.total_uj;
}
