#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *there(void *p)
{
    if (!p) {
        (void)fputs("ortmeter: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *alloc_zero(size_t count, size_t size)
{
    return there(calloc(count ? count : 1, size ? size : 1));
}

void *alloc_resize(void *p, size_t size)
{
    return there(realloc(p, size ? size : 1));
}

char *alloc_text(const char *terminated)
{
    size_t len = strlen(terminated) + 1;

    return memcpy(alloc_resize(NULL, len), terminated, len);
}
