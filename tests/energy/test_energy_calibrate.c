/* A made-up powercap tree whose counters run on while nobody works, or somebody
 * does; measured by the samplers that `ortmeter calibrate` uses, kept in the
 * database, and found again by a run.  Time is virtual. */
#include "energy/calibrate/calibrate.h"

#include "base/compiler.h"
#include "base/json.h"
#include "energy/calibrate/calibration.h"
#include "energy/run_energy.h"
#include "os/clock.h"
#include "os/host.h"
#include "sample/device/device_samplers.h"
#include "sample/sampler_table.h"
#include "stored.h"
#include "test.h"

#include "energy_truth.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The machine: how long it runs, what it draws, and how busy it is. */
static struct machine {
    struct tree tree;
    uint64_t began_ns, now_ns;
    double joules[2];          /* of both packages */
    double (*watts)(double s); /* of the first; the other rests at 5 W */
    double busy;               /* of its two cores */
    double ticks[2];           /* busy and idle ones */
    int counter[2], stat;      /* the files that move, kept open */
    unsigned told;             /* times that progress was told */
} machine;

static double cools(double s)
{
    return 12 + 30 * exp(-s / 4);
}

static double swings(double s)
{
    return (int)(s / 7) % 2 ? 10 : 60;
}

static double stands_still(double s)
{
    (void)s;
    return 0;
}

/* Over what a file says, with as many digits, so that nothing else of it
 * changes. */
static void over(int file, const char *text)
{
    size_t len = strlen(text);

    CHECK_INT(pwrite(file, text, len, 0), (int64_t)len);
}

static void show(void)
{
    char text[256];
    double busy = machine.ticks[0], idle = machine.ticks[1];

    for (int i = 0; i < 2; i++) {
        (void)snprintf(text, sizeof(text), "%012.0f\n",
                1e6 * machine.joules[i]);
        over(machine.counter[i], text);
    }
    (void)snprintf(text, sizeof(text),
            "cpu  %08.0f 0 0 %08.0f 0 0 0 0 0 0\n"
            "cpu0 %08.0f 0 0 %08.0f 0 0 0 0 0 0\n"
            "cpu1 %08.0f 0 0 %08.0f 0 0 0 0 0 0\n",
            2 * busy, 2 * idle, busy, idle, busy, idle);
    over(machine.stat, text);
}

static uint64_t virtual_now(void)
{
    return machine.now_ns;
}

static void virtual_until(uint64_t moment_ns)
{
    while (machine.now_ns < moment_ns) {
        uint64_t step_ns = moment_ns - machine.now_ns;

        if (step_ns > 10 * MS)
            step_ns = 10 * MS;

        double s = (double)(machine.now_ns - machine.began_ns) / 1e9;
        double passed_s = (double)step_ns / 1e9;

        machine.joules[0] += machine.watts(s) * passed_s;
        machine.joules[1] += machine.watts == stands_still ? 0 : 5 * passed_s;
        machine.ticks[0] += 100 * machine.busy * passed_s;
        machine.ticks[1] += 100 * (1 - machine.busy) * passed_s;
        machine.now_ns += step_ns;
    }
    show();
}

static bool never(void)
{
    return false;
}

static void told(enum baseline_state state)
{
    (void)state;
    machine.told++;
}

static int make_file(const char *name)
{
    tree_put(&machine.tree, name, "");

    int file = open(tree_path(&machine.tree, name), O_WRONLY);

    CHECK(file >= 0);
    return file;
}

static void begin(double (*watts)(double s), double busy)
{
    machine = (struct machine){ .tree = tree_open(),
        .began_ns = mono_ns(),
        .joules = { 100, 200 },
        .watts = watts,
        .busy = busy,
        .ticks = { 5000, 50000 } };
    machine.now_ns = machine.began_ns;
    for (int i = 0; i < 2; i++) {
        char path[96], name[16];

        (void)snprintf(path, sizeof(path),
                "sys/class/powercap/intel-rapl:%d/name", i);
        (void)snprintf(name, sizeof(name), "package-%d\n", i);
        tree_put(&machine.tree, path, name);
        (void)snprintf(path, sizeof(path),
                "sys/class/powercap/intel-rapl:%d/max_energy_range_uj", i);
        tree_put(&machine.tree, path, "262143328850\n");
        (void)snprintf(path, sizeof(path),
                "sys/class/powercap/intel-rapl:%d/energy_uj", i);
        machine.counter[i] = make_file(path);
    }
    machine.stat = make_file("proc/stat");
    show();
}

static void end(struct calibrate *c)
{
    calibrate_close(c);
    for (int i = 0; i < 2; i++)
        (void)close(machine.counter[i]);
    (void)close(machine.stat);
    tree_close(&machine.tree);
}

static int open_machine(struct calibrate **c, uint64_t most_ns)
{
    static const struct sampler *const table[] = { &sampler_rapl_powercap,
        &sampler_cores, NULL };
    struct baseline_rules rules = baseline_usual;
    struct error e = { 0 };

    if (most_ns)
        rules.most_ns = most_ns;
    return calibrate_open(c,
            &(struct calibrate_plan){ .table = table,
                    .root = machine.tree.root,
                    .rules = rules,
                    .now_ns = virtual_now,
                    .until = virtual_until,
                    .stopped = never,
                    .tell = told },
            &e);
}

