/* probe_perf_linux.c -- what perf_event_open(2) and tracefs give us. */
#include "sample/probe.h"

#include "base/str.h"
#include "os/file.h"
#include "os/kernel_text.h"
#include "os/path.h"
#include "sample/device_reasons.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POWER "/sys/bus/event_source/devices/power"

static int open_event(const struct source_event *event)
{
    struct perf_event_attr attr = {
        .type = event->type,
        .size = sizeof(attr),
        .config = event->config,
        .disabled = 1,
        /* What an ordinary user may count of his own; events of a whole CPU
         * know no such difference. */
        .exclude_kernel = event->cpu < 0 && !event->kernel,
        .exclude_hv = event->cpu < 0 && !event->kernel,
        .context_switch = event->switches,
    };
    int pid = event->cpu < 0 ? 0 : -1;
    long fd = syscall(SYS_perf_event_open, &attr, pid, event->cpu, -1,
            PERF_FLAG_FD_CLOEXEC);

    if (fd < 0)
        return -errno;
    (void)close((int)fd);
    return 0;
}

static int try_event(const struct source_context *c,
        const struct source_event *event)
{
    return c->open_event ? c->open_event(event) : open_event(event);
}

/* Who may use perf: the lower, the more.  False: the kernel does not say. */
static bool read_paranoid(int *out, const struct source_context *c)
{
    char line[16];
    int64_t level;

    probe_line(line, sizeof(line), c, "/proc/sys/kernel/perf_event_paranoid");
    if (str_i64(&level, str_of(line)))
        return false;
    *out = (int)level;
    return true;
}

/* `level` is the highest perf_event_paranoid that would allow it. */
static void refused(struct source *s, const struct source_context *c, int rc,
        int level)
{
    int paranoid;

    if (rc == -ENOSYS) {
        probe_absent(s, "this kernel was built without perf events");
    } else if (rc == -ENOENT || rc == -ENODEV || rc == -EOPNOTSUPP) {
        probe_absent(s, "the kernel does not offer such events%s",
                probe_where(c));
    } else if (rc != -EACCES && rc != -EPERM) {
        probe_absent(s, "perf_event_open: %s", strerror(-rc));
    } else if (read_paranoid(&paranoid, c) && paranoid > level) {
        probe_denied(s, "kernel.perf_event_paranoid is %d", paranoid);
        probe_remedy(s, "sudo sysctl kernel.perf_event_paranoid=%d", level);
    } else {
        probe_denied(s, "perf_event_open: %s", strerror(-rc));
        probe_remedy(s, "in a container: allow perf_event_open, CAP_PERFMON");
    }
}

/* An event of our own process. */
static void probe_own(struct source *s, const struct source_context *c,
        const struct source_event *event)
{
    int level = event->kernel ? 1 : 2;
    int rc = try_event(c, event);
    int paranoid;

    if (rc)
        refused(s, c, rc, level);
    else if (read_paranoid(&paranoid, c))
        probe_found(s, "perf_event_open; kernel.perf_event_paranoid is %d",
                paranoid);
    else
        probe_found(s, "perf_event_open");
}

/* Switches happen in the kernel: counted outside it there are none. */
void probe_perf_software(struct source *s, const struct source_context *c)
{
    probe_own(s, c,
            &(struct source_event){ .type = PERF_TYPE_SOFTWARE,
                    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
                    .kernel = true,
                    .cpu = -1 });
}

void probe_perf_hardware(struct source *s, const struct source_context *c)
{
    probe_own(s, c,
            &(struct source_event){ .type = PERF_TYPE_HARDWARE,
                    .config = PERF_COUNT_HW_CPU_CYCLES,
                    .cpu = -1 });
}

void probe_switches(struct source *s, const struct source_context *c)
{
    probe_own(s, c,
            &(struct source_event){ .type = PERF_TYPE_SOFTWARE,
                    .config = PERF_COUNT_SW_DUMMY,
                    .switches = true,
                    .cpu = -1 });
}

void probe_sched_trace(struct source *s, const struct source_context *c)
{
    static const char *const places[] = { "/sys/kernel/tracing",
        "/sys/kernel/debug/tracing" };
    char known[2048];
    int rc = -ENOENT;

    for (size_t i = 0; i < LEN(places); i++) {
        int here = path_readable("%s%s/events/sched/sched_switch/id", c->root,
                places[i]);

        if (here == 0) {
            probe_found(s, "%s", places[i]);
            return;
        }
        rc = here == -EACCES ? here : rc;
    }

    int len = file_read(known, sizeof(known), "%s/proc/filesystems", c->root);

    known[len > 0 && (size_t)len < sizeof(known) ? len : 0] = 0;
    if (rc == -EACCES) {
        probe_denied(s, "tracefs is for root only");
        probe_remedy(s, "run as root");
    } else if (strstr(known, "tracefs")) {
        probe_absent(s, "tracefs is not mounted");
        probe_remedy(s, "sudo mount -t tracefs nodev /sys/kernel/tracing");
    } else {
        probe_absent(s, "this kernel was built without tracefs");
    }
}

/* The number in "event=0x02". */
static uint64_t read_config(const struct source_context *c, const char *event)
{
    static const char digits[] = "0123456789abcdef";
    char line[64];
    uint64_t config = 0;

    probe_line(line, sizeof(line), c, POWER "/events/%s", event);

    const char *p = strstr(line, "0x");
    const char *digit;

    for (p = p ? p + 2 : ""; *p && (digit = strchr(digits, *p)) != NULL; p++)
        config = config * 16 + (uint64_t)(digit - digits);
    return config;
}

void probe_rapl_perf(struct source *s, const struct source_context *c)
{
    struct source_event event = { 0 };
    struct folder names;
    struct buf list = { 0 };
    uint64_t type = 0, first = 0, last;
    char mask[256];

    if (file_u64(&type, "%s" POWER "/type", c->root) || type > UINT32_MAX) {
        probe_absent(s, REASON_NO_POWER_EVENTS "%s", probe_where(c));
        return;
    }
    event.type = (uint32_t)type;
    (void)folder_read(&names, "%s" POWER "/events", c->root);
    for (size_t i = 0; i < names.count; i++) {
        if (strchr(names.name[i], '.')) /* its unit or scale */
            continue;
        probe_list(&list, names.name[i]);
        event.config = read_config(c, names.name[i]);
    }
    folder_release(&names);
    probe_line(mask, sizeof(mask), c, POWER "/cpumask");

    struct str cpus = str_of(mask);

    (void)text_cpu_range(&cpus, &first, &last);
    event.cpu = first > INT32_MAX ? 0 : (int)first;

    int rc = try_event(c, &event);

    if (rc)
        refused(s, c, rc, 0);
    else
        probe_found(s, "%s", buf_cstr(&list));
    buf_release(&list);
}
