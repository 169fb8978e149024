/* ops.h -- traces inferences: which operators ran, and for how long.
 *
 *     choose.c         which inferences: all, one in N, or as the budget allows
 *     trace.c          an inference that is traced, and its kernels' lines
 *     owner.c          whose kernel it is that runs on another thread
 *     kernel.c         who a kernel is, read from the kernel itself
 *     tensor.c         its inputs and outputs
 *     values.c         what the outputs hold, in figures
 *     heads.c          where attention looks, head by head
 *     install_linux.c  takes the place of the kernels' functions
 *                      (class_tables.c, kernel_tables.c find them,
 *                      entries_x86_64.S stands there)
 *     threads.c        what is kept of a thread
 *
 * Every operator of a session is an object, its kernel, whose virtual function
 * Compute runs it.  The word in the class's table that leads to Compute leads
 * to us instead; we take the time around it and, at first sight, read who it
 * is.  So does the word of the destructor: a kernel's address may come back.
 *
 * Nothing of this exists before somebody asks for operators. */
#pragma once

#include "hook/hook.h"
#include "wire/ring.h"

#include <stdatomic.h>

/* --- install_linux.c ------------------------------------------------------ */

/* Redirects the library's kernels, if that is wanted and not done yet. */
void ops_install(struct library *lib);
/* Is anything to be traced?  Then the library's kernels have to pass by us. */
static inline bool ops_wanted(struct library *lib)
{
    if (!channel_traces())
        return false;
    if (lib->tracing == TRACING_OFF)
        ops_install(lib);
    return lib->tracing == TRACING_ON;
}
/* Its kernels are not as we know them: they are left alone from now on. */
void ops_give_up(struct library *lib);
/* After fork(), in the child: what was told or begun in the parent is the
 * parent's. */
void ops_in_child(void);
/* A provider was added: it may have brought a library with kernels. */
void ops_install_providers(struct library *lib);

/* An entry's number leads to what it stands for.  As the entries in
 * entries_x86_64.S have it. */
#define OPS_ENTRIES    4096 /* of either kind, */
#define OPS_ENTRY_SIZE 16   /* and bytes of each */

struct ops_functions {
    uintptr_t compute[OPS_ENTRIES];
    uintptr_t destroy[OPS_ENTRIES];
    uint8_t library[OPS_ENTRIES]; /* of a Compute: its index */
};

extern struct ops_functions *hook_functions; /* NULL: none is taken */

/* Kernels are timed while this is not 0: traced inferences under way. */
extern _Atomic uint32_t hook_traces;

/* What the entries call around a kernel.  `stack` is where the entry stands on
 * the stack: it tells one call from another. */
void hook_kernel_entered(const void *kernel, const void *context,
        uintptr_t stack, uint32_t number);
void hook_kernel_left(uintptr_t stack);
/* Before it is destroyed. */
void hook_kernel_ends(const void *kernel);

/* --- trace.c -------------------------------------------------------------- */

/* Records that are sent together: a ring is a place where two cores meet. */
#define TRACE_BATCH 16

/* The kernels of a session's last inference on this thread, in their order, all
 * of them known: most inferences are like the one before, and what lies in a
 * row is quicker to look at than what lies anywhere. */
#define PATH_KERNELS 500

struct path {
    const struct ort_session *session;
    uint64_t generation; /* kernel_generation() */
    uint32_t count;
    const void *kernel[PATH_KERNELS];
};

/* An inference under way, traced or not: so that kernels on other threads find
 * whose they are. */
struct trace {
    _Atomic uintptr_t stack; /* of Run's caller; RunAsync's: the execution
                                frame; 0: none */
    _Atomic uint32_t id;     /* 0 or TRACE_NONE: it is not traced */
    _Atomic bool shapes;     /* of its kernels are to be sent, */
    bool values;             /* and figures of their values */
    bool weighed;            /* what its lines cost is measured */
    struct record batch[TRACE_BATCH]; /* of the thread that called Run: what is
                                         not yet sent */
    uint32_t batched; /* of these; the last may have room for more lines */
    struct path *path;
    struct watched *watched;    /* choose.c */
    uint32_t number;            /* of the session's inferences */
    uint64_t last;              /* when its last line ended */
    uint64_t key;               /* of its inputs' shapes */
    uint64_t doubtful;          /* kernels in the process, when it began */
    uint32_t kernels;           /* of the thread that called Run */
    _Atomic uint32_t elsewhere; /* of others */
    _Atomic uint64_t cost;      /* of all but the lines */
    _Atomic uint64_t repeated;  /* of that: what other inferences have, too */
    uint64_t spent;             /* on lines of the thread that called Run; only
                                   where they are weighed */
    _Atomic uint64_t spent_elsewhere; /* on those of others */
    uint64_t spent_around;            /* before and after Run, as `spent` */
};

