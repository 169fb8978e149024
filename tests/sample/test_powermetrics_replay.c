/* What powermetrics wrote on real Macs, written again by a program in its place
 * and read by the sampler: at once, slowly, cut short, and through sudo.  The
 * figures are those of the files.  Skipped where they are not at hand. */
#include "sample/device/device_samplers.h"

#include "base/compiler.h"
#include "driven.h"
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>

#define SECOND   1000000000ull
#define FILES    RECORDED "/powermetrics/"
#define EACH_MAX 40

/* What is to be read at the end of a recording; the first without a metric
 * ends the list. */
struct expected {
    enum metric_id metric;
    const char *subject; /* "": the machine */
    double value;
};

struct replay {
    const char *file;
    size_t readings; /* of the metric that counts, below */
    enum metric_id counted;
    struct expected value[EACH_MAX];
};

#define CPU_J(x)                                  \
    {                                             \
        METRIC_zone_energy_joules_total, "cpu", x \
    }
#define CPU_W(x)                          \
    {                                     \
        METRIC_zone_power_watts, "cpu", x \
    }
#define GPU_J(x)                                     \
    {                                                \
        METRIC_device_energy_joules_total, "gpu0", x \
    }
#define GPU_W(x)                             \
    {                                        \
        METRIC_device_power_watts, "gpu0", x \
    }
#define GPU_HZ(x)                            \
    {                                        \
        METRIC_device_clock_hertz, "gpu0", x \
    }
#define GPU_USE(x)                                 \
    {                                              \
        METRIC_device_utilization_ratio, "gpu0", x \
    }
#define ANE_J(x)                                     \
    {                                                \
        METRIC_device_energy_joules_total, "npu0", x \
    }
#define ANE_W(x)                             \
    {                                        \
        METRIC_device_power_watts, "npu0", x \
    }
#define PRESSURE(x)                          \
    {                                        \
        METRIC_thermal_pressure_level, "", x \
    }
#define CLUSTER(name, hz, use)                   \
    { METRIC_zone_clock_hertz, name, hz },       \
    {                                            \
        METRIC_zone_utilization_ratio, name, use \
    }

/* Energies that a file does not tell are its watts over its window. */
static const struct replay replays[] = {
    { "m4max-full.plist", 1, METRIC_zone_power_watts,
            { CPU_J(3.049), CPU_W(2.97845), GPU_J(0.276), GPU_W(0.269614),
                    ANE_J(0), ANE_W(0), GPU_HZ(338e6), GPU_USE(1 - 0.877343),
                    PRESSURE(0),
                    CLUSTER("E-Cluster", 1.15444e9, 1 - 0.47032) } },
    { "socpower.plist", 1, METRIC_zone_power_watts,
            { CPU_W(9.92435), CPU_J(9.92435 * 3.01730475), GPU_W(0.169958),
                    GPU_J(0.169958 * 3.01730475), ANE_W(0), ANE_J(0),
                    GPU_USE(1 - 0.901357) } },
    { "thermalthrottling.plist", 1, METRIC_thermal_pressure_level,
            { PRESSURE(0) } },
    { "energyimpact.plist", 0, METRIC_zone_power_watts, { { 0 } } },
    { "gpu_power.xml", 1, METRIC_device_utilization_ratio,
            { GPU_HZ(338e6), GPU_USE(1 - 0.995324), GPU_J(0.009) } },
    /* Five documents with a zero byte between them: energies add up. */
    { "gpu_power_multiple_samples.xml", 5, METRIC_device_utilization_ratio,
            { GPU_HZ(458.421e6), GPU_USE(1 - 0.960673),
                    GPU_J(0.019 + 0.107 + 0.788 + 0.146 + 0.126) } },
    { "m4max-text.log", 1, METRIC_device_utilization_ratio,
            { CPU_W(0.954), CPU_J(0.954 * 5.02196), GPU_W(0.028),
                    GPU_J(0.028 * 5.02196), ANE_W(0), ANE_J(0), GPU_HZ(338e6),
                    GPU_USE(0.0163), CLUSTER("E-Cluster", 1293e6, 1),
                    CLUSTER("P0-Cluster", 2507e6, 0.0588),
                    CLUSTER("P1-Cluster", 2316e6, 0.3543) } },
    { "m1max-text-all.txt", 1, METRIC_device_utilization_ratio,
            { CPU_W(0.044), CPU_J(0.044 * 5.03796), GPU_W(0.010),
                    GPU_J(0.010 * 5.03796), ANE_W(0), GPU_HZ(418e6),
                    GPU_USE(0.0122), PRESSURE(0),
                    CLUSTER("E-Cluster", 1012e6, 0.2508),
                    CLUSTER("P0-Cluster", 667e6, 0.0371),
                    CLUSTER("P1-Cluster", 608e6, 0.0021),
                    { METRIC_battery_charge_ratio, "battery", 1 } } },
};

