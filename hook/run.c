/* run.c -- times an inference and says so. */
#include "base/compiler.h"
#include "base/ring.h"
#include "hook/ops.h"
#include "os/clock.h"

#include <stdalign.h>
#include <stdatomic.h>

/* Runs under way through RunAsync that we can time; one more goes untimed. */
#define ASYNC_RUNS 256

static struct record begin(const struct library *lib,
        const struct ort_session *session)
{
    return (struct record){
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
    bool weigh;
};

static inline struct begun describe(const struct library *lib, ORT_RUN_ARGS)
{
    struct begun b = { .record = begin(lib, session) };

    (void)run_options, (void)out;
    b.weigh = shape_inputs(&b.record, lib, session, in_names, in, n_in,
            out_names, n_out);
    return b;
}

static inline void finish(struct begun *b, const struct library *lib,
        const struct ort_status *status, struct ort_value *const *out,
        size_t n_out)
{
    note_failure(&b->record, lib, status);
    if (!status && b->weigh)
        outputs(&b->record, lib, out, n_out);
}

static inline struct ort_status *time_into(const struct ring *ring,
        const struct library *lib, ORT_RUN_ARGS)
{
    struct begun b = describe(lib, session, run_options, in_names, in, n_in,
            out_names, n_out, out);

    b.record.run.start = channel_now();

    struct ort_status *status = ((ort_Run)lib->real[WRAP_Run])(session,
            run_options, in_names, in, n_in, out_names, n_out, out);

    b.record.run.end = channel_now();
    ring_expect(ring);
    finish(&b, lib, status, out, n_out);
    (void)ring_push(ring, &b.record); /* full: it counts the loss, we go on */
    return status;
}

/* The same where some runs are looked into. */
static struct ort_status *look_into(const struct ring *ring,
        const struct library *lib, ORT_RUN_ARGS)
{
    struct begun b = describe(lib, session, run_options, in_names, in, n_in,
            out_names, n_out, out);
    struct sample sample = ops_begin(lib, session, run_options, in, n_in);

    b.record.run.start = channel_now();

    struct ort_status *status = ((ort_Run)lib->real[WRAP_Run])(session,
            sample.use, in_names, in, n_in, out_names, n_out, out);

    b.record.run.end = channel_now();
    finish(&b, lib, status, out, n_out);
    ops_end(lib, session, &sample, &b.record);
    (void)ring_push(ring, &b.record);
    ops_sent(&sample, &b.record);
    return status;
}

HOT struct ort_status *run_timed(ORT_RUN_ARGS, const struct library *lib)
{
    const struct ring *ring = channel_ring();

    if (!ring)
        return ((ort_Run)lib->real[WRAP_Run])(session, run_options, in_names,
                in, n_in, out_names, n_out, out);
    if (ops_wanted())
        return look_into(ring, lib, session, run_options, in_names, in, n_in,
                out_names, n_out, out);
    return time_into(ring, lib, session, run_options, in_names, in, n_in,
            out_names, n_out, out);
}

struct ort_status *run_bound(const struct library *lib,
        struct ort_session *session, const struct ort_run_options *run_options,
        const struct ort_binding *binding)
{
    ort_RunWithBinding real =
            (ort_RunWithBinding)lib->real[WRAP_RunWithBinding];

    if (!channel_wanted())
        return real(session, run_options, binding);

    struct record r = begin(lib, session);
    struct sample sample = ops_begin(lib, session, run_options, NULL, 0);

    r.run.start = channel_now();

    struct ort_status *status = real(session, sample.use, binding);

    r.run.end = channel_now();
    r.flags |= FLAG_BINDING;
    binding_read(&r, binding);
    if (status) { /* what was bound to be written was not */
        r.flags &= (uint16_t)~FLAG_OUTPUT_BYTES;
        r.run.out_bytes = 0;
    }
    note_failure(&r, lib, status);
    ops_end(lib, session, &sample, &r);
    channel_send(&r);
    ops_sent(&sample, &r);
    return status;
}

/* --- RunAsync: from the call to the callback ------------------------------ */

static struct async {
    _Atomic bool taken;
    const struct library *lib;
    struct record record;
    bool weigh;
    struct burst *burst;
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
    channel_send(&a->record);
    if (a->burst)
        burst_end(a->burst);

    ort_async_done done = a->done;
    void *theirs = a->user_data;

    /* The callback may start the next run, so the place is free before. */
    async_give_back(a);
    done(theirs, out, n_out, status);
}

struct ort_status *run_async(const struct library *lib, ORT_RUN_ARGS,
        ort_async_done done, void *user_data)
{
    ort_RunAsync real = (ort_RunAsync)lib->real[WRAP_RunAsync];
    struct async *a = channel_wanted() && done ? async_take() : NULL;

    if (!a) {
        if (channel_wanted())
            channel_untimed();
        return real(session, run_options, in_names, in, n_in, out_names, n_out,
                out, done, user_data);
    }

    ops_shared(session);
    a->lib = lib;
    a->burst = ops_wanted() ? burst_begin(session) : NULL;
    a->done = done;
    a->user_data = user_data;
    a->record = begin(lib, session);
    a->weigh = shape_inputs(&a->record, lib, session, in_names, in, n_in,
            out_names, n_out);
    a->record.flags |= FLAG_ASYNC;
    if (a->burst)
        a->record.flags |= FLAG_SAMPLED | FLAG_BURST;
    a->record.run.start = channel_now();

    struct ort_status *status = real(session, run_options, in_names, in, n_in,
            out_names, n_out, out, async_done, a);

    if (status) { /* refused: the callback will not come */
        a->record.run.end = channel_now();
        note_failure(&a->record, lib, status);
        channel_send(&a->record);
        if (a->burst)
            burst_end(a->burst);
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
