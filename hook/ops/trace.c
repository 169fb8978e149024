/* trace.c -- traced inferences: a line for each kernel, in the order in which
 * they end.
 *
 * While kernels run next to nothing is done and little memory touched, or they
 * would find the caches colder than they are without us.  Lines of the thread
 * that called Run are sent many at a time, those of others one by one, so that
 * nothing of theirs is left to be sent when the inference is over. */
#include "base/compiler.h"
#include "hook/memory.h"
#include "hook/ops/ops.h"

#include <stdatomic.h>

_Atomic uint32_t hook_traces;

/* Where a kernel's context keeps its execution frame and the kernel. */
enum { CONTEXT_FRAME = 1, CONTEXT_KERNEL = 2 };

uint32_t trace_new_id(void)
{
    static _Atomic uint32_t last;
    uint32_t id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed);

    return id % (TRACE_GIVEN_UP - 1) + 1;
}

/* --- lines ---------------------------------------------------------------- */

static uint32_t id_of(const struct trace *t)
{
    return atomic_load_explicit(&t->id, memory_order_relaxed) & ~TRACE_GIVEN_UP;
}

/* Where nobody asked for this very inference, one that the ring has no room for
 * is rather not traced than lost. */
static bool may_give_up(const struct trace *t)
{
    return !t->values && channel_ops() == OPS_AUTO;
}

COLD static void give_up(struct trace *t)
{
    atomic_fetch_or_explicit(&t->id, TRACE_GIVEN_UP, memory_order_relaxed);
}

/* They come in masses: room is left for what does not. */
static void push(struct trace *t, const struct record *r, uint32_t count)
{
    const struct ring *ring = channel_ring();

    if (!ring || !count || ring_offer_many(ring, r, count, ring->count / 4))
        return;
    if (may_give_up(t))
        give_up(t);
    else
        ring_drop(ring, count);
}

static inline void put_line(struct record *r, uint64_t kernel, uint32_t after,
        uint32_t took)
{
    r->lines.line[r->flags++] = (struct record_line){ kernel, after, took };
}

static inline void put_clock(struct record *r, uint64_t time)
{
    put_line(r, LINE_CLOCK, (uint32_t)time, (uint32_t)(time >> 32));
}

static inline void put_high(struct record *r, uint64_t after, uint64_t took)
{
    put_line(r, LINE_HIGH, (uint32_t)(after >> 32), (uint32_t)(took >> 32));
}

static struct record no_lines(uint32_t trace, uint32_t thread)
{
    return (struct record){
        .kind = RECORD_LINES,
        .lines = { .trace = trace, .thread = thread },
    };
}

/* The place of the next line; what is full is sent. */
static inline struct record *next_line(struct trace *t)
{
    if (t->batched && t->batch[t->batched - 1].flags < RECORD_LINES_EACH)
        return &t->batch[t->batched - 1];
    if (t->batched == TRACE_BATCH) {
        push(t, t->batch, TRACE_BATCH);
        t->batched = 0;
    }

    struct record *r = &t->batch[t->batched++];

    *r = no_lines(id_of(t), channel_thread());
    return r;
}

/* On the thread that called Run. */
static inline void note(struct trace *t, const struct running *r, uint64_t end)
{
    uint64_t took = end - r->start;

    if (!t->last) {
        put_clock(next_line(t), r->start);
        t->last = r->start;
    }

    uint64_t after = end - t->last;

    if ((after | took) >> 32)
        put_high(next_line(t), after, took);
    put_line(next_line(t), (uintptr_t)r->kernel, (uint32_t)after,
            (uint32_t)took);
    t->last = end;
    t->kernels++;
}

static void note_elsewhere(struct trace *t, const struct running *r,
        uint64_t end)
{
    struct record alone = no_lines(id_of(t), channel_thread());
    uint64_t took = end - r->start;

    put_clock(&alone, r->start);
    if (took >> 32)
        put_high(&alone, took, took);
    put_line(&alone, (uintptr_t)r->kernel, (uint32_t)took, (uint32_t)took);
    push(t, &alone, 1);
    atomic_fetch_add_explicit(&t->elsewhere, 1, memory_order_relaxed);
}

/* --- kernels that are known ----------------------------------------------- */

