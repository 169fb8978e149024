/* A program stands in for powermetrics: a script that writes what it would. */
#include "sample/device/device_samplers.h"

#include "driven.h"
#include "tree.h"

#include <errno.h>
#include <sched.h>

#define SECOND 1000000000ull
#define LIST(cpu_mj, gpu_idle)                                               \
    "<plist><dict><key>elapsed_ns</key><integer>200000000</integer>"         \
    "<key>processor</key><dict><key>clusters</key><array><dict><key>name"    \
    "</key><string>E-Cluster</string><key>freq_hz</key><real>1e9</real>"     \
    "<key>idle_ratio</key><real>0.75</real></dict></array>"                  \
    "<key>cpu_energy</key><integer>" cpu_mj "</integer><key>cpu_power</key>" \
    "<real>500</real><key>gpu_energy</key><integer>20</integer>"             \
    "<key>ane_energy</key><integer>4</integer></dict>"                       \
    "<key>gpu</key><dict><key>freq_hz</key><real>338</real>"                 \
    "<key>idle_ratio</key><real>" gpu_idle "</real></dict>"                  \
    "<key>thermal_pressure</key><string>Moderate</string></dict></plist>"

static void put_program(const struct tree *t, const char *text)
{
    tree_put(t, "powermetrics", text);
    CHECK(chmod(tree_path(t, "powermetrics"), 0755) == 0);
    CHECK(setenv("ORTMETER_POWERMETRICS", tree_path(t, "powermetrics"), 1) ==
            0);
}

/* Reads until the program has ended: it says so by a missing metric. */
static size_t read_to_end(struct driven *s, struct reading *all, size_t cap)
{
    size_t count = 0;

    for (uint64_t i = 1; !subjects_missing_count(s->subjects); i++) {
        driven_read(s, i * SECOND);
        for (size_t n = 0; n < s->batch.count && count < cap; n++)
            all[count++] = s->items[n];
        (void)sched_yield();
    }
    return count;
}

static double last(const struct driven *s, const struct reading *all,
        size_t count, enum metric_id metric, const char *subject)
{
    uint32_t number = *subject ? driven_subject(s, subject) : 0;

    while (count-- > 0)
        if (all[count].metric == metric && all[count].subject == number)
            return all[count].value;
    return NAN;
}

static void samples(const struct tree *t)
{
    static struct reading all[256];

    put_program(t, "#!/bin/sh\n"
                   "[ \"$*\" = '-f plist -i 200 -s "
                   "cpu_power,gpu_power,thermal' ] || exit 9\n"
                   "printf '" LIST("100",
                           "0.9") "\\000'\n"
                                  "printf '" LIST("150",
                                          "nan") "\\000'\n"
                                                 "echo gone wrong >&2\n");

    struct driven *s = driven_open(&sampler_powermetrics, "");

    CHECK_INT(s->rc, 0);

    size_t count = read_to_end(s, all, 256);

#define LAST(metric, subject) last(s, all, count, METRIC_##metric, subject)
    /* Energies of windows become counters. */
    CHECK_REAL(LAST(zone_energy_joules_total, "cpu"), 0.25);
    CHECK_REAL(LAST(zone_power_watts, "cpu"), 0.5);
    CHECK_REAL(LAST(device_energy_joules_total, "gpu0"), 0.04);
    CHECK_REAL(LAST(device_energy_joules_total, "npu0"), 0.008);
    CHECK_REAL(LAST(device_utilization_ratio, "gpu0"), 0.1); /* not the nan */
    CHECK_REAL(LAST(device_clock_hertz, "gpu0"), 338e6);
    CHECK_REAL(LAST(zone_clock_hertz, "E-Cluster"), 1e9);
    CHECK_REAL(LAST(zone_utilization_ratio, "E-Cluster"), 0.25);
    CHECK_REAL(LAST(thermal_pressure_level, ""), 1);
    CHECK_TEXT(subjects_missing_at(s->subjects, 0)->reason,
            "powermetrics ended: gone wrong");
    CHECK(subjects_ended_ns(s->subjects, driven_subject(s, "gpu0")) > 0);
    driven_close(s);
}

/* It writes on and on, and is ended with us. */
static void endless(const struct tree *t)
{
    put_program(t, "#!/bin/sh\nexec sleep 1000\n");

    struct driven *s = driven_open(&sampler_powermetrics, "");

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_INT(s->batch.count, 0);
    driven_close(s);
}

static void refusals(const struct tree *t)
{
    CHECK(setenv("ORTMETER_POWERMETRICS", "/nowhere/powermetrics", 1) == 0);

    struct driven *s = driven_open(&sampler_powermetrics, "");

    CHECK_INT(s->rc, -ENODEV);
    CHECK_TEXT(s->error.text, "ORTMETER_POWERMETRICS: there is no program "
                              "/nowhere/powermetrics");
    driven_close(s);

    CHECK(unsetenv("ORTMETER_POWERMETRICS") == 0);
    CHECK(setenv("PATH", "/nowhere", 1) == 0);
    s = driven_open(&sampler_powermetrics, "");
    CHECK_INT(s->rc, -ENODEV);
    CHECK_TEXT(s->error.text,
            "there is no program powermetrics, which is macOS's");
    driven_close(s);

    /* There, but for root only. */
    bool root = geteuid() == 0;

    CHECK(chmod(t->root, 0755) == 0);
    CHECK(setenv("PATH", t->root, 1) == 0);
    CHECK(!root || seteuid(65534) == 0);
    s = driven_open(&sampler_powermetrics, "");
    CHECK(!root || seteuid(0) == 0);
    CHECK_INT(s->rc, -EACCES);
    CHECK_TEXT(s->error.text, "powermetrics is for root only");
    CHECK(strstr(s->error.remedy, "ORTMETER_POWERMETRICS"));
    driven_close(s);
}

int main(void)
{
    struct tree t = tree_open();

    samples(&t);
    endless(&t);
    refusals(&t);
    tree_close(&t);
    return test_result();
}
