/* choose.c -- which inferences are traced.
 *
 * The word `ops` in the ring's header says it, and may change at any time:
 * none, all, one in N, or "auto": every one where that costs a hundredth of the
 * session's usual latency at most, and else as many as stay below that, while
 * the ring has room.  What it costs is known: some of those that are traced are
 * weighed, which is to look at the clock when a kernel comes to us and when it
 * leaves, too; how long that takes depends on what the kernels leave in the
 * caches, so it is no constant of the machine.
 *
 * Shapes are sent where those of the inputs are new to the session.  Where they
 * always are, as in a decoder, one in SHAPES_EVERY has to do. */
#include "base/compiler.h"
#include "hook/memory.h"
#include "hook/ops/ops.h"

#include <stdatomic.h>

#define SESSIONS     1024 /* a power of 2 */
#define PROBES       64
#define BUDGET_PART  100 /* a hundredth of the latency */
#define KEYS         8   /* shapes that are remembered */
#define SHAPES_EVERY 16
#define LATENCIES    15 /* the usual one is their median */
#define WEIGHED_ALL  16 /* of those that are traced first; then */
#define WEIGH_EVERY  8

/* What else may stand in watched.session. */
enum { NOBODY, LEFT, COMING };

struct watched {
    _Atomic uintptr_t session;
    _Atomic uint32_t runs;
    _Atomic uint32_t every; /* "auto": one in so many; 0: not known yet */
    _Atomic uint32_t kernels;
    _Atomic uint32_t traced;
    _Atomic uint64_t repeated; /* spent on shapes, in all that were traced */
    _Atomic uint64_t latency[LATENCIES];
    _Atomic uint32_t weighed;
    _Atomic uint64_t line[LATENCIES], around[LATENCIES]; /* of the last ones, */
    _Atomic uint64_t line_cost, cost_around; /* and the medians of these */
    _Atomic uint64_t key[KEYS];
    _Atomic uint32_t keys;   /* ever remembered */
    _Atomic uint32_t passed; /* with new shapes that were not sent */
};

static struct watched *_Atomic sessions; /* SESSIONS of them */

static struct watched *all_sessions(void)
{
    const size_t bytes = SESSIONS * sizeof(struct watched);
    struct watched *there =
            atomic_load_explicit(&sessions, memory_order_acquire);

    if (there)
        return there;

    struct watched *made = memory_pages(bytes);

    if (made && !atomic_compare_exchange_strong(&sessions, &there, made)) {
        memory_give_back(made, bytes);
        made = there;
    }
    return made;
}

static struct watched *place(struct watched *all, uintptr_t session, size_t i)
{
    size_t at = (size_t)((session >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40);

    return &all[(at + i) % SESSIONS];
}

static void empty(struct watched *w)
{
    atomic_store(&w->runs, 0);
    atomic_store(&w->every, 0);
    atomic_store(&w->kernels, 0);
    atomic_store(&w->traced, 0);
    atomic_store(&w->repeated, 0);
    atomic_store(&w->keys, 0);
    atomic_store(&w->passed, 0);
    atomic_store(&w->weighed, 0);
    atomic_store(&w->line_cost, 0);
    atomic_store(&w->cost_around, 0);
    for (size_t i = 0; i < KEYS; i++)
        atomic_store(&w->key[i], 0);
}

/* Two threads may both do so, and one of the places is not used then. */
COLD static struct watched *watch(struct watched *all, uintptr_t session)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct watched *w = place(all, session, i);
        uintptr_t there = atomic_load(&w->session);

        if (there > LEFT ||
                !atomic_compare_exchange_strong(&w->session, &there, COMING))
            continue;
        empty(w);
        atomic_store_explicit(&w->session, session, memory_order_release);
        return w;
    }
    return NULL;
}

/* NULL: there are too many. */
static struct watched *find(const struct ort_session *session)
{
    struct watched *all = all_sessions();

    for (size_t i = 0; all && i < PROBES; i++) {
        struct watched *w = place(all, (uintptr_t)session, i);
        uintptr_t there =
                atomic_load_explicit(&w->session, memory_order_acquire);

        if (there == (uintptr_t)session)
            return w;
        if (there == NOBODY)
            break;
    }
    return all ? watch(all, (uintptr_t)session) : NULL;
}

void choose_forget(const struct ort_session *session)
{
    struct watched *all = atomic_load_explicit(&sessions, memory_order_acquire);

    for (size_t i = 0; all && i < PROBES; i++) {
        struct watched *w = place(all, (uintptr_t)session, i);

        if (atomic_load(&w->session) == (uintptr_t)session)
            atomic_store(&w->session, LEFT);
    }
}

/* --- which ---------------------------------------------------------------- */

static bool is_known_key(const struct watched *w, uint64_t key)
{
    for (size_t i = 0; i < KEYS; i++)
        if (atomic_load_explicit(&w->key[i], memory_order_relaxed) == key)
            return true;
    return false;
}

static void know_key(struct watched *w, uint64_t key)
{
    if (!key || is_known_key(w, key))
        return;

    uint32_t at = atomic_fetch_add(&w->keys, 1);

    atomic_store_explicit(&w->key[at % KEYS], key, memory_order_relaxed);
    atomic_store(&w->passed, 0);
}

bool choose_knows(const struct watched *w, uint64_t key)
{
    return w && key && is_known_key(w, key);
}

