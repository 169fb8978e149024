/* kernel.c -- the kernels of an inference that is looked into, as they run.
 *
 * In one that ONNX Runtime describes, a kernel belongs to the event that it
 * runs in, and that is learnt.  In one that is only timed nothing is described:
 * the kernel itself says which operator it is.  One that is not known makes the
 * whole inference useless, and nothing of it is told.
 *
 * While kernels are timed, next to nothing is done and little memory touched,
 * or they would find the caches colder than they are without us: who they are
 * is looked up, and told, when all is over.
 *
 * Kernels may call others as part of their own work.  Such a helper is one that
 * runs within another and has no event of its own. */
#include "base/compiler.h"
#include "hook/ops.h"
#include "hook/table.h"

#define KERNELS 65536 /* a power of 2 */
#define NESTED  32
#define HELPER  1 /* no operator has that id */

#define NOTEBOOKS 16    /* runs timed at the same time */
#define LINES     16384 /* a run of more kernels is not timed */

_Thread_local uint32_t hook_kernel_watch;

struct running {
    const void *kernel;
    uintptr_t stack;
    uint64_t start;
    uint32_t event; /* how many were begun when it was */
    bool is_helper; /* while it is described */
};

/* Inner ones come first. */
struct line {
    uint64_t kernel; /* its address, and later the operator's id */
    uint64_t start;
    uint64_t took;
    uint16_t level;
};

static struct notebook {
    _Atomic bool taken;
    uint32_t count;
    struct line lines[LINES];
} notebooks[NOTEBOOKS];

static _Thread_local struct running running[NESTED];
static _Thread_local uint32_t depth;
static _Thread_local struct kernel_watch now;
static _Thread_local struct notebook *notes;

/* From a kernel, and whose it is, to the operator's id. */
static struct table_place known[KERNELS];

static const void *key_of(uintptr_t kernel, uint64_t owner)
{
    return (const void *)(kernel ^
                          (uintptr_t)(owner * UINT64_C(0x9e3779b97f4a7c15)));
}

/* --- a run ---------------------------------------------------------------- */

static struct notebook *take_notebook(void)
{
    for (size_t i = 0; i < NOTEBOOKS; i++)
        if (!atomic_exchange(&notebooks[i].taken, true)) {
            notebooks[i].count = 0;
            return &notebooks[i];
        }
    return NULL;
}

bool kernel_watch(enum kernel_mode mode, uint32_t sample, uint64_t owner)
{
    if (mode == KERNEL_TIMED && !(notes = take_notebook()))
        return false;
    depth = 0;
    now = (struct kernel_watch){ .sample = sample, .owner = owner };
    hook_kernel_watch = mode;
    return true;
}

static void recognise(struct notebook *n)
{
    for (uint32_t i = 0; i < n->count; i++) {
        struct line *l = &n->lines[i];

        l->kernel = table_read(known, KERNELS, key_of(l->kernel, now.owner));
        now.strangers += !l->kernel;
        now.kernels += l->kernel && l->kernel != HELPER;
    }
}

static void tell(const struct notebook *n)
{
    uint32_t thread = channel_thread();

    for (uint32_t i = 0; i < n->count; i++) {
        const struct line *l = &n->lines[i];

        if (l->kernel == HELPER)
            continue;
        channel_send_many(&(struct record){
                .kind = RECORD_OPERATOR_RUN,
                .flags = FLAG_TIMED,
                .operator_run = {
                    .id = l->kernel,
                    .start = l->start,
                    .kernel = l->took ? l->took : 1, /* it was seen */
                    .sample = now.sample,
                    .thread = thread,
                    .level = l->level,
                },
        });
    }
}

struct kernel_watch kernel_unwatch(void)
{
    hook_kernel_watch = KERNEL_LEFT_ALONE;
    if (notes) {
        recognise(notes);
        if (!now.strangers)
            tell(notes);
        atomic_store(&notes->taken, false);
        notes = NULL;
    }
    return now;
}

void kernel_learn(const void *kernel, uint64_t id)
{
    _Atomic uint64_t *word =
            kernel && now.owner ? table_word(known, KERNELS,
                                          key_of((uintptr_t)kernel, now.owner))
                                : NULL;

    if (word)
        atomic_store(word, id);
    else
        now.strangers++;
    now.kernels++;
}

/* --- one kernel ----------------------------------------------------------- */

/* Those below us on the stack were left by an exception. */
static inline void drop_below(uintptr_t stack)
{
    while (depth && running[depth - 1].stack < stack)
        depth--;
}

static void describe(struct running *r)
{
    r->event = operator_depth();
    r->is_helper = depth > 1 && running[depth - 2].event == r->event;
    if (r->is_helper && now.owner)
        table_write(known, KERNELS, key_of((uintptr_t)r->kernel, now.owner),
                HELPER);
}

HOT void hook_kernel_entered(const void *kernel, uintptr_t stack)
{
    drop_below(stack + 1);
    if (depth == NESTED) {
        now.strangers++;
        now.too_many = true;
        return;
    }

    struct running *r = &running[depth++];

    r->kernel = kernel;
    r->stack = stack;
    if (!notes)
        describe(r);
    r->start = channel_now();
}

static inline void note(const struct running *r, uint64_t end)
{
    if (notes->count == LINES) {
        now.strangers++;
        now.too_many = true;
        return;
    }
    notes->lines[notes->count++] = (struct line){
        .kernel = (uintptr_t)r->kernel,
        .start = r->start,
        .took = end - r->start,
        .level = (uint16_t)depth,
    };
}

HOT void hook_kernel_left(uintptr_t stack)
{
    uint64_t end = channel_now();

    drop_below(stack);

    const struct running *r = depth ? &running[depth - 1] : NULL;

    if (!r || r->stack != stack) /* it had no place */
        return;
    if (notes)
        note(r, end);
    else if (!r->is_helper)
        operator_kernel(r->kernel, r->start, end);
    depth--;
}
