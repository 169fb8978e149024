/* gil_linux.c -- which part of a call was ONNX Runtime's.
 *
 * A method lets go of the GIL around the inference itself.  The extension keeps
 * the addresses of the two functions of Python for that in its table of
 * imports; there ours take their place, and look at the clock.
 *
 *     called | inputs | let go | inference | wants it | waits | has it |
 * outputs
 */
#include "hook/elf.h"
#include "hook/ops/ops.h"
#include "hook/python/python.h"

#include "base/compiler.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* The call that this thread is in, if it is timed. */
static inline struct gil *timed_call(void)
{
    struct thread *t = thread_known();

    return t ? t->gil : NULL;
}

HOT void gil_begin(struct gil *g)
{
    struct thread *t = thread_mine();

    *g = (struct gil){ .outer = t ? t->gil : NULL };
    if (t)
        t->gil = g;
}

HOT void gil_end(struct gil *g)
{
    struct thread *t = thread_known();

    if (t && t->gil == g)
        t->gil = g->outer;
}

HOT static void *save(void)
{
    void *state = python.PyEval_SaveThread();
    struct gil *current = timed_call();

    if (current) {
        current->taken = 0;
        current->released = channel_now();
    }
    return state;
}

/* Python may end the thread in here, when the program is about to exit. */
HOT static void restore(void *state)
{
    struct gil *current = timed_call();

    if (current)
        current->wanted = channel_now();
    python.PyEval_RestoreThread(state);
    if (current)
        current->taken = channel_now();
}

static bool put(const struct image *i, const char *name, ort_function real,
        ort_function ours)
{
    uintptr_t at = elf_imports(i->base, i->dynamic, name);
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)(at & ~(size - 1));
    bool read_only = at >= i->relro_start && at < i->relro_end;
    _Atomic ort_function *word = (_Atomic ort_function *)at;

    /* Not yet looked up, or another one's: left alone. */
    if (!at || atomic_load(word) != real)
        return at && atomic_load(word) == ours;
    if (mprotect(page, size, PROT_READ | PROT_WRITE))
        return false;
    atomic_store(word, ours);
    if (read_only)
        (void)mprotect(page, size, PROT_READ);
    return true;
}

bool gil_install(const struct image *i)
{
    /* The second first: a lone one would count times that never began. */
    return put(i, "PyEval_RestoreThread",
                   (ort_function)python.PyEval_RestoreThread,
                   (ort_function)restore) &&
           put(i, "PyEval_SaveThread", (ort_function)python.PyEval_SaveThread,
                   (ort_function)save);
}
