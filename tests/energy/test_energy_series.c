#include "energy/series.h"

#include "base/compiler.h"
#include "test.h"

#include "energy_truth.h"

/* Two phases of different power, 10 s, with a counter that is full after 90 J,
 * read every 10 ms; what is asked for lies inside. */
static void totals_and_phases(uint64_t period_ns, double jitter)
{
    static const struct {
        uint64_t from_ms, to_ms;
    } phase[] = { { 100, 10100 }, { 100, 2100 }, { 2100, 5100 },
        { 5100, 10100 } };
    uint64_t seed = 88172645463325252ull;
    struct truth t = { 0 };

    truth_step(&t, 0, 12);
    truth_step(&t, 2100 * MS, 55);
    truth_step(&t, 5100 * MS, 31);

    struct truth_counter c = {
        .period_ns = period_ns,
        .jitter = jitter,
        .unit_joules = 15.3e-6,
        .wrap_joules = 90,
        .begin_joules = 80,
        .read_ns = period_ns < 10 * MS ? period_ns / 2 : 10 * MS,
        .read_jitter = 0.3,
    };
    struct truth_readings r = truth_read(&t, &c, 0, 10300 * MS, &seed);
    struct series s;

    series_from_counter(&s, r.items, r.count,
            &(struct series_sensor){ .wrap_joules = 90, .most_watts = 500 });
    CHECK_INT(s.faults[SERIES_GOOD], s.count);
    CHECK(s.period_resolved);
    CHECK(within((double)s.period_ns, (double)period_ns, 0.15));
    for (size_t i = 0; i < LEN(phase); i++) {
        uint64_t from = phase[i].from_ms * MS, to = phase[i].to_ms * MS;
        struct series_window w = series_between(&s, from, to);
        double want = truth_joules(&t, to) - truth_joules(&t, from);

        CHECK(w.sufficient);
        CHECK_INT(w.covered_ns, to - from);
        if (!i)
            CHECK(within(w.joules, want, 0.005));
        /* A phase's ends cut updates in two, and these know of no phases: off
         * by at most half a step of 43 W, for half a period, at each end. */
        CHECK(fabs(w.joules - want) <
                0.02 * want + 2 * 43 * (double)period_ns / 1e9 / 4);
        CHECK(w.updates >= (to - from) / period_ns / 2);
    }
    series_release(&s);
    free(r.items);
    truth_release(&t);
}

/* A short window on a slow counter: not enough, whatever it says. */
static void insufficient(void)
{
    uint64_t seed = 7;
    struct truth t = { 0 };
    struct truth_counter c = { .period_ns = 100 * MS, .read_ns = 5 * MS };
    struct series s;

    truth_step(&t, 0, 20);

    struct truth_readings r = truth_read(&t, &c, 0, 3000 * MS, &seed);

    series_from_counter(&s, r.items, r.count, &(struct series_sensor){ 0 });

    struct series_window w =
            series_between(&s, 1000 * MS, 1000 * MS + 200 * US);

    CHECK(!w.sufficient);
    CHECK(w.updates <= 1);
    CHECK(within(w.joules, 20 * 200e-6, 0.2));
    CHECK(series_between(&s, 1000 * MS, 2000 * MS).sufficient);
    CHECK(!series_between(&s, 2000 * MS, 4000 * MS).sufficient);
    CHECK(series_between(&s, 2000 * MS, 4000 * MS).missing_ns > 800 * MS);
    series_release(&s);
    free(r.items);
    truth_release(&t);
}

/* The start of a run: read fast for a moment, then at leisure.  The period is
 * known from the moment. */
static void fast_then_slow(void)
{
    uint64_t seed = 3;
    struct truth t = { 0 };
    struct truth_counter fast = { .period_ns = MS, .read_ns = 250 * US };
    struct truth_counter slow = { .period_ns = MS, .read_ns = 20 * MS };

    truth_step(&t, 0, 20);

    struct truth_readings a = truth_read(&t, &fast, 0, 50 * MS, &seed);
    struct truth_readings b = truth_read(&t, &slow, 60 * MS, 2000 * MS, &seed);
    struct series_reading *all =
            calloc(a.count + b.count, sizeof(struct series_reading));
    bool resolved = false;

    memcpy(all, a.items, a.count * sizeof(*all));
    memcpy(all + a.count, b.items, b.count * sizeof(*all));
    CHECK_INT(series_period(all, a.count + b.count, &resolved), MS);
    CHECK(resolved);
    CHECK_INT(series_period(b.items, b.count, &resolved), 20 * MS);
    CHECK(!resolved);
    CHECK_INT(series_period(b.items, 1, &resolved), 0);
    free(all);
    free(a.items);
    free(b.items);
    truth_release(&t);
}

