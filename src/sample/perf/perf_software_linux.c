/* perf_software_linux.c -- context switches and moves between CPUs, which the
 * kernel itself counts for perf; ended threads included. */
#include "base/compiler.h"
#include "sample/perf/perf_processes_linux.h"
#include "sample/sampler_table.h"

#include <linux/perf_event.h>

static const struct perf_kind kinds[] = {
    { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
            METRIC_process_switches_total },
    { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
            METRIC_process_migrations_total },
};

/* They happen in the kernel, so who may not count there would read 0. */
static int software_open(void *state, const struct sample_context *c,
        struct error *e)
{
    return perf_processes_open(state, c, kinds, LEN(kinds), true, e);
}

static void software_read(void *state, struct batch *out)
{
    perf_processes_read(state, out, false);
}

static void software_close(void *state)
{
    perf_processes_close(state);
}

const struct sampler sampler_perf_software = {
    .name = "perf-software",
    .about = "context switches and migrations of all threads, exact",
    .state_size = sizeof(struct perf_processes),
    .default_hz = 4,
    .most_hz = 1000,
    .open = software_open,
    .read = software_read,
    .close = software_close,
};
