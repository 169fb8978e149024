/* top_runs.c -- the models that are at work: from our own collector, or from
 * the database that another one writes to. */
#include "analyse/summary.h"
#include "base/alloc.h"
#include "base/quantile.h"
#include "cmd/top/top_fill.h"
#include "os/clock.h"
#include "wire/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far back "of late" reaches. */
#define LATE_NS UINT64_C(5000000000)

struct sessions {
    struct top_model *model;
    uint32_t id[TOP_MODELS];
    uint64_t *duration_ns[TOP_MODELS];
    size_t cap[TOP_MODELS];
    uint64_t newest_ns; /* the end of the newest inference */
};

static void take_run(void *to, const struct run *r)
{
    struct run *run = to;

    *run = *r;
    run->command = run->directory = run->note = run->host = NULL; /* gone */
}

static void add_model(struct top_session *out, const struct session *x)
{
    char *name = x->model ? summary_model_name(x->model) : NULL;

    out->id = x->id;
    (void)snprintf(out->name, sizeof(out->name), "%s",
            name ? name : "model in memory");
    free(name);
}

static void show_model(struct sessions *s, const struct top_session *x)
{
    struct top_model *m = s->model;

    s->id[m->latencies] = x->id;
    m->latency[m->latencies] = (struct top_latency){ 0 };
    memcpy(m->latency[m->latencies].name, x->name, sizeof(x->name));
    m->latencies++;
}

static void take_session(void *to, const struct session *x)
{
    struct sessions *s = to;
    struct top_session session;

    if (s->model->latencies == TOP_MODELS || x->error)
        return;
    add_model(&session, x);
    show_model(s, &session);
}

/* Newest first. */
static void take_inference(void *to, const struct inference *i)
{
    struct sessions *s = to;
    uint64_t end_ns = i->start_ns + i->duration_ns;

    if (!s->newest_ns)
        s->newest_ns = end_ns;
    if (end_ns + LATE_NS < s->newest_ns)
        return;
    for (size_t k = 0; k < s->model->latencies; k++) {
        struct top_latency *l = &s->model->latency[k];

        if (s->id[k] != i->session)
            continue;
        if (i->flags & FLAG_FAILED) {
            l->failed++;
            continue;
        }
        if (!s->duration_ns[k] || l->count == s->cap[k]) {
            s->cap[k] = s->cap[k] ? 2 * s->cap[k] : 256;
            s->duration_ns[k] = alloc_resize(s->duration_ns[k],
                    s->cap[k] * sizeof(**s->duration_ns));
        }
        if (!l->count)
            l->last_ns = (double)i->duration_ns;
        s->duration_ns[k][l->count++] = i->duration_ns;
        /* The oldest of them so far; the rate is made of it later. */
        l->per_s = (double)(s->newest_ns - i->start_ns);
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Sessions without inferences of late go. */
static void sum_up(struct sessions *s)
{
    struct top_model *m = s->model;
    size_t kept = 0;

    for (size_t k = 0; k < m->latencies; k++) {
        struct top_latency l = m->latency[k];

        if (l.count && s->duration_ns[k]) {
            qsort(s->duration_ns[k], l.count, sizeof(uint64_t), by_value);
            l.p50_ns = quantile_u64(s->duration_ns[k], l.count, 0.5);
            l.p95_ns = quantile_u64(s->duration_ns[k], l.count, 0.95);
            l.per_s = l.per_s > 0 ? (double)l.count * 1e9 / l.per_s : 0;
        }
        free(s->duration_ns[k]);
        if (l.count || l.failed)
            m->latency[kept++] = l;
    }
    m->latencies = kept;
}

static void say_run(struct top_model *m, const struct run *run,
        uint64_t newest_ns, uint64_t now_ns)
{
    uint64_t then_ns = run->start_mono_ns + newest_ns;

    (void)snprintf(m->run, sizeof(m->run), "run %.8s%s", run->id,
            m->latencies ? "" : ": no inference of late");
    if (m->latencies && newest_ns && now_ns > then_ns)
        (void)snprintf(m->run, sizeof(m->run),
                "run %.8s, newest inference %.1f s ago", run->id,
                (double)(now_ns - then_ns) / 1e9);
}

void top_fill_runs(struct top_model *m, struct store *store,
        const struct error *why, uint64_t now_mono_ns)
{
    struct sessions s = { .model = m };
    struct run run = { 0 };
    int64_t row = 0;

    m->latencies = 0;
    if (!store) {
        (void)snprintf(m->run, sizeof(m->run), "no models: %s", why->text);
        return;
    }
    if (store_find_run(store, "last", &row, NULL) ||
            store_read_run(store, row, take_run, &run, NULL) ||
            run.status != RUN_RUNNING) {
        (void)snprintf(m->run, sizeof(m->run),
                "no models: nothing is being recorded (ortmeter run -- "
                "PROGRAM, or ortmeter top -- PROGRAM)");
        return;
    }
    (void)store_each_session(store, row, take_session, &s, NULL);
    (void)store_each_newest_inference(store, row, take_inference, &s, NULL);
    sum_up(&s);
    say_run(m, &run, s.newest_ns, now_mono_ns);
}

/* --- our own collector ---------------------------------------------------- */

static void live_begin(void *to, const struct run *r)
{
    take_run(&((struct top_live *)to)->run, r);
}

static void live_session(void *to, const struct session *x)
{
    struct top_live *l = to;

    if (l->sessions < TOP_MODELS && !x->error)
        add_model(&l->session[l->sessions++], x);
}

static void live_inference(void *to, const struct inference *i)
{
    struct top_live *l = to;

    l->recent[l->inferences++ % TOP_RECENT] = *i;
}

static void live_loss(void *to, const struct event_loss *x)
{
    ((struct top_live *)to)->lost = x->count;
}

static void live_close(void *to, const struct run *r)
{
    (void)r;
    ((struct top_live *)to)->closed = true;
}

struct subscriber top_live_subscriber(struct top_live *l)
{
    return (struct subscriber){
        .context = l,
        .begin = live_begin,
        .session = live_session,
        .inference = live_inference,
        .loss = live_loss,
        .close = live_close,
    };
}

void top_fill_live(struct top_model *m, const struct top_live *l,
        uint64_t now_mono_ns)
{
    struct sessions s = { .model = m };

    m->latencies = 0;
    if (l->closed) {
        (void)snprintf(m->run, sizeof(m->run), "no models: run %.8s has ended",
                l->run.id);
        return;
    }
    for (size_t i = 0; i < l->sessions; i++)
        show_model(&s, &l->session[i]);
    for (uint64_t i = 0; i < l->inferences && i < TOP_RECENT; i++)
        take_inference(&s, &l->recent[(l->inferences - 1 - i) % TOP_RECENT]);
    sum_up(&s);
    say_run(m, &l->run, s.newest_ns, now_mono_ns);
    if (l->lost) {
        size_t len = strlen(m->run);

        (void)snprintf(m->run + len, sizeof(m->run) - len,
                ", %llu events not shown: the terminal was too slow",
                (unsigned long long)l->lost);
    }
}
