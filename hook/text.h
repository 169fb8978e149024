/* text.h -- comparing text without the C library, which may not be ready when
 * a sanitizer calls dlsym() before anything else of the process runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline bool text_is(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static inline bool text_begins(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

static inline bool text_has(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return *text != 0;
}

static inline bool text_contains(const char *text, const char *part)
{
    for (; *text; text++)
        if (text_begins(text, part))
            return true;
    return false;
}

static inline size_t text_len(const char *text)
{
    size_t n = 0;

    while (text[n])
        n++;
    return n;
}
