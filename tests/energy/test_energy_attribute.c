#include "energy/attribute.h"

#include "base/compiler.h"
#include "energy/calibrate/fit.h"
#include "energy/exact.h"
#include "test.h"

#include "energy_truth.h"

static void parts_add_up(void)
{
    static const double thirds[] = { 1, 1, 1 };
    static const double none[] = { 0, 0, 0 };
    uint64_t part[100], sum = 0, seed = 5;
    double share[100], total = 0;

    exact_parts(part, thirds, 3, 100);
    CHECK_INT(part[0] + part[1] + part[2], 100);
    CHECK(part[0] >= 33 && part[0] <= 34);
    exact_parts(part, none, 3, 7);
    CHECK_INT(part[0] + part[1], 0);
    CHECK_INT(part[2], 7);

    for (size_t i = 0; i < LEN(share); i++)
        total += share[i] = truth_random(&seed) * 1e12;
    exact_parts(part, share, LEN(part), (uint64_t)total);
    for (size_t i = 0; i < LEN(part); i++) {
        sum += part[i];
        CHECK(fabs((double)part[i] - share[i]) <= 1.001);
    }
    CHECK_INT(sum, (uint64_t)total);
}

/* Operators within an inference, on one thread; another thread beside it. */
static void innermost(void)
{
    static const struct work_span spans[] = { { 0, 100, 1, 1, 0 },
        { 10, 30, 1, 2, 0 }, { 15, 20, 1, 3, 0 }, { 40, 60, 2, 4, 0 },
        { 50, 200, 1, 5, 0 } };
    static const struct {
        uint64_t start, end;
        uint32_t class;
    } want[] = { { 0, 10, 1 }, { 10, 15, 2 }, { 15, 20, 3 }, { 20, 30, 2 },
        { 30, 50, 1 }, { 40, 60, 4 }, { 50, 100, 5 } };
    struct work_pieces p;

    pieces_from_spans(&p, spans, LEN(spans), NULL);
    CHECK_INT(p.count, LEN(want));
    for (size_t i = 0; i < p.count && i < LEN(want); i++) {
        CHECK_INT(p.items[i].start_ns, want[i].start);
        CHECK_INT(p.items[i].end_ns, want[i].end);
        CHECK_INT(p.items[i].work_class, want[i].class);
    }
    pieces_release(&p);

    /* What is not here is what lies around it. */
    static const bool here[] = { true, true, false, true, true, true };

    pieces_from_spans(&p, spans, LEN(spans), here);
    CHECK_INT(p.count, 5);
    CHECK_INT(p.items[1].work_class, 3);
    CHECK_INT(p.items[0].end_ns, 15);
    CHECK_INT(p.items[2].work_class, 1);
    CHECK_INT(p.items[2].end_ns, 50);
    pieces_release(&p);
}

/* A counter along the truth, and what comes out. */
struct trial {
    struct truth truth;
    struct truth_readings readings;
    struct series series;
    struct work_pieces pieces;
    struct attribution a;
    const bool *here;
    uint64_t seed;
};

static void sense(struct trial *t, const struct truth_counter *c,
        uint64_t end_ns)
{
    t->readings = truth_read(&t->truth, c, 0, end_ns, &t->seed);
    series_from_counter(&t->series, t->readings.items, t->readings.count,
            &(struct series_sensor){ .wrap_joules = c->wrap_joules,
                    .most_watts = 1000,
                    /* As observed at the start, by reading fast. */
                    .period_ns =
                            c->read_ns > c->period_ns ? c->period_ns : 0 });
    pieces_from_spans(&t->pieces, t->truth.spans, t->truth.span_count, t->here);
}

static void attribute(struct trial *t, struct attribute_input in)
{
    in.series = &t->series;
    in.pieces = &t->pieces;
    attribution_init(&t->a, t->truth.class_count, 1);
    attribution_add(&t->a, &in);
    CHECK(attribution_adds_up(&t->a));
}

static void trial_release(struct trial *t)
{
    truth_release(&t->truth);
    free(t->readings.items);
    series_release(&t->series);
    pieces_release(&t->pieces);
    attribution_release(&t->a);
}

/* Phases of seconds, as of a language model: prefill, decode, and nothing. */
static void phases(uint64_t period_ns, double jitter)
{
    static const struct truth_work works[] = { { 1500 * MS, 62 },
        { 4000 * MS, 38 } };
    struct trial t = { .seed = 42 };
    uint64_t end = truth_rounds(&t.truth, 0, 30000 * MS, works, LEN(works),
            (struct truth_work){ 700 * MS, 9 }, 0.1, &t.seed);

    truth_step(&t.truth, end, 9);
    sense(&t,
            &(struct truth_counter){ .period_ns = period_ns,
                    .jitter = jitter,
                    .unit_joules = 61e-6,
                    .wrap_joules = 262.144,
                    .read_ns = period_ns < 10 * MS ? 2 * MS : 10 * MS,
                    .read_jitter = 0.2 },
            end + 500 * MS);
    attribute(&t, (struct attribute_input){ .end_ns = end, .sharpen = true });
    CHECK(within((double)t.a.total_uj / 1e6, truth_joules(&t.truth, end),
            0.005));
    for (uint32_t i = 0; i < t.truth.class_count; i++)
        CHECK(within((double)t.a.classes[i].own_uj / 1e6,
                t.truth.class_joules[i], 0.02));
    trial_release(&t);
}

