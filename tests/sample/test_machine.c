/* CPUs, memory and pressure: of a made-up machine, and of this one. */
#include "sampled.h"

#include "base/alloc.h"
#include "sample/machine/memory_probe.h"
#include "sample/machine/proc_cpus.h"
#include "sample/machine/proc_pressure.h"
#include "tree.h"

#include <errno.h>

#define CPUFREQ "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq"

static const char stat_before[] =
        "cpu  30 0 20 140 10 0 0 0 0 0\n"
        "cpu0 10 0 10 70 10 0 0 0 0 0\n"
        "cpu1 20 0 10 70 0 0 0 0 0 0\n"
        "intr 73777505 41 9 0\nctxt 238013\nbtime 1418183276\n"
        "processes 26442\nprocs_running 2\nprocs_blocked 1\n";
static const char stat_after[] =
        "cpu  60 5 25 270 10 2 3 25 0 0\n"
        "cpu0 10 5 15 150 10 2 3 5 0 0\n"
        "cpu1 50 0 10 120 0 0 0 20 0 0\n"
        "cpu3 7 0 0 1 0 0 0 0 0 0\n"
        "intr 1\nctxt 238099\nprocesses 26443\nprocs_running 3\n";

static uint32_t core(const struct sampled *s, uint64_t number)
{
    for (uint32_t i = 1; i < subjects_count(s->subjects); i++)
        if (subjects_get(s->subjects, i)->number == number)
            return i;
    CHECK(number > 1000); /* there is none */
    return 0;
}

static void made_up_cores(void)
{
    struct tree t = tree_open();
    struct sampled s;

    tree_put(&t, "proc/stat", stat_before);
    tree_put(&t, CPUFREQ, "2400000\n");
    sampled_open(&s, &sampler_cores, t.root, NULL, false);
    CHECK_INT(s.rc, 0);
    CHECK(strlen(sampled_reason(&s, METRIC_core_frequency_hertz, 0)) > 10);
    sampled_read(&s);
    CHECK(!sampled_find(&s, METRIC_core_busy_ratio, core(&s, 0)));
    CHECK_VALUE(&s, host_switches_total, 0, 238013);
    CHECK_VALUE(&s, host_started_processes_total, 0, 26442);
    CHECK_VALUE(&s, host_running_threads, 0, 2);
    CHECK_VALUE(&s, core_user_seconds_total, core(&s, 1), 0.2);
    CHECK_VALUE(&s, core_frequency_hertz, core(&s, 1), 2.4e9);
    CHECK(!sampled_find(&s, METRIC_core_frequency_hertz, core(&s, 0)));

    /* The file is kept open, so the new one has to be the old one. */
    tree_put(&t, "proc/stat", stat_after);
    sampled_read(&s);
    CHECK_VALUE(&s, core_busy_ratio, core(&s, 0), 20.0 / 100);
    CHECK_VALUE(&s, core_busy_ratio, core(&s, 1), 50.0 / 100);
    CHECK_VALUE(&s, host_busy_ratio, 0, 70.0 / 200);
    CHECK_VALUE(&s, core_user_seconds_total, core(&s, 0), 0.15);
    CHECK_VALUE(&s, core_system_seconds_total, core(&s, 0), 0.20);
    CHECK_VALUE(&s, core_idle_seconds_total, core(&s, 0), 1.60);
    CHECK_VALUE(&s, core_stolen_seconds_total, core(&s, 1), 0.20);
    /* One that was switched on meanwhile. */
    CHECK(!sampled_find(&s, METRIC_core_busy_ratio, core(&s, 3)));
    CHECK_VALUE(&s, core_user_seconds_total, core(&s, 3), 0.07);
    sampled_read(&s); /* no time has passed */
    CHECK(!sampled_find(&s, METRIC_host_busy_ratio, 0));
    sampled_close(&s);
    tree_close(&t);
}

static void made_up_memory(void)
{
    struct tree t = tree_open();
    struct sampled s;

    tree_put(&t, "proc/meminfo",
            "MemTotal:       15666184 kB\nMemFree:          440324 kB\n"
            "Buffers:         1020128 kB\nCached:         12007640 kB\n"
            "SwapCached:            7 kB\nSwapTotal:             0 kB\n"
            "SwapFree:              0 kB\n");
    sampled_open(&s, &sampler_system_memory, t.root, NULL, false);
    CHECK_INT(s.rc, 0);
    sampled_read(&s);
    CHECK_VALUE(&s, host_memory_bytes, 0, 15666184.0 * 1024);
    CHECK_VALUE(&s, host_memory_free_bytes, 0, 440324.0 * 1024);
    CHECK_VALUE(&s, host_memory_cached_bytes, 0, 12007640.0 * 1024);
    CHECK_VALUE(&s, host_swap_bytes, 0, 0);
    /* Kernels before 3.14 do not tell, and we do not guess. */
    CHECK(!sampled_find(&s, METRIC_host_memory_available_bytes, 0));
    CHECK(strstr(sampled_reason(&s, METRIC_host_memory_available_bytes, 0),
            "has no MemAvailable"));
    sampled_close(&s);
    tree_close(&t);
}

