#include "analyse/generation/generation.h"

#include "base/alloc.h"
#include "base/map.h"
#include "model/follow.h"

#include <stdlib.h>

/* One that has not gone on for so long is over, for a listener who waits. */
#define IDLE_NS  (60 * UINT64_C(1000000000))
#define CHECK_NS UINT64_C(1000000000)

/* Ids of a follower of our own, where the run has none. */
#define OWN (UINT64_C(1) << 32)

/* So many encoders' inferences that were touched are remembered, until the
 * decoder that follows one of them comes. */
#define LEADS 64

/* One that is under way. */
struct generation {
    uint64_t key;
    uint64_t start_ns;
    uint64_t first_token_ns; /* when it was there */
    uint64_t last_token_ns;
    uint64_t batch;   /* texts at once */
    uint64_t decoded; /* tokens after the first, of each text */
    uint64_t prompt;  /* tokens of each text; 0: not known */
    uint32_t session, process, thread;
    bool first_told;
    enum touched touched; /* what made the first token */
    struct { /* a step with drafts: the next one shows how many were right */
        uint64_t end_ns;
        uint32_t past, sequence;
        enum touched touched;
    } open;
};

struct interval {
    uint64_t from_ns, to_ns;
};

struct generations {
    struct follower *follower; /* of runs whose inferences name none */
    struct map under_way;      /* key to struct generation */
    struct summary_tokens sum;
    struct spread ttft, gaps;
    struct interval *busy;
    size_t busy_count, busy_cap;
    double later_ns; /* of those that count */
    uint64_t steps;
    uint64_t checked_ns;
    struct counting *counting; /* or NULL */
    struct lead {
        uint64_t start_ns;
        enum touched touched;
    } leads[LEADS];
    size_t lead_next;
    const struct generation_listener *listener; /* or NULL */
};

struct generations *generations_new(struct counting *c)
{
    struct generations *g = alloc_zero(1, sizeof(struct generations));

    g->counting = c;
    return g;
}

void generations_count_by(struct generations *g, struct counting *c)
{
    g->counting = c;
}

void generations_listen(struct generations *g,
        const struct generation_listener *l)
{
    g->listener = l;
}

/* --- what counts ---------------------------------------------------------- */

/* Whether the times of so many tokens do. */
static bool count_tokens(struct generations *g, enum token_kind kind,
        enum touched touched, uint64_t count)
{
    if (!g->counting)
        return true;
    counting_add_tokens(g->counting, kind, touched, count);

    enum counted how = counting_token(g->counting, kind, touched);

    g->sum.left_out[kind] += how == LEFT_OUT ? count : 0;
    g->sum.marked[kind] += how == COUNTED_MARKED ? count : 0;
    return how != LEFT_OUT;
}

static enum touched touched_by(const struct generations *g,
        const struct inference *i)
{
    return g->counting ? counting_touched(g->counting, i) : UNTOUCHED;
}

static enum touched worse(enum touched a, enum touched b)
{
    return a > b ? a : b;
}

/* An inference of no text may be the encoder's, of one that is still to come;
 * it is known by when it began. */
static void keep_lead(struct generations *g, const struct inference *i)
{
    enum touched touched = touched_by(g, i);

    if (touched != UNTOUCHED)
        g->leads[g->lead_next++ % LEADS] =
                (struct lead){ i->start_ns, touched };
}

static enum touched lead_touched(const struct generations *g,
        const struct inference *i)
{
    for (size_t n = 0; n < LEADS && i->lead_ns; n++)
        if (g->leads[n].start_ns == i->start_ns - i->lead_ns)
            return g->leads[n].touched;
    return UNTOUCHED;
}

/* --- who listens ---------------------------------------------------------- */

/* One of each text. */
static void tell_token(const struct generations *g, const struct generation *x,
        uint64_t index, uint64_t time_ns, uint64_t took_ns)
{
    if (g->listener && g->listener->token)
        for (uint64_t i = 0; i < x->batch; i++)
            g->listener->token(g->listener->context,
                    &(struct token){
                            .process = x->process,
                            .thread = x->thread,
                            .index = (uint32_t)index,
                            .time_ns = time_ns,
                            .duration_ns = took_ns,
                    });
}

