/* process_io_linux.c -- the file io, see proc(5): the kernel asks each time
 * whether we may, and writes seven lines. */
#include "sample/process/process_io.h"

#include "base/compiler.h"
#include "sample/process/attached.h"
#include "sample/process/proc_keyed.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { IO_CAP = 512 };

static const char *const keys[] = { "rchar", "wchar", "syscr", "syscw",
    "read_bytes", "write_bytes" };

static const enum metric_id metrics[LEN(keys)] = {
    METRIC_process_read_bytes_total,
    METRIC_process_written_bytes_total,
    METRIC_process_read_calls_total,
    METRIC_process_write_calls_total,
    METRIC_process_storage_read_bytes_total,
    METRIC_process_storage_written_bytes_total,
};

int process_io_add(struct batch *out, const struct target *x)
{
    char text[IO_CAP];
    uint64_t values[LEN(keys)];
    ssize_t len;

    if (x->io_fd < 0)
        return x->io_fd;
    len = pread(x->io_fd, text, sizeof(text), 0);
    if (len < 0)
        return -errno;

    uint32_t found = proc_keyed_parse(values, keys, LEN(keys),
            (struct str){ text, (size_t)len });

    for (size_t i = 0; i < LEN(keys); i++)
        if (found & 1U << i)
            batch_add(out, metrics[i], x->subject, (double)values[i]);
    return 0;
}

struct io_state {
    struct targets *targets;
    struct subjects *subjects;
    struct attached attached; /* a bool: it was read before */
};

static int io_open(void *state, const struct sample_context *c, struct error *e)
{
    struct io_state *s = state;

    s->targets = c->targets;
    s->subjects = c->subjects;
    s->attached.size = sizeof(bool);
    return c->targets ? 0 : fail(e, -ENODEV, "no process is looked at");
}

/* Said once, so that nobody wonders. */
static void say_why_not(struct io_state *s, const struct target *x, int rc)
{
    for (size_t i = 0; i < LEN(metrics); i++)
        subjects_missing(s->subjects, metrics[i], x->subject,
                "/proc/%llu/io: %s%s", (unsigned long long)x->pid,
                strerror(-rc),
                rc == -EACCES ? "; only its owner and root may read it" : "");
}

static void io_read(void *state, struct batch *out)
{
    struct io_state *s = state;

    for (size_t i = 0; i < targets_count(s->targets); i++) {
        struct target *x = targets_at(s->targets, i);
        bool *met = attached_to(&s->attached, s->targets, x);

        if (x->ended)
            continue;

        int rc = process_io_add(out, x);

        if (rc && !*met)
            say_why_not(s, x, rc);
        *met = true;
    }
}

static void io_close(void *state)
{
    struct io_state *s = state;

    attached_release(&s->attached);
}

const struct sampler sampler_process_io = {
    .name = "process-io",
    .about = "what a process has read and written",
    .state_size = sizeof(struct io_state),
    .default_hz = 10,
    .most_hz = 1000,
    .open = io_open,
    .read = io_read,
    .close = io_close,
};
