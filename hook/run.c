/* run.c -- times an inference and says so. */
#include "base/compiler.h"
#include "hook/ops/ops.h"
#include "os/clock.h"
#include "wire/ring.h"

#include <stdalign.h>
#include <stdatomic.h>

/* Runs under way through RunAsync that we can time; one more goes untimed. */
#define ASYNC_RUNS 256

/* Filled where it stays: a copy would read in wide pieces what was just written
 * in narrow ones, and wait for them. */
static inline void begin(struct record *r, const struct library *lib,
        const struct ort_session *session)
{
    *r = (struct record){
        .kind = RECORD_RUN,
        .place = record_place(PHASE_OTHER, lib->index),
        .run = { .session = (uintptr_t)session, .thread = channel_thread() },
    };
}

static void note_failure(struct record *r, const struct library *lib,
        const struct ort_status *status)
{
    if (status) {
        r->flags |= FLAG_FAILED;
        object_error(lib, status, r->run.thread);
    }
}

static void outputs(struct record *r, const struct library *lib,
        struct ort_value *const *out, size_t n_out)
{
    if (shape_bytes(lib, (const struct ort_value *const *)out, n_out,
                &r->run.out_bytes))
        r->flags |= FLAG_OUTPUT_BYTES;
}

/* A run that is about to begin.  What the inputs tell is read now: the program
 * has just made them, and ONNX Runtime is about to read them. */
struct begun {
    struct record record;
    struct record passed; /* RECORD_NONE, unless a text is being made */
    bool weigh;
};

static inline void describe(struct begun *b, const struct library *lib,
        ORT_RUN_ARGS)
{
    (void)run_options, (void)out;
    begin(&b->record, lib, session);
    b->weigh = shape_inputs(&b->record, &b->passed, lib, session, in_names, in,
            n_in, out_names, n_out);
}

/* Before the record of the run itself. */
COLD static void hand_on(struct record *passed, const struct library *lib,
        const struct record *run, const char *const *names,
        struct ort_value *const *out, size_t n_out)
{
    if (names && out)
        passed_out(passed, lib, run, names,
                (const struct ort_value *const *)out, n_out);
    channel_send(passed);
}

static inline void finish(struct begun *b, const struct library *lib,
        const struct ort_status *status, const char *const *out_names,
        struct ort_value *const *out, size_t n_out)
{
    note_failure(&b->record, lib, status);
    if (!status && b->weigh)
        outputs(&b->record, lib, out, n_out);
    if (b->passed.kind && !status)
        hand_on(&b->passed, lib, &b->record, out_names, out, n_out);
}

static inline struct ort_status *time_into(const struct ring *ring,
        const struct library *lib, ORT_RUN_ARGS)
{
    struct begun b;

    describe(&b, lib, session, run_options, in_names, in, n_in, out_names,
            n_out, out);
    b.record.run.start = channel_now();

    struct ort_status *status = ((ort_Run)lib->real[WRAP_Run])(session,
            run_options, in_names, in, n_in, out_names, n_out, out);

    b.record.run.end = channel_now();
    ring_expect(ring);
    finish(&b, lib, status, out_names, out, n_out);
    (void)ring_push(ring, &b.record); /* full: it counts the loss, we go on */
    return status;
}

/* All that Run puts on the stack is below ours. */
#define STACK ((uintptr_t)__builtin_frame_address(0))

/* The same, traced or not, where others are. */
static __attribute__((noinline)) struct ort_status *traced(struct library *lib,
        ORT_RUN_ARGS)
{
    struct begun b;

    describe(&b, lib, session, run_options, in_names, in, n_in, out_names,
            n_out, out);

    struct trace *trace = trace_begin(lib, session, in, n_in, STACK);

    b.record.run.start = channel_now();

    struct ort_status *status = ((ort_Run)lib->real[WRAP_Run])(session,
            run_options, in_names, in, n_in, out_names, n_out, out);

    b.record.run.end = channel_now();
    finish(&b, lib, status, out_names, out, n_out);
    trace_end(trace, &b.record);
    return status;
}

HOT struct ort_status *run_timed(ORT_RUN_ARGS, struct library *lib)
{
    const struct ring *ring = channel_ring();

    if (!ring || !channel_takes_runs())
        return ((ort_Run)lib->real[WRAP_Run])(session, run_options, in_names,
                in, n_in, out_names, n_out, out);
    if (ops_wanted(lib))
        return traced(lib, session, run_options, in_names, in, n_in, out_names,
                n_out, out);
    return time_into(ring, lib, session, run_options, in_names, in, n_in,
            out_names, n_out, out);
}

struct ort_status *run_bound(struct library *lib, struct ort_session *session,
        const struct ort_run_options *run_options,
        const struct ort_binding *binding)
{
    ort_RunWithBinding real =
            (ort_RunWithBinding)lib->real[WRAP_RunWithBinding];

    if (!channel_takes_runs())
        return real(session, run_options, binding);

    struct record r, passed;

    begin(&r, lib, session);
    binding_read(&r, &passed, binding);

    struct trace *trace =
            ops_wanted(lib) ? trace_begin(lib, session, NULL, 0, STACK) : NULL;

    r.run.start = channel_now();

    struct ort_status *status = real(session, run_options, binding);

    r.run.end = channel_now();
    r.flags |= FLAG_BINDING;
    if (status) { /* what was bound to be written was not */
        r.flags &= (uint16_t)~FLAG_OUTPUT_BYTES;
        r.run.out_bytes = 0;
    }
    note_failure(&r, lib, status);
    if (passed.kind && !status)
        channel_send(&passed);
    trace_end(trace, &r);
    return status;
}

