#include "energy/input/input.h"

#include "base/alloc.h"
#include "store/replay.h"

#include <stdlib.h>

/* Of an operator in inferences of a phase. */
struct part {
    uint32_t operator_id;
    uint8_t phase;
    uint64_t count, self_ns;
};

struct summing {
    struct energy_input *g;
    uint32_t *table_of; /* of sessions 1, 2, ... */
    size_t session_count;
    uint32_t *operator_table; /* of operators 1, 2, ... */
    size_t operator_count;
    struct traced_sum *traced;
    size_t traced_count;
    struct part *sums;
    size_t count, cap;
};

static void take_inference(void *to, const struct inference *x)
{
    struct energy_input *g = ((struct summing *)to)->g;

    if (g->inference_count + 2 > g->inference_cap) {
        g->inference_cap = g->inference_cap ? 2 * g->inference_cap : 1024;
        g->phases = alloc_resize(g->phases, g->inference_cap);
        g->sessions = alloc_resize(g->sessions,
                g->inference_cap * sizeof(*g->sessions));
        g->out->inferences = alloc_resize(g->out->inferences,
                g->inference_cap * sizeof(*g->out->inferences));
    }
    g->inference_count++;
    g->phases[g->inference_count] = x->phase < PHASES ? x->phase : PHASE_OTHER;
    g->sessions[g->inference_count] = x->session;
    g->out->inferences[g->inference_count] = (struct run_inference){
        .start_ns = x->start_ns,
        .end_ns = x->start_ns + x->duration_ns,
        .past = x->past,
        .past_known = x->flags & FLAG_PAST,
        .tokens = x->flags & FLAG_FAILED  ? 0
                  : x->flags & FLAG_SHAPE ? x->batch
                                          : 1,
        .phase = (enum phase)g->phases[g->inference_count],
    };
}

static uint32_t class_of(struct energy_input *g,
        const struct energy_class *want)
{
    struct run_energy *r = g->out;
    uint32_t within =
            want->work == ENERGY_OPERATOR ? want->operator_id : want->session;
    uint64_t key = (uint64_t)within << 8 | (uint64_t)want->phase << 4 |
                   (uint64_t)want->work;
    const uint64_t *known = map_find(&g->classes, key);

    if (known) {
        r->classes[*known].count++;
        return (uint32_t)*known;
    }
    if (r->class_count == g->class_cap) {
        g->class_cap *= 2;
        r->classes =
                alloc_resize(r->classes, g->class_cap * sizeof(*r->classes));
    }
    map_put(&g->classes, key, r->class_count);
    r->classes[r->class_count] = *want;
    r->classes[r->class_count].count = 1;
    return r->class_count++;
}

static struct energy_class describe(const struct energy_input *g,
        const struct span *x)
{
    bool known = x->inference && x->inference <= g->inference_count;
    enum phase phase =
            known ? (enum phase)g->phases[x->inference] : PHASE_OTHER;

    switch (x->kind) {
    case SPAN_SESSION:
        return (struct energy_class){ .work = ENERGY_LOAD, .session = x->id };
    case SPAN_SECTION:
        return (struct energy_class){ .work = ENERGY_SECTION,
            .phase = x->phase < PHASES ? (enum phase)x->phase : PHASE_OTHER };
    case SPAN_INFERENCE:
        return (struct energy_class){ .work = ENERGY_INFERENCE,
            .phase = phase,
            .session = known ? g->sessions[x->inference] : x->id };
    default:
        return (struct energy_class){ .work = ENERGY_OPERATOR,
            .phase = phase,
            .operator_id = x->id };
    }
}

static void take_span(void *to, const struct span *x)
{
    struct energy_input *g = to;
    bool of_inference = x->kind == SPAN_INFERENCE || x->kind == SPAN_OPERATOR;
    struct energy_class c = describe(g, x);

    throttle_watch_span(g->throttle, x);
    if (x->kind == SPAN_OPERATOR && g->summed)
        return; /* only some were kept; the sums are of all */
    if (g->span_count == g->span_cap) {
        g->span_cap = g->span_cap ? 2 * g->span_cap : 1024;
        g->spans = alloc_resize(g->spans, g->span_cap * sizeof(*g->spans));
    }
    g->spans[g->span_count++] = (struct work_span){
        .start_ns = x->start_ns,
        .end_ns = x->start_ns + x->duration_ns,
        /* Threads' numbers have no more bits on Linux. */
        .thread = x->process << THREAD_BITS |
                  (x->thread & ((1u << THREAD_BITS) - 1)),
        .work_class = class_of(g, &c),
        .owner = of_inference ? (uint32_t)x->inference : 0,
    };
}

/* --- operators, by what they take of an inference ------------------------- */

static void set_at(uint32_t **items, size_t *count, uint32_t id, uint32_t value)
{
    if (id >= *count) {
        size_t more = 2 * (size_t)id + 1;

        *items = alloc_resize(*items, more * sizeof(**items));
        for (; *count < more; ++*count)
            (*items)[*count] = 0;
    }
    (*items)[id] = value;
}