/* --- the program ---------------------------------------------------------- */

static struct tree tree;

static void put_script(const char *name, const char *text)
{
    tree_put(&tree, name, text);
    CHECK(chmod(tree_path(&tree, name), 0755) == 0);
}

/* A shell script that does `work` when it is asked as we ask. */
static void put_program(const char *work)
{
    char text[2048];

    (void)snprintf(text, sizeof(text),
            "#!/bin/sh\n"
            "[ \"$*\" = '-f plist -i 200 -s cpu_power,gpu_power,thermal' ] ||"
            " { echo 'asked otherwise' >&2; exit 9; }\n%s\n",
            work);
    put_script("powermetrics", text);
    CHECK(setenv("ORTMETER_POWERMETRICS", tree_path(&tree, "powermetrics"),
                  1) == 0);
}

/* --- what came of it ------------------------------------------------------ */

static struct reading told[4096];
static size_t told_count;
static uint64_t now_ns;

static struct driven *begin(void)
{
    struct driven *s = driven_open(&sampler_powermetrics, "");

    CHECK_INT(s->rc, 0);
    told_count = 0;
    now_ns = 0;
    return s;
}

static void read_once(struct driven *s)
{
    driven_read(s, now_ns += SECOND);
    for (size_t i = 0; i < s->batch.count && told_count < LEN(told); i++)
        told[told_count++] = s->items[i];
}

/* Until the program has ended, which is told as a missing metric. */
static void read_to_end(struct driven *s)
{
    while (!subjects_missing_count(s->subjects)) {
        read_once(s);
        (void)sched_yield();
    }
}

static const char *end_reason(const struct driven *s)
{
    return driven_missing(s, METRIC_zone_power_watts, "");
}

static double last(const struct driven *s, const struct expected *x)
{
    uint32_t subject = *x->subject ? driven_subject(s, x->subject) : 0;

    for (size_t i = told_count; i-- > 0;)
        if (told[i].metric == x->metric && told[i].subject == subject)
            return told[i].value;
    return NAN;
}

static size_t count_of(enum metric_id metric)
{
    size_t count = 0;

    for (size_t i = 0; i < told_count; i++)
        count += told[i].metric == metric;
    return count;
}

static void check_values(const struct driven *s, const struct replay *r)
{
    int before = test_failures;

    for (size_t i = 0; i < EACH_MAX && r->value[i].subject; i++)
        CHECK_REAL(last(s, &r->value[i]), r->value[i].value);
    CHECK_INT(count_of(r->counted), r->readings);
    if (test_failures > before)
        (void)fprintf(stderr, "  ... in %s\n", r->file);
}

/* --- each recording ------------------------------------------------------- */

static void at_once(const struct replay *r)
{
    char work[512];

    (void)snprintf(work, sizeof(work), "exec cat '" FILES "%s'", r->file);
    put_program(work);

    struct driven *s = begin();

    read_to_end(s);
    check_values(s, r);
    CHECK_TEXT(end_reason(s), "powermetrics ended");
    driven_close(s);
}

/* The program passes on what we write, a little at a time, and we look after
 * each piece: a document counts when it is whole, and not before. */
