/* system_memory_linux.c -- the machine's memory; see proc(5), meminfo. */
#include "base/compiler.h"
#include "sample/process/proc_keyed.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MEMINFO_CAP = 8192, PATH_CAP = 512 };

struct system_memory_state {
    int fd;
    bool opened;
};

/* In the order of the file. */
static const char *const keys[] = { "MemTotal", "MemFree", "MemAvailable",
    "Cached", "SwapTotal", "SwapFree" };

static const enum metric_id metrics[LEN(keys)] = {
    METRIC_host_memory_bytes,
    METRIC_host_memory_free_bytes,
    METRIC_host_memory_available_bytes,
    METRIC_host_memory_cached_bytes,
    METRIC_host_swap_bytes,
    METRIC_host_swap_free_bytes,
};

static uint32_t parse(const struct system_memory_state *s,
        uint64_t values[LEN(keys)])
{
    char text[MEMINFO_CAP];
    ssize_t len = pread(s->fd, text, sizeof(text), 0);

    return proc_keyed_parse(values, keys, LEN(keys),
            (struct str){ text, len > 0 ? (size_t)len : 0 });
}

static int memory_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct system_memory_state *s = state;
    uint64_t values[LEN(keys)];
    char path[PATH_CAP];

    (void)snprintf(path, sizeof(path), "%s/proc/meminfo", c->root);
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0)
        return fail(e, errno == EACCES ? -EACCES : -ENODEV, "%s: %s", path,
                strerror(errno));
    s->opened = true;

    uint32_t found = parse(s, values);

    for (size_t i = 0; i < LEN(keys); i++)
        if (!(found & 1U << i))
            subjects_missing(c->subjects, metrics[i], 0, "%s has no %s", path,
                    keys[i]);
    return 0;
}

static void memory_read(void *state, struct batch *out)
{
    const struct system_memory_state *s = state;
    uint64_t values[LEN(keys)];
    uint32_t found = parse(s, values);

    for (size_t i = 0; i < LEN(keys); i++)
        if (found & 1U << i)
            batch_add(out, metrics[i], 0, (double)values[i]);
}

static void memory_close(void *state)
{
    struct system_memory_state *s = state;

    if (s->opened)
        (void)close(s->fd);
}

const struct sampler sampler_system_memory = {
    .name = "memory",
    .about = "memory of the machine",
    .state_size = sizeof(struct system_memory_state),
    .default_hz = 10,
    .most_hz = 100,
    .open = memory_open,
    .read = memory_read,
    .close = memory_close,
};
