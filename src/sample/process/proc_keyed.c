#include "sample/process/proc_keyed.h"

#include "os/kernel_text.h"

#include <string.h>

/* Finds the key that a line begins with, beginning at `from`, where it should
 * be.  `count`: none. */
static size_t find_key(struct str line, const char *const *keys, size_t count,
        size_t from)
{
    for (size_t n = 0; n < count; n++) {
        size_t i = (from + n) % count;

        if (line.p[0] == keys[i][0] && str_starts(line, keys[i]) &&
                line.len > strlen(keys[i]) && line.p[strlen(keys[i])] == ':')
            return i;
    }
    return count;
}

uint32_t proc_keyed_parse(uint64_t *values, const char *const *keys,
        size_t count, struct str text)
{
    uint32_t all = count < 32 ? (1U << count) - 1 : UINT32_MAX;
    uint32_t found = 0;
    size_t next = 0;

    while (found != all && text.len) {
        const char *end = memchr(text.p, '\n', text.len);

        if (!end)
            break;

        struct str line = { text.p, (size_t)(end - text.p) };
        size_t i = line.len ? find_key(line, keys, count, next) : count;

        text = (struct str){ end + 1, text.len - line.len - 1 };
        if (i == count || found & 1U << i)
            continue;
        if (text_size(&values[i], str_after(line, ':')) == 0)
            found |= 1U << i;
        next = i + 1;
    }
    return found;
}
