/* owner.c -- whose kernel it is that runs on another thread than Run's caller.
 *
 * A kernel's context names its execution frame, and that is a local of the
 * function that executes the graph: it lies on the stack of whoever called Run,
 * a few kilobytes below.  In parallel mode, then, a kernel belongs to the
 * inference whose caller's stack is next above its frame.
 *
 * RunAsync calls Run itself, on a thread of its pool, unseen; only the callback
 * comes to us, from the same place of the same stack.  So what runs with a
 * frame that is nobody's is kept under that frame until a callback comes that
 * stands next above it.  Which of the calls it was shows only then; so each
 * call that is to be traced gives leave to trace one such frame.  While any is
 * under way all kernels are looked at, or a frame might be met in its midst. */
#include "base/compiler.h"
#include "hook/memory.h"
#include "hook/ops/ops.h"

#include <stdatomic.h>

/* From a caller to its frame: 3.8 to 6.6 kB in all versions that were met. */
#define DISTANCE_MAX 32768

#define ASYNC_FRAMES 256 /* a power of 2 */
#define ASYNC_PROBES 16

/* A frame on the kernel's own stack is that near. */
#define OWN_STACK (1 << 18)

static _Atomic uint64_t doubtful;

static struct trace *_Atomic frames; /* ASYNC_FRAMES of them */
static _Atomic int32_t under_way;    /* through RunAsync */
static _Atomic int32_t leave, leave_shapes;

uint64_t owner_doubtful(void)
{
    return atomic_load_explicit(&doubtful, memory_order_relaxed);
}

/* --- Run ------------------------------------------------------------------ */

static struct trace *next_above(uintptr_t frame)
{
    struct trace *found = NULL;
    uintptr_t least = DISTANCE_MAX;
    struct thread *t;

    for (size_t i = 0; (t = thread_number(i)); i++)
        for (size_t k = 0; k < THREAD_RUNS; k++) {
            uintptr_t stack = atomic_load_explicit(&t->traces[k].stack,
                    memory_order_acquire);

            if (stack > frame && stack - frame < least) {
                least = stack - frame;
                found = &t->traces[k];
            }
        }
    return found;
}

/* The same as last time on this thread?  A place that is used again is the same
 * caller's, who called again. */
static bool is_still(const struct trace *t, uintptr_t frame)
{
    uintptr_t stack = atomic_load_explicit(&t->stack, memory_order_acquire);

    return stack > frame && stack - frame < DISTANCE_MAX;
}

/* --- RunAsync ------------------------------------------------------------- */

static bool take_one(_Atomic int32_t *count)
{
    int32_t there = atomic_load_explicit(count, memory_order_relaxed);

    while (there > 0)
        if (atomic_compare_exchange_weak(count, &there, there - 1))
            return true;
    return false;
}

/* Two threads may meet a frame at the same time: one of them decides. */
static void decide(struct trace *t)
{
    uint32_t undecided = 0;
    bool traced = take_one(&leave);
    uint32_t id = traced ? trace_new_id() : TRACE_NONE;

    if (traced && take_one(&leave_shapes))
        atomic_store(&t->shapes, true);
    if (!atomic_compare_exchange_strong(&t->id, &undecided, id) && traced)
        atomic_fetch_add(&leave, 1);
}

static struct trace *kept_under(uintptr_t frame, bool make)
{
    struct trace *all = atomic_load_explicit(&frames, memory_order_acquire);
    size_t at = (size_t)(frame * UINT64_C(0x9e3779b97f4a7c15) >> 40);

    for (size_t i = 0; all && i < ASYNC_PROBES; i++) {
        struct trace *t = &all[(at + i) % ASYNC_FRAMES];
        uintptr_t there = atomic_load_explicit(&t->stack, memory_order_acquire);

        if (there == frame)
            return t;
        if (make && !there &&
                (atomic_compare_exchange_strong(&t->stack, &there, frame) ||
                        there == frame))
            return t;
    }
    return NULL;
}

static struct trace *of_async(uintptr_t frame)
{
    struct trace *t = kept_under(frame, false);

    if (!t)
        t = kept_under(frame, true);
    if (!t)
        atomic_fetch_add_explicit(&doubtful, 1, memory_order_relaxed);
    else if (!atomic_load_explicit(&t->id, memory_order_acquire))
        decide(t);
    return t;
}

