#include "tools/models/names.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

/* A name below a scope, and how often it was asked for. */
struct used {
    char *name;
    int times;
};

struct scope {
    char *path;
    struct used *used;
    size_t used_count;
};

struct names {
    struct scope *scopes;
    size_t scopes_count;
    size_t current;
    char **kept; /* all names that were returned */
    size_t kept_count;
};

/* Makes room for one more behind `count` elements: arrays double when the
 * count is a power of two, so they need no field for their room. */
static void *grow(void *array, size_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    return alloc_resize(array, (count ? 2 * count : 1) * size);
}

struct names *names_new(void)
{
    struct names *n = alloc_zero(1, sizeof(*n));

    names_scope(n, "");
    return n;
}

void names_free(struct names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->scopes_count; i++) {
        struct scope *s = &n->scopes[i];

        for (size_t j = 0; j < s->used_count; j++)
            free(s->used[j].name);
        free(s->used);
        free(s->path);
    }
    free(n->scopes);
    for (size_t i = 0; i < n->kept_count; i++)
        free(n->kept[i]);
    free(n->kept);
    free(n);
}

void names_scope(struct names *n, const char *scope)
{
    size_t i = 0;

    while (i < n->scopes_count && strcmp(n->scopes[i].path, scope) != 0)
        i++;
    n->current = i;
    if (i < n->scopes_count)
        return;
    n->scopes = grow(n->scopes, n->scopes_count, sizeof(*n->scopes));
    n->scopes[n->scopes_count++] = (struct scope){ .path = alloc_text(scope) };
}

const char *names_copy(struct names *n, const char *name)
{
    n->kept = grow(n->kept, n->kept_count, sizeof(*n->kept));
    return n->kept[n->kept_count++] = alloc_text(name);
}

/* How often the scope has seen the name before. */
static int count_use(struct scope *s, const char *name)
{
    for (size_t i = 0; i < s->used_count; i++)
        if (!strcmp(s->used[i].name, name))
            return s->used[i].times++;
    s->used = grow(s->used, s->used_count, sizeof(*s->used));
    s->used[s->used_count++] = (struct used){ alloc_text(name), 1 };
    return 0;
}

/* Copies the text and empties the buf. */
static const char *copy_and_release(struct names *n, struct buf *text)
{
    const char *copy = names_copy(n, buf_cstr(text));

    buf_release(text);
    return copy;
}

const char *names_node(struct names *n, const char *name)
{
    struct scope *s = &n->scopes[n->current];
    int before = count_use(s, name);
    struct buf full = { 0 };

    buf_printf(&full, "%s/%s", s->path, name);
    if (before)
        buf_printf(&full, "_%d", before);
    return copy_and_release(n, &full);
}

const char *names_output(struct names *n, const char *node)
{
    struct buf full = { 0 };

    buf_printf(&full, "%s_output_0", node);
    return copy_and_release(n, &full);
}

const char *names_parameter(struct names *n, const char *name)
{
    struct buf full = { 0 };
    const char *path = n->scopes[n->current].path;

    if (*path == '/')
        path++;
    if (*path)
        buf_printf(&full, "%s.", path);
    for (char *p = full.p; p && (p = strchr(p, '/')); p++)
        *p = '.';
    buf_text(&full, name);
    return copy_and_release(n, &full);
}