static double seconds_passed(void)
{
    return (double)(machine.now_ns - machine.began_ns) / 1e9;
}

/* Finds what was kept as any run of the machine does. */
static void found_again(struct store *s)
{
    struct host_info host;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    struct error e = { 0 };
    struct run_energy r;

    host_read(&host, machine.tree.root);
    host_json(&j, NULL, &host);

    struct run run = { .started_wall_ns = 1900000000000000000,
        .meter_pid = own_pid(),
        .command = "prog",
        .host = buf_cstr(&text),
        .version = "0.0.1",
        .duration_ns = 2000 * MS,
        .ended = true };

    CHECK_INT(store_begin_run(s, &run, &e), 0);
    store_add_subject(s, 1,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = "package-0",
                    .source = "rapl-powercap" });
    for (uint64_t at = 0; at <= 2000 * MS; at += 10 * MS)
        store_add_reading(s,
                &(struct reading){ .time_ns = at,
                        .value = 40 * (double)at / 1e9,
                        .subject = 1,
                        .metric = METRIC_zone_energy_joules_total });
    stored_flush(s);
    run.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, &run, &e), 0);
    CHECK_INT(run_energy_read(&r, s, run.row, &e), 0);
    CHECK(r.calibrated_wall_ns > 0);
    CHECK(r.account.attribution.idle_known);
    CHECK(within((double)attribution_lines(&r.account.attribution).idle_uj,
            12e6 * 2, 0.05));
    run_energy_release(&r);
    buf_release(&text);
}

/* It has just worked, and cools down to 12 W; the other package rests at 5 W.
 */
static void measures(void)
{
    struct calibrate *c = NULL;
    enum baseline_state state = BASELINE_SETTLING;
    struct error e = { 0 };
    struct store *s;

    begin(cools, 0.01);
    CHECK_INT(open_machine(&c, 0), 0);
    CHECK_INT(calibrate_measure(c, &state), 0);
    CHECK_INT(state, BASELINE_DONE);
    CHECK_INT(idle_count(calibrate_idle(c)), 2);
    for (size_t i = 0; i < idle_count(calibrate_idle(c)); i++) {
        struct idle_sensor x = idle_at(calibrate_idle(c), i);
        bool first =
                strcmp(calibrate_subject(c, x.subject)->name, "package-0") == 0;

        CHECK(within(x.watts, first ? 12 : 5, 0.05));
        CHECK(x.error_watts < 0.02 * x.watts);
        CHECK(!first || x.settled_ns > 10000 * MS);
    }
    CHECK(seconds_passed() >= 20 && seconds_passed() < 100);
    CHECK(machine.told >= 20);
    s = stored_open(&machine.tree, STORE_WRITE);
    CHECK_INT(calibrate_keep(c, s, &e), 0);
    found_again(s);
    store_close(s);
    CHECK_INT(stored_number(&machine.tree,
                      "SELECT count(*) FROM readings r JOIN metrics m"
                      " ON m.id = r.metric WHERE m.name = 'zone_idle_watts'"),
            2);
    end(c);
}

/* Somebody uses two fifths of its CPU time: no answer, and soon. */
static void refuses(void)
{
    struct calibrate *c = NULL;
    enum baseline_state state = BASELINE_SETTLING;

    begin(cools, 0.4);
    CHECK_INT(open_machine(&c, 0), 0);
    CHECK_INT(calibrate_measure(c, &state), 0);
    CHECK_INT(state, BASELINE_BUSY);
    CHECK(within(idle_busy(calibrate_idle(c)), 0.4, 0.05));
    CHECK(seconds_passed() < 30);
    end(c);
}

/* Nobody works, and yet it never comes to rest. */
static void gives_up(void)
{
    struct calibrate *c = NULL;
    enum baseline_state state = BASELINE_SETTLING;

    begin(swings, 0.02);
    CHECK_INT(open_machine(&c, 0), 0);
    CHECK_INT(calibrate_measure(c, &state), 0);
    CHECK_INT(state, BASELINE_UNSTEADY);
    CHECK(seconds_passed() > 119 && seconds_passed() < 125);
    end(c);
}

/* No sensor at all. */
static void nothing(void)
{
    struct calibrate *c = NULL;

    machine = (struct machine){ .tree = tree_open(), .now_ns = mono_ns() };
    CHECK_INT(open_machine(&c, 0), -ENODEV);
    CHECK(calibrate_sampling(c) != NULL);
    CHECK(sampling_source_at(calibrate_sampling(c), 0)->why.text[0]);
    calibrate_close(c);
    calibrate_close(NULL);
    tree_close(&machine.tree);
}

/* A counter that never moves, as virtual machines have it, is no sensor: that
 * is said, whether somebody works or not, and also when time is up at once. */
static void unmoved(void)
{
    for (int i = 0; i < 4; i++) {
        struct calibrate *c = NULL;
        enum baseline_state state = BASELINE_SETTLING;

        begin(stands_still, i % 2 ? 0.9 : 0.01);
        CHECK_INT(open_machine(&c, i / 2 ? 1000 * MS : 0), 0);
        CHECK_INT(calibrate_measure(c, &state), -ENODEV);
        CHECK(seconds_passed() < 10);
        end(c);
    }
}

int main(void)
{
    measures();
    refuses();
    gives_up();
    unmoved();
    nothing();
    return test_result();
}
