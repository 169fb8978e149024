#include "hook/ops/class_tables.h"

/* A class that is further from its base is none of these. */
#define DISTANCE_MAX 16
#define BASES_MAX    16

/* Of a base, among several: it is virtual; how far it is, from this bit on. */
#define BASE_VIRTUAL   1
#define BASE_OFFSET_AT 8

/* A table's head: 0, and its description. */
#define HEAD 2

/* The words at `at`; NULL: they are not all in the data. */
static const uintptr_t *words_at(const struct class_image *image, uintptr_t at,
        size_t count)
{
    if (at % sizeof(uintptr_t) || at < image->data.start ||
            at >= image->data.end ||
            (image->data.end - at) / sizeof(uintptr_t) < count)
        return NULL;
    return (const uintptr_t *)at;
}

static const struct class_range *range_of(const struct class_image *image,
        uintptr_t at)
{
    for (size_t i = 0; i < image->readable_count; i++)
        if (at >= image->readable[i].start && at < image->readable[i].end)
            return &image->readable[i];
    return NULL;
}

bool class_is_function(const struct class_image *image, uintptr_t at)
{
    const struct class_range *r = range_of(image, at);

    return r && r->executable;
}

bool class_is_foreign(const struct class_image *image, uintptr_t at)
{
    return !range_of(image, at);
}

static bool is_text(const struct class_image *image, uintptr_t at,
        const char *text)
{
    const struct class_range *r = range_of(image, at);

    for (; r && at < r->end; at++, text++) {
        if (*(const char *)at != *text)
            return false;
        if (!*text)
            return true;
    }
    return false;
}

/* The base that an object begins with; 0: it has none, or this is no
 * description. */
static uintptr_t first_base(const struct class_image *image,
        uintptr_t description)
{
    const uintptr_t *d = words_at(image, description, 3);

    if (!d)
        return 0;
    if (d[0] == image->one_base)
        return d[2];
    if (d[0] != image->more_bases)
        return 0;

    size_t count = (size_t)(d[2] >> 32);

    if (count > BASES_MAX || !words_at(image, description, 3 + 2 * count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        uintptr_t where = d[4 + 2 * i];

        if (!(where & BASE_VIRTUAL) && where >> BASE_OFFSET_AT == 0)
            return d[3 + 2 * i];
    }
    return 0;
}

static bool is_derived(const struct class_image *image, uintptr_t description,
        uintptr_t base)
{
    for (int i = 0; i < DISTANCE_MAX && description; i++) {
        if (description == base)
            return true;
        description = first_base(image, description);
    }
    return false;
}

/* Descriptions begin with an address in the C++ library, and the name. */
static uintptr_t find_description(const struct class_image *image,
        const char *name)
{
    for (uintptr_t at = image->data.start;; at += sizeof(uintptr_t)) {
        const uintptr_t *d = words_at(image, at, 2);

        if (!d)
            return 0;
        if (d[0] && class_is_foreign(image, d[0]) && is_text(image, d[1], name))
            return at;
    }
}

size_t class_tables_find(struct class_table *out, size_t most,
        const struct class_image *image, const char *name, size_t words)
{
    uintptr_t base = find_description(image, name);
    size_t count = 0;

    for (uintptr_t at = image->data.start; base && count < most;
            at += sizeof(uintptr_t)) {
        const uintptr_t *t = words_at(image, at, HEAD + words);

        if (!t)
            break;
        if (!t[0] && is_derived(image, t[1], base))
            out[count++] = (struct class_table){ t + HEAD, t[1] == base };
    }
    return count;
}