static struct trace *make_frames(void)
{
    struct trace *made = memory_pages(ASYNC_FRAMES * sizeof(*made));
    struct trace *nobody = NULL;

    if (made && !atomic_compare_exchange_strong(&frames, &nobody, made)) {
        memory_give_back(made, ASYNC_FRAMES * sizeof(*made));
        made = nobody;
    }
    return made;
}

void owner_async_expect(bool traced, bool shapes)
{
    bool room = atomic_load_explicit(&frames, memory_order_acquire) ||
                make_frames();

    atomic_fetch_add(&under_way, 1);
    atomic_fetch_add(&hook_traces, 1);
    if (room && traced && shapes)
        atomic_fetch_add(&leave_shapes, 1);
    if (room && traced)
        atomic_fetch_add(&leave, 1);
}

/* Leave that nobody used is taken back when none is under way. */
void owner_async_over(void)
{
    atomic_fetch_sub(&hook_traces, 1);
    if (atomic_fetch_sub(&under_way, 1) == 1) {
        atomic_store(&leave_shapes, 0);
        atomic_store(&leave, 0);
    }
}

static void copy_out(struct trace *out, struct trace *t)
{
    *out = (struct trace){ .doubtful = owner_doubtful() };
    atomic_store(&out->id, atomic_load(&t->id));
    atomic_store(&out->shapes, atomic_load(&t->shapes));
    atomic_store(&out->elsewhere, atomic_load(&t->elsewhere));
    atomic_store(&out->cost, atomic_load(&t->cost));
    atomic_store(&out->repeated, atomic_load(&t->repeated));
    atomic_store(&out->spent_elsewhere, atomic_load(&t->spent_elsewhere));
    atomic_store(&t->shapes, false);
    atomic_store(&t->elsewhere, 0);
    atomic_store(&t->cost, 0);
    atomic_store(&t->repeated, 0);
    atomic_store(&t->spent_elsewhere, 0);
    atomic_store(&t->id, 0);
    atomic_store_explicit(&t->stack, 0, memory_order_release);
}

static struct trace *next_below(uintptr_t stack)
{
    struct trace *all = atomic_load_explicit(&frames, memory_order_acquire);
    struct trace *found = NULL;
    uintptr_t least = DISTANCE_MAX;

    for (size_t i = 0; all && i < ASYNC_FRAMES; i++) {
        uintptr_t frame =
                atomic_load_explicit(&all[i].stack, memory_order_acquire);

        if (frame && frame < stack && stack - frame < least) {
            least = stack - frame;
            found = &all[i];
        }
    }
    return found;
}

void owner_async_take(struct trace *out, uintptr_t stack)
{
    struct trace *t = next_below(stack);

    *out = (struct trace){ 0 };
    if (t)
        copy_out(out, t);
}

void owner_in_child(void)
{
    struct trace *all = atomic_load(&frames);

    atomic_store(&under_way, 0);
    atomic_store(&leave, 0);
    atomic_store(&leave_shapes, 0);
    for (size_t i = 0; all && i < ASYNC_FRAMES; i++) {
        atomic_store(&all[i].id, 0);
        atomic_store(&all[i].stack, 0);
    }
}

/* --- either --------------------------------------------------------------- */

struct trace *owner_of(struct thread *t, uintptr_t frame, uintptr_t stack)
{
    const struct running *outer = t->depth ? &t->running[t->depth - 1] : NULL;
    struct trace *found;

    /* The body of a kernel runs on its thread. */
    if (outer && frame > stack && frame < outer->stack)
        return outer->trace;
    if (t->frame == frame && is_still(t->of, frame))
        return t->of;
    found = next_above(frame);
    if (found) {
        t->frame = frame;
        t->of = found;
        return found;
    }
    if (atomic_load_explicit(&under_way, memory_order_relaxed) > 0)
        return of_async(frame);
    /* The body of a kernel that began when nothing was traced: so it is not of
     * an inference that is. */
    if (frame > stack && frame - stack < OWN_STACK)
        return NULL;
    atomic_fetch_add_explicit(&doubtful, 1, memory_order_relaxed);
    return NULL;
}
