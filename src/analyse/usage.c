#include "analyse/usage.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"

#include <stddef.h>
#include <stdlib.h>

/* Figures that are added up over the processes in each second; of the host
 * there is one. */
static const struct {
    enum metric_id metric;
    size_t at; /* in struct usage */
} ranges[] = {
    { METRIC_process_cpu_cores, offsetof(struct usage, cpu_cores) },
    { METRIC_process_resident_bytes, offsetof(struct usage, rss_bytes) },
    { METRIC_process_threads, offsetof(struct usage, threads) },
    { METRIC_host_busy_ratio, offsetof(struct usage, host_busy) },
};

/* Counters whose last values are added up. */
static const struct {
    enum metric_id metric;
    size_t at;
} totals[] = {
    { METRIC_process_read_bytes_total, offsetof(struct usage, read_bytes) },
    { METRIC_process_written_bytes_total,
            offsetof(struct usage, written_bytes) },
    { METRIC_process_read_calls_total, offsetof(struct usage, read_calls) },
    { METRIC_process_write_calls_total, offsetof(struct usage, write_calls) },
    { METRIC_process_storage_read_bytes_total,
            offsetof(struct usage, storage_read_bytes) },
    { METRIC_process_storage_written_bytes_total,
            offsetof(struct usage, storage_written_bytes) },
    { METRIC_process_minor_faults_total, offsetof(struct usage, minor_faults) },
    { METRIC_process_major_faults_total, offsetof(struct usage, major_faults) },
    { METRIC_process_voluntary_switches_total,
            offsetof(struct usage, voluntary_switches) },
    { METRIC_process_involuntary_switches_total,
            offsetof(struct usage, involuntary_switches) },
};

/* One figure of all processes, by second. */
struct line {
    double *sum;
    bool *any;
    size_t cap;
};

struct reading_usage {
    struct usage *usage;
    struct line line[LEN(ranges)];
    struct map processes; /* subjects that are some, and the host */
    /* The greatest value of the series that is being read. */
    uint32_t subject;
    uint16_t metric;
    bool open;
    double last;
};

#define SECONDS_MAX (UINT64_C(1) << 24) /* half a year */

static void add_second(struct line *l, uint64_t second, double value)
{
    if (second >= SECONDS_MAX)
        return;
    if (second >= l->cap) {
        size_t cap = 2 * (size_t)second + 64;

        l->sum = alloc_resize(l->sum, cap * sizeof(*l->sum));
        l->any = alloc_resize(l->any, cap * sizeof(*l->any));
        for (size_t i = l->cap; i < cap; i++) {
            l->sum[i] = 0;
            l->any[i] = false;
        }
        l->cap = cap;
    }
    l->sum[second] += value;
    l->any[second] = true;
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct reading_usage *u = to;

    if (x->subject.kind != SUBJECT_PROCESS && x->subject.kind != SUBJECT_HOST)
        return;
    map_put(&u->processes, x->id, x->subject.kind);
    u->usage->processes += x->subject.kind == SUBJECT_PROCESS;
}

/* The counter of one process is over: its last value is its greatest. */
static void end_series(struct reading_usage *u)
{
    if (!u->open)
        return;
    u->open = false;
    for (size_t i = 0; i < LEN(totals); i++) {
        struct usage_total *t = (void *)((char *)u->usage + totals[i].at);

        if (totals[i].metric != u->metric)
            continue;
        t->known = true;
        t->value += u->last;
    }
}

static void take_rollup(void *to, const struct rollup *r)
{
    struct reading_usage *u = to;
    struct usage *usage = u->usage;

    const uint64_t *kind = map_find(&u->processes, r->subject);

    if (!kind)
        return;
    if (u->subject != r->subject || u->metric != r->metric)
        end_series(u);
    u->open = true;
    u->subject = r->subject;
    u->metric = r->metric;
    u->last = r->max;
    if (*kind == SUBJECT_PROCESS)
        usage->readings += r->count;
    for (size_t i = 0; i < LEN(ranges); i++)
        if (ranges[i].metric == r->metric)
            add_second(&u->line[i], r->second, r->mean);
    if (r->metric == METRIC_process_cpu_cores && r->max > usage->most_cpu_cores)
        usage->most_cpu_cores = r->max;
    if (r->metric == METRIC_process_resident_bytes &&
            r->max > usage->most_rss_bytes)
        usage->most_rss_bytes = r->max;
}

static void sum_line(struct usage_range *out, const struct line *l)
{
    for (size_t i = 0; i < l->cap; i++) {
        double x;

        if (!l->any[i])
            continue;
        x = l->sum[i];
        if (!out->count || x < out->min)
            out->min = x;
        if (!out->count || x > out->max)
            out->max = x;
        if (!out->count)
            out->first = x;
        out->last = x;
        out->count++;
        out->mean += (x - out->mean) / (double)out->count;
    }
}

#define GROWTH_SECONDS 10

/* The mean of those seconds from `from` to `to` that were sampled, counted from
 * the first of these. */
static double mean_of(const struct line *l, size_t from, size_t to)
{
    double sum = 0;
    size_t seen = 0;

    for (size_t i = 0; i < l->cap; i++) {
        sum += l->any[i] && seen >= from && seen < to ? l->sum[i] : 0;
        seen += l->any[i];
    }
    return sum / (double)(to - from);
}

static void find_growth(struct usage *u, const struct line *l)
{
    size_t count = (size_t)u->rss_bytes.count, fifth = count / 5;

    if (count < GROWTH_SECONDS)
        return;
    u->early_rss_bytes = mean_of(l, fifth, 2 * fifth);
    u->late_rss_bytes = mean_of(l, count - fifth, count);
}

bool usage_mean_cores(double *out, const struct usage *u, const struct run *r)
{
    if (r->ended && r->duration_ns)
        *out = (double)(r->user_cpu_ns + r->system_cpu_ns) /
               (double)r->duration_ns;
    else if (u->cpu_cores.count)
        *out = u->cpu_cores.mean;
    else
        return false;
    return true;
}

double usage_most_cores(const struct usage *u, const struct run *r)
{
    double mean;

    return usage_mean_cores(&mean, u, r) && mean > u->cpu_cores.max
                   ? mean
                   : u->cpu_cores.max;
}

int usage_read(struct usage *out, struct store *s, int64_t run, struct error *e)
{
    struct reading_usage u = { .usage = out };
    int rc;

    *out = (struct usage){ 0 };
    rc = store_each_subject(s, run, take_subject, &u, e);
    if (!rc && out->processes)
        rc = store_each_rollup(s, run, take_rollup, &u, e);
    end_series(&u);
    for (size_t i = 0; i < LEN(ranges); i++) {
        sum_line((void *)((char *)out + ranges[i].at), &u.line[i]);
        if (ranges[i].metric == METRIC_process_resident_bytes)
            find_growth(out, &u.line[i]);
        free(u.line[i].sum);
        free(u.line[i].any);
    }
    map_release(&u.processes);
    return rc;
}
