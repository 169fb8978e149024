#include "hook/ops/kernel_tables.h"

#define KERNEL_CLASS "N11onnxruntime8OpKernelE"

/* OpKernel cannot be made: it has no destructors, and where Compute would be
 * stands a function of the C++ library's that ends the program. */
static bool is_abstract(const struct class_image *image, const uintptr_t *f)
{
    return !f[0] && !f[KERNEL_DESTROY] && f[KERNEL_COMPUTE] &&
           class_is_foreign(image, f[KERNEL_COMPUTE]) &&
           class_is_function(image, f[KERNEL_COMPUTE + 1]);
}

static bool are_functions(const struct class_image *image, const uintptr_t *f,
        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!class_is_function(image, f[i]))
            return false;
    return true;
}

size_t kernel_tables_find(uintptr_t **out, size_t most,
        struct class_table *room, const struct class_image *image)
{
    size_t found = class_tables_find(room, most, image, KERNEL_CLASS,
            KERNEL_COMPUTE + 2);
    bool as_expected = false;
    size_t count = 0;

    for (size_t i = 0; i < found; i++) {
        const uintptr_t *f = room[i].functions;

        if (room[i].is_base && is_abstract(image, f))
            as_expected = true;
        else if (are_functions(image, f, KERNEL_COMPUTE + 1))
            out[count++] = (uintptr_t *)(uintptr_t)f;
    }
    return as_expected ? count : 0;
}
