/* source_linux.c -- the table of sources, and those that need few words. */
#include "sample/source.h"

#include "os/file.h"
#include "os/kernel_text.h"
#include "os/path.h"
#include "sample/probe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void PRINTF_LIKE(3, 0)
        say(char *out, size_t cap, const char *fmt, va_list args)
{
    (void)vsnprintf(out, cap, fmt, args);
}

void probe_found(struct source *s, const char *detail_fmt, ...)
{
    va_list args;

    s->state = SOURCE_AVAILABLE;
    va_start(args, detail_fmt);
    say(s->detail, sizeof(s->detail), detail_fmt, args);
    va_end(args);
}

void probe_absent(struct source *s, const char *reason_fmt, ...)
{
    va_list args;

    s->state = SOURCE_ABSENT;
    va_start(args, reason_fmt);
    say(s->reason, sizeof(s->reason), reason_fmt, args);
    va_end(args);
}

void probe_denied(struct source *s, const char *reason_fmt, ...)
{
    va_list args;

    s->state = SOURCE_DENIED;
    va_start(args, reason_fmt);
    say(s->reason, sizeof(s->reason), reason_fmt, args);
    va_end(args);
}

void probe_remedy(struct source *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(s->remedy, sizeof(s->remedy), fmt, args);
    va_end(args);
}

const char *probe_where(const struct source_context *c)
{
    return c->host->virtualisation[0] ? "; this is a virtual machine" : "";
}

void probe_list(struct buf *list, const char *item)
{
    if (list->len)
        buf_text(list, ", ");
    buf_text(list, item);
}

void probe_line(char *out, size_t cap, const struct source_context *c,
        const char *path_fmt, ...)
{
    char path[512];
    char text[1024];
    va_list args;

    va_start(args, path_fmt);
    say(path, sizeof(path), path_fmt, args);
    va_end(args);

    int len = file_read(text, sizeof(text), "%s%s", c->root, path);

    text_copy(out, cap,
            str_before((struct str){ text, len > 0 ? (size_t)len : 0 }, '\n'));
}

static void probe_hook(struct source *s, const struct source_context *c)
{
    if (c->hook[0]) {
        probe_found(s, "%s", c->hook);
        return;
    }
    probe_absent(s, "libortmeter.so is neither beside the program nor in "
                    "../lib");
    probe_remedy(s, "make");
}

/* The package of PyPI is a library of its own: no OrtGetApiBase, no table. */
static void probe_python(struct source *s, const struct source_context *c)
{
    (void)c;
    probe_absent(s, "Python's onnxruntime package carries a private copy of "
                    "ONNX Runtime, which the hook cannot enter");
}

static void probe_process_times(struct source *s,
        const struct source_context *c)
{
    struct timespec t;

    (void)c;
    if (clock_getres(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
        probe_absent(s, "the kernel has no process CPU clock");
    else
        probe_found(s, "process CPU clock and wait4(2), to %ld ns", t.tv_nsec);
}

static void probe_proc(struct source *s, const struct source_context *c)
{
    static const char *const names[] = { "stat", "statm", "io", "status" };
    struct buf there = { 0 };
    struct buf missing = { 0 };

    for (size_t i = 0; i < LEN(names); i++)
        probe_list(path_readable("%s/proc/self/%s", c->root, names[i])
                           ? &missing
                           : &there,
                names[i]);
    if (!there.len)
        probe_absent(s, "/proc is not mounted");
    else
        probe_found(s, "/proc/PID/: %s%s%s; CPU time in steps of %ld ms",
                buf_cstr(&there), missing.len ? "; not " : "",
                buf_cstr(&missing), 1000 / sysconf(_SC_CLK_TCK));
    buf_release(&there);
    buf_release(&missing);
}

void probe_psi(struct source *s, const struct source_context *c)
{
    char text[512];
    int rc = file_read(text, sizeof(text), "%s/proc/pressure/cpu", c->root);

    if (rc >= 0) {
        probe_found(s, "/proc/pressure");
    } else if (rc == -EOPNOTSUPP) {
        probe_absent(s, "it is switched off in this kernel");
        probe_remedy(s, "boot the kernel with psi=1");
    } else {
        probe_absent(s, "this kernel was built without it (CONFIG_PSI)");
    }
}

static const struct {
    const char *name;
    const char *gives;
    bool used;
    probe_function *probe;
} table[] = {
    { "hook", "calls of ONNX Runtime: sessions, runs, errors", true,
            probe_hook },
    { "process-times", "CPU time and peak memory of the program", true,
            probe_process_times },
    { "python", "calls of ONNX Runtime in Python programs", false,
            probe_python },
    { "proc", "CPU time, memory, threads and I/O of a process", true,
            probe_proc },
    { "psi", "time lost waiting for CPU, memory and I/O", true, probe_psi },
    { "perf-software", "context switches and migrations of a process", true,
            probe_perf_software },
    { "perf-hardware", "cycles, instructions, cache and branch misses", true,
            probe_perf_hardware },
    { "switches", "when a program's threads were switched out", false,
            probe_switches },
    { "sched-trace", "which thread ran where and when, all programs", false,
            probe_sched_trace },
    { "rapl-powercap", "energy of CPU package, cores and memory", true,
            probe_rapl_powercap },
    { "rapl-perf", "the same energy, through perf", true, probe_rapl_perf },
    { "battery", "power drawn by the whole device, on battery", true,
            probe_battery },
    { "hwmon", "temperatures, power and energy of chips", true, probe_hwmon },
    { "thermal", "temperatures of the machine's zones", true, probe_thermal },
    { "cpufreq", "clock of each CPU", true, probe_cpufreq },
    { "nvml", "NVIDIA GPU: use, memory, power, energy, clocks", true,
            probe_nvml },
    { "amdgpu", "AMD GPU: use, memory, power, clocks", true, probe_amdgpu },
    { "intel-gpu", "Intel GPU: use, energy, clocks", true, probe_intel_gpu },
    { "intel-npu", "Intel NPU: busy time, memory, clock", true,
            probe_intel_npu },
    { "amd-npu", "AMD NPU: use, power, clock", true, probe_amd_npu },
    { "powermetrics", "Apple: power, energy, clocks of CPU, GPU and NPU", true,
            probe_powermetrics },
};

_Static_assert(LEN(table) <= SOURCES_MAX, "room for every source");

const char *source_state_name(enum source_state state)
{
    static const char *const names[] = {
        [SOURCE_AVAILABLE] = "available",
        [SOURCE_ABSENT] = "absent",
        [SOURCE_DENIED] = "denied",
    };

    return names[state];
}

size_t source_probe(struct source out[SOURCES_MAX],
        const struct source_context *context)
{
    for (size_t i = 0; i < LEN(table); i++) {
        out[i] = (struct source){
            .name = table[i].name,
            .gives = table[i].gives,
            .used = table[i].used,
        };
        table[i].probe(&out[i], context);
    }
    return LEN(table);
}