static uint32_t get_at(const uint32_t *items, size_t count, uint32_t id)
{
    return id < count ? items[id] : 0;
}

static void take_session(void *to, const struct session *x)
{
    struct summing *s = to;

    set_at(&s->table_of, &s->session_count, x->id,
            x->operators_of ? x->operators_of : x->id);
}

static void take_operator(void *to, const struct operator* x)
{
    struct summing *s = to;

    set_at(&s->operator_table, &s->operator_count, x->id, x->session);
}

static void take_traced(void *to, const struct traced_sum *x)
{
    struct summing *s = to;

    s->traced =
            alloc_resize(s->traced, (s->traced_count + 1) * sizeof(*s->traced));
    s->traced[s->traced_count++] = *x;
    s->g->summed = true;
}

static void take_sum(void *to, const struct operator_sum *x)
{
    struct summing *s = to;

    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        s->sums = alloc_resize(s->sums, s->cap * sizeof(*s->sums));
    }
    s->sums[s->count++] =
            (struct part){ x->operator_id, x->phase, x->count, x->self_ns };
}

static bool is_in(const struct summing *s, const struct part *p,
        const struct traced_sum *t)
{
    return p->phase == t->phase && get_at(s->operator_table, s->operator_count,
                                           p->operator_id) == t->session;
}

/* How much of the inferences' time kernels ran. */
static double active_ns(const struct traced_sum *t)
{
    double gaps =
            (double)t->before_ns + (double)t->between_ns + (double)t->after_ns;
    double alone = (double)t->run_ns - (double)t->beside_run_ns - gaps;

    return (alone > 0 ? alone : 0) + (double)t->busy_ns;
}

static void add_split(struct energy_input *g, uint32_t from,
        const struct part *p, double share, double runs)
{
    uint64_t inferences = g->out->classes[from].count;
    struct energy_class want = { .work = ENERGY_OPERATOR,
        .phase = (enum phase)p->phase,
        .operator_id = p->operator_id };
    uint32_t to = class_of(g, &want);

    /* It was counted once more. */
    g->out->classes[to].count +=
            (uint64_t)(runs * (double)inferences + 0.5) - 1;
    if (g->split_count == g->split_cap) {
        g->split_cap = g->split_cap ? 2 * g->split_cap : 256;
        g->splits = alloc_resize(g->splits, g->split_cap * sizeof(*g->splits));
        g->split_runs = alloc_resize(g->split_runs,
                g->split_cap * sizeof(*g->split_runs));
    }
    g->split_runs[g->split_count] = runs;
    g->splits[g->split_count++] = (struct work_split){ from, to, share };
}

/* Of inferences of a session and phase: each operator has the part of their
 * time that it has in the traced ones. */
static void split_class(struct summing *s, uint32_t from,
        const struct traced_sum *t)
{
    double self_ns = 0;

    for (size_t i = 0; i < s->count; i++)
        if (is_in(s, &s->sums[i], t))
            self_ns += (double)s->sums[i].self_ns;
    if (!(self_ns > 0) || !t->run_ns || !t->count)
        return;

    double active = active_ns(t) / (double)t->run_ns;

    for (size_t i = 0; i < s->count; i++)
        if (is_in(s, &s->sums[i], t))
            add_split(s->g, from, &s->sums[i],
                    (active < 1 ? active : 1) * (double)s->sums[i].self_ns /
                            self_ns,
                    (double)s->sums[i].count / (double)t->count);
}

static void make_splits(struct summing *s)
{
    uint32_t classes = s->g->out->class_count;

    for (uint32_t i = 1; i < classes; i++) {
        struct energy_class c = s->g->out->classes[i];
        uint32_t table = get_at(s->table_of, s->session_count, c.session);

        for (size_t k = 0; c.work == ENERGY_INFERENCE && k < s->traced_count;
                k++)
            if (s->traced[k].session == table && s->traced[k].phase == c.phase)
                split_class(s, i, &s->traced[k]);
    }
}

int input_work(struct energy_input *g, struct store *s, int64_t run,
        struct error *e)
{
    g->class_cap = 64;
    g->out->classes = alloc_zero(g->class_cap, sizeof(*g->out->classes));
    g->out->class_count = 1; /* the first: outside of all work */

    struct summing sums = { .g = g };
    const struct subscriber to = { &sums, .session = take_session,
        .inference = take_inference, .found_operator = take_operator,
        .operator_sum = take_sum, .traced_sum = take_traced };
    int rc = store_replay_to(s, run, &to, e);

    if (!rc)
        rc = store_each_span(s, run, take_span, g, e);
    if (!rc)
        make_splits(&sums);
    g->out->inference_count = g->inference_count;
    free(sums.table_of);
    free(sums.operator_table);
    free(sums.traced);
    free(sums.sums);
    return rc;
}
