#include "hook/kernel_tables.h"

#include <string.h>

#define KERNEL_CLASS "N11onnxruntime8OpKernelE"
#define POOL_CLASS   "N11onnxruntime11concurrency27ExtendedThreadPoolInterfaceE"

#define TABLES 4096

/* --- kernels -------------------------------------------------------------- */

/* OpKernel cannot be made: it has no destructors, and where Compute would be
 * stands a function of the C++ library's that ends the program. */
static bool is_abstract(const struct class_image *image, const uintptr_t *f)
{
    return !f[0] && !f[1] && f[KERNEL_COMPUTE] &&
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
        const struct class_image *image)
{
    static struct class_table tables[TABLES];
    size_t found = class_tables_find(tables, TABLES, image, KERNEL_CLASS,
            KERNEL_COMPUTE + 2);
    bool as_expected = false;
    size_t count = 0;

    for (size_t i = 0; i < found; i++) {
        const uintptr_t *f = tables[i].functions;

        if (tables[i].is_base && is_abstract(image, f))
            as_expected = true;
        else if (count < most && are_functions(image, f, KERNEL_COMPUTE + 1))
            out[count++] = (uintptr_t *)(uintptr_t)(f + KERNEL_COMPUTE);
    }
    return as_expected ? count : 0;
}

/* --- pools of threads ----------------------------------------------------- */

/* Of machine code for x86-64: at most so much of a function is looked at. */
#define CODE 24

/* The function's code; NULL: it is not all there. */
static const unsigned char *code_of(const struct class_image *image,
        uintptr_t at)
{
    static const unsigned char landing[] = { 0xf3, 0x0f, 0x1e, 0xfa };

    if (!class_is_function(image, at) ||
            !class_is_function(image, at + CODE + sizeof(landing)))
        return NULL;

    const unsigned char *code = (const unsigned char *)at;

    return memcmp(code, landing, sizeof(landing)) == 0 ? code + sizeof(landing)
                                                       : code;
}

/* add $part, %rdi; jmp: the object's part does it.  0: it is something else. */
static unsigned char passes_on(const unsigned char *code)
{
    static const unsigned char add[] = { 0x48, 0x83, 0xc7 };

    return memcmp(code, add, sizeof(add)) == 0 && code[4] == 0xe9 ? code[3] : 0;
}

/* add $part, %rsi, soon: the same where a text is returned. */
static bool passes_to(const unsigned char *code, unsigned char part)
{
    const unsigned char add[] = { 0x48, 0x83, 0xc6, part };

    for (size_t i = 0; i + sizeof(add) <= CODE; i++)
        if (memcmp(code + i, add, sizeof(add)) == 0)
            return true;
    return false;
}

static bool is_pool(const struct class_image *image, const uintptr_t *f)
{
    if (!are_functions(image, f, POOL_FUNCTIONS) ||
            class_is_function(image, f[POOL_FUNCTIONS]))
        return false;

    const unsigned char *start = code_of(image, f[POOL_START]);
    const unsigned char *stop = code_of(image, f[POOL_STOP]);
    unsigned char part = start ? passes_on(start) : 0;

    return part && stop && passes_to(stop, part);
}

uintptr_t *pool_table_find(const struct class_image *image)
{
    struct class_table tables[2];
    size_t found =
            class_tables_find(tables, 2, image, POOL_CLASS, POOL_FUNCTIONS + 1);

    return found == 1 && is_pool(image, tables[0].functions)
                   ? (uintptr_t *)(uintptr_t)tables[0].functions
                   : NULL;
}
