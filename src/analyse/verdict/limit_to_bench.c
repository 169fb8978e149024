#include "analyse/verdict/limit_to_bench.h"

#include "analyse/session_name.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct window {
    uint32_t process;
    bool warm_up;
    uint64_t start_ns, end_ns;
    size_t point;         /* of the sweep, and 1 more; 0: nothing ran in it */
    struct spread spread; /* of what ran in it and counts */
};

/* A batch size and a level that were measured. */
struct point {
    struct sweep_point known;
    struct spread spread;
};

struct focus {
    struct window *windows;
    size_t count;
    struct summary *summary;
    struct counting *counting;
    uint64_t warm_ups;
    double warm_up_ns;
    struct point *points;
    size_t point_count;
};

static void take_section(void *to, const struct section *x)
{
    struct focus *f = to;
    bool warm_up = x->name && strcmp(x->name, WARM_UP_SECTION) == 0;

    if (!warm_up && (!x->name || strcmp(x->name, MEASURED_SECTION) != 0))
        return;
    f->windows = alloc_resize(f->windows, (f->count + 1) * sizeof(*f->windows));
    f->windows[f->count++] = (struct window){
        .process = x->process,
        .warm_up = warm_up,
        .start_ns = x->start_ns,
        .end_ns = x->start_ns + x->duration_ns,
    };
}

static struct window *window_of(const struct focus *f,
        const struct inference *i)
{
    for (size_t n = 0; n < f->count; n++) {
        struct window *w = &f->windows[n];

        if (w->process == i->process && i->start_ns >= w->start_ns &&
                i->start_ns <= w->end_ns)
            return w;
    }
    return NULL;
}

static int level_of(const struct summary *s, uint32_t session)
{
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].id == session)
            return session_level(&s->sessions[i]);
    return SWEEP_NO_LEVEL;
}

/* The first inference in a window says what is measured there. */
static size_t point_of(struct focus *f, const struct inference *i)
{
    uint32_t batch = i->flags & FLAG_SHAPE ? i->batch : 0;
    int level = level_of(f->summary, i->session);
    size_t n = 0;

    while (n < f->point_count && (f->points[n].known.batch != batch ||
                                         f->points[n].known.level != level))
        n++;
    if (n < f->point_count)
        return n + 1;
    f->points = alloc_resize(f->points, (n + 1) * sizeof(*f->points));
    f->points[f->point_count++] =
            (struct point){ .known = { .batch = batch, .level = level } };
    return n + 1;
}

static void count_measured(struct focus *f, struct window *w,
        const struct inference *i)
{
    struct summary *s = f->summary;
    enum counted how = counting_of(f->counting, i);
    uint64_t end_ns = i->start_ns + i->duration_ns;

    if (!s->inferences || i->start_ns < s->first_start_ns)
        s->first_start_ns = i->start_ns;
    s->last_end_ns = end_ns > s->last_end_ns ? end_ns : s->last_end_ns;
    s->inferences++;
    if (i->flags & FLAG_FAILED) {
        s->failed++;
        return;
    }
    summary_count(s, i, how);
    for (size_t n = 0; n < s->session_count; n++)
        if (s->sessions[n].id == i->session)
            s->sessions[n].aside = false;
    if (!w->point)
        w->point = point_of(f, i);

    struct point *p = &f->points[w->point - 1];

    p->known.done++;
    p->known.marked += how == COUNTED_MARKED;
    p->known.left_out +=
            how == LEFT_OUT && counting_touched(f->counting, i) == SLOWED;
    if (how == LEFT_OUT)
        return;
    spread_add(&w->spread, i->duration_ns);
    spread_add(&p->spread, i->duration_ns);
}

static void take_inference(void *to, const struct inference *i)
{
    struct focus *f = to;
    struct window *w = window_of(f, i);

    if (!w)
        return;
    if (!w->warm_up) {
        count_measured(f, w, i);
        return;
    }
    f->warm_ups++;
    f->warm_up_ns += (double)i->duration_ns;
}

