#include "analyse/measured.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct window {
    uint32_t process;
    bool warm_up;
    uint64_t start_ns, end_ns;
};

struct focus {
    struct window *windows;
    size_t count;
    struct summary *summary;
    uint64_t warm_ups;
    double warm_up_ns;
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

static const struct window *window_of(const struct focus *f,
        const struct inference *i)
{
    for (size_t n = 0; n < f->count; n++) {
        const struct window *w = &f->windows[n];

        if (w->process == i->process && i->start_ns >= w->start_ns &&
                i->start_ns <= w->end_ns)
            return w;
    }
    return NULL;
}

static void count_measured(struct summary *s, const struct inference *i)
{
    uint64_t end_ns = i->start_ns + i->duration_ns;
    uint8_t phase = i->phase < PHASES ? i->phase : PHASE_OTHER;
    bool sampled = i->flags & FLAG_SAMPLED;

    if (!s->inferences || i->start_ns < s->first_start_ns)
        s->first_start_ns = i->start_ns;
    s->last_end_ns = end_ns > s->last_end_ns ? end_ns : s->last_end_ns;
    s->inferences++;
    if (i->flags & FLAG_FAILED) {
        s->failed++;
        return;
    }
    s->sampled += sampled;
    spread_add(sampled ? &s->slowed : &s->spread, i->duration_ns);
    spread_add(&s->phase_spread[phase], i->duration_ns);
    if (i->flags & FLAG_SEQUENCE)
        s->phase_tokens[phase] +=
                (uint64_t)i->sequence * (i->flags & FLAG_SHAPE ? i->batch : 1);
    s->samples += i->flags & FLAG_SHAPE ? i->batch : 1;
}

static void take_inference(void *to, const struct inference *i)
{
    struct focus *f = to;
    const struct window *w = window_of(f, i);

    if (!w)
        return;
    if (!w->warm_up) {
        count_measured(f->summary, i);
        return;
    }
    f->warm_ups++;
    f->warm_up_ns += (double)i->duration_ns;
}

static void forget(struct summary *s)
{
    spread_release(&s->spread);
    spread_release(&s->slowed);
    s->latency = (struct spread_figures){ 0 };
    for (size_t i = 0; i < PHASES; i++) {
        spread_release(&s->phase_spread[i]);
        s->phase[i] = (struct spread_figures){ 0 };
        s->phase_tokens[i] = 0;
    }
    s->inferences = s->failed = s->sampled = 0;
    s->first_start_ns = s->last_end_ns = 0;
    s->samples = 0;
    /* One prompt over and over is no text that was generated. */
    s->tokens = (struct summary_tokens){ 0 };
}

static void sum_up(struct summary *s, const struct focus *f)
{
    if (!spread_figures(&s->spread, &s->latency))
        (void)spread_figures(&s->slowed, &s->latency);
    for (size_t i = 0; i < PHASES; i++)
        (void)spread_figures(&s->phase_spread[i], &s->phase[i]);
    s->warmup.known = true;
    s->warmup.count = f->warm_ups;
    s->warmup.mean_ns = f->warm_ups ? f->warm_up_ns / (double)f->warm_ups : 0;
}

int measured_focus(struct summary *s, struct store *store, int64_t run,
        struct error *e)
{
    struct focus f = { .summary = s };
    int rc = store_each_section(store, run, take_section, &f, e);

    if (!rc && f.count) {
        s->whole = summary_energy_counts(s);
        forget(s);
        rc = store_each_inference(store, run, take_inference, &f, e);
        sum_up(s, &f);
    }
    free(f.windows);
    return rc;
}
