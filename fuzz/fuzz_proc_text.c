/* fuzz_proc_text.c -- every parser of what the kernel writes about processes,
 * CPUs and pressure. */
#include "base/compiler.h"
#include "sample/machine/proc_cpus.h"
#include "sample/machine/proc_pressure.h"
#include "sample/perf/perf_count.h"
#include "sample/process/proc_keyed.h"
#include "sample/process/proc_stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const keys[] = { "VmHWM", "Threads", "rchar", "Pss" };
    struct str text = { (const char *)data, size };
    struct str rest = text;
    uint64_t values[LEN(keys)], number;
    struct proc_pressure pressure;
    struct proc_stat st;
    struct proc_cpu cpu;

    if (proc_stat_parse(&st, text) == 0 &&
            (st.name.p < text.p || st.name.len > size))
        __builtin_trap();
    (void)proc_keyed_parse(values, keys, LEN(keys), text);
    while (proc_cpus_next(&cpu, &rest))
        continue;
    (void)proc_cpus_number(&number, text, "ctxt");
    (void)proc_pressure_parse(&pressure, text);
    (void)perf_terms_parse(&number, text);
    return 0;
}