static void slowly(const struct replay *r)
{
    char work[1024], piece[777];
    size_t len;

    CHECK(mkfifo(tree_path(&tree, "slow"), 0600) == 0);
    (void)snprintf(work, sizeof(work), "exec cat '%s'",
            tree_path(&tree, "slow"));
    put_program(work);

    struct driven *s = begin();
    FILE *from;
    int to = open(tree_path(&tree, "slow"), O_WRONLY | O_CLOEXEC);

    (void)snprintf(work, sizeof(work), FILES "%s", r->file);
    from = fopen(work, "rb");
    CHECK(from && to >= 0);
    while (from && (len = fread(piece, 1, sizeof(piece), from)) > 0) {
        CHECK_INT(write(to, piece, len), len);
        read_once(s);
        CHECK_INT(subjects_missing_count(s->subjects), 0);
    }
    (void)close(to);
    if (from)
        (void)fclose(from);
    read_to_end(s);
    check_values(s, r);
    driven_close(s);
    CHECK(unlink(tree_path(&tree, "slow")) == 0);
}

/* One whole document, then `bytes` of the next, and it is gone.  What was whole
 * stands, what was not is left out. */
static void dies(const struct replay *r, size_t bytes)
{
    char work[1024];

    (void)snprintf(work, sizeof(work),
            "cat '" FILES "%s'\nprintf '\\000'\n"
            "head -c %zu '" FILES "%s'\n"
            "echo 'first words' >&2\necho 'Killed: 9' >&2\nexit 137",
            r->file, bytes, r->file);
    put_program(work);

    struct driven *s = begin();

    read_to_end(s);
    check_values(s, r);
    CHECK_TEXT(end_reason(s), "powermetrics ended: Killed: 9");
    CHECK(subjects_ended_ns(s->subjects, driven_subject(s, "cpu")) > 0);
    driven_close(s);
}

/* --- root ----------------------------------------------------------------- */

/* It is there, and says no. */
static void refused_by_itself(void)
{
    put_program("echo 'powermetrics must be invoked as the superuser' >&2\n"
                "exit 1");

    struct driven *s = begin();

    read_to_end(s);
    CHECK_INT(told_count, 0);
    CHECK_TEXT(end_reason(s), "powermetrics ended: powermetrics must be "
                              "invoked as the superuser");
    driven_close(s);
}

/* A program of the user's that calls it with sudo, as docs/energy.md says; and
 * a sudo that wants a password, or does not. */
static void through_sudo(const struct replay *r, bool allowed)
{
    char text[2048];

    (void)snprintf(text, sizeof(text), "exec cat '" FILES "%s'", r->file);
    put_program(text);
    put_script("sudo", allowed ? "#!/bin/sh\n[ \"$1\" = -n ] || exit 8\n"
                                 "shift\nexec \"$@\"\n"
                               : "#!/bin/sh\n"
                                 "echo 'sudo: a password is required' >&2\n"
                                 "exit 1\n");
    (void)snprintf(text, sizeof(text),
            "#!/bin/sh\nexec '%s/sudo' -n '%s/powermetrics' \"$@\"\n",
            tree.root, tree.root);
    put_script("wrapper", text);
    CHECK(setenv("ORTMETER_POWERMETRICS", tree_path(&tree, "wrapper"), 1) == 0);

    struct driven *s = begin();

    read_to_end(s);
    if (allowed)
        check_values(s, r);
    else
        CHECK_INT(told_count, 0);
    CHECK_TEXT(end_reason(s),
            allowed ? "powermetrics ended"
                    : "powermetrics ended: sudo: a password is required");
    driven_close(s);
}

int main(void)
{
    if (!recorded_there())
        return 77;
    tree = tree_open();
    for (size_t i = 0; i < LEN(replays); i++) {
        at_once(&replays[i]);
        slowly(&replays[i]);
    }
    dies(&replays[0], 1);
    dies(&replays[0], 100000);
    dies(&replays[0], 260000); /* of 260,010 */
    dies(&replays[1], 300);
    refused_by_itself();
    through_sudo(&replays[0], false);
    through_sudo(&replays[0], true);
    tree_close(&tree);
    return test_result();
}
