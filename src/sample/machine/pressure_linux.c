/* pressure_linux.c -- PSI: time that threads of the machine lost waiting for
 * CPU, memory and storage.  See Documentation/accounting/psi.rst. */
#include "base/compiler.h"
#include "os/file.h"
#include "sample/machine/proc_pressure.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PRESSURE_CAP = 512, PATH_CAP = 512 };

/* That all CPUs wait for a CPU cannot be, so it is not told. */
static const struct resource {
    const char *name;
    enum metric_id some, full; /* the same: only some */
} resources[] = {
    { "cpu", METRIC_host_cpu_pressure_seconds_total,
            METRIC_host_cpu_pressure_seconds_total },
    { "memory", METRIC_host_memory_pressure_seconds_total,
            METRIC_host_memory_stall_seconds_total },
    { "io", METRIC_host_storage_pressure_seconds_total,
            METRIC_host_storage_stall_seconds_total },
};

struct pressure_state {
    int fds[LEN(resources)];
    bool opened;
};

/* A kernel may have it, and have it switched off. */
static int look(const struct sample_context *c, struct error *e)
{
    char text[PRESSURE_CAP];
    int rc = file_read(text, sizeof(text), "%s/proc/pressure/cpu", c->root);

    if (rc >= 0)
        return 0;
    if (rc != -EOPNOTSUPP)
        return fail(e, -ENODEV,
                "this kernel was built without it (CONFIG_PSI)");
    (void)fail(e, -ENODEV, "it is switched off in this kernel");
    error_remedy(e, "boot the kernel with psi=1");
    return -ENODEV;
}

static int pressure_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct pressure_state *s = state;
    struct error why = { 0 };
    int rc = look(c, &why);
    char path[PATH_CAP];

    for (size_t i = 0; i < LEN(resources); i++) {
        if (rc) {
            subjects_missing(c->subjects, resources[i].some, 0, "%s", why.text);
            subjects_missing(c->subjects, resources[i].full, 0, "%s", why.text);
            continue;
        }
        (void)snprintf(path, sizeof(path), "%s/proc/pressure/%s", c->root,
                resources[i].name);
        s->fds[i] = open(path, O_RDONLY | O_CLOEXEC);
    }
    s->opened = !rc;
    if (rc && e)
        *e = why;
    return rc;
}

static void pressure_read(void *state, struct batch *out)
{
    const struct pressure_state *s = state;
    char text[PRESSURE_CAP];

    for (size_t i = 0; i < LEN(resources); i++) {
        const struct resource *r = &resources[i];
        ssize_t len =
                s->fds[i] < 0 ? -1 : pread(s->fds[i], text, sizeof(text), 0);
        struct proc_pressure p;

        if (len <= 0 ||
                proc_pressure_parse(&p, (struct str){ text, (size_t)len }))
            continue;
        if (p.has_some)
            batch_add(out, r->some, 0, (double)p.some_us / 1e6);
        if (p.has_full && r->full != r->some)
            batch_add(out, r->full, 0, (double)p.full_us / 1e6);
    }
}

static void pressure_close(void *state)
{
    struct pressure_state *s = state;

    for (size_t i = 0; s->opened && i < LEN(resources); i++)
        if (s->fds[i] >= 0)
            (void)close(s->fds[i]);
}

const struct sampler sampler_pressure = {
    .name = "pressure",
    .about = "time lost waiting for CPU, memory and storage",
    .state_size = sizeof(struct pressure_state),
    .default_hz = 2,
    .most_hz = 100,
    .open = pressure_open,
    .read = pressure_read,
    .close = pressure_close,
};