static struct path *path_of(struct thread *me, const struct ort_session *s)
{
    struct path *p = &me->paths[(uintptr_t)s >> 6 & (THREAD_PATHS - 1)];
    uint64_t now = kernel_generation();

    if (p->session != s || p->generation != now) {
        p->session = s;
        p->generation = now;
        p->count = 0;
    }
    return p;
}

/* The trace's kernel of that number: is it known? */
static inline bool is_familiar(const struct trace *t, uint32_t number,
        const void *kernel)
{
    struct path *p = t->path;

    if (p && number < p->count && p->kernel[number] == kernel)
        return true;
    if (!kernel_is_known(kernel))
        return false;
    if (p && number < PATH_KERNELS && number <= p->count) {
        p->kernel[number] = kernel;
        p->count += number == p->count;
    }
    return true;
}

/* --- an inference --------------------------------------------------------- */

static void begin(struct trace *t, const struct choice *c)
{
    uint32_t id = c->traced ? trace_new_id() : 0;

    atomic_store_explicit(&t->shapes, c->shapes, memory_order_relaxed);
    t->values = c->values;
    t->weighed = c->weighed;
    t->key = c->key;
    t->watched = c->watched;
    t->number = c->number;
    t->path = NULL;
    t->batched = 0;
    t->last = 0;
    t->kernels = 0;
    t->doubtful = owner_doubtful();
    atomic_store_explicit(&t->elsewhere, 0, memory_order_relaxed);
    atomic_store_explicit(&t->cost, 0, memory_order_relaxed);
    atomic_store_explicit(&t->repeated, 0, memory_order_relaxed);
    t->spent = t->spent_around = 0;
    atomic_store_explicit(&t->spent_elsewhere, 0, memory_order_relaxed);
    atomic_store_explicit(&t->id, id, memory_order_relaxed);
}

struct trace *trace_begin(struct library *lib,
        const struct ort_session *session, const struct ort_value *const *in,
        size_t n_in, uintptr_t stack)
{
    if (lib->tracing != TRACING_ON)
        return NULL;

    struct thread *me = thread_mine();

    if (!me || me->runs == THREAD_RUNS)
        return NULL;

    struct choice c = choose(lib, session, in, n_in);
    struct trace *t = &me->traces[me->runs++];

    begin(t, &c);
    atomic_store_explicit(&t->stack, stack, memory_order_release);
    if (!c.traced)
        return t;
    t->path = path_of(me, session);
    atomic_fetch_add_explicit(&hook_traces, 1, memory_order_relaxed);
    if (c.weighed)
        t->spent_around = channel_now() - c.since;
    return t;
}

static struct record as_traced(const struct trace *t, uint32_t thread)
{
    uint32_t kernels = t->kernels + atomic_load_explicit(&t->elsewhere,
                                            memory_order_relaxed);
    const struct watched *w = t->watched;
    uint64_t line = w ? choose_line_cost(w) : 0;
    uint64_t beside = atomic_load_explicit(&t->cost, memory_order_relaxed) +
                      kernels * (line ? line : trace_line_cost(t)) / LINE_PARTS;

    return (struct record){
        .kind = RECORD_TRACED,
        .traced = {
            .shapes = t->key,
            .cost = beside + (w ? choose_cost_around(w) : 0),
            .beside_kernels = beside,
            .trace = id_of(t),
            .thread = thread,
            .kernels = kernels,
            .doubtful = (uint32_t)(owner_doubtful() - t->doubtful),
        },
    };
}

static uint16_t flags_of(const struct trace *t)
{
    return t->values ? FLAG_TRACED | FLAG_STATS : FLAG_TRACED;
}

static void account(const struct record *run, const struct trace *t)
{
    if (t->watched &&
            !(run->flags & (FLAG_FAILED | FLAG_STATS))) /* quick, or slow */
        choose_account(t->watched, t->number, run->run.end - run->run.start,
                trace_is_traced(t) ? t : NULL);
}

void trace_key(struct trace *t, uint64_t key)
{
    t->key = key;
    if (choose_knows(t->watched, key))
        atomic_store_explicit(&t->shapes, false, memory_order_relaxed);
}

/* Next to each other: another thread's may be of a call of this one's, too. */
static void send_both(const struct trace *t, const struct record *run)
{
    const struct record both[] = { as_traced(t, run->run.thread), *run };
    const struct ring *ring = channel_ring();

    if (ring)
        (void)ring_push_many(ring, both, 2, 0);
}

