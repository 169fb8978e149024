/* source_linux.c -- sources of Linux that are no samplers. */
#include "sample/source.h"

#include "sample/perf/perf_open_linux.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int look_hook(char *detail, size_t cap, const struct source_context *c,
        struct error *e)
{
    if (c->hook[0]) {
        (void)snprintf(detail, cap, "%s", c->hook);
        return 0;
    }
    (void)fail(e, -ENODEV,
            "libortmeter.so is neither beside the program nor in ../lib");
    error_remedy(e, "make");
    return -ENODEV;
}

/* The hook takes its methods' places: which Pythons there are, doctor lists. */
static int look_python(char *detail, size_t cap, const struct source_context *c,
        struct error *e)
{
    int rc = look_hook(detail, cap, c, e);

    if (rc == 0)
        (void)snprintf(detail, cap, "onnxruntime of PyPI, from 1.4 on");
    return rc;
}

static int look_times(char *detail, size_t cap, const struct source_context *c,
        struct error *e)
{
    struct timespec t;

    (void)c;
    if (clock_getres(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
        return fail(e, -ENODEV, "the kernel has no process CPU clock");
    (void)snprintf(detail, cap, "process CPU clock and wait4(2), to %ld ns",
            t.tv_nsec);
    return 0;
}

static int look_switches(char *detail, size_t cap,
        const struct source_context *c, struct error *e)
{
    struct sample_context context = {
        .root = c->root,
        .host = c->host,
        .perf_open = c->perf_open,
    };
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .context_switch = 1,
    };
    int fd = perf_open(&context, &attr, 0, -1);

    if (fd < 0)
        return perf_refused(e, &context, fd, 2);
    (void)close(fd);
    (void)snprintf(detail, cap, "watch --events");
    return 0;
}

const struct source_probe source_probes[] = {
    { "hook", "calls of ONNX Runtime: sessions, inferences, operators, errors",
            look_hook },
    { "python", "calls of ONNX Runtime in Python programs", look_python },
    { "process-times", "CPU time and peak memory of the program", look_times },
    { "switches", "when a program's threads were switched out", look_switches },
    { NULL, NULL, NULL },
};
