/* target_describe_linux.c -- what is known of a process beside its figures;
 * see proc(5). */
#include "sample/process/targets.h"

#include "os/clock.h"
#include "os/kernel_text.h"
#include "sample/process/target_files_linux.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_CAP = 8192 };

static void describe_status(const struct target *x,
        struct target_description *out)
{
    char text[STATUS_CAP];
    ssize_t len =
            x->status_fd < 0 ? -1 : pread(x->status_fd, text, sizeof(text), 0);

    if (len <= 0)
        return;
    text_copy(out->allowed_cpus, sizeof(out->allowed_cpus),
            text_field((struct str){ text, (size_t)len }, "Cpus_allowed_list"));
}

int target_describe(struct targets *t, const struct target *x,
        struct target_description *out)
{
    char text[TARGET_STAT_CAP];
    struct proc_stat st;

    if (target_read_stat(x->stat_fd, text, &st))
        return -ESRCH;
    text_copy(out->name, sizeof(out->name), st.name);
    out->parent = st.parent;
    out->priority = (int)st.priority;
    out->nice = (int)st.nice;
    out->scheduling_known = true;
    if (targets_are_here(t))
        out->start_wall_ns = wall_ns() - mono_ns() + x->start_ns;
    target_command(&out->command, x);
    describe_status(x, out);
    return 0;
}

void target_description_release(struct target_description *d)
{
    buf_release(&d->command);
}
