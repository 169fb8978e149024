#include "energy/baseline.h"
#include "energy/calibrate/idle.h"
#include "energy/throttle.h"

#include "base/compiler.h"
#include "test.h"

#include "energy_truth.h"

#define S (1000 * MS)

/* A machine that has just worked: it cools down for 20 s to 12 W. */
static void cools_down(void)
{
    struct baseline b;
    uint64_t seed = 3, now = 0;

    baseline_begin(&b, &baseline_usual, 0);
    while (b.state < BASELINE_DONE && now < 300 * S) {
        now += S / 2;

        double t = (double)now / 1e9;

        (void)baseline_feed(&b, now,
                12 + 30 * exp(-t / 7) + truth_random(&seed) - 0.5, 0.01);
    }
    CHECK_INT(b.state, BASELINE_DONE);
    CHECK(within(b.watts, 12, 0.05));
    CHECK(b.error_watts < 0.01 * b.watts);
    CHECK(b.settled_ns > 10 * S);
    CHECK(now < 100 * S);
    /* What is fed afterwards changes nothing. */
    CHECK_INT(baseline_feed(&b, now + S, 1000, 1), BASELINE_DONE);
    CHECK(within(b.watts, 12, 0.05));
}

static void busy(void)
{
    struct baseline b;

    baseline_begin(&b, &baseline_usual, 5);
    for (uint64_t now = S; now < 60 * S; now += S)
        (void)baseline_feed(&b, now, 40, 0.4);
    CHECK_INT(b.state, BASELINE_BUSY);
    CHECK(within(b.busy, 0.4, 0.01));
}

static void unsteady(void)
{
    struct baseline b;
    uint64_t now = S;

    baseline_begin(&b, &baseline_usual, 0);
    for (; now < 200 * S; now += S)
        (void)baseline_feed(&b, now, now / (10 * S) % 2 ? 10 : 60, 0.05);
    CHECK_INT(b.state, BASELINE_UNSTEADY);
}

/* --- all sensors of a machine --------------------------------------------- */

static struct reading reading(enum metric_id metric, uint32_t subject,
        uint64_t time_ns, double value)
{
    return (struct reading){ .time_ns = time_ns,
        .value = value,
        .subject = subject,
        .metric = (uint16_t)metric };
}

/* A counter at 8 W and a gauge at 3 W; the machine is as busy as asked for. */
static enum baseline_state idle_machine(struct idle_meter *m, double busy)
{
    enum baseline_state state = BASELINE_SETTLING;

    for (uint64_t now = S; state < BASELINE_DONE && now < 200 * S; now += S) {
        for (uint64_t k = 1; k <= 10; k++) {
            uint64_t at = now - S + k * S / 10;
            struct reading r[] = {
                reading(METRIC_zone_energy_joules_total, 4, at,
                        100 + 8 * (double)at / 1e9),
                reading(METRIC_device_power_watts, 7, at, k % 2 ? 2.9 : 3.1),
                reading(METRIC_host_busy_ratio, 0, at, busy),
                reading(METRIC_zone_temperature_celsius, 9, at, 50),
            };

            for (size_t i = 0; i < LEN(r); i++)
                idle_take(m, &r[i]);
        }
        state = idle_tick(m, now);
    }
    return state;
}

static void whole_machine(void)
{
    struct idle_meter *m = idle_new(&baseline_usual, 0);

    CHECK_INT(idle_machine(m, 0.02), BASELINE_DONE);
    CHECK_INT(idle_count(m), 2);
    CHECK_INT(idle_at(m, 0).subject, 4);
    CHECK(within(idle_at(m, 0).watts, 8, 0.001));
    CHECK_INT(idle_at(m, 1).subject, 7);
    CHECK(within(idle_at(m, 1).watts, 3, 0.001));
    idle_free(m);

    m = idle_new(&baseline_usual, 0);
    CHECK_INT(idle_machine(m, 0.5), BASELINE_BUSY);
    CHECK(within(idle_busy(m), 0.5, 0.01));
    idle_free(m);

    /* Without a sensor it ends, too. */
    m = idle_new(&baseline_usual, 0);
    CHECK_INT(idle_tick(m, 10 * S), BASELINE_SETTLING);
    CHECK_INT(idle_tick(m, 121 * S), BASELINE_UNSTEADY);
    CHECK_INT(idle_count(m), 0);
    idle_free(m);
}

