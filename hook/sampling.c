/* sampling.c -- which inferences are looked into, and how.
 *
 * Being described makes an inference slower: by a tenth, or five times, or,
 * with many threads, more.  So in the mode "auto" the cost is measured for each
 * session as it goes, and an inference is looked into only when what was spent
 * so far, and this one's likely cost, stay below a share of all the time.
 *
 * Once all the kernels of a session are known, most inferences are only timed,
 * which costs next to nothing and leaves them as quick as they are.  That needs
 * inputs of the same shapes as in the one that was described.
 *
 * An inference is taken to have cost what it took beyond the quickest that was
 * not looked into.  A session's inferences may be of very different lengths;
 * against their mean, a short one would seem to have cost nothing. */
#include "base/compiler.h"
#include "base/ring.h"
#include "hook/ops.h"
#include "hook/table.h"
#include "hook/text.h"

#define SESSIONS 1024 /* a power of 2 */
#define WATCHED  256

/* Of the time, in the mode "auto"; the aim is one in a hundred. */
#define SHARE_OF 125
/* What a node costs, at the least that we believe; and what the next run feels
 * of it. */
#define GUESS_NODE_NS 8000
#define AFTERMATH_PCT 20
/* What timing a kernel and telling of it costs, at the most: 60 to 90 ns were
 * seen. */
#define TIMED_KERNEL_NS 200

/* Of those that are looked into, one in so many is described; and so is the
 * fifth, since the first may have been the session's first of all. */
#define DESCRIBED_ONE_IN 16
#define DESCRIBED_TOO    4
/* In the mode "auto", those timed after one that was described. */
#define TIMED_AFTER 8

/* Runs in a burst: ONNX Runtime keeps two kilobytes for each of their nodes. */
#define BURST_SOME 8
#define BURST_ALL  128

enum mode { MODE_OFF, MODE_EVERY, MODE_AUTO };

static enum mode mode;
static uint64_t every = 1;

/* Times are of the records' clock. */
static struct watched {
    _Atomic bool taken;
    _Atomic uint64_t runs;
    _Atomic uint64_t all;
    _Atomic uint64_t least; /* of those that were not looked into */
    _Atomic uint64_t sampled, spent;
    _Atomic bool rested; /* one was not, since the last that was */
    uint64_t guess;
    uint64_t serial;           /* no other session has it */
    _Atomic uint64_t looks;    /* those looked into, or to be */
    _Atomic uint64_t timeable; /* the inputs' key for which all kernels are
                                  known; 0: none */
    _Atomic uint64_t last_key; /* of the last that was described */
    _Atomic uint64_t kernels;  /* of that one */
    _Atomic int64_t timed_left;
    _Atomic uint32_t inside; /* runs under way */
    _Atomic bool shared;     /* there were two at the same time */
    _Atomic bool too_many;   /* kernels in a run to be timed */
    _Atomic uint64_t spent_timing;
} watched[WATCHED];

static struct table_place by_session[SESSIONS]; /* place in `watched`, + 1 */

static _Atomic uint32_t samples;
static _Thread_local uint32_t current;

/* Samples of which another thread ran a part, by their last digits. */
#define ELSEWHERE 64
static _Atomic uint32_t elsewhere[ELSEWHERE];

/* 0: it is none, or one that no count of runs reaches. */
static uint64_t number_of(const char *text)
{
    uint64_t n = 0;

    for (; *text >= '0' && *text <= '9' && n < UINT64_MAX / 10; text++)
        n = n * 10 + (uint64_t)(*text - '0');
    return *text ? 0 : n;
}

void ops_init(void)
{
    const char *asked = hook_variable("ORTMETER_OPS");

    if (!asked || !*asked || text_is(asked, "off"))
        return;
    if (text_is(asked, "auto")) {
        mode = MODE_AUTO;
        return;
    }
    every = text_is(asked, "all") ? 1 : number_of(asked);
    if (every)
        mode = MODE_EVERY;
}

HOT bool ops_wanted(void)
{
    return mode != MODE_OFF;
}

void ops_in_child(void)
{
    if (!ops_wanted())
        return;
    burst_in_child();
    operator_in_child();
}

uint64_t ops_burst_runs(void)
{
    if (mode != MODE_EVERY)
        return 0;
    return every == 1 ? BURST_ALL : BURST_SOME;
}

uint32_t ops_current(void)
{
    return current;
}

void ops_elsewhere(uint32_t sample)
{
    atomic_store(&elsewhere[sample % ELSEWHERE], sample);
}

/* --- sessions ------------------------------------------------------------- */

/* On the records' clock. */
static uint64_t span_of(uint64_t ns)
{
    return channel_ticks_per_us ? ns * channel_ticks_per_us / 1000 : ns;
}

