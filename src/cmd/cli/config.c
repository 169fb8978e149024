#include "cmd/cli/config.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/toml.h"
#include "os/file.h"
#include "os/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "ortmeter.toml"
#define FILE_MAX  65536

struct config {
    struct config_entry *entries;
    size_t count, cap;
    struct error skipped[2]; /* files that were not read; "": none */
    size_t skipped_count;
};

struct reading_file {
    struct config *config;
    const char *path;
    bool project;
};

static char *copy(struct str s)
{
    return memcpy(alloc_zero(1, s.len + 1), s.p, s.len);
}

static void add(void *to, const struct toml_value *v)
{
    struct reading_file *f = to;
    struct config *c = f->config;

    if (c->count == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 16;
        c->entries = alloc_resize(c->entries, c->cap * sizeof(*c->entries));
    }

    struct config_entry *x = &c->entries[c->count++];

    *x = (struct config_entry){ copy(v->table), copy(v->key), copy(v->text),
        alloc_text(f->path), v->line, f->project };
}

/* A file that is not there says nothing. */
static int read_file(struct config *c, const char *path, bool project,
        struct error *e)
{
    struct reading_file f = { .config = c, .path = path, .project = project };
    struct error why = { 0 };
    char *text = alloc_zero(1, FILE_MAX);
    const char *whose = NULL;
    int n = project ? file_read_owned(text, FILE_MAX, path, &whose)
                    : file_read(text, FILE_MAX, "%s", path);
    int rc = 0;

    if (n == -EACCES)
        whose = "is not yours to read";
    if (whose)
        (void)fail(&c->skipped[c->skipped_count++], -EPERM,
                "%s is passed over: it %s", path, whose);
    else if (n == -ENOENT || n == -ENOTDIR)
        rc = 0;
    else if (n < 0)
        rc = fail(e, n, "cannot read %s: %s", path, strerror(-n));
    else if (toml_read((struct str){ text, (size_t)n }, add, &f, &why))
        rc = fail(e, -EINVAL, "%s, %s", path, why.text);
    free(text);
    return rc;
}

static int read_users(struct config *c, struct error *e)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    char path[PATH_MAX];
    int n = -1;

    if (config && config[0] == '/')
        n = snprintf(path, sizeof(path), "%s/ortmeter/" FILE_NAME, config);
    else if (home && home[0])
        n = snprintf(path, sizeof(path), "%s/.config/ortmeter/" FILE_NAME,
                home);
    if (n < 0 || (size_t)n >= sizeof(path))
        return 0;
    return read_file(c, path, false, e);
}

/* The nearest one, from the working folder upwards. */
static int read_projects(struct config *c, struct error *e)
{
    char folder[PATH_MAX - sizeof(FILE_NAME) - 1], path[PATH_MAX];

    if (path_current(folder, sizeof(folder)))
        return 0;
    for (char *end = folder + strlen(folder); end; end = strrchr(folder, '/')) {
        *end = 0;
        (void)snprintf(path, sizeof(path), "%s/" FILE_NAME, folder);
        if (path_kind(path) != PATH_NOTHING)
            return read_file(c, path, true, e);
    }
    return 0;
}

int config_read(struct config **out, struct error *e)
{
    struct config *c = alloc_zero(1, sizeof(*c));
    int rc = read_users(c, e);

    if (!rc)
        rc = read_projects(c, e);
    if (rc)
        config_free(c);
    else
        *out = c;
    return rc;
}

void config_free(struct config *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++) {
        free((char *)c->entries[i].verb);
        free((char *)c->entries[i].key);
        free((char *)c->entries[i].value);
        free((char *)c->entries[i].file);
    }
    free(c->entries);
    free(c);
}

size_t config_count(const struct config *c)
{
    return c->count;
}

const struct config_entry *config_at(const struct config *c, size_t i)
{
    return &c->entries[i];
}

const char *config_skipped(const struct config *c, size_t i)
{
    return i < c->skipped_count ? c->skipped[i].text : NULL;
}

/* Formats, tags, rates, budgets and thresholds, and how much work is done.
 * Never a library, a database, a socket, an address or a file to write. */
bool config_is_harmless(const char *key)
{
    static const char *const harmless[] = { "alert", "batch", "budget",
        "buffer", "by", "carbon", "children", "codec", "concurrency", "count",
        "duration", "experiment", "format", "full-watts", "gzip", "idle-watts",
        "json", "limit", "max-overhead", "memory", "metric", "ops", "price",
        "pue", "qps", "quiet", "rate", "region", "reverse", "sequence", "shape",
        "sort", "table", "tag", "tdp", "threads", "threshold", "warmup" };

    for (size_t i = 0; i < LEN(harmless); i++)
        if (strcmp(harmless[i], key) == 0)
            return true;
    return false;
}