/* --- RunAsync: from the call to the callback ------------------------------ */

static struct async {
    _Atomic bool taken;
    const struct library *lib;
    struct record record, passed;
    bool weigh, wants_trace;
    struct choice choice;
    const char *const *out_names;
    ort_async_done done;
    void *user_data;
} async_runs[ASYNC_RUNS];

static struct async *async_take(void)
{
    static _Atomic uint32_t next;
    uint32_t first = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

    for (uint32_t i = 0; i < ASYNC_RUNS; i++) {
        struct async *a = &async_runs[(first + i) % ASYNC_RUNS];

        if (!atomic_exchange_explicit(&a->taken, true, memory_order_acquire))
            return a;
    }
    return NULL;
}

static void async_give_back(struct async *a)
{
    atomic_store_explicit(&a->taken, false, memory_order_release);
}

/* On a thread of ONNX Runtime's. */
static void async_done(void *user_data, struct ort_value **out, size_t n_out,
        struct ort_status *status)
{
    struct async *a = user_data;

    a->record.run.end = channel_now();
    note_failure(&a->record, a->lib, status);
    if (!status && a->weigh)
        outputs(&a->record, a->lib, out, n_out);
    if (!status && a->passed.kind)
        hand_on(&a->passed, a->lib, &a->record, a->out_names, out, n_out);
    if (a->wants_trace) {
        trace_async_end(&a->choice, &a->record, STACK);
    } else {
        if (a->lib->tracing == TRACING_ON)
            trace_async_unknown(STACK);
        channel_send(&a->record);
    }

    ort_async_done done = a->done;
    void *theirs = a->user_data;

    /* The callback may start the next run, so the place is free before. */
    async_give_back(a);
    done(theirs, out, n_out, status);
}

struct ort_status *run_async(struct library *lib, ORT_RUN_ARGS,
        ort_async_done done, void *user_data)
{
    ort_RunAsync real = (ort_RunAsync)lib->real[WRAP_RunAsync];
    struct async *a = channel_takes_runs() && done ? async_take() : NULL;

    if (!a) {
        if (channel_takes_runs())
            channel_untimed();
        return real(session, run_options, in_names, in, n_in, out_names, n_out,
                out, done, user_data);
    }

    a->lib = lib;
    a->wants_trace = ops_wanted(lib);
    a->done = done;
    a->user_data = user_data;
    begin(&a->record, lib, session);
    a->out_names = out_names;
    a->weigh = shape_inputs(&a->record, &a->passed, lib, session, in_names, in,
            n_in, out_names, n_out);
    a->record.flags |= FLAG_ASYNC;
    if (a->wants_trace)
        a->choice = trace_async_begin(lib, session, in, n_in);
    a->record.run.start = channel_now();

    struct ort_status *status = real(session, run_options, in_names, in, n_in,
            out_names, n_out, out, async_done, a);

    if (status) { /* refused: the callback will not come */
        a->record.run.end = channel_now();
        note_failure(&a->record, lib, status);
        if (a->wants_trace)
            trace_async_refused();
        channel_send(&a->record);
        async_give_back(a);
    }
    return status;
}

/* --- what we cost --------------------------------------------------------- */

static struct ort_status *do_nothing(ORT_RUN_ARGS)
{
    (void)session, (void)run_options, (void)in_names, (void)in, (void)n_in;
    (void)out_names, (void)n_out, (void)out;
    return NULL;
}

#define COST_RUNS   32 /* timed together */
#define COST_ROUNDS 31

uint32_t run_cost_ns(void)
{
    static const struct library nothing = {
        .minor = ORT_SINCE_GetTensorElementTypeAndShapeDataReference,
        .real = { [WRAP_Run] = (ort_function)do_nothing },
    };
    /* Room for the runs of a round, and as many again to be a power of 2. */
    static alignas(64) unsigned char memory[192 + 64 * sizeof(struct record)];
    struct ring scratch = ring_create(memory, sizeof(struct record), 64);
    uint64_t took[COST_ROUNDS] = { 0 };
    struct record r;

    for (int i = 0; i < COST_ROUNDS; i++) {
        uint64_t start = mono_ns();

        for (int n = 0; n < COST_RUNS; n++)
            (void)time_into(&scratch, &nothing, NULL, NULL, NULL, NULL, 0, NULL,
                    0, NULL);

        uint64_t t = mono_ns() - start;
        int at = i;

        for (; at > 0 && took[at - 1] > t; at--)
            took[at] = took[at - 1];
        took[at] = t;
        while (ring_pop(&scratch, &r) > 0)
            ;
    }
    return (uint32_t)(took[COST_ROUNDS / 2] / COST_RUNS);
}
