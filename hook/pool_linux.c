/* pool_linux.c -- keeps a session's pool of threads from profiling itself in
 * runs that we describe.
 *
 * ONNX Runtime switches that on before each kernel and off behind it, for the
 * pool as a whole.  A run beside it that finds it on in the midst of its own
 * work, or off, fails with an error, or ends the process.  So in a thread whose
 * run we have described, nothing is switched; what comes of it would be a text
 * that we do not use.  Profiling by the program is as it was. */
#include "hook/elf.h"
#include "hook/kernel_tables.h"
#include "hook/ops.h"

#include <stdatomic.h>

/* As the C++ library has had it since its version 5. */
struct cpp_string {
    char *text;
    size_t len;
    char within[16];
};

/* Takes a string of that kind: std::runtime_error's constructor. */
#define CPP_STRING_USER                           \
    "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic" \
    "_stringIcSt11char_traitsIcESaIcEEE"

typedef void (*pool_start)(void *pool);
typedef struct cpp_string *(*pool_stop)(struct cpp_string *out, void *pool);

static struct {
    pool_start start;
    pool_stop stop;
} real[LIBRARIES];

static bool is_ours(void)
{
    return hook_kernel_watch == KERNEL_DESCRIBED;
}

static void start(size_t library, void *pool)
{
    if (!is_ours())
        real[library].start(pool);
}

static struct cpp_string *stop(size_t library, struct cpp_string *out,
        void *pool)
{
    if (!is_ours())
        return real[library].stop(out, pool);
    *out = (struct cpp_string){ .text = out->within };
    return out;
}

#define POOL(n)                                                            \
    static void start_##n(void *pool)                                      \
    {                                                                      \
        start(n, pool);                                                    \
    }                                                                      \
    static struct cpp_string *stop_##n(struct cpp_string *out, void *pool) \
    {                                                                      \
        return stop(n, out, pool);                                         \
    }

/* clang-format off */
POOL(0) POOL(1) POOL(2) POOL(3) POOL(4) POOL(5) POOL(6) POOL(7)
        /* clang-format on */

        static const struct {
    pool_start start;
    pool_stop stop;
} ours[LIBRARIES] = { { start_0, stop_0 }, { start_1, stop_1 },
    { start_2, stop_2 }, { start_3, stop_3 }, { start_4, stop_4 },
    { start_5, stop_5 }, { start_6, stop_6 }, { start_7, stop_7 } };

bool pool_install(const struct candidate *c, uint8_t library)
{
    struct class_image image;
    uintptr_t *table = elf_imports(c->base, c->dynamic, CPP_STRING_USER) &&
                                       classes_image(&image, c)
                               ? pool_table_find(&image)
                               : NULL;

    if (!table || !classes_open(c))
        return false;
    real[library].start = (pool_start)table[POOL_START];
    real[library].stop = (pool_stop)table[POOL_STOP];
    atomic_store((_Atomic uintptr_t *)&table[POOL_STOP],
            (uintptr_t)ours[library].stop);
    atomic_store((_Atomic uintptr_t *)&table[POOL_START],
            (uintptr_t)ours[library].start);
    classes_close(c);
    return true;
}
