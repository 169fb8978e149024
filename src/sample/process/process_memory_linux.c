/* process_memory_linux.c -- memory that a process shares with nobody, and its
 * fair share of the rest.  The kernel walks all its pages for it, which takes
 * milliseconds and holds the process up when it maps memory meanwhile, so only
 * on request.  See proc(5), smaps_rollup. */
#include "base/compiler.h"
#include "sample/process/attached.h"
#include "sample/process/proc_keyed.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { ROLLUP_CAP = 2048 };

struct memory_state {
    struct targets *targets;
    struct subjects *subjects;
    struct attached attached;
};

struct process_memory {
    bool refused;
};

static int memory_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct memory_state *s = state;

    if (!c->targets)
        return fail(e, -ENODEV, "no process is looked at");
    if (!c->costly) {
        subjects_missing(c->subjects, METRIC_process_proportional_bytes, 0,
                "it is costly to read and was not asked for");
        subjects_missing(c->subjects, METRIC_process_private_bytes, 0,
                "it is costly to read and was not asked for");
        return fail(e, -ENODEV, "it is costly to read and was not asked for");
    }
    s->targets = c->targets;
    s->subjects = c->subjects;
    s->attached.size = sizeof(struct process_memory);
    return 0;
}

static void refuse(struct memory_state *s, const struct target *x, int rc)
{
    struct process_memory *m = attached_to(&s->attached, s->targets, x);
    static const enum metric_id metrics[] = { METRIC_process_proportional_bytes,
        METRIC_process_private_bytes };

    for (size_t i = 0; i < LEN(metrics); i++)
        subjects_missing(s->subjects, metrics[i], x->subject,
                "/proc/%llu/smaps_rollup: %s", (unsigned long long)x->pid,
                strerror(rc));
    m->refused = true;
}

static void read_process(struct memory_state *s, const struct target *x,
        struct batch *out)
{
    static const char *const keys[] = { "Pss", "Private_Clean", "Private_Dirty",
        "Private_Hugetlb" };
    const struct process_memory *m = attached_to(&s->attached, s->targets, x);
    char text[ROLLUP_CAP];
    uint64_t values[LEN(keys)] = { 0 };

    if (m->refused)
        return;

    int fd = openat(x->dir_fd, "smaps_rollup", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text));
    int rc = errno;

    if (fd >= 0)
        (void)close(fd);
    if (len < 0) {
        if (rc != ESRCH && rc != EMFILE)
            refuse(s, x, rc);
        return;
    }

    uint32_t found = proc_keyed_parse(values, keys, LEN(keys),
            (struct str){ text, (size_t)len });

    if (found & 1U)
        batch_add(out, METRIC_process_proportional_bytes, x->subject,
                (double)values[0]);
    if ((found & 6U) == 6U)
        batch_add(out, METRIC_process_private_bytes, x->subject,
                (double)(values[1] + values[2] + values[3]));
}

static void memory_read(void *state, struct batch *out)
{
    struct memory_state *s = state;

    for (size_t i = 0; i < targets_count(s->targets); i++) {
        const struct target *x = targets_at(s->targets, i);

        if (!x->ended)
            read_process(s, x, out);
    }
}

static void memory_close(void *state)
{
    struct memory_state *s = state;

    attached_release(&s->attached);
}

const struct sampler sampler_process_memory = {
    .name = "process-memory",
    .about = "private and proportional memory of a process",
    .state_size = sizeof(struct memory_state),
    .default_hz = 1,
    .most_hz = 10,
    .open = memory_open,
    .read = memory_read,
    .close = memory_close,
};