/* --- what sensors do wrong ------------------------------------------------ */

struct broken {
    struct series_reading r[100]; /* 10 W, every 100 ms, 1 J each */
    struct series s;
};

static void whole(struct broken *b)
{
    for (size_t i = 0; i < LEN(b->r); i++)
        b->r[i] = (struct series_reading){ i * 100 * MS, (double)i };
}

static void build(struct broken *b)
{
    series_from_counter(&b->s, b->r, LEN(b->r),
            &(struct series_sensor){ .most_watts = 100 });
}

/* The rest stands: all but `lost_ms` is there, at 10 W. */
static void check_rest(struct broken *b, enum series_fault fault,
        uint64_t lost_ms)
{
    struct series_window w = series_between(&b->s, 0, 9900 * MS);

    CHECK(b->s.faults[fault] > 0);
    CHECK_INT(w.faulty_ns, lost_ms * MS);
    CHECK_INT(w.covered_ns, 9900 * MS - lost_ms * MS);
    CHECK(within(w.joules, 10 * (double)w.covered_ns / 1e9, 1e-9));
    CHECK(!w.sufficient);
    CHECK(series_between(&b->s, 7000 * MS, 9000 * MS).sufficient);
    CHECK(series_between(&b->s, 0, 2000 * MS).sufficient);
    series_release(&b->s);
}

static void faults(void)
{
    struct broken b;

    whole(&b); /* goes back once, for good: it was reset */
    for (size_t i = 50; i < LEN(b.r); i++)
        b.r[i].value -= 49;
    build(&b);
    check_rest(&b, SERIES_BACK, 100);

    whole(&b); /* one absurd value */
    b.r[50].value = 1e12;
    build(&b);
    check_rest(&b, SERIES_GARBAGE, 200);

    whole(&b); /* no number at all */
    b.r[50].value = NAN;
    b.r[51].value = -5;
    build(&b);
    check_rest(&b, SERIES_GARBAGE, 300);

    whole(&b); /* stands still for 2.9 s and then goes on as if nothing was */
    for (size_t i = 31; i < 60; i++)
        b.r[i].value = b.r[30].value;
    for (size_t i = 60; i < LEN(b.r); i++)
        b.r[i].value -= 29;
    build(&b);
    check_rest(&b, SERIES_STOPPED, 3000);

    whole(&b); /* never moves */
    for (size_t i = 0; i < LEN(b.r); i++)
        b.r[i].value = 5;
    build(&b);
    CHECK_INT(series_between(&b.s, 0, 9900 * MS).covered_ns, 0);
    CHECK(b.s.faults[SERIES_STOPPED] == 1);
    series_release(&b.s);
}

/* A counter that is full after 50 J and was not read for longer than that may
 * take: nobody knows how often it was full. */
static void gap(void)
{
    struct series_reading r[40];
    struct series s;
    const struct series_sensor sensor = { .wrap_joules = 50,
        .most_watts = 100 };

    for (size_t i = 0; i < LEN(r); i++)
        r[i] = (struct series_reading){ (i + (i < 20 ? 0 : 30)) * 100 * MS,
            fmod((double)i + (i < 20 ? 0 : 30), 50) };
    series_from_counter(&s, r, LEN(r), &sensor);
    CHECK_INT(s.faults[SERIES_GAP], 1);
    CHECK_INT(series_between(&s, 0, 6900 * MS).faulty_ns, 3100 * MS);
    series_release(&s);

    /* A short one is no matter. */
    series_from_counter(&s, r, 20,
            &(struct series_sensor){ .wrap_joules = 50, .most_watts = 100 });
    CHECK_INT(s.faults[SERIES_GOOD], s.count);
    series_release(&s);
}

static void power(void)
{
    struct series_reading r[] = { { 0, 10 }, { 100 * MS, 20 }, { 200 * MS, 20 },
        { 300 * MS, NAN }, { 400 * MS, 20 }, { 500 * MS, 20 },
        { 5500 * MS, 20 }, { 5600 * MS, 40 } };
    struct series s;

    series_from_power(&s, r, LEN(r), &(struct series_sensor){ 0 });

    struct series_window w = series_between(&s, 0, 5600 * MS);

    CHECK(within(w.joules, 1.5 + 2 + 2 + 3, 1e-12));
    CHECK_INT(w.faulty_ns, 5200 * MS);
    CHECK_INT(s.faults[SERIES_GARBAGE], 2);
    CHECK_INT(s.faults[SERIES_GAP], 1);
    CHECK_INT(s.period_ns, 100 * MS);
    series_release(&s);
}

/* Each reading holds around itself, one that is none spoils its own time only,
 * and nobody speaks for a silence. */
