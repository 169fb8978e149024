#include "analyse/finding/signals.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is looked at ---------------------------------------------------- */

enum signal_kind {
    SIGNAL_GROWS, /* a counter: how much it grows in a second */
    SIGNAL_HIGH,  /* a gauge that is higher than mostly */
    SIGNAL_LOW,   /* or lower: by a tenth, at least */
};

/* Several lines may be of one cause. */
static const struct signal_source {
    const char *name;
    enum metric_id metric;
    enum signal_kind kind;
    double least; /* less is never a cause */
} sources[] = {
    { "preempted", METRIC_process_involuntary_switches_total, SIGNAL_GROWS,
            20 },
    { "preempted", METRIC_thread_wait_seconds_total, SIGNAL_GROWS, 0.1 },
    { "page_faults", METRIC_process_minor_faults_total, SIGNAL_GROWS, 1000 },
    { "page_faults", METRIC_process_major_faults_total, SIGNAL_GROWS, 5 },
    { "storage", METRIC_process_storage_read_bytes_total, SIGNAL_GROWS, 1e6 },
    { "storage", METRIC_process_storage_written_bytes_total, SIGNAL_GROWS,
            1e6 },
    { "storage", METRIC_process_blocked_threads, SIGNAL_HIGH, 1 },
    { "other_programs", METRIC_others_cpu_cores, SIGNAL_HIGH, 0.25 },
    { "stolen_cpu", METRIC_core_stolen_seconds_total, SIGNAL_GROWS, 0.05 },
    { "clock", METRIC_core_frequency_hertz, SIGNAL_LOW, 0 },
};

/* --- reading -------------------------------------------------------------- */

/* From one reading of a subject to the next. */
struct stretch {
    uint64_t start_ns, end_ns;
    double value;
};

struct signal_series {
    struct stretch *items;
    size_t count, cap;
};

struct last {
    uint32_t subject;
    uint16_t metric;
    uint64_t time_ns;
    double value;
};

struct signal_reader {
    const struct finding_case *c;
    struct signal_series series[LEN(sources)];
    struct last *last; /* of each subject and metric */
    size_t last_count;
    uint32_t process;  /* the subject of the session's process; 0: none */
    uint32_t *threads; /* and its threads */
    size_t thread_count;
};

static void take_subject(void *to, const struct subject_entry *x)
{
    struct signal_reader *r = to;
    const struct summary *s = r->c->summary;

    if (x->subject.kind == SUBJECT_PROCESS)
        for (size_t i = 0; i < s->process_count; i++)
            if (s->processes[i].id == r->c->session->process &&
                    s->processes[i].pid == x->subject.number)
                r->process = x->id;
    if (x->subject.kind != SUBJECT_THREAD || !r->process ||
            x->subject.parent != r->process)
        return;
    r->threads = alloc_resize(r->threads,
            (r->thread_count + 1) * sizeof(*r->threads));
    r->threads[r->thread_count++] = x->id;
}

static bool is_concerned(const struct signal_reader *r, const struct reading *x)
{
    switch (metric_table[x->metric].scope) {
    case METRIC_PROCESS: return r->process && x->subject == r->process;
    case METRIC_THREAD:
        for (size_t i = 0; i < r->thread_count; i++)
            if (r->threads[i] == x->subject)
                return true;
        return false;
    default: return true;
    }
}

static struct last *last_of(struct signal_reader *r, const struct reading *x)
{
    for (size_t i = 0; i < r->last_count; i++)
        if (r->last[i].subject == x->subject && r->last[i].metric == x->metric)
            return &r->last[i];
    r->last = alloc_resize(r->last, (r->last_count + 1) * sizeof(*r->last));
    r->last[r->last_count] =
            (struct last){ .subject = x->subject, .metric = x->metric };
    return &r->last[r->last_count++];
}

static void series_add(struct signal_series *s, struct stretch x)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        s->items = alloc_resize(s->items, s->cap * sizeof(*s->items));
    }
    s->items[s->count++] = x;
}

