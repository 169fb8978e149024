/* perf_hardware_linux.c -- what the CPU itself counts: cycles, instructions,
 * misses.  Most virtual machines count nothing. */
#include "base/compiler.h"
#include "sample/perf/perf_processes_linux.h"
#include "sample/sampler_table.h"

#include <linux/perf_event.h>

#define LOAD_MISSES(cache)                                            \
    ((uint64_t)(cache) | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 | \
            (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct perf_kind kinds[] = {
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
            METRIC_process_cycles_total },
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
            METRIC_process_instructions_total },
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
            METRIC_process_cache_references_total },
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
            METRIC_process_cache_misses_total },
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
            METRIC_process_branches_total },
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
            METRIC_process_branch_misses_total },
    { PERF_TYPE_HW_CACHE, LOAD_MISSES(PERF_COUNT_HW_CACHE_L1D),
            METRIC_process_l1_data_misses_total },
    { PERF_TYPE_HW_CACHE, LOAD_MISSES(PERF_COUNT_HW_CACHE_LL),
            METRIC_process_last_level_misses_total },
};

static int hardware_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct error why = { 0 };
    /* An ordinary user may count in his programs, but not in the kernel. */
    int rc = perf_processes_open(state, c, kinds, LEN(kinds), false, &why);

    if (rc)
        subjects_missing(c->subjects, METRIC_process_counted_ratio, 0, "%s",
                why.text);
    if (e)
        *e = why;
    return rc;
}

static void hardware_read(void *state, struct batch *out)
{
    perf_processes_read(state, out, true);
}

static void hardware_close(void *state)
{
    perf_processes_close(state);
}

const struct sampler sampler_perf_hardware = {
    .name = "perf-hardware",
    .about = "cycles, instructions, cache and branch misses of a process",
    .state_size = sizeof(struct perf_processes),
    .default_hz = 4,
    .most_hz = 1000,
    .open = hardware_open,
    .read = hardware_read,
    .close = hardware_close,
};