static void forget(struct summary *s)
{
    spread_release(&s->spread);
    s->latency = (struct spread_figures){ 0 };
    for (size_t i = 0; i < PHASES; i++) {
        spread_release(&s->phase_spread[i]);
        s->phase[i] = (struct spread_figures){ 0 };
        s->phase_counts[i] = (struct phase_counts){ 0 };
        s->phase_tokens[i] = 0;
        s->phase_longest_ns[i] = 0;
    }
    s->inferences = s->failed = 0;
    s->traced = s->left_out = s->marked = s->looked_at = 0;
    s->longest_ns = 0;
    s->first_start_ns = s->last_end_ns = 0;
    s->samples = 0;
    free(s->sweep.points);
    s->sweep = (struct sweep){ 0 };
    /* One prompt over and over is no text that was generated. */
    s->tokens = (struct summary_tokens){ 0 };
}

static void add_round(struct sweep_point *p, struct window *w)
{
    struct spread_figures f;

    p->wall_ns += (double)(w->end_ns - w->start_ns);
    if (!spread_figures(&w->spread, &f))
        return;
    p->low_ns = !p->rounds || f.median < p->low_ns ? f.median : p->low_ns;
    p->high_ns = f.median > p->high_ns ? f.median : p->high_ns;
    p->rounds++;
}

/* Figures of several points are not pooled. */
static void find_sweep(struct summary *s, struct focus *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->windows[i].point)
            add_round(&f->points[f->windows[i].point - 1].known,
                    &f->windows[i]);
    if (f->point_count < 2)
        return;
    s->sweep.points = alloc_zero(f->point_count, sizeof(*s->sweep.points));
    s->sweep.count = f->point_count;
    for (size_t i = 0; i < f->point_count; i++) {
        s->sweep.points[i] = f->points[i].known;
        (void)spread_figures(&f->points[i].spread, &s->sweep.points[i].latency);
        s->sweep.levels |= f->points[i].known.level != f->points[0].known.level;
    }
    s->latency = (struct spread_figures){ 0 };
}

static void release(struct focus *f)
{
    for (size_t i = 0; i < f->count; i++)
        spread_release(&f->windows[i].spread);
    for (size_t i = 0; i < f->point_count; i++)
        spread_release(&f->points[i].spread);
    free(f->windows);
    free(f->points);
    counting_free(f->counting);
}

/* What a session that only prepared something did is no figure of the run:
 * tables of operators that only such sessions share are left out. */
static void drop_tables_aside(struct summary *s)
{
    struct operators *o = &s->operators;

    for (size_t i = o->table_count; i-- > 0;) {
        const struct operator_table *t = &o->tables[i];
        bool measured = false;

        for (size_t k = 0; k < s->session_count; k++)
            measured |= !s->sessions[k].aside &&
                        operators_table(o, s->sessions[k].id) == t;
        if (!measured)
            operators_drop_table(o, t->session);
    }
}

static void sum_up(struct summary *s, const struct focus *f)
{
    summary_find_figures(s);
    s->warmup.known = true;
    s->warmup.count = f->warm_ups;
    s->warmup.mean_ns = f->warm_ups ? f->warm_up_ns / (double)f->warm_ups : 0;
}

int limit_to_bench(struct summary *s, struct store *store, int64_t run,
        struct error *e)
{
    struct focus f = { .summary = s };
    int rc = store_each_section(store, run, take_section, &f, e);

    if (!rc && f.count) {
        s->whole = summary_energy_counts(s);
        forget(s);
        for (size_t i = 0; i < s->session_count; i++)
            s->sessions[i].aside = true;
        rc = counting_read(&f.counting, store, run, e);
        if (!rc)
            rc = store_each_inference(store, run, take_inference, &f, e);
        sum_up(s, &f);
        find_sweep(s, &f);
        drop_tables_aside(s);
    }
    release(&f);
    return rc;
}