COLD static void send_given_up(uint32_t trace)
{
    channel_send(&(struct record){
            .kind = RECORD_TRACED,
            .flags = TRACED_GIVEN_UP,
            .traced.trace = trace,
    });
}

static void send(const struct trace *t, struct record *run)
{
    if (trace_is_traced(t)) {
        run->flags |= flags_of(t);
        if (t->values && channel_looks_again()) { /* it made nothing new */
            run->place = record_place(PHASE_OTHER, record_library(run));
            run->flags &= (uint16_t) ~(FLAG_SEQUENCE | FLAG_PAST);
        }
        send_both(t, run);
        return;
    }

    uint32_t id = atomic_load_explicit(&t->id, memory_order_relaxed);

    if (id && id != TRACE_NONE)
        send_given_up(id_of(t));
    channel_send(run);
}

void trace_end(struct trace *t, struct record *run)
{
    struct thread *me = t ? thread_mine() : NULL;
    uint64_t since = t && t->weighed ? channel_now() : 0;

    if (!me || !me->runs) { /* or a child of the process that began it */
        channel_send(run);
        return;
    }
    atomic_store_explicit(&t->stack, 0, memory_order_release);
    me->runs--;
    if (atomic_load_explicit(&t->id, memory_order_relaxed))
        atomic_fetch_sub_explicit(&hook_traces, 1, memory_order_relaxed);
    if (trace_is_traced(t))
        push(t, t->batch, t->batched);
    send(t, run);
    if (since)
        t->spent_around += channel_now() - since;
    account(run, t);
    thread_rest(me);
}

/* --- RunAsync ------------------------------------------------------------- */

struct choice trace_async_begin(struct library *lib,
        const struct ort_session *session, const struct ort_value *const *in,
        size_t n_in)
{
    struct choice c = { 0 };

    if (lib->tracing == TRACING_ON)
        c = choose(lib, session, in, n_in);
    owner_async_expect(c.traced, c.shapes);
    return c;
}

void trace_async_end(const struct choice *c, struct record *run,
        uintptr_t stack)
{
    struct trace t;

    owner_async_take(&t, stack);
    owner_async_over();
    t.key = c->key;
    t.watched = c->watched;
    t.number = c->number;
    send(&t, run);
    account(run, &t);
}

void trace_async_refused(void)
{
    owner_async_over();
}

void trace_async_unknown(uintptr_t stack)
{
    struct trace nobodys;

    owner_async_take(&nobodys, stack);
}

void trace_in_child(void)
{
    atomic_store(&hook_traces, 0);
    threads_in_child();
    owner_in_child();
    kernels_in_child();
}

/* --- one kernel ----------------------------------------------------------- */

/* Those below us on the stack were left by an exception. */
static inline void drop_below(struct thread *me, uintptr_t stack)
{
    while (me->depth && me->running[me->depth - 1].stack < stack)
        me->depth--;
}

/* In a context that is not its own: a helper, which has none and is part of the
 * kernel that calls it; or all is not as we know it. */
COLD static void misfit(uint32_t number, uintptr_t kernel_there)
{
    if (kernel_there)
        ops_give_up(&hook_libraries[hook_functions->library[number]]);
}

static inline struct trace *find_trace(struct thread *me, uintptr_t frame,
        uintptr_t stack)
{
    if (me->runs) {
        struct trace *t = &me->traces[me->runs - 1];

        if (frame > stack &&
                frame < atomic_load_explicit(&t->stack, memory_order_relaxed))
            return t;
    }
    return owner_of(me, frame, stack);
}

static inline struct running *enter(struct thread *me, const void *kernel,
        const void *context, uintptr_t stack)
{
    const uintptr_t *c = context;

    drop_below(me, stack + 1);

    struct trace *t = find_trace(me, c[CONTEXT_FRAME], stack);

    if (!t)
        return NULL;
    if (me->depth == THREAD_DEPTH) { /* it will be missing */
        atomic_fetch_add_explicit(&t->elsewhere, 1, memory_order_relaxed);
        return NULL;
    }

    struct running *r = &me->running[me->depth++];

    r->kernel = kernel;
    r->context = context;
    r->stack = stack;
    r->trace = t;
    return r;
}