static void take_reading(void *to, const struct reading *x)
{
    struct signal_reader *r = to;

    for (size_t i = 0; i < LEN(sources); i++) {
        if (sources[i].metric != x->metric)
            continue;
        if (!is_concerned(r, x))
            return;

        struct last *last = last_of(r, x);
        double seconds = ((double)x->time_ns - (double)last->time_ns) / 1e9;

        if (last->time_ns && seconds > 0)
            series_add(&r->series[i],
                    (struct stretch){ last->time_ns, x->time_ns,
                            sources[i].kind == SIGNAL_GROWS
                                    ? (x->value - last->value) / seconds
                                    : x->value });
        last->time_ns = x->time_ns;
        last->value = x->value;
        return;
    }
}

/* --- which inferences ----------------------------------------------------- */

/* What is more than mostly: twice what half of the stretches have, and not less
 * than matters. */
static double limit_of(const struct signal_series *s,
        const struct signal_source *of)
{
    double *values = alloc_zero(s->count, sizeof(*values));

    for (size_t i = 0; i < s->count; i++)
        values[i] = s->items[i].value;
    sort_doubles(values, s->count);

    double half = values[s->count / 2];

    free(values);
    if (of->kind == SIGNAL_LOW)
        return 0.9 * half;
    return fmax(2 * half, of->least);
}

/* The first inference that ends behind `ns`, of those in order; ends of
 * inferences that run side by side are not quite in order, and one more or less
 * does not matter. */
static size_t first_behind(const struct finding_case *c, uint64_t ns)
{
    size_t low = 0, high = c->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct inference *i = &c->inferences[middle];

        if (i->start_ns + i->duration_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void mark(bool *there, const struct finding_case *c,
        const struct signal_series *s, const struct signal_source *of)
{
    double limit = limit_of(s, of);

    for (size_t k = 0; k < s->count; k++) {
        const struct stretch *x = &s->items[k];

        if (of->kind == SIGNAL_LOW ? x->value >= limit : x->value < limit)
            continue;
        for (size_t i = first_behind(c, x->start_ns);
                i < c->count && c->inferences[i].start_ns < x->end_ns; i++)
            there[i] = true;
    }
}

/* The cause of that name, added if it is new. */
static size_t cause_of(struct signals *out, const char *name, size_t cases)
{
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->items[i].name, name) == 0)
            return i;
    out->items =
            alloc_resize(out->items, (out->count + 1) * sizeof(*out->items));
    out->there =
            alloc_resize(out->there, (out->count + 1) * sizeof(*out->there));
    out->there[out->count] = alloc_zero(cases + 1, sizeof(**out->there));
    out->items[out->count] =
            (struct cause){ .name = name, .there = out->there[out->count] };
    return out->count++;
}

/* What the inferences say themselves. */
static void mark_own(struct signals *out, const struct finding_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct inference *x = &c->inferences[i];

        if (x->has_parts && x->gil_ns * 10 > x->duration_ns)
            out->there[cause_of(out, "gil", c->count)][i] = true;
        if (x->has_context && x->queue_depth)
            out->there[cause_of(out, "queue", c->count)][i] = true;
    }
}

static void find_all(struct signals *out, struct signal_reader *r)
{
    const struct finding_case *c = r->c;
    uint64_t span =
            c->inferences[c->count - 1].start_ns - c->inferences[0].start_ns;

    for (size_t i = 0; i < LEN(sources); i++) {
        const struct signal_series *s = &r->series[i];

        if (s->count < 4) /* what is mostly so cannot be said */
            continue;

        size_t k = cause_of(out, sources[i].name, c->count);

        /* Read more rarely than inferences come. */
        out->items[k].coarse = s->items[s->count / 2].end_ns -
                                       s->items[s->count / 2].start_ns >
                               span / c->count;
        mark(out->there[k], c, s, &sources[i]);
    }
    mark_own(out, c);
}

int signals_read(struct signals *out, const struct finding_case *c,
        struct error *e)
{
    struct signal_reader r = { .c = c };

    *out = (struct signals){ .count = 0 };

    int rc = store_each_subject(c->store, c->run, take_subject, &r, e);

    if (!rc)
        rc = store_each_reading(c->store, c->run, take_reading, &r, e);
    if (!rc && c->count)
        find_all(out, &r);
    for (size_t i = 0; i < LEN(sources); i++)
        free(r.series[i].items);
    free(r.last);
    free(r.threads);
    return rc;
}

void signals_release(struct signals *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->there[i]);
    free(s->there);
    free(s->items);
    *s = (struct signals){ .count = 0 };
}
