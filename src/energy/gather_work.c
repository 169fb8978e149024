#include "energy/gathered.h"

#include "base/alloc.h"

#include <stdlib.h>

static void take_inference(void *to, const struct inference *x)
{
    struct gathered *g = to;

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

static uint32_t class_of(struct gathered *g, const struct energy_class *want)
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

static struct energy_class describe(const struct gathered *g,
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
    struct gathered *g = to;
    bool of_inference = x->kind == SPAN_INFERENCE || x->kind == SPAN_OPERATOR;
    struct energy_class c = describe(g, x);

    throttle_watch_span(g->throttle, x);
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

int gather_work(struct gathered *g, struct store *s, int64_t run,
        struct error *e)
{
    g->class_cap = 64;
    g->out->classes = alloc_zero(g->class_cap, sizeof(*g->out->classes));
    g->out->class_count = 1; /* the first: outside of all work */

    int rc = store_each_inference(s, run, take_inference, g, e);

    if (!rc)
        rc = store_each_span(s, run, take_span, g, e);
    g->out->inference_count = g->inference_count;
    return rc;
}