void ops_watch(const struct ort_session *session, uint32_t nodes)
{
    static _Atomic uint64_t serials;
    _Atomic uint64_t *place = table_word(by_session, SESSIONS, session);

    for (size_t i = 0; place && i < WATCHED; i++) {
        struct watched *w = &watched[i];

        if (atomic_exchange(&w->taken, true))
            continue;
        atomic_store(&w->runs, 0);
        atomic_store(&w->all, 0);
        atomic_store(&w->least, UINT64_MAX);
        atomic_store(&w->sampled, 0);
        atomic_store(&w->spent, 0);
        atomic_store(&w->rested, false);
        atomic_store(&w->looks, 0);
        atomic_store(&w->timeable, 0);
        atomic_store(&w->last_key, 0);
        atomic_store(&w->kernels, 0);
        atomic_store(&w->timed_left, 0);
        atomic_store(&w->inside, 0);
        atomic_store(&w->shared, false);
        atomic_store(&w->too_many, false);
        atomic_store(&w->spent_timing, 0);
        w->guess = span_of(GUESS_NODE_NS) * (nodes ? nodes : 100);
        w->serial = atomic_fetch_add(&serials, 1) + 1;
        atomic_store(place, i + 1);
        return;
    }
}

static struct watched *find(const struct ort_session *session)
{
    uint64_t place = table_read(by_session, SESSIONS, session);

    return place ? &watched[place - 1] : NULL;
}

void ops_unwatch(const struct ort_session *session)
{
    struct watched *w = ops_wanted() ? find(session) : NULL;

    if (!w)
        return;
    table_write(by_session, SESSIONS, session, 0);
    atomic_store(&w->taken, false);
}

