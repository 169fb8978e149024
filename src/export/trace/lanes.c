#include "export/trace/lanes.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>

/* ONNX Runtime's microseconds; and what it does around a kernel, which may or
 * may not be in an operator's time. */
#define SLACK_NS          1000
#define OPERATOR_SLACK_NS 20000

#define NONE UINT32_MAX

/* Something that has begun and not ended. */
struct open_span {
    uint64_t end_ns;
    uint64_t inference;
    enum span_kind kind;
    uint32_t depth;
};

struct track {
    struct open_span *stack;
    size_t count, cap;
    uint64_t last_start_ns; /* nothing more can start before it */
    uint32_t lane;
    uint32_t next; /* lane of the same thread, or NONE */
};

struct lanes {
    struct track *tracks;
    uint32_t count;
    struct map first; /* process and thread to their first track */
};

struct lanes *lanes_new(void)
{
    return alloc_zero(1, sizeof(struct lanes));
}

void lanes_free(struct lanes *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->count; i++)
        free(l->tracks[i].stack);
    free(l->tracks);
    map_release(&l->first);
    free(l);
}

static uint64_t slack_of(const struct span *s)
{
    return s->kind == SPAN_OPERATOR ? OPERATOR_SLACK_NS : SLACK_NS;
}

/* How many of those on the stack have not ended by then. */
static size_t still_open(const struct track *t, uint64_t now_ns)
{
    size_t count = t->count;

    while (count && t->stack[count - 1].end_ns <= now_ns)
        count--;
    return count;
}

/* NULL: all have ended by then. */
static const struct open_span *innermost(const struct track *t, uint64_t now_ns)
{
    size_t count = still_open(t, now_ns);

    return count ? &t->stack[count - 1] : NULL;
}

/* Whether it is a part, and `outer` its whole, whatever their times say. */
static bool belongs(const struct span *s, const struct open_span *outer)
{
    return s->kind == SPAN_OPERATOR && outer->inference == s->inference &&
           (outer->kind == SPAN_INFERENCE ||
                   (outer->kind == SPAN_OPERATOR && outer->depth < s->depth));
}

/* Cuts the span so that it fits on the track.  False: it does not. */
static bool fit(const struct track *t, const struct span *s,
        struct lane_place *p)
{
    uint64_t end_ns = s->start_ns + s->duration_ns;
    uint64_t start_ns =
            s->start_ns < t->last_start_ns ? t->last_start_ns : s->start_ns;
    const struct open_span *top;

    while ((top = innermost(t, start_ns)) && end_ns > top->end_ns) {
        if (belongs(s, top))
            end_ns = top->end_ns;
        else
            start_ns = top->end_ns;
    }
    if (start_ns > s->start_ns + slack_of(s))
        return false;
    p->start_ns = start_ns;
    p->duration_ns = end_ns > start_ns ? end_ns - start_ns : 0;
    return true;
}

static bool runs_on(const struct track *t, uint64_t inference)
{
    for (size_t i = t->count; i--;)
        if (t->stack[i].kind == SPAN_INFERENCE &&
                t->stack[i].inference == inference)
            return true;
    return false;
}

static void push(struct track *t, const struct span *s,
        const struct lane_place *p)
{
    t->count = still_open(t, p->start_ns);
    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 8;
        t->stack = alloc_resize(t->stack, t->cap * sizeof(*t->stack));
    }
    t->stack[t->count++] = (struct open_span){
        .end_ns = p->start_ns + p->duration_ns,
        .inference = s->inference,
        .kind = s->kind,
        .depth = s->depth,
    };
    t->last_start_ns = p->start_ns;
}

static uint32_t add_track(struct lanes *l, uint32_t before)
{
    uint32_t i = l->count++;

    l->tracks = alloc_resize(l->tracks, l->count * sizeof(*l->tracks));
    l->tracks[i] = (struct track){ .next = NONE };
    if (before != NONE) {
        l->tracks[before].next = i;
        l->tracks[i].lane = l->tracks[before].lane + 1;
    }
    return i;
}

/* The lane of the operator's inference, or else the first that has room. */
static uint32_t choose(struct lanes *l, const struct span *s,
        struct lane_place *p)
{
    uint64_t key = (uint64_t)s->process << 32 | s->thread;
    const uint64_t *first = map_find(&l->first, key);
    uint32_t last = NONE;

    for (uint32_t i = first ? (uint32_t)*first : NONE; i != NONE;
            i = l->tracks[i].next)
        if (s->kind == SPAN_OPERATOR && runs_on(&l->tracks[i], s->inference) &&
                fit(&l->tracks[i], s, p))
            return i;
    for (uint32_t i = first ? (uint32_t)*first : NONE; i != NONE;
            i = l->tracks[i].next) {
        if (fit(&l->tracks[i], s, p))
            return i;
        last = i;
    }

    uint32_t added = add_track(l, last);

    if (!first)
        map_put(&l->first, key, added);
    p->fresh = fit(&l->tracks[added], s, p);
    return added;
}

struct lane_place lanes_place(struct lanes *l, const struct span *s)
{
    struct lane_place p = { 0 };

    p.track = choose(l, s, &p);
    p.lane = l->tracks[p.track].lane;
    push(&l->tracks[p.track], s, &p);
    return p;
}
