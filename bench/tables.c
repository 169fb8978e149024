/* tables.c -- what the loader makes read-only once it is done holds the tables;
 * it is small enough to be kept and compared whole. */
#include "bench/tables.h"

#include "base/alloc.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct tables {
    uintptr_t *start; /* of whole pages */
    size_t count;     /* of words */
    uintptr_t *before;
    struct change {
        uintptr_t *word;
        uintptr_t before, after;
    } * changes;
    size_t changed;
};

struct sought {
    uintptr_t address;
    uintptr_t start, end;
};

static int look(struct dl_phdr_info *o, size_t size, void *to)
{
    struct sought *s = to;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    bool is_it = false;

    (void)size;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        uintptr_t at = o->dlpi_addr + p->p_vaddr;

        is_it |= p->p_type == PT_LOAD && s->address >= at &&
                 s->address - at < p->p_memsz;
        if (p->p_type == PT_GNU_RELRO) {
            s->start = at & ~(page - 1);
            s->end = (at + p->p_memsz) & ~(page - 1);
        }
    }
    return is_it;
}

struct tables *tables_remember(const void *address)
{
    struct sought s = { .address = (uintptr_t)address };

    if (!dl_iterate_phdr(look, &s) || s.end <= s.start)
        return NULL;

    struct tables *t = alloc_zero(1, sizeof(*t));

    t->start = (uintptr_t *)s.start;
    t->count = (s.end - s.start) / sizeof(*t->start);
    t->before = alloc_zero(t->count, sizeof(*t->before));
    memcpy(t->before, t->start, s.end - s.start);
    return t;
}

int tables_compare(struct tables *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->start[i] == t->before[i])
            continue;
        t->changes = alloc_resize(t->changes,
                (t->changed + 1) * sizeof(*t->changes));
        t->changes[t->changed++] =
                (struct change){ &t->start[i], t->before[i], t->start[i] };
    }
    if (mprotect(t->start, t->count * sizeof(*t->start),
                PROT_READ | PROT_WRITE) != 0)
        return -1;
    return (int)t->changed;
}

void tables_put(const struct tables *t, bool as_before)
{
    for (size_t i = 0; i < t->changed; i++) {
        const struct change *c = &t->changes[i];

        *c->word = as_before ? c->before : c->after;
    }
}

void tables_free(struct tables *t)
{
    if (!t)
        return;
    free(t->changes);
    free(t->before);
    free(t);
}
