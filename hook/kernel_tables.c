#include "hook/kernel_tables.h"

#define BASE_CLASS "N11onnxruntime8OpKernelE"

/* A class that is further from its base is none of ours. */
#define DISTANCE_MOST 16
#define BASES_MOST    16

/* Of a base, among several: it is virtual; how far it is, from this bit on. */
#define BASE_VIRTUAL   1
#define BASE_OFFSET_AT 8

static bool is_aligned(uintptr_t at)
{
    return at % sizeof(uintptr_t) == 0;
}

/* The words at `at`; NULL: they are not all in the data. */
static const uintptr_t *words(const struct kernel_image *image, uintptr_t at,
        size_t count)
{
    if (!is_aligned(at) || at < image->data.start || at >= image->data.end ||
            (image->data.end - at) / sizeof(uintptr_t) < count)
        return NULL;
    return (const uintptr_t *)at;
}

static const struct kernel_range *range_of(const struct kernel_image *image,
        uintptr_t at)
{
    for (size_t i = 0; i < image->readable_count; i++)
        if (at >= image->readable[i].start && at < image->readable[i].end)
            return &image->readable[i];
    return NULL;
}

static bool is_function(const struct kernel_image *image, uintptr_t at)
{
    const struct kernel_range *r = range_of(image, at);

    return r && r->executable;
}

static bool is_base_class(const struct kernel_image *image, uintptr_t name)
{
    const struct kernel_range *r = range_of(image, name);

    if (!r || r->end - name < sizeof(BASE_CLASS))
        return false;
    for (size_t i = 0; i < sizeof(BASE_CLASS); i++)
        if (((const char *)name)[i] != BASE_CLASS[i])
            return false;
    return true;
}

/* The base that an object begins with; 0: it has none, or this is no
 * description. */
static uintptr_t first_base(const struct kernel_image *image,
        uintptr_t description)
{
    const uintptr_t *d = words(image, description, 3);

    if (!d)
        return 0;
    if (d[0] == image->one_base)
        return d[2];
    if (d[0] != image->more_bases)
        return 0;

    size_t count = (size_t)(d[2] >> 32);

    if (count > BASES_MOST || !words(image, description, 3 + 2 * count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        uintptr_t where = d[4 + 2 * i];

        if (!(where & BASE_VIRTUAL) && where >> BASE_OFFSET_AT == 0)
            return d[3 + 2 * i];
    }
    return 0;
}

static bool is_kernel(const struct kernel_image *image, uintptr_t description,
        uintptr_t base_class)
{
    for (int i = 0; i < DISTANCE_MOST && description; i++) {
        if (description == base_class)
            return true;
        description = first_base(image, description);
    }
    return false;
}

/* OpKernel's description: what is not derived itself, and has the name. */
static uintptr_t find_base_class(const struct kernel_image *image)
{
    for (uintptr_t at = image->data.start;; at += sizeof(uintptr_t)) {
        const uintptr_t *d = words(image, at, 2);

        if (!d)
            return 0;
        if (d[0] && !range_of(image, d[0]) && is_base_class(image, d[1]))
            return at;
    }
}

/* OpKernel cannot be made: it has no destructors, and where Compute would be
 * stands a function of the C++ library's that ends the program. */
static bool is_base_table(const struct kernel_image *image,
        const uintptr_t *functions)
{
    uintptr_t compute = functions[KERNEL_COMPUTE];

    return !functions[0] && !functions[1] && compute &&
           !range_of(image, compute) &&
           is_function(image, functions[KERNEL_COMPUTE + 1]);
}

static bool is_table(const struct kernel_image *image,
        const uintptr_t *functions)
{
    for (size_t i = 0; i <= KERNEL_COMPUTE; i++)
        if (!is_function(image, functions[i]))
            return false;
    return true;
}

size_t kernel_tables_find(uintptr_t **out, size_t most,
        const struct kernel_image *image)
{
    uintptr_t base_class = find_base_class(image);
    bool as_expected = false;
    size_t count = 0;

    for (uintptr_t at = image->data.start; base_class;
            at += sizeof(uintptr_t)) {
        const uintptr_t *t = words(image, at, 2 + KERNEL_COMPUTE + 2);

        if (!t)
            break;
        if (t[0] || !is_kernel(image, t[1], base_class))
            continue;
        if (t[1] == base_class && is_base_table(image, t + 2))
            as_expected = true;
        else if (count < most && is_table(image, t + 2))
            out[count++] = (uintptr_t *)(at) + 2 + KERNEL_COMPUTE;
    }
    return as_expected ? count : 0;
}