static void means(void)
{
    static const struct series_reading r[] = { { 100 * MS, 10 },
        { 200 * MS, 20 }, { 300 * MS, -1 }, { 400 * MS, 40 }, { 5000 * MS, 50 },
        { 5000 * MS, 99 }, { 5100 * MS, 50 } };
    struct series s;

    series_from_power(&s, r, LEN(r), &(struct series_sensor){ .means = true });
    CHECK_INT(s.intervals[0].start_ns, 50 * MS);
    CHECK_INT(s.intervals[s.count - 1].end_ns, 5150 * MS);

    struct series_window w = series_between(&s, 50 * MS, 5150 * MS);

    CHECK(within(w.joules, 1 + 2 + 4 + 5 + 5, 1e-12));
    CHECK_INT(w.faulty_ns, 100 * MS + 4500 * MS);
    CHECK_INT(s.faults[SERIES_GARBAGE], 1);
    CHECK_INT(s.faults[SERIES_GAP], 1);
    CHECK(within(series_between(&s, 120 * MS, 180 * MS).joules, 0.3 + 0.6,
            1e-12));
    series_release(&s);
}

static void nothing(void)
{
    struct series s;
    struct series_reading one = { 5, 3 };

    series_from_counter(&s, NULL, 0, &(struct series_sensor){ 0 });
    CHECK_INT(series_between(&s, 0, 10).missing_ns, 10);
    series_release(&s);
    series_from_counter(&s, &one, 1, &(struct series_sensor){ 0 });
    CHECK_INT(series_between(&s, 0, 10).covered_ns, 0);
    series_release(&s);
    series_from_power(&s, &one, 1, &(struct series_sensor){ 0 });
    CHECK_INT(s.count, 0);
    series_release(&s);
    for (int i = 0; i < SERIES_FAULTS; i++)
        CHECK(series_fault_name((enum series_fault)i) != NULL);
}

/* What is cut has the same energy. */
static void clipped(void)
{
    struct broken b;
    struct series cut;

    whole(&b);
    build(&b);
    series_clip(&cut, &b.s, 1050 * MS, 9950 * MS);
    CHECK_INT(cut.intervals[0].start_ns, 1050 * MS);
    CHECK_INT(cut.intervals[cut.count - 1].end_ns, 9950 * MS);

    double sum = 0;

    for (size_t i = 0; i < cut.count; i++)
        sum += cut.intervals[i].joules;
    CHECK(within(sum, series_between(&b.s, 1050 * MS, 9950 * MS).joules,
            1e-12));
    CHECK(within(sum, 89, 1e-12));
    series_release(&cut);
    series_release(&b.s);
}

/* NVIDIA has two: joules in steps of 1 mJ every 100 ms, and watts. */
static void two_paths(void)
{
    uint64_t seed = 99;
    struct truth t = { 0 };
    struct truth_counter c = { .period_ns = 100 * MS,
        .jitter = 0.05,
        .unit_joules = 1e-3,
        .read_ns = 10 * MS };
    struct series_reading watts[1000];
    struct series joules, power;

    for (uint64_t i = 0; i < 100; i++)
        truth_step(&t, i * 100 * MS,
                150 + 100 * sin((double)i / 5) + (double)(i % 7));

    struct truth_readings r = truth_read(&t, &c, 0, 10000 * MS, &seed);

    for (uint64_t i = 0; i < LEN(watts); i++)
        watts[i] = (struct series_reading){ i * 10 * MS,
            (truth_joules(&t, i * 10 * MS + MS) -
                    truth_joules(&t, i * 10 * MS)) *
                    1000 };
    series_from_counter(&joules, r.items, r.count,
            &(struct series_sensor){ 0 });
    series_from_power(&power, watts, LEN(watts), &(struct series_sensor){ 0 });

    double a = series_between(&joules, 1000 * MS, 9000 * MS).joules;
    double b = series_between(&power, 1000 * MS, 9000 * MS).joules;
    double truth = truth_joules(&t, 9000 * MS) - truth_joules(&t, 1000 * MS);

    CHECK(within(a, b, 0.01));
    CHECK(within(a, truth, 0.005));
    CHECK(within(b, truth, 0.005));
    series_release(&joules);
    series_release(&power);
    free(r.items);
    truth_release(&t);
}

int main(void)
{
    totals_and_phases(1 * MS, 0);
    totals_and_phases(1 * MS, 0.2);
    totals_and_phases(100 * MS, 0);
    totals_and_phases(100 * MS, 0.1);
    insufficient();
    fast_then_slow();
    faults();
    gap();
    power();
    means();
    nothing();
    clipped();
    two_paths();
    return test_result();
}
