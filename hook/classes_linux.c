/* classes_linux.c -- a loaded library as class_tables.h wants to see it, and
 * its tables open for writing: they lie among what the loader makes read-only
 * once it is done. */
#include "hook/class_tables.h"
#include "hook/elf.h"
#include "hook/ops.h"

#include <sys/mman.h>

bool classes_image(struct class_image *out, const struct candidate *c)
{
    const uintptr_t *one = (const uintptr_t *)elf_imports(c->base, c->dynamic,
            "_ZTVN10__cxxabiv120__si_class_type_infoE");
    const uintptr_t *more = (const uintptr_t *)elf_imports(c->base, c->dynamic,
            "_ZTVN10__cxxabiv121__vmi_class_type_infoE");

    if (!one || !more)
        return false;
    *out = (struct class_image){
        .data = { c->relro_start, c->relro_end, false },
        .one_base = *one,
        .more_bases = *more,
    };
    for (size_t i = 0; i < c->segment_count && i < CLASS_RANGES; i++)
        out->readable[out->readable_count++] =
                (struct class_range){ c->segments[i].start, c->segments[i].end,
                    c->segments[i].executable };
    return true;
}

static bool protect(const struct candidate *c, int how)
{
    return mprotect((void *)c->relro_start, c->relro_end - c->relro_start,
                   how) == 0;
}

bool classes_open(const struct candidate *c)
{
    return protect(c, PROT_READ | PROT_WRITE);
}

void classes_close(const struct candidate *c)
{
    (void)protect(c, PROT_READ);
}
