#include "import/import.h"

#include <string.h>

const char *import_text(struct buf *b, struct str text)
{
    buf_clear(b);
    if (!text.len)
        return NULL;
    while (text.len) {
        const char *nul = memchr(text.p, 0, text.len);
        size_t len = nul ? (size_t)(nul - text.p) : text.len;

        buf_add(b, text.p, len);
        if (nul)
            buf_text(b, "\xef\xbf\xbd");
        text.p += len + (nul != NULL);
        text.len -= len + (nul != NULL);
    }
    return buf_cstr(b);
}

/* FNV-1a; the length keeps texts apart that follow each other. */
uint64_t import_hash(uint64_t hash, struct str text)
{
    hash ^= UINT64_C(14695981039346656037) + text.len;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.p[i]) * UINT64_C(1099511628211);
    return hash;
}