/* Of an id: the ring had no room for all of it, so it is not traced any more;
 * or, without a number, it never was. */
#define TRACE_GIVEN_UP (UINT32_C(1) << 31)
#define TRACE_NONE     UINT32_MAX

static inline bool trace_is_traced(const struct trace *t)
{
    uint32_t id = atomic_load_explicit(&t->id, memory_order_relaxed);

    return id && !(id & TRACE_GIVEN_UP);
}

/* What one of its lines cost, in LINE_PARTS; 0: nobody knows. */
#define LINE_PARTS 64

static inline uint64_t trace_line_cost(const struct trace *t)
{
    uint64_t elsewhere =
            atomic_load_explicit(&t->elsewhere, memory_order_relaxed);
    uint64_t spent = t->spent + atomic_load_explicit(&t->spent_elsewhere,
                                        memory_order_relaxed);

    /* Those of other threads always are. */
    if ((!t->weighed && t->kernels) || !(t->kernels + elsewhere))
        return 0;
    return spent * LINE_PARTS / (t->kernels + elsewhere);
}

uint32_t trace_new_id(void);

/* What is done with an inference, and why: choose.c. */
struct choice {
    bool traced, shapes, values, weighed;
    uint64_t key;
    uint64_t since;          /* weighed: when that was decided */
    struct watched *watched; /* NULL: there are too many sessions */
    uint32_t number;
};

/* Around Run: NULL, it is neither traced nor known to be under way.  `stack` is
 * above all that Run puts on the stack. */
struct trace *trace_begin(struct library *lib,
        const struct ort_session *session, const struct ort_value *const *in,
        size_t n_in, uintptr_t stack);
/* What shape_key() would say, of inputs that were not handed over: before it
 * runs, and only if it is traced. */
void trace_key(struct trace *t, uint64_t key);
/* Sends its record, and that of its trace before; `t` may be NULL. */
void trace_end(struct trace *t, struct record *run);

/* The same for RunAsync: before it, and in its callback; or it was refused, and
 * there is none. */
struct choice trace_async_begin(struct library *lib,
        const struct ort_session *session, const struct ort_value *const *in,
        size_t n_in);
void trace_async_end(const struct choice *c, struct record *run,
        uintptr_t stack);
void trace_async_refused(void);
/* The callback of one that began before anything was traced. */
void trace_async_unknown(uintptr_t stack);

void trace_in_child(void);

/* --- threads.c ------------------------------------------------------------ */

#define THREADS_MAX  512 /* at the same time; one more is not traced */
#define THREAD_RUNS  4   /* a kernel may call Run */
#define THREAD_DEPTH 32  /* kernels within kernels */
#define THREAD_TEXT  4096
#define THREAD_PATHS 4 /* a power of 2 */

struct running {
    const void *kernel;
    const void *context;
    uintptr_t stack;
    uint64_t came; /* to us, if it is weighed; else 0 */
    uint64_t start;
    struct trace *trace;
    uint32_t number; /* of the entry that it came by */
};

struct thread {
    _Atomic uint32_t id; /* the system's; 0: nobody's */
    uint32_t depth;      /* in `running` */
    uint32_t runs;       /* in `traces` */
    uintptr_t frame;     /* of another thread's stack, last seen here, */
    struct trace *of;    /* and whose it was */
    struct gil *gil;     /* of the call of Python's that it is in, or NULL */
    struct running running[THREAD_DEPTH];
    struct trace traces[THREAD_RUNS];
    char text[THREAD_TEXT];          /* for names */
    struct path paths[THREAD_PATHS]; /* of the sessions seen last */
};

/* The calling thread's, made at the first call; NULL: there is no room. */
struct thread *thread_make(void);

/* The same, if there was a call before; else NULL. */
static inline struct thread *thread_known(void)
{
    uintptr_t word = hook_thread;

    return word & 1 ? NULL : (struct thread *)word;
}

static inline struct thread *thread_mine(void)
{
    struct thread *t = thread_known();

    return t ? t : thread_make();
}
/* The calling thread is through with it for now, and may end: whoever has it
 * next finds it so. */