static uint64_t read(_Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void add(_Atomic uint64_t *value, uint64_t more)
{
    (void)atomic_fetch_add_explicit(value, more, memory_order_relaxed);
}

/* What describing one more run is likely to cost. */
static uint64_t likely(struct watched *w)
{
    uint64_t sampled = read(&w->sampled);

    return sampled ? read(&w->spent) / sampled : w->guess;
}

static uint64_t cost_of_timing(uint64_t kernels)
{
    return kernels * span_of(TIMED_KERNEL_NS);
}

/* Timed runs tell faster than the collector may be able to listen. */
static bool is_crowded(void)
{
    const struct ring *ring = channel_ring();

    return !ring || ring_waiting(ring) > ring->count / 4;
}

static enum kernel_mode choose_of_many(struct watched *w, uint64_t number)
{
    if (number % every)
        return KERNEL_LEFT_ALONE;

    uint64_t look =
            atomic_fetch_add_explicit(&w->looks, 1, memory_order_relaxed);

    return look % DESCRIBED_ONE_IN == 0 || look == DESCRIBED_TOO || is_crowded()
                   ? KERNEL_DESCRIBED
                   : KERNEL_TIMED;
}

static enum kernel_mode choose_as_allowed(struct watched *w)
{
    uint64_t spent = read(&w->spent) + read(&w->spent_timing);
    uint64_t allowed = read(&w->all) / SHARE_OF;

    if (spent + likely(w) <= allowed) {
        if (!atomic_exchange(&w->rested, false))
            return KERNEL_LEFT_ALONE;
        atomic_store(&w->timed_left, TIMED_AFTER);
        return KERNEL_DESCRIBED;
    }
    if (read(&w->timeable) &&
            spent + cost_of_timing(read(&w->kernels)) <= allowed &&
            atomic_load(&w->timed_left) > 0 &&
            atomic_exchange(&w->rested, false)) {
        (void)atomic_fetch_sub(&w->timed_left, 1);
        return KERNEL_TIMED;
    }
    return KERNEL_LEFT_ALONE;
}

static enum kernel_mode choose(struct watched *w)
{
    uint64_t number =
            atomic_fetch_add_explicit(&w->runs, 1, memory_order_relaxed);

    return mode == MODE_EVERY ? choose_of_many(w, number)
                              : choose_as_allowed(w);
}

static void account_plain(struct watched *w, uint64_t took)
{
    uint64_t least = read(&w->least);

    while (took < least &&
            !atomic_compare_exchange_weak(&w->least, &least, took))
        ;
    atomic_store(&w->rested, true);
}

static void account_sampled(struct watched *w, uint64_t took)
{
    uint64_t least = read(&w->least);
    uint64_t more = took > least ? took - least : 0;

    if (more < w->guess)
        more = w->guess;
    add(&w->spent, more + more * AFTERMATH_PCT / 100);
    add(&w->sampled, 1);
}

/* From now on runs with inputs of these shapes may be timed, or none. */
static void learn(struct watched *w, const struct sample *s,
        const struct kernel_watch *seen, bool failed)
{
    bool all = !failed && s->owner && seen->kernels && !seen->strangers &&
               !atomic_load(&w->too_many) &&
               atomic_load(&elsewhere[s->id % ELSEWHERE]) != s->id;

    atomic_store(&w->last_key, s->key);
    atomic_store(&w->kernels, seen->kernels);
    atomic_store(&w->timeable, all ? s->key : 0);
}

/* --- a run ---------------------------------------------------------------- */

/* Kernels are learnt for the session and its inputs' shapes together.  Where
 * these change from one run to the next that would be in vain. */
static uint64_t owner_of(struct watched *w, uint64_t key)
{
    uint64_t last = read(&w->last_key);

    return key && (!last || last == key)
                   ? (key ^ w->serial) * UINT64_C(0x9e3779b97f4a7c15) | 1
                   : 0;
}

static void enter(struct watched *w)
{
    if (atomic_fetch_add(&w->inside, 1))
        atomic_store(&w->shared, true);
}

void ops_shared(const struct ort_session *session)
{
    struct watched *w = ops_wanted() ? find(session) : NULL;

    if (w)
        atomic_store(&w->shared, true);
}

/* See pool_linux.c: what is described may harm what runs beside it. */
static bool may_describe(struct watched *w, const struct library *lib)
{
    return lib->quiet_pools || !atomic_load(&w->shared);
}

static bool look(struct sample *s, enum kernel_mode how)
{
    uint32_t id = atomic_fetch_add(&samples, 1) + 1;

    if (!kernel_watch(how, id, s->owner))
        return false;
    s->id = current = id;
    s->mode = how;
    s->depth = operator_depth();
    return true;
}

struct sample ops_begin(const struct library *lib,
        const struct ort_session *session, const struct ort_run_options *theirs,
        const struct ort_value *const *in, size_t n_in)
{
    struct sample s = { .use = theirs };
    struct watched *w = ops_wanted() ? find(session) : NULL;

    if (!w && ops_wanted())
        s.burst = burst_begin(session);
    if (!w)
        return s;
    enter(w);

    enum kernel_mode wanted = choose(w);

    if (wanted == KERNEL_LEFT_ALONE || current)
        return s;
    if (lib->times_kernels && in)
        s.key = shape_key(lib, in, n_in);
    s.owner = owner_of(w, s.key);
    if (wanted == KERNEL_TIMED && s.owner && s.key == read(&w->timeable) &&
            look(&s, KERNEL_TIMED))
        return s;
    if ((wanted == KERNEL_DESCRIBED || mode == MODE_EVERY) &&
            may_describe(w, lib) &&
            run_options_replace(&s.stand_in, lib, theirs)) {
        s.use = s.stand_in.ours;
        (void)look(&s, KERNEL_DESCRIBED);
    }
    return s;
}

static void look_away(const struct library *lib, struct watched *w,
        struct sample *s, struct record *run)
{
    struct kernel_watch seen = kernel_unwatch();
    bool failed = run->flags & FLAG_FAILED;

    current = 0;
    operator_return(s->depth);
    if (s->mode == KERNEL_DESCRIBED) {
        run_options_back(lib, &s->stand_in);
        run->flags |= FLAG_SAMPLED;
        if (w)
            learn(w, s, &seen, failed);
        return;
    }
    if (w)
        add(&w->spent_timing, cost_of_timing(seen.kernels + seen.strangers));
    if (!seen.strangers) {
        run->flags |= FLAG_SAMPLED | FLAG_TIMED;
        return;
    }
    s->id = 0;
    if (w) {
        atomic_store(&w->timeable, 0);
        if (seen.too_many)
            atomic_store(&w->too_many, true);
    }
}

void ops_end(const struct library *lib, const struct ort_session *session,
        struct sample *s, struct record *run)
{
    struct watched *w = ops_wanted() ? find(session) : NULL;
    uint64_t took =
            run->run.end > run->run.start ? run->run.end - run->run.start : 0;

    if (s->burst)
        run->flags |= FLAG_SAMPLED | FLAG_BURST;
    if (s->id)
        look_away(lib, w, s, run);
    if (!w)
        return;
    (void)atomic_fetch_sub(&w->inside, 1);
    add(&w->all, took);
    if (s->mode == KERNEL_DESCRIBED)
        account_sampled(w, took);
    else if (s->mode == KERNEL_LEFT_ALONE &&
             !(run->flags & FLAG_FAILED)) /* which may be quick */
        account_plain(w, took);
}

void ops_sent(const struct sample *s, const struct record *run)
{
    if (s->burst)
        burst_end(s->burst);
    if (s->id)
        channel_send(&(struct record){
                .kind = RECORD_SAMPLE,
                .sample = { .id = s->id, .thread = run->run.thread },
        });
}