/* Those of other threads are sent one by one: against that the clock is
 * quick. */
static inline bool is_weighed(const struct thread *me)
{
    return !me->runs || me->traces[me->runs - 1].weighed;
}

static inline void weigh(struct trace *t, const struct running *r, uint64_t end,
        bool own)
{
    uint64_t spent = r->start - r->came + channel_now() - end;

    if (own)
        t->spent += spent;
    else
        atomic_fetch_add_explicit(&t->spent_elsewhere, spent,
                memory_order_relaxed);
}

HOT void hook_kernel_entered(const void *kernel, const void *context,
        uintptr_t stack, uint32_t number)
{
    const uintptr_t *c = context;
    struct thread *me = thread_mine();

    if (c[CONTEXT_KERNEL] != (uintptr_t)kernel) {
        misfit(number, c[CONTEXT_KERNEL]);
        return;
    }
    if (!me)
        return;

    uint64_t came = is_weighed(me) ? channel_now() : 0;
    struct running *r = enter(me, kernel, context, stack);

    if (r) {
        r->number = number;
        r->came = came;
        r->start = channel_now();
    }
}

static inline bool is_own(const struct thread *me, const struct trace *t)
{
    return t >= me->traces && t < me->traces + THREAD_RUNS;
}

static inline bool wants_shapes(const struct trace *t)
{
    return atomic_load_explicit(&t->shapes, memory_order_relaxed);
}

/* A description takes some dozen records. */
static bool has_room(void)
{
    const struct ring *ring = channel_ring();

    return ring && ring_waiting(ring) < ring->count / 2;
}

/* What costs more than its line: who it is, its shapes, its values. */
COLD static void look_closer(struct thread *me, const struct running *r)
{
    struct kernel k = {
        .lib = &hook_libraries[hook_functions->library[r->number]],
        .self = r->kernel,
        .context = r->context,
        .trace = id_of(r->trace),
        .text = me->text,
    };
    uint64_t start = channel_now();
    bool is_new = !kernel_is_known(r->kernel);

    if (k.lib->tracing != TRACING_ON)
        return;
    if (may_give_up(r->trace) && !has_room()) { /* next time it goes on here */
        give_up(r->trace);
        return;
    }
    k.info = kernel_info(k.lib, k.self);
    if (!k.info) {
        ops_give_up(k.lib);
        return;
    }
    if (is_new) {
        uintptr_t parent =
                me->depth && me->running[me->depth - 1].trace == r->trace
                        ? (uintptr_t)me->running[me->depth - 1].kernel
                        : 0;

        if (kernel_send(&k, parent) && tensor_send_all(&k, true))
            kernel_remember(r->kernel);
    } else if (wants_shapes(r->trace)) {
        (void)tensor_send_all(&k, false);
    }
    if (r->trace->values)
        tensor_send_values(&k);

    uint64_t cost = channel_now() - start;

    atomic_fetch_add_explicit(&r->trace->cost, cost, memory_order_relaxed);
    if (!is_new && !r->trace->values)
        atomic_fetch_add_explicit(&r->trace->repeated, cost,
                memory_order_relaxed);
}

HOT void hook_kernel_left(uintptr_t stack)
{
    uint64_t end = channel_now();
    struct thread *me = thread_mine();

    if (!me)
        return;
    drop_below(me, stack);

    const struct running *r = me->depth ? &me->running[me->depth - 1] : NULL;

    if (!r || r->stack != stack) /* a helper, or one of nobody's */
        return;
    me->depth--;

    struct trace *t = r->trace;
    bool own = is_own(me, t);

    if (trace_is_traced(t)) {
        bool known = own ? is_familiar(t, t->kernels, r->kernel)
                         : kernel_is_known(r->kernel);

        if (own)
            note(t, r, end);
        else
            note_elsewhere(t, r, end);
        if (r->came)
            weigh(t, r, end, own);
        if (t->values || wants_shapes(t) || !known)
            look_closer(me, r);
    }
    if (!own) /* which may be all that this thread does */
        thread_rest(me);
}

void hook_kernel_ends(const void *kernel)
{
    struct record r = { .kind = RECORD_KERNEL_END };

    r.kernel.kernel = (uintptr_t)kernel;
    if (kernel_forget(kernel))
        channel_send(&r);
}
