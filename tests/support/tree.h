/* tree.h -- a folder that a test fills and throws away: a made-up /proc and
 * /sys, or files to load. */
#pragma once

#include "test.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char root[64];
};

static inline struct tree tree_open(void)
{
    struct tree t = { "/tmp/ortmeter-test-XXXXXX" };

    CHECK(mkdtemp(t.root) != NULL);
    return t;
}

/* The path of `name` below the root, with the folders that it lies in.  Valid
 * until the next call. */
static inline const char *tree_path(const struct tree *t, const char *name)
{
    static char path[512];

    (void)snprintf(path, sizeof(path), "%s/%s", t->root, name);
    for (char *p = path + strlen(t->root) + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            (void)mkdir(path, 0777);
            *p = '/';
        }
    return path;
}

static inline void tree_put(const struct tree *t, const char *name,
        const char *text)
{
    FILE *f = fopen(tree_path(t, name), "w");

    CHECK(f != NULL);
    if (!f)
        return;
    CHECK(fputs(text, f) >= 0);
    CHECK(fclose(f) == 0);
}

static inline void tree_link(const struct tree *t, const char *name,
        const char *target)
{
    CHECK(symlink(target, tree_path(t, name)) == 0);
}

static inline int tree_remove_one(const char *path, const struct stat *st,
        int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline void tree_close(const struct tree *t)
{
    CHECK(nftw(t->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
}
