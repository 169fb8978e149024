/* kernels_linux.c -- takes the place of Compute in ONNX Runtime's kernels.
 *
 * Their tables lie among what the loader makes read-only once it is done; they
 * are opened for the moment in which the entries are replaced, one word each,
 * while others may be calling through them. */
#include "hook/elf.h"
#include "hook/kernel_tables.h"
#include "hook/ops.h"

#include <stdatomic.h>
#include <sys/mman.h>

#define KERNEL_FUNCTIONS 2048 /* entries in kernels_x86_64.S, */
#define KERNEL_ENTRY     16   /* and bytes of each */
#define TABLES           4096

extern const char hook_kernel_entries[];
/* Read by the entries: what each stands for. */
extern uintptr_t hook_kernel_functions[KERNEL_FUNCTIONS];
uintptr_t hook_kernel_functions[KERNEL_FUNCTIONS];
static size_t functions; /* libraries are patched one after the other */

static struct kernel_image image_of(const struct candidate *c)
{
    const uintptr_t *one = (const uintptr_t *)elf_imports(c->base, c->dynamic,
            "_ZTVN10__cxxabiv120__si_class_type_infoE");
    const uintptr_t *more = (const uintptr_t *)elf_imports(c->base, c->dynamic,
            "_ZTVN10__cxxabiv121__vmi_class_type_infoE");
    struct kernel_image image = {
        .data = { c->relro_start, c->relro_end, false },
        .one_base = one ? *one : 0,
        .more_bases = more ? *more : 0,
    };

    for (size_t i = 0; i < c->segment_count && i < KERNEL_RANGES; i++)
        image.readable[image.readable_count++] =
                (struct kernel_range){ c->segments[i].start, c->segments[i].end,
                    c->segments[i].executable };
    return image;
}

/* The entry that stands for the function; 0: there are no more. */
static uintptr_t entry_for(uintptr_t function)
{
    size_t i = 0;

    while (i < functions && hook_kernel_functions[i] != function)
        i++;
    if (i == KERNEL_FUNCTIONS)
        return 0;
    if (i == functions)
        hook_kernel_functions[functions++] = function;
    return (uintptr_t)hook_kernel_entries + i * KERNEL_ENTRY;
}

bool kernels_install(const struct candidate *c)
{
    static uintptr_t *tables[TABLES];
    struct kernel_image image = image_of(c);
    void *start = (void *)c->relro_start;
    size_t bytes = c->relro_end - c->relro_start;
    size_t count = image.one_base && image.more_bases
                           ? kernel_tables_find(tables, TABLES, &image)
                           : 0;

    if (!count || mprotect(start, bytes, PROT_READ | PROT_WRITE))
        return false;
    for (size_t i = 0; i < count; i++) {
        uintptr_t entry = entry_for(*tables[i]);

        if (entry)
            atomic_store((_Atomic uintptr_t *)tables[i], entry);
    }
    (void)mprotect(start, bytes, PROT_READ);
    return true;
}