static inline void thread_rest(struct thread *me)
{
    uint32_t id = atomic_load_explicit(&me->id, memory_order_relaxed);

    atomic_store_explicit(&me->id, id, memory_order_release);
}
/* All that ever were, in order; NULL: no more.  They are never given back. */
struct thread *thread_number(size_t i);
/* After fork(): only the calling thread is left, in whatever it is. */
void threads_in_child(void);

/* --- owner.c -------------------------------------------------------------- */

/* Whose kernel it is that runs on this thread with that execution frame, and
 * not in a Run that this thread called; NULL: it cannot be told, and that is
 * counted. */
struct trace *owner_of(struct thread *t, uintptr_t frame, uintptr_t stack);
/* Kernels so far whose inference could not be told. */
uint64_t owner_doubtful(void);

/* One more RunAsync is under way, to be traced or not. */
void owner_async_expect(bool traced, bool shapes);
/* Its callback stands there on the stack.  What was kept of it is copied, and
 * is nothing if it was not traced. */
void owner_async_take(struct trace *out, uintptr_t stack);
/* It is over. */
void owner_async_over(void);
void owner_in_child(void);

/* --- choose.c ------------------------------------------------------------- */

/* Which of a session's inferences this is decides. */
struct choice choose(const struct library *lib,
        const struct ort_session *session, const struct ort_value *const *in,
        size_t n_in);
/* The inference of that number took that long; `traced` NULL: it was not. */
void choose_account(struct watched *w, uint32_t number, uint64_t took,
        const struct trace *traced);
void choose_forget(const struct ort_session *session);
/* What tracing an inference of the session usually takes: a line of it, in
 * LINE_PARTS, and what comes before and after all of them.  0: not known. */
uint64_t choose_line_cost(const struct watched *w);
uint64_t choose_cost_around(const struct watched *w);
/* Were inputs of these shapes sent before? */
bool choose_knows(const struct watched *w, uint64_t key);

/* --- kernel.c ------------------------------------------------------------- */

/* A kernel that has just run, in a context that is still there. */
struct kernel {
    struct library *lib;
    const uintptr_t *self;
    const uintptr_t *context;
    const uintptr_t *info; /* kernel_info() */
    uint32_t trace;
    char *text; /* THREAD_TEXT bytes, to read names into */
};

/* ONNX Runtime's description of the kernel; NULL: it is not laid out as we know
 * it, and nothing may be asked about it. */
const uintptr_t *kernel_info(struct library *lib, const uintptr_t *self);
/* The name of the object's class, as the C++ ABI writes it; NULL: it has
 * none. */
const char *kernel_class(const uintptr_t *object);
/* Sends who it is.  False: not all could be sent. */
bool kernel_send(const struct kernel *k, uint64_t parent);

/* Kernels that were sent. */
bool kernel_is_known(const void *kernel);
void kernel_remember(const void *kernel);
/* False: it was not known. */
bool kernel_forget(const void *kernel);
/* Changes whenever one is forgotten. */
uint64_t kernel_generation(void);
void kernels_in_child(void);
/* None of them was sent: there is another collector. */
void kernels_again(void);

/* --- tensor.c ------------------------------------------------------------- */

/* Sends its inputs and outputs, with their names and whether they are constant,
 * or only their shapes.  False: not all could be sent. */
bool tensor_send_all(const struct kernel *k, bool names);
/* Sends figures of the values of its outputs, where these are numbers in the
 * processor's memory. */
void tensor_send_values(const struct kernel *k);

/* --- values.c ------------------------------------------------------------- */

struct values {
    uint64_t elements, read;
    uint64_t nans, infinities, near_zero, negative;
    double mean_abs, std_dev, max_abs; /* of the finite ones */
};

/* False: they are of a type that is not looked at. */
bool values_look(struct values *out, const void *data, int type,
        uint64_t elements);

/* One element of a tensor of a type that values_look() takes. */
double values_element(const void *data, int type, uint64_t i);
bool values_have_type(int type);

/* --- heads.c -------------------------------------------------------------- */

/* The weights of one head: `rows` rows of `row` weights in each of `batch`
 * texts, from `data` on, `stride` elements from text to text. */
struct head_rows {
    const void *data;
    int type;
    uint64_t first, batch, stride, rows, row;
};

struct record_head heads_look(const struct head_rows *h, uint64_t step);
/* Sends them of a kernel's output, if that is a Softmax over weights of heads:
 * [batch, heads, rows, row]. */
void heads_send(const struct kernel *k, size_t output, const struct shape *s,
        const void *data);
