/* target_names_linux.c -- see glob(7), proc(5). */
#include "sample/process/target_names_linux.h"

#include "base/alloc.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void target_names_init(struct target_names *n, const char *const *globs,
        size_t count)
{
    n->globs = alloc_zero(count + 1, sizeof(*n->globs));
    for (n->count = 0; n->count < count; n->count++)
        n->globs[n->count] = alloc_text(globs[n->count]);
}

void target_names_release(struct target_names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->globs[i]);
    free(n->globs);
}

static bool fits(const struct target_names *n, struct str name)
{
    char text[256];

    if (name.len >= sizeof(text))
        return false;
    memcpy(text, name.p, name.len);
    text[name.len] = 0;
    for (size_t i = 0; i < n->count; i++)
        if (fnmatch(n->globs[i], text, 0) == 0)
            return true;
    return false;
}

/* A program whose file was replaced has this behind its name. */
static struct str without_mark(struct str path)
{
    static const char mark[] = " (deleted)";
    size_t len = sizeof(mark) - 1;

    if (path.len > len && !memcmp(path.p + path.len - len, mark, len))
        path.len -= len;
    return path;
}

bool target_names_fit(const struct target_names *n, int proc_fd, uint64_t pid,
        struct str name)
{
    char link[32], path[4096];

    if (!n->count)
        return false;
    if (fits(n, name))
        return true;
    (void)snprintf(link, sizeof(link), "%llu/exe", (unsigned long long)pid);

    ssize_t len = readlinkat(proc_fd, link, path, sizeof(path));

    if (len <= 0 || (size_t)len == sizeof(path))
        return false;
    return fits(n,
            str_after_last(without_mark((struct str){ path, (size_t)len }),
                    '/'));
}