static void tell_first(struct generations *g, struct generation *x)
{
    uint64_t after_ns = x->first_token_ns - x->start_ns;

    if (x->first_told)
        return;
    x->first_told = true;
    tell_token(g, x, 0, x->first_token_ns, after_ns);

    bool counts = count_tokens(g, TOKEN_FIRST, x->touched, 1);

    if (counts)
        spread_add(&g->ttft, after_ns);
    if (g->listener && g->listener->first)
        g->listener->first(g->listener->context, x->session, x->batch, after_ns,
                counts);
}

static void tell_end(struct generations *g, struct generation *x)
{
    tell_first(g, x);
    if (g->listener && g->listener->ended)
        g->listener->ended(g->listener->context,
                &(struct generation_told){
                        .key = x->key,
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

/* --- tokens --------------------------------------------------------------- */

/* So many were there at once: each took its part of the time since the last.
 * Not `known`: there may have been more, so that their time says nothing. */
static void made(struct generations *g, struct generation *x, uint64_t tokens,
        uint64_t end_ns, enum touched touched, bool known)
{
    uint64_t took_ns =
            end_ns > x->last_token_ns ? end_ns - x->last_token_ns : 0;

    tell_first(g, x);

    bool counts = known && count_tokens(g, TOKEN_NEXT, touched, tokens);

    if (counts) {
        g->later_ns += (double)took_ns;
        g->steps += tokens;
    }
    for (uint64_t i = 0; i < tokens; i++) {
        if (counts)
            spread_add(&g->gaps, took_ns / tokens);
        if (known && g->listener && g->listener->next)
            g->listener->next(g->listener->context, x->session, x->batch,
                    took_ns / tokens, counts);
        tell_token(g, x, x->decoded + i + 1,
                x->last_token_ns + took_ns * (i + 1) / tokens,
                took_ns / tokens);
    }
    x->decoded += tokens;
    x->last_token_ns += took_ns;
}

/* What a step with drafts made is what the cache has grown by.  One that is
 * full does not grow: then it is one. */
static void settle(struct generations *g, struct generation *x, uint64_t past)
{
    uint64_t grown = past > x->open.past ? past - x->open.past : 1;

    if (!x->open.sequence)
        return;
    made(g, x, grown < x->open.sequence ? grown : x->open.sequence,
            x->open.end_ns, x->open.touched, true);
    x->open.sequence = 0;
}

static void decode(struct generations *g, struct generation *x,
        const struct inference *i)
{
    uint64_t end_ns = i->start_ns + i->duration_ns;

    settle(g, x, i->past);
    if (i->flags & FLAG_SEQUENCE && i->sequence > 1) {
        x->open.end_ns = end_ns;
        x->open.past = i->past;
        x->open.sequence = i->sequence;
        x->open.touched = touched_by(g, i);
    } else {
        made(g, x, 1, end_ns, touched_by(g, i), true);
    }
}

static void prefill(const struct generations *g, struct generation *x,
        const struct inference *i)
{
    uint64_t end_ns = i->start_ns + i->duration_ns;

    x->touched = worse(x->touched, touched_by(g, i));
    if (i->flags & FLAG_SEQUENCE)
        x->prompt += i->sequence;
    if (end_ns > x->first_token_ns)
        x->first_token_ns = end_ns;
    x->last_token_ns = x->first_token_ns;
}

/* --- from first to last --------------------------------------------------- */

static struct generation *find(struct generations *g, uint64_t key)
{
    uint64_t *found = map_find(&g->under_way, key);

    return found ? (struct generation *)(uintptr_t)*found : NULL;
}

static struct generation *begin(struct generations *g, uint64_t key,
        const struct inference *i)
{
    struct generation *x = alloc_zero(1, sizeof(*x));

    *x = (struct generation){
        .key = key,
        .start_ns = i->start_ns - i->lead_ns,
        .batch = i->flags & FLAG_SHAPE && i->batch ? i->batch : 1,
        .session = i->session,
        .process = i->process,
        .thread = i->thread,
        .touched = lead_touched(g, i),
    };
    map_put(&g->under_way, key, (uintptr_t)x);
    return x;
}

static void keep_busy(struct generations *g, const struct generation *x)
{
    if (g->busy_count == g->busy_cap) {
        g->busy_cap = g->busy_cap ? 2 * g->busy_cap : 64;
        g->busy = alloc_resize(g->busy, g->busy_cap * sizeof(*g->busy));
    }
    g->busy[g->busy_count++] =
            (struct interval){ x->start_ns, x->last_token_ns };
}

static void close_one(struct generations *g, struct generation *x)
{
    if (x->open.sequence) /* it made one token at least; nobody says how many */
        made(g, x, 1, x->open.end_ns, UNTOUCHED, false);
    tell_end(g, x);
    g->sum.generations++;
    g->sum.count += x->batch * (1 + x->decoded);
    g->sum.later += x->batch * x->decoded;
    keep_busy(g, x);
    free(x);
}

/* Somebody waits for those that are over. */
static void close_idle(struct generations *g, uint64_t now_ns)
{
    if (!g->listener || !g->listener->waits ||
            now_ns < g->checked_ns + CHECK_NS)
        return;
    g->checked_ns = now_ns;
    for (size_t i = 0; i < g->under_way.cap; i++) {
        struct generation *x =
                (struct generation *)(uintptr_t)g->under_way.entries[i].value;

        if (!g->under_way.entries[i].used ||
                x->last_token_ns + IDLE_NS > now_ns)
            continue;
        map_remove(&g->under_way, x->key);
        close_one(g, x);
        i = SIZE_MAX; /* the others have moved: from the start */
    }
}

/* 0: of none. */
static uint64_t key_of(struct generations *g, struct inference *i)
{
    if (i->generation ||
            (i->phase != PHASE_PREFILL && i->phase != PHASE_DECODE))
        return i->generation;
    if (!g->follower)
        g->follower = follower_new();
    follower_take(g->follower, i, NULL);
    return i->generation ? OWN | i->generation : 0;
}

uint64_t generations_add(struct generations *g, const struct inference *i)
{
    struct inference own = *i;
    uint64_t key = key_of(g, &own);
    struct generation *x = key ? find(g, key) : NULL;

    if (own.phase == PHASE_DECODE && !x)
        g->sum.orphans++;
    close_idle(g, own.start_ns + own.duration_ns);
    if (!key)
        keep_lead(g, &own);
    if (!key || (!x && own.phase == PHASE_DECODE))
        return 0;
    if (!x)
        x = begin(g, key, &own);
    if (own.phase == PHASE_DECODE)
        decode(g, x, &own);
    else
        prefill(g, x, &own);
    return key;
}

static int by_time(const void *a, const void *b)
{
    const struct generation *x = *(struct generation *const *)a,
                            *y = *(struct generation *const *)b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void close_all(struct generations *g)
{
    struct generation **all =
            alloc_zero(g->under_way.count + 1, sizeof(struct generation *));
    size_t count = 0;

    for (size_t i = 0; i < g->under_way.cap; i++)
        if (g->under_way.entries[i].used)
            all[count++] =
                    (struct generation *)(uintptr_t)g->under_way.entries[i]
                            .value;
    map_release(&g->under_way);
    qsort(all, count, sizeof(struct generation *), by_time);
    for (size_t i = 0; i < count; i++)
        close_one(g, all[i]);
    free(all);
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* The time in which at least one was under way. */
static double busy_ns(struct generations *g)
{
    uint64_t until_ns = 0;
    double sum = 0;

    if (g->busy_count)
        qsort(g->busy, g->busy_count, sizeof(*g->busy), by_start);
    for (size_t i = 0; i < g->busy_count; i++) {
        uint64_t from_ns =
                g->busy[i].from_ns > until_ns ? g->busy[i].from_ns : until_ns;

        if (g->busy[i].to_ns <= from_ns)
            continue;
        sum += (double)(g->busy[i].to_ns - from_ns);
        until_ns = g->busy[i].to_ns;
    }
    return sum;
}

void generations_finish(struct generations *g, struct summary_tokens *out)
{
    close_all(g);
    (void)spread_figures(&g->ttft, &g->sum.ttft);
    (void)spread_figures(&g->gaps, &g->sum.gaps);
    g->sum.ttft_ns = g->sum.ttft.mean;
    if (g->steps)
        g->sum.tpot_ns = g->later_ns / (double)g->steps;
    g->sum.busy_ns = busy_ns(g);
    *out = g->sum;
    spread_release(&g->ttft);
    spread_release(&g->gaps);
    follower_free(g->follower);
    free(g->busy);
    free(g);
}