static void made_up_pressure(void)
{
    struct tree t = tree_open();
    struct sampled s;

    sampled_open(&s, &sampler_pressure, t.root, NULL, false);
    CHECK_INT(s.rc, -ENODEV);
    CHECK(strstr(s.error.text, "CONFIG_PSI"));
    CHECK(strstr(sampled_reason(&s, METRIC_host_memory_stall_seconds_total, 0),
            "CONFIG_PSI"));
    sampled_close(&s);

    tree_put(&t, "proc/pressure/cpu",
            "some avg10=0.10 avg60=2.00 avg300=3.85 total=15000000\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
    tree_put(&t, "proc/pressure/memory",
            "some avg10=0.10 avg60=2.00 avg300=3.85 total=7\n"
            "full avg10=0.20 avg60=3.00 avg300=4.95 total=25\n");
    sampled_open(&s, &sampler_pressure, t.root, NULL, false);
    CHECK_INT(s.rc, 0);
    sampled_read(&s);
    CHECK_INT(s.batch.count, 3);
    CHECK_VALUE(&s, host_cpu_pressure_seconds_total, 0, 15);
    CHECK_VALUE(&s, host_memory_pressure_seconds_total, 0, 7e-6);
    CHECK_VALUE(&s, host_memory_stall_seconds_total, 0, 25e-6);
    sampled_close(&s);
    tree_close(&t);
}

/* The way goes over all lines and is the same each time; of a recorded machine
 * nothing is known. */
static void memory_probe(void)
{
    struct memory_probe *p = alloc_zero(1, sizeof(*p));
    struct tree t = tree_open();
    struct sampled s;
    uint32_t at = 0, steps = 0;

    memory_probe_init(p);
    do {
        at = p->lines[at].next;
        steps++;
    } while (at && steps <= MEMORY_PROBE_LINES);
    CHECK_INT(steps, MEMORY_PROBE_LINES);
    CHECK(memory_probe_load_s(p) > 0);
    for (int i = 0; i < 2000; i++)
        at = p->lines[at].next;
    CHECK_INT(p->end, at);
    free(p);

    sampled_open(&s, &sampler_memory_probe, t.root, NULL, false);
    CHECK_INT(s.rc, -ENODEV);
    CHECK(strstr(sampled_reason(&s, METRIC_host_memory_load_seconds, 0),
            "recorded"));
    sampled_close(&s);
    tree_close(&t);
}

static void broken(void)
{
    struct proc_pressure p = { .some_us = 9 };
    struct proc_cpu c;
    struct str rest;
    uint64_t number = 9;

    CHECK_INT(proc_pressure_parse(&p, str_of("")), -EINVAL);
    CHECK_INT(proc_pressure_parse(&p, str_of("some total=\n")), -EINVAL);
    CHECK_INT(proc_pressure_parse(&p, str_of("some total=7")), -EINVAL);
    CHECK_INT(p.some_us, 9);
    rest = str_of("cpu  1 2 3 4 5 6 7\n");
    CHECK(!proc_cpus_next(&c, &rest));
    rest = str_of("cpux 1 2 3 4 5 6 7 8\n");
    CHECK(!proc_cpus_next(&c, &rest));
    rest = str_of("cpu0 1 2 3 4 5 6 7 8"); /* cut short */
    CHECK(!proc_cpus_next(&c, &rest));
    rest = str_of("");
    CHECK(!proc_cpus_next(&c, &rest));
    CHECK_INT(proc_cpus_number(&number, str_of("ctxts 1\nctxt"), "ctxt"),
            -EINVAL);
    CHECK_INT(proc_cpus_number(&number, str_of(""), "ctxt"), -EINVAL);
    CHECK_INT(number, 9);
}

/* This machine, against what the C library says. */
static void here(void)
{
    struct sampled s;
    size_t cores = 0;

    sampled_open(&s, &sampler_cores, "", NULL, false);
    CHECK_INT(s.rc, 0);
    sampled_read(&s);
    for (uint32_t i = 1; i < subjects_count(s.subjects); i++)
        cores += subjects_get(s.subjects, i)->kind == SUBJECT_CORE;
    CHECK_INT(cores, sysconf(_SC_NPROCESSORS_ONLN));
    sampled_close(&s);

    sampled_open(&s, &sampler_system_memory, "", NULL, false);
    CHECK_INT(s.rc, 0);
    sampled_read(&s);
    CHECK_VALUE(&s, host_memory_bytes, 0,
            (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
    CHECK(sampled_value(&s, METRIC_host_memory_available_bytes, 0) > 0);
    sampled_close(&s);
}

int main(void)
{
    made_up_cores();
    made_up_memory();
    made_up_pressure();
    memory_probe();
    broken();
    here();
    return test_result();
}
