#include "analyse/generation.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>

/* One that is under way. */
struct generation {
    uint64_t start_ns;
    uint64_t first_token_ns; /* when it was there */
    uint64_t last_token_ns;
    uint64_t batch;   /* texts at once */
    uint64_t decoded; /* steps after the first token */
    uint64_t prompt;  /* tokens of each text; 0: not known */
    uint32_t session, process, thread;
};

struct generations {
    struct map under_way; /* session and thread to struct generation */
    struct summary_tokens sum;
    double ttft_ns, later_ns;
    uint64_t steps;
    const struct generation_listener *listener; /* or NULL */
};

struct generations *generations_new(void)
{
    return alloc_zero(1, sizeof(struct generations));
}

void generations_listen(struct generations *g,
        const struct generation_listener *l)
{
    g->listener = l;
}

static void tell_first(const struct generations *g, const struct generation *x)
{
    if (g->listener && g->listener->first)
        g->listener->first(g->listener->context, x->session, x->batch,
                x->first_token_ns - x->start_ns);
}

static void tell_end(const struct generations *g, const struct generation *x)
{
    if (!x->decoded)
        tell_first(g, x);
    if (g->listener && g->listener->ended)
        g->listener->ended(g->listener->context,
                &(struct generation_told){
                        .session = x->session,
                        .process = x->process,
                        .thread = x->thread,
                        .texts = x->batch,
                        .start_ns = x->start_ns,
                        .first_token_ns = x->first_token_ns,
                        .last_token_ns = x->last_token_ns,
                        .prompt_tokens = x->prompt,
                        .made_tokens = 1 + x->decoded,
                });
}

/* Of RunAsync the ends may be told in another order than they came in. */
static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

static void close_one(struct generations *g, const struct generation *x)
{
    tell_end(g, x);
    g->sum.generations++;
    g->sum.count += x->batch * (1 + x->decoded);
    g->sum.later += x->batch * x->decoded;
    g->sum.busy_ns += (double)(x->last_token_ns - x->start_ns);
    g->ttft_ns += (double)(x->first_token_ns - x->start_ns);
    g->later_ns += (double)(x->last_token_ns - x->first_token_ns);
    g->steps += x->decoded;
}

static struct generation *find(struct generations *g, uint64_t key)
{
    uint64_t *found = map_find(&g->under_way, key);

    return found ? (struct generation *)(uintptr_t)*found : NULL;
}

static struct generation *begin(struct generations *g, uint64_t key,
        const struct inference *i)
{
    struct generation *x = find(g, key);

    if (x) {
        close_one(g, x);
    } else {
        x = alloc_zero(1, sizeof(*x));
        map_put(&g->under_way, key, (uintptr_t)x);
    }
    *x = (struct generation){
        .start_ns = i->start_ns,
        .batch = i->flags & FLAG_SHAPE && i->batch ? i->batch : 1,
        .session = i->session,
        .process = i->process,
        .thread = i->thread,
    };
    return x;
}

static void decode(struct generations *g, struct generation *x, uint64_t end_ns)
{
    uint64_t before_ns = x->last_token_ns;

    if (!x->decoded++)
        tell_first(g, x);
    x->last_token_ns = later(before_ns, end_ns);
    if (g->listener && g->listener->next)
        g->listener->next(g->listener->context, x->session, x->batch,
                x->last_token_ns - before_ns);
}

void generations_add(struct generations *g, const struct inference *i)
{
    uint64_t key = (uint64_t)i->session << 32 | i->thread;
    uint64_t end_ns = i->start_ns + i->duration_ns;
    struct generation *x = find(g, key);

    if (i->phase == PHASE_PREFILL) {
        if (!x || !i->past || x->decoded)
            x = begin(g, key, i);
        if (i->flags & FLAG_SEQUENCE)
            x->prompt += i->sequence;
        x->first_token_ns = later(x->first_token_ns, end_ns);
        x->last_token_ns = x->first_token_ns;
    } else if (i->phase == PHASE_DECODE && x) {
        decode(g, x, end_ns);
    }
}

void generations_finish(struct generations *g, struct summary_tokens *out)
{
    for (size_t i = 0; i < g->under_way.cap; i++)
        if (g->under_way.entries[i].used) {
            struct generation *x =
                    (struct generation *)(uintptr_t)g->under_way.entries[i]
                            .value;

            close_one(g, x);
            free(x);
        }
    map_release(&g->under_way);
    if (g->sum.generations)
        g->sum.ttft_ns = g->ttft_ns / (double)g->sum.generations;
    if (g->steps)
        g->sum.tpot_ns = g->later_ns / (double)g->steps;
    *out = g->sum;
    free(g);
}