/* Eight operators that repeat, from 0.6 to 4.5 ms, of 15 to 70 W, with a pause:
 * shorter than an update of the counter, by a factor of up to 160.  Where the
 * counter's updates are not seen soon enough, the error that is claimed grows
 * with the error that is made. */
static void operators(uint64_t period_ns, uint64_t read_ns, bool enough)
{
    double jitter = period_ns < 10 * MS ? 0.1 : 0.05;
    static const struct truth_work works[] = { { 2000 * US, 70 },
        { 900 * US, 25 }, { 4500 * US, 55 }, { 600 * US, 15 },
        { 3100 * US, 62 }, { 1300 * US, 30 }, { 2700 * US, 45 },
        { 800 * US, 20 } };
    struct trial t = { .seed = 4711 };
    uint64_t end = truth_rounds(&t.truth, 0, 120000 * MS, works, LEN(works),
            (struct truth_work){ 1700 * US, 10 }, 0.15, &t.seed);

    truth_step(&t.truth, end, 10);
    sense(&t,
            &(struct truth_counter){ .period_ns = period_ns,
                    .jitter = jitter,
                    .unit_joules = 15.3e-6,
                    .wrap_joules = 262,
                    .read_ns = read_ns,
                    .read_jitter = 0.1 },
            end + 500 * MS);
    attribute(&t, (struct attribute_input){ .end_ns = end, .sharpen = true });
    CHECK(t.a.sharpened);
    CHECK(within((double)t.a.total_uj / 1e6, truth_joules(&t.truth, end),
            0.005));
    for (uint32_t i = 1; i < t.truth.class_count; i++) {
        double got = (double)t.a.classes[i].own_uj / 1e6;
        double truth = t.truth.class_joules[i];

        CHECK(!enough || within(got, truth, 0.15));
        CHECK(fabs(got - truth) < 4 * t.a.classes[i].error_j + 0.05 * truth);
    }
    trial_release(&t);
}

/* One run of 200 us in the middle of a slow counter's update gets its part of
 * the busy time, no more. */
static void one_short_span(void)
{
    struct trial t = { .seed = 1 };

    t.truth.class_count = 2;
    truth_step(&t.truth, 0, 20);
    truth_span(&t.truth, 1000 * MS, 1000 * MS + 200 * US, 1);
    sense(&t,
            &(struct truth_counter){ .period_ns = 100 * MS, .read_ns = 5 * MS },
            3000 * MS);
    attribute(&t,
            (struct attribute_input){ .end_ns = 2500 * MS, .sharpen = true });
    CHECK(within((double)t.a.classes[1].own_uj, 20 * 200, 0.2));
    CHECK(t.a.classes[1].error_j > 0 || !t.a.sharpened);
    CHECK(!series_between(&t.series, 1000 * MS, 1000 * MS + 200 * US)
                    .sufficient);
    trial_release(&t);
}

/* 50 W: 10 W idle; of the rest a quarter is somebody else's.  Work half of the
 * time, of which the second kind needs three times the FLOPs. */
static void lines(void)
{
    static const struct truth_work works[] = { { 10 * MS, 50 },
        { 10 * MS, 50 } };
    static const double idle = 10;
    static const struct cpu_share shares[] = { { 0, 3000 * MS, 0.75 },
        { 3000 * MS, 20000 * MS, 0.75 } };
    struct trial t = { .seed = 6 };
    uint64_t end = truth_rounds(&t.truth, 0, 8000 * MS, works, LEN(works),
            (struct truth_work){ 20 * MS, 50 }, 0, &t.seed);

    sense(&t, &(struct truth_counter){ .period_ns = MS, .read_ns = 500 * US },
            end + 10 * MS);
    attribute(&t, (struct attribute_input){ .end_ns = end,
                          .idle_watts = &idle,
                          .shares = shares,
                          .share_count = LEN(shares) });

    struct attribution_lines l = attribution_lines(&t.a);
    double total = (double)l.total_uj;

    CHECK(within(total, 50e6 * (double)end / 1e9, 0.001));
    CHECK(within((double)l.idle_uj, total / 5, 0.001));
    CHECK(within((double)l.other_uj, total / 5, 0.001));
    CHECK(within((double)l.unattributed_uj, total * 0.3, 0.001));
    CHECK(within((double)t.a.classes[1].own_uj, total * 0.15, 0.01));
    CHECK(t.a.idle_known && t.a.other_known);
    trial_release(&t);
}

