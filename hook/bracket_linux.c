/* bracket_linux.c -- sees ONNX Runtime make and drop text streams.
 *
 * The constructor and destructor of std::ios_base come from the C++ library;
 * ONNX Runtime calls them through two entries of its own table of addresses,
 * which are replaced.  Only that library's entries: nobody else is affected,
 * and outside an inference that is looked into, a call costs a comparison. */
#include "hook/elf.h"
#include "hook/ops.h"
#include "hook/text.h"
#include "hook/wraps.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const names[2] = { "_ZNSt8ios_baseC2Ev",
    "_ZNSt8ios_baseD2Ev" };

struct entries {
    ort_function *at[2];
};

static uintptr_t pointer(const struct candidate *c, const ElfW(Dyn) * dynamic,
        int64_t tag)
{
    const ElfW(Dyn) *d = elf_entry(dynamic, tag);

    if (!d)
        return 0;
    return d->d_un.d_ptr < c->base ? c->base + d->d_un.d_ptr : d->d_un.d_ptr;
}

static uint64_t value(const ElfW(Dyn) * dynamic, int64_t tag)
{
    const ElfW(Dyn) *d = elf_entry(dynamic, tag);

    return d ? d->d_un.d_val : 0;
}

static void look(struct entries *found, const struct candidate *c,
        uintptr_t relocations, uint64_t bytes)
{
    const ElfW(Rela) *r = (const ElfW(Rela) *)relocations;
    const ElfW(Sym) *symbols =
            (const ElfW(Sym) *)pointer(c, c->dynamic, DT_SYMTAB);
    const char *texts = (const char *)pointer(c, c->dynamic, DT_STRTAB);

    if (!r || !symbols || !texts)
        return;
    for (size_t i = 0; i < bytes / sizeof(*r); i++) {
        size_t symbol = ELF64_R_SYM(r[i].r_info);
        const char *name = texts + symbols[symbol].st_name;

        for (int k = 0; symbol && k < 2; k++)
            if (text_is(name, names[k]))
                found->at[k] = (ort_function *)(c->base + r[i].r_offset);
    }
}

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

bool bracket_install(const struct candidate *c, struct library *lib)
{
    struct entries found = { { NULL, NULL } };
    const ort_function *ours = hook_stream_wraps[lib->index];

    look(&found, c, pointer(c, c->dynamic, DT_JMPREL),
            value(c->dynamic, DT_PLTRELSZ));
    look(&found, c, pointer(c, c->dynamic, DT_RELA),
            value(c->dynamic, DT_RELASZ));
    if (!is_resolved(c, found.at[0]) || !is_resolved(c, found.at[1]))
        return false;
    lib->stream_made = *found.at[0];
    lib->stream_gone = *found.at[1];
    return write_entry(c, found.at[0], ours[0]) &&
           write_entry(c, found.at[1], ours[1]);
}
