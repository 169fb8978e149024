/* perf_open_linux.c -- see perf_event_open(2). */
#include "sample/perf/perf_open_linux.h"

#include "base/str.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_open(const struct sample_context *c, struct perf_event_attr *attr,
        int pid, int cpu)
{
    attr->size = sizeof(*attr);
    if (c && c->perf_open)
        return c->perf_open(attr, pid, cpu);

    long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
            PERF_FLAG_FD_CLOEXEC);

    return fd < 0 ? -errno : (int)fd;
}

/* Who may use perf: the lower, the more.  False: the kernel does not say. */
static bool read_paranoid(int64_t *out, const struct sample_context *c)
{
    char line[16];

    return !sysfs_line(line, sizeof(line),
                   "%s/proc/sys/kernel/perf_event_paranoid", c->root) &&
           !str_i64(out, str_of(line));
}

int perf_refused(struct error *e, const struct sample_context *c, int rc,
        int level)
{
    int64_t paranoid;

    if (rc == -ENOSYS)
        return fail(e, -ENODEV, "this kernel was built without perf events");
    if (rc != -EACCES && rc != -EPERM)
        return fail(e, -ENODEV, "the kernel does not offer such events%s",
                sampler_where(c));
    if (read_paranoid(&paranoid, c) && paranoid > level) {
        (void)fail(e, -EACCES, "kernel.perf_event_paranoid is %d",
                (int)paranoid);
        error_remedy(e, "sudo sysctl kernel.perf_event_paranoid=%d", level);
    } else {
        (void)fail(e, -EACCES, "perf_event_open: %s", strerror(-rc));
        error_remedy(e, "in a container: allow perf_event_open, CAP_PERFMON");
    }
    return -EACCES;
}