/* On a slow counter, where both kinds share an update, those with three times
 * the FLOPs get three times the energy; what has none is not touched. */
static void flops(void)
{
    static const struct truth_work works[] = { { 10 * MS, 50 },
        { 10 * MS, 50 } };
    static const double rate[] = { 0, 1e9, 3e9 };
    struct trial t = { .seed = 6 };
    uint64_t end = truth_rounds(&t.truth, 0, 8000 * MS, works, LEN(works),
            (struct truth_work){ 20 * MS, 50 }, 0, &t.seed);

    sense(&t,
            &(struct truth_counter){ .period_ns = 200 * MS,
                    .read_ns = 10 * MS },
            end + 500 * MS);
    attribute(&t, (struct attribute_input){ .end_ns = end, .rate = rate });
    CHECK(within((double)t.a.classes[2].own_uj,
            3 * (double)t.a.classes[1].own_uj, 0.02));
    CHECK(within((double)t.a.classes[0].own_uj, (double)t.a.total_uj / 2,
            0.02));
    trial_release(&t);
}

/* A device that only the second kind runs on. */
static void device(void)
{
    static const struct truth_work works[] = { { 10 * MS, 5 },
        { 10 * MS, 100 } };
    static const bool here[] = { true, false, true };
    struct trial t = { .seed = 6, .here = here };
    uint64_t end = truth_rounds(&t.truth, 0, 4000 * MS, works, LEN(works),
            (struct truth_work){ 20 * MS, 5 }, 0, &t.seed);

    sense(&t, &(struct truth_counter){ .period_ns = MS, .read_ns = 500 * US },
            end + 10 * MS);
    attribute(&t, (struct attribute_input){ .end_ns = end, .sharpen = true });
    CHECK_INT(t.a.classes[1].own_uj, 0);
    CHECK(within((double)t.a.classes[2].own_uj / 1e6, t.truth.class_joules[2],
            0.02));
    CHECK(!t.a.idle_known && !t.a.other_known);
    trial_release(&t);
}

/* Nothing is lost with a sensor that fails: what it does say adds up. */
static void broken_sensor(void)
{
    static const struct truth_work works[] = { { 10 * MS, 50 } };
    struct trial t = { .seed = 8 };
    uint64_t end = truth_rounds(&t.truth, 0, 8000 * MS, works, LEN(works),
            (struct truth_work){ 10 * MS, 10 }, 0.1, &t.seed);

    t.readings = truth_read(&t.truth,
            &(struct truth_counter){ .period_ns = MS, .read_ns = 5 * MS }, 0,
            end, &t.seed);
    for (size_t i = 200; i < 240; i++)
        t.readings.items[i].value = i % 2 ? NAN : -1;
    series_from_counter(&t.series, t.readings.items, t.readings.count,
            &(struct series_sensor){ 0 });
    pieces_from_spans(&t.pieces, t.truth.spans, t.truth.span_count, NULL);
    attribute(&t, (struct attribute_input){ .end_ns = end });

    struct series_window w = series_between(&t.series, 0, end);

    CHECK(w.faulty_ns > 190 * MS && w.faulty_ns < 220 * MS);
    CHECK_INT(t.a.total_uj, (uint64_t)llround(w.joules * 1e6));
    CHECK(within(w.joules / (double)w.covered_ns,
            truth_joules(&t.truth, end) / (double)end, 0.01));
    trial_release(&t);
}

static void fit_says_no(void)
{
    struct fit *f = fit_new(2);
    double watts[2];
    struct fit_part parts[] = { { 0, 1 }, { 1, 1 } };
    struct fit_window w = { .joules = 30, .parts = parts, .count = 2 };

    CHECK(!fit_solve(f, watts, NULL));
    for (int i = 0; i < 50; i++)
        fit_add(f, &w);
    /* Always the same mixture: it cannot be told apart, so half each. */
    CHECK(fit_solve(f, watts, NULL));
    CHECK(within(watts[0], 15, 1e-3));
    CHECK(within(watts[1], 15, 1e-3));
    fit_free(f);
}

int main(void)
{
    parts_add_up();
    innermost();
    phases(1 * MS, 0);
    phases(1 * MS, 0.2);
    phases(100 * MS, 0);
    phases(100 * MS, 0.1);
    operators(1 * MS, 1 * MS / 2, true);
    operators(1 * MS, 10 * MS, true);
    operators(100 * MS, 1 * MS, true);
    operators(100 * MS, 5 * MS, false);
    one_short_span();
    lines();
    flops();
    device();
    broken_sensor();
    fit_says_no();
    return test_result();
}
