#include "analyse/latency_sums.h"

#include "analyse/counting.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/hist.h"

#include <stdlib.h>

#define SECOND_NS UINT64_C(1000000000)

static const uint32_t widths[] = LATENCY_WIDTHS;

/* Stretches of each width that may still grow: inferences come nearly in the
 * order of their ends.  One that comes later than that counts in the oldest. */
#define OPEN_MAX 64
static const size_t open_count[LEN(widths)] = { OPEN_MAX, 2, 2 };

struct part {
    struct latency_sum sum;
    struct hist_part hist;
    bool changed; /* since it was written */
};

/* A session and phase, traced or not. */
struct series {
    uint32_t session;
    uint8_t phase;
    bool traced;
    struct part *parts[LEN(widths)];
};

struct latency_sums {
    struct store *store;
    struct series *series;
    size_t count;
    uint64_t written_ns; /* of mono_ns() */
};

struct latency_sums *latency_sums_new(struct store *s)
{
    struct latency_sums *l = alloc_zero(1, sizeof(*l));

    l->store = s;
    return l;
}

static void release(struct series *s)
{
    for (size_t w = 0; w < LEN(widths); w++) {
        for (size_t k = 0; k < open_count[w]; k++)
            hist_part_release(&s->parts[w][k].hist);
        free(s->parts[w]);
    }
}

void latency_sums_free(struct latency_sums *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        release(&l->series[i]);
    free(l->series);
    free(l);
}

static void write_part(struct latency_sums *l, struct part *p)
{
    struct buf spread = { 0 };

    if (!p->changed)
        return;
    if (p->sum.count) {
        hist_part_write(&p->hist, &spread);
        p->sum.spread = buf_cstr(&spread);
    }
    store_add_latency_sum(l->store, &p->sum);
    p->sum.spread = NULL;
    p->changed = false;
    buf_release(&spread);
}

static struct series *series_of(struct latency_sums *l,
        const struct inference *i)
{
    bool traced = inference_is_traced(i);
    struct series *s;

    for (size_t k = l->count; k--;) {
        s = &l->series[k];
        if (s->session == i->session && s->phase == i->phase &&
                s->traced == traced)
            return s;
    }
    l->series = alloc_resize(l->series, (l->count + 1) * sizeof(*l->series));
    s = &l->series[l->count++];
    *s = (struct series){ i->session, i->phase, traced, { NULL } };
    for (size_t w = 0; w < LEN(widths); w++)
        s->parts[w] = alloc_zero(open_count[w], sizeof(*s->parts[w]));
    return s;
}

/* The stretch that an inference belongs to, which may have to be begun. */
static struct part *part_of(struct latency_sums *l, const struct series *s,
        size_t w, uint64_t end_ns)
{
    uint64_t place = end_ns / SECOND_NS / widths[w];
    struct part *p = &s->parts[w][place % open_count[w]];

    if (p->sum.width_s && p->sum.place >= place)
        return p;
    write_part(l, p);
    hist_part_release(&p->hist);
    *p = (struct part){ .sum = {
                                .width_s = widths[w],
                                .place = place,
                                .session = s->session,
                                .phase = s->phase,
                                .traced = s->traced,
                        } };
    return p;
}

static void add(struct part *p, const struct inference *i)
{
    struct latency_sum *x = &p->sum;

    p->changed = true;
    if (i->flags & FLAG_FAILED) {
        x->failed++;
    } else if (i->flags & FLAG_STATS) {
        x->looked_at++;
    } else {
        if (!x->count || i->duration_ns < x->min_ns)
            x->min_ns = i->duration_ns;
        if (i->duration_ns > x->max_ns)
            x->max_ns = i->duration_ns;
        x->count++;
        x->sum_ns += i->duration_ns;
        hist_part_add(&p->hist, i->duration_ns);
    }
}

static void take_inference(void *to, const struct inference *i)
{
    struct latency_sums *l = to;
    const struct series *s = series_of(l, i);

    for (size_t w = 0; w < LEN(widths); w++)
        add(part_of(l, s, w, i->start_ns + i->duration_ns), i);
}

static void write_series(struct latency_sums *l, struct series *s)
{
    for (size_t w = 0; w < LEN(widths); w++)
        for (size_t k = 0; k < open_count[w]; k++)
            write_part(l, &s->parts[w][k]);
}

static void write_all(struct latency_sums *l)
{
    for (size_t i = 0; i < l->count; i++)
        write_series(l, &l->series[i]);
}

/* There may be one after the other, without end. */
static void end_session(void *to, const struct session *x)
{
    struct latency_sums *l = to;
    size_t kept = 0;

    for (size_t i = 0; i < l->count; i++) {
        struct series *s = &l->series[i];

        if (s->session == x->id) {
            write_series(l, s);
            release(s);
        } else {
            l->series[kept++] = *s;
        }
    }
    l->count = kept;
}

static void tick(void *to, const uint64_t *now_ns)
{
    struct latency_sums *l = to;

    if (*now_ns - l->written_ns < SECOND_NS)
        return;
    l->written_ns = *now_ns;
    write_all(l);
}

static void end(void *to, const struct run_end *x)
{
    (void)x;
    write_all(to);
}

struct subscriber latency_sums_subscriber(struct latency_sums *l)
{
    return (struct subscriber){
        .context = l,
        .session_end = end_session,
        .inference = take_inference,
        .tick = tick,
        .end = end,
    };
}