/* Are those shapes to be sent?  The first ones at once. */
static bool wants_shapes(struct watched *w, uint64_t key)
{
    if (key && is_known_key(w, key))
        return false;
    return atomic_load(&w->keys) < KEYS ||
           atomic_fetch_add(&w->passed, 1) % SHAPES_EVERY == SHAPES_EVERY - 1;
}

/* Would its lines leave most of the ring to inferences?  What never fits is
 * tried all the same: the collector then sees that the ring is too small. */
static bool has_room(const struct watched *w)
{
    const struct ring *ring = channel_ring();
    uint64_t kernels = atomic_load_explicit(&w->kernels, memory_order_relaxed);
    uint64_t lines = kernels / RECORD_LINES_EACH + 2;

    return ring && (lines > ring->count / 4 ||
                           ring_waiting(ring) + lines <= ring->count / 4);
}

static bool is_turn(struct watched *w, uint32_t ops, uint32_t number)
{
    uint32_t every = ops;

    if (ops == OPS_OFF)
        return false;
    if (ops == OPS_AUTO)
        every = atomic_load_explicit(&w->every, memory_order_relaxed);
    if (every > 1 && number % every != 0)
        return false;
    return ops != OPS_AUTO || has_room(w);
}

static bool is_weighed(const struct watched *w)
{
    uint32_t traced = atomic_load_explicit(&w->traced, memory_order_relaxed);

    return traced < WEIGHED_ALL || traced % WEIGH_EVERY == 0;
}

HOT struct choice choose(const struct library *lib,
        const struct ort_session *session, const struct ort_value *const *in,
        size_t n_in)
{
    struct choice c = { 0 };
    struct watched *w = find(session);

    if (!w)
        return c;

    uint32_t stats = channel_stats();
    uint32_t number =
            atomic_fetch_add_explicit(&w->runs, 1, memory_order_relaxed);

    c.watched = w;
    c.number = number;

    c.values = stats && number % stats == 0;
    c.traced = c.values || is_turn(w, channel_ops(), number);
    if (c.traced) {
        c.weighed = is_weighed(w);
        c.since = c.weighed ? channel_now() : 0;
        c.key = in ? shape_key(lib, in, n_in) : 0;
        c.shapes = wants_shapes(w, c.key);
    }
    return c;
}

/* --- what it costs -------------------------------------------------------- */

static uint64_t median(const _Atomic uint64_t values[LATENCIES], uint32_t count)
{
    uint64_t sorted[LATENCIES] = { 0 };

    if (count > LATENCIES)
        count = LATENCIES;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = atomic_load_explicit(&values[i], memory_order_relaxed);
        uint32_t at = i;

        for (; at > 0 && sorted[at - 1] > value; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = value;
    }
    return sorted[count / 2];
}

/* One in how many stays within the budget? */
static void reckon(struct watched *w, uint32_t measured)
{
    uint64_t usual = median(w->latency, measured);
    uint32_t traced = atomic_load(&w->traced);
    uint64_t lines =
            atomic_load(&w->kernels) * choose_line_cost(w) / LINE_PARTS;
    uint64_t shapes = traced ? atomic_load(&w->repeated) / traced : 0;
    uint64_t cost = choose_cost_around(w) + lines + shapes;
    uint64_t every = cost * BUDGET_PART / (usual ? usual : 1) + 1;

    atomic_store_explicit(&w->every,
            every < OPS_AUTO ? (uint32_t)every : OPS_AUTO - 1,
            memory_order_relaxed);
}

uint64_t choose_line_cost(const struct watched *w)
{
    return atomic_load_explicit(&w->line_cost, memory_order_relaxed);
}

uint64_t choose_cost_around(const struct watched *w)
{
    return atomic_load_explicit(&w->cost_around, memory_order_relaxed);
}

static void weigh(struct watched *w, const struct trace *t)
{
    uint64_t line = trace_line_cost(t);
    uint32_t n;

    /* New kernels are described meanwhile, and the caches full of that. */
    if (!line || atomic_load_explicit(&t->cost, memory_order_relaxed))
        return;
    n = atomic_fetch_add_explicit(&w->weighed, 1, memory_order_relaxed);
    atomic_store_explicit(&w->line[n % LATENCIES], line, memory_order_relaxed);
    atomic_store_explicit(&w->around[n % LATENCIES], t->spent_around,
            memory_order_relaxed);
    atomic_store_explicit(&w->line_cost, median(w->line, n + 1),
            memory_order_relaxed);
    atomic_store_explicit(&w->cost_around, median(w->around, n + 1),
            memory_order_relaxed);
}

static void account_traced(struct watched *w, const struct trace *t)
{
    uint64_t repeated =
            atomic_load_explicit(&t->repeated, memory_order_relaxed);

    atomic_store_explicit(&w->kernels,
            t->kernels +
                    atomic_load_explicit(&t->elsewhere, memory_order_relaxed),
            memory_order_relaxed);
    atomic_fetch_add_explicit(&w->traced, 1, memory_order_relaxed);
    weigh(w, t);
    if (repeated)
        atomic_fetch_add_explicit(&w->repeated, repeated, memory_order_relaxed);
    if (atomic_load_explicit(&t->shapes, memory_order_relaxed))
        know_key(w, t->key);
}

void choose_account(struct watched *w, uint32_t number, uint64_t took,
        const struct trace *traced)
{
    if (traced)
        account_traced(w, traced);
    atomic_store_explicit(&w->latency[number % LATENCIES], took,
            memory_order_relaxed);
    if (number < 4 || number % LATENCIES == 0)
        reckon(w, number + 1);
}
