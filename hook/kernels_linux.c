/* kernels_linux.c -- takes the place of Compute in ONNX Runtime's kernels: one
 * word in each of their tables, while others may be calling through them. */
#include "hook/kernel_tables.h"
#include "hook/ops.h"

#include <stdatomic.h>

#define KERNEL_FUNCTIONS 2048 /* entries in kernels_x86_64.S, */
#define KERNEL_ENTRY     16   /* and bytes of each */
#define TABLES           4096

extern const char hook_kernel_entries[];
/* Read by the entries: what each stands for. */
extern uintptr_t hook_kernel_functions[KERNEL_FUNCTIONS];
uintptr_t hook_kernel_functions[KERNEL_FUNCTIONS];
static size_t functions; /* libraries are patched one after the other */

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
    struct class_image image;
    size_t count = classes_image(&image, c)
                           ? kernel_tables_find(tables, TABLES, &image)
                           : 0;

    if (!count || !classes_open(c))
        return false;
    for (size_t i = 0; i < count; i++) {
        uintptr_t entry = entry_for(*tables[i]);

        if (entry)
            atomic_store((_Atomic uintptr_t *)tables[i], entry);
    }
    classes_close(c);
    return true;
}
