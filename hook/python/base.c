/* base.c -- finds the OrtApiBase of an ONNX Runtime that does not export it.
 *
 * It is a constant of two pointers: to a function that returns the table, and
 * to one that returns the version, whose code is always the same three
 * instructions.  It is looked for among the constants that the loader wrote;
 * tables of functions, which have pointers to code on either side, are not
 * it. */
#include "hook/python/python.h"

#include <sys/mman.h>

static bool in_segment(const struct image *i, uintptr_t at, size_t bytes,
        bool executable)
{
    for (size_t k = 0; k < i->segment_count; k++) {
        const struct segment *s = &i->segments[k];

        /* By differences: what is compared may be any number. */
        if (at >= s->start && at < s->end && bytes <= s->end - at &&
                s->protection & PROT_READ &&
                !(s->protection & PROT_EXEC) == !executable)
            return true;
    }
    return false;
}

#define VERSION_TEXT 16 /* room to look at it */

static bool is_version(const struct image *i, uintptr_t at)
{
    return in_segment(i, at, VERSION_TEXT, false) &&
           library_minor((const char *)at) != 0;
}

/* [endbr64]; lea rax, [text]; ret */
static bool returns_version(const struct image *i, uintptr_t at)
{
    static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    static const uint8_t lea[] = { 0x48, 0x8d, 0x05 };
    const uint8_t *code = (const uint8_t *)at;
    size_t n = 0;

    if (!in_segment(i, at, 12, true))
        return false;
    while (n < sizeof(endbr) && code[n] == endbr[n])
        n++;
    code += n == sizeof(endbr) ? sizeof(endbr) : 0;
    for (n = 0; n < sizeof(lea); n++)
        if (code[n] != lea[n])
            return false;

    uint32_t distance = 0;

    for (int k = 3; k >= 0; k--)
        distance = distance << 8 | code[3 + k];
    return code[7] == 0xc3 &&
           is_version(i, (uintptr_t)(code + 7) + (intptr_t)(int32_t)distance);
}

static bool is_code(const struct image *i, uintptr_t at)
{
    return in_segment(i, at, 1, true);
}

const struct ort_api_base *base_find(const struct image *i)
{
    const uintptr_t *first = (const uintptr_t *)i->relro_start;
    const uintptr_t *end = (const uintptr_t *)i->relro_end;
    const struct ort_api_base *found = NULL;

    for (const uintptr_t *p = first; end - p >= 2; p++) {
        if (!is_code(i, p[0]) || !is_code(i, p[1]))
            continue;
        if ((p > first && is_code(i, p[-1])) ||
                (end - p > 2 && is_code(i, p[2])) || !returns_version(i, p[1]))
            continue;
        if (found)
            return NULL; /* which one?  Better none */
        found = (const struct ort_api_base *)p;
    }
    return found;
}
