/* bracket_linux.c -- sees ONNX Runtime make and drop text streams.
 *
 * The constructor and destructor of std::ios_base come from the C++ library;
 * ONNX Runtime calls them through two entries of its own table of addresses,
 * which are replaced.  Only that library's entries: nobody else is affected,
 * and outside an inference that is looked into, a call costs a comparison. */
#include "hook/elf.h"
#include "hook/ops.h"
#include "hook/wraps.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_entry(const struct candidate *c, ort_function *at,
        ort_function ours)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)at & ~(page - 1);
    bool read_only = start >= c->relro_start && start + page <= c->relro_end;

    if (read_only && mprotect((void *)start, page, PROT_READ | PROT_WRITE))
        return false;
    atomic_store((_Atomic ort_function *)(void *)at, ours);
    if (read_only)
        (void)mprotect((void *)start, page, PROT_READ);
    return true;
}

/* Still at the loader's own code: it would put its answer over ours later. */
static bool is_resolved(const struct candidate *c, const ort_function *at)
{
    uintptr_t there = at ? (uintptr_t)*at : 0;

    return there && (there < c->start || there >= c->end);
}

static ort_function *find(const struct candidate *c, const char *name)
{
    return (ort_function *)elf_imports(c->base, c->dynamic, name);
}

bool bracket_install(const struct candidate *c, struct library *lib)
{
    ort_function *made = find(c, "_ZNSt8ios_baseC2Ev");
    ort_function *gone = find(c, "_ZNSt8ios_baseD2Ev");
    const ort_function *ours = hook_stream_wraps[lib->index];

    if (!is_resolved(c, made) || !is_resolved(c, gone))
        return false;
    lib->stream_made = *made;
    lib->stream_gone = *gone;
    return write_entry(c, made, ours[0]) && write_entry(c, gone, ours[1]);
}