/* --- throttling ----------------------------------------------------------- */

static void from_sensors(void)
{
    static const struct series_reading flag[] = { { 0, 0 }, { 10, 1 },
        { 20, 1 }, { 30, 0 }, { 40, 0.5 }, { 50, 0 } };
    static const struct series_reading seconds[] = { { 0, 3 }, { 10, 3 },
        { 20, 3.5 }, { 30, 3.5 } };
    struct throttling t = { 0 };

    throttle_from_flag(&t, flag, LEN(flag));
    CHECK_INT(t.count, 2);
    CHECK_INT(t.items[0].start_ns, 10);
    CHECK_INT(t.items[0].end_ns, 30);
    CHECK_INT(t.items[1].start_ns, 40);
    throttle_from_counter(&t, seconds, LEN(seconds));
    CHECK_INT(t.count, 3);
    CHECK_INT(t.items[2].start_ns, 10);
    CHECK_INT(t.items[2].end_ns, 20);
    CHECK_INT(throttling_ns(&t), 30);
    throttling_release(&t);
}

/* 3.2 GHz, and 2.4 GHz from 10 s to 16 s; a dip of 0.3 s is none. */
static void from_clock(void)
{
    struct series_reading r[300];
    struct throttling t = { 0 };
    uint64_t seed = 9;

    for (size_t i = 0; i < LEN(r); i++) {
        bool slow = (i >= 100 && i < 160) || (i >= 50 && i < 53);

        r[i] = (struct series_reading){ i * 100 * MS,
            (slow ? 2.4e9 : 3.2e9) * (1 + 0.02 * truth_random(&seed)) };
    }
    throttle_from_clock(&t, r, LEN(r));
    CHECK_INT(t.count, 1);
    if (t.count == 1) {
        CHECK(llabs((long long)(t.items[0].start_ns - 10 * S)) <
                (long long)(400 * MS));
        CHECK(llabs((long long)(t.items[0].end_ns - 16 * S)) <
                (long long)(400 * MS));
        CHECK(within(t.items[0].depth, 0.25, 0.15));
        CHECK_INT(t.items[0].sign, THROTTLE_CLOCK);
    }
    throttling_release(&t);
}

/* Inferences of 20 ms that take 30 ms in the last third. */
static void from_latency(void)
{
    struct series_reading r[600];
    struct throttling t = { 0 };
    uint64_t now = 0, seed = 2;

    for (size_t i = 0; i < LEN(r); i++) {
        double ms = (i < 400 ? 20 : 30) * (1 + 0.1 * truth_random(&seed));

        r[i] = (struct series_reading){ now, ms / 1e3 };
        now += (uint64_t)(ms * 1e6);
    }
    throttle_from_latency(&t, r, LEN(r));
    CHECK_INT(t.count, 1);
    if (t.count == 1) {
        CHECK(t.items[0].start_ns > 7 * S && t.items[0].start_ns < 9 * S);
        CHECK(within(t.items[0].depth, 0.5, 0.2));
    }
    throttling_release(&t);

    /* Steady work is not held back. */
    throttle_from_latency(&t, r, 400);
    CHECK_INT(t.count, 0);
    throttle_from_clock(&t, r, 3);
    CHECK_INT(t.count, 0);
    CHECK_INT(throttling_ns(&t), 0);
    throttling_release(&t);
}

int main(void)
{
    cools_down();
    busy();
    unsteady();
    whole_machine();
    from_sensors();
    from_clock();
    from_latency();
    return test_result();
}
