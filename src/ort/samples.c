#include "ort/samples.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A process that claims more than that is not believed. */
#define DESCRIBED_MOST (1 << 20)
#define WAITING_MOST   (1 << 22)
#define LEVELS         64

struct described {
    struct record found;
    struct record sizes; /* kind 0: not told */
};

static struct described *find(const struct samples *s, uint64_t id)
{
    uint64_t *found = map_find(&s->described, id);

    return found ? (struct described *)(uintptr_t)*found : NULL;
}

static bool take_found(struct samples *s, const struct record *r)
{
    struct described *d = find(s, r->operator_found.id);

    if (!d) {
        if (s->described.count >= DESCRIBED_MOST)
            return false;
        d = alloc_zero(1, sizeof(*d));
        map_put(&s->described, r->operator_found.id, (uintptr_t)d);
    }
    d->found = *r;
    return true;
}

static bool take_sizes(struct samples *s, const struct record *r)
{
    struct described *d = find(s, r->operator_sizes.id);

    if (d)
        d->sizes = *r;
    return d != NULL;
}

static bool take_run(struct samples *s, const struct record *r)
{
    if (s->count >= WAITING_MOST)
        return false;
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        s->waiting = alloc_resize(s->waiting, s->cap * sizeof(*s->waiting));
    }
    s->waiting[s->count++] = *r;
    return true;
}

bool samples_take(struct samples *s, const struct record *r)
{
    switch (r->kind) {
    case RECORD_OPERATOR: return take_found(s, r);
    case RECORD_OPERATOR_SIZES: return take_sizes(s, r);
    case RECORD_OPERATOR_RUN: return take_run(s, r);
    default: return false;
    }
}

/* --- closing -------------------------------------------------------------- */

/* A session's operators have numbers of their own, also where another session
 * of the same model came to lie at the same address. */
static uint32_t number_of(struct samples *s, const struct sample_place *place,
        uint64_t id, const struct texts *texts, uint32_t *next_id,
        const struct samples_sink *sink)
{
    uint64_t key = id ^ (uint64_t)place->session * 0x9e3779b97f4a7c15;
    uint64_t *known = map_find(&s->numbered, key);
    const struct described *d = find(s, id);

    if (known)
        return (uint32_t)*known;

    struct operator o = {
        .id = ++*next_id,
        .session = place->session,
        .node_index = UINT32_MAX,
    };

    if (d) {
        o.name = texts_find(texts, d->found.operator_found.name);
        o.op_type = texts_find(texts, d->found.operator_found.op_type);
        o.provider = texts_find(texts, d->found.operator_found.provider);
        o.inputs = texts_find(texts, d->found.operator_found.inputs);
        o.outputs = texts_find(texts, d->found.operator_found.outputs);
        o.node_index = d->found.operator_found.node_index;
    }
    if (d && d->sizes.kind == RECORD_OPERATOR_SIZES) {
        o.sizes_known = true;
        o.activation_bytes = d->sizes.operator_sizes.activation;
        o.parameter_bytes = d->sizes.operator_sizes.parameter;
        o.output_bytes = d->sizes.operator_sizes.output;
    }
    map_put(&s->numbered, key, o.id);
    sink->found(sink->context, &o);
    return o.id;
}

/* How many text streams a node's description takes: what most have.  One that
 * has more made a stream itself, and its kernel was not seen whole. */
static uint16_t usual_streams(const struct record *runs, size_t count)
{
    uint32_t votes[16] = { 0 };
    uint16_t best = 0;

    for (size_t i = 0; i < count; i++)
        if (runs[i].operator_run.streams < 16)
            votes[runs[i].operator_run.streams]++;
    for (uint16_t i = 1; i < 16; i++)
        if (votes[i] > votes[best])
            best = i;
    return best;
}

/* Inner ones come first, so from the last one backwards: what is open around
 * one are those after it, of the same thread, with a smaller level. */
static void find_depths(const struct record *runs, size_t count, uint8_t *depth)
{
    struct {
        uint32_t thread;
        uint16_t level;
    } open[LEVELS];
    size_t n = 0;

    for (size_t i = count; i-- > 0;) {
        uint32_t thread = runs[i].operator_run.thread;
        uint16_t level = runs[i].operator_run.level;
        size_t kept = 0, around = 0;

        for (size_t k = 0; k < n; k++) {
            bool mine = open[k].thread == thread;

            if (mine && open[k].level >= level)
                continue;
            around += mine;
            open[kept++] = open[k];
        }
        n = kept;
        depth[i] = (uint8_t)around;
        if (n < LEVELS) {
            open[n].thread = thread;
            open[n++].level = level;
        }
    }
}

/* Moves the sample's runs, which are in order, out of those that wait. */
static struct record *take_out(struct samples *s, uint32_t sample,
        size_t *count)
{
    struct record *mine = alloc_zero(s->count, sizeof(*mine));
    size_t left = 0;

    *count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->waiting[i].operator_run.sample == sample)
            mine[(*count)++] = s->waiting[i];
        else
            s->waiting[left++] = s->waiting[i];
    }
    s->count = left;
    return mine;
}

void samples_close(struct samples *s, const struct sample_place *place,
        const struct texts *texts, uint32_t *next_id,
        const struct samples_sink *sink)
{
    size_t count;
    struct record *runs = take_out(s, place->sample, &count);
    uint8_t *depth = alloc_zero(count, 1);
    uint16_t usual = usual_streams(runs, count);

    find_depths(runs, count, depth);
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &runs[i];
        uint64_t start = r->operator_run.start;
        bool seen = r->flags & (FLAG_TIMED | FLAG_KERNEL) ||
                    r->operator_run.streams == usual;
        struct operator_run run = {
            .inference = place->inference,
            .operator_id = number_of(s, place, r->operator_run.id, texts,
                    next_id, sink),
            .thread = r->operator_run.thread,
            .depth = depth[i],
            .start_ns = start > place->start_ns ? start - place->start_ns : 0,
            .raw_ns = r->operator_run.raw_ns,
            .raw_unknown = r->flags & FLAG_TIMED,
            .kernel_ns = r->operator_run.kernel,
            .bracketed = r->operator_run.kernel && seen,
        };

        sink->ran(sink->context, &run);
    }
    free(depth);
    free(runs);
}

void samples_release(struct samples *s)
{
    for (size_t i = 0; i < s->described.cap; i++)
        if (s->described.entries[i].used)
            free((void *)(uintptr_t)s->described.entries[i].value);
    map_release(&s->described);
    map_release(&s->numbered);
    free(s->waiting);
    *s = (struct samples){ 0 };
}
