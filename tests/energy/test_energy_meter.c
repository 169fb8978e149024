#include "energy/align.h"
#include "energy/meter.h"

#include "base/compiler.h"
#include "test.h"

#include "energy_truth.h"

#include <errno.h>

static void lines(void)
{
    static const struct {
        const char *text;
        int rc;
        uint64_t wall_ns;
        double watts;
    } want[] = {
        { "1700000000.25 41.5", 1, 1700000000250000000, 41.5 },
        { "  1700000000\t5e1 more words\r", 1, 1700000000000000000, 50 },
        { "1.000000001 0", 1, 1000000001, 0 },
        { "", 0, 0, 0 },
        { "# time watts", 0, 0, 0 },
        { "1700000000.25", -EINVAL, 0, 0 },
        { "1700000000. 4", -EINVAL, 0, 0 },
        { ".5 4", -EINVAL, 0, 0 },
        { "1700000000 -4", -EINVAL, 0, 0 },
        { "1700000000 nan", -EINVAL, 0, 0 },
        { "1700000000.0123456789 4", -EINVAL, 0, 0 },
        { "99999999999999 4", -EINVAL, 0, 0 },
        { "-5 4", -EINVAL, 0, 0 },
    };

    for (size_t i = 0; i < LEN(want); i++) {
        struct meter_sample s = { 0, 0 };

        CHECK_INT(meter_line(&s, str_of(want[i].text)), want[i].rc);
        CHECK_INT(s.wall_ns, want[i].wall_ns);
        CHECK(fabs(s.watts - want[i].watts) < 1e-12);
    }
}

struct sum {
    uint64_t count;
    double watts;
};

static void take(void *to, const struct meter_sample *s)
{
    struct sum *x = to;

    x->count++;
    x->watts += s->watts;
}

/* In pieces of every size the same comes out. */
static void pieces(void)
{
    char text[1000] = "1 10\n2 20\nbad\n\n# no\n";
    size_t len = strlen(text);

    memset(text + len, 'x', 400); /* a line that never ends */
    memcpy(text + len + 400, "\n3 30\n4 40", 11);
    len += 410;
    for (size_t piece = 1; piece <= len; piece++) {
        struct sum sum = { 0, 0 };
        struct meter_reader r = { .take = take, .context = &sum };

        for (size_t at = 0; at < len; at += piece)
            meter_feed(&r, text + at, len - at < piece ? len - at : piece);
        meter_end(&r);
        CHECK_INT(sum.count, 4);
        CHECK(fabs(sum.watts - 100) < 1e-9);
        CHECK_INT(r.samples, 4);
        CHECK_INT(r.bad, 2);
    }
}

/* A meter whose clock is 50 ms behind, with 20 readings a second, against a
 * RAPL counter of the same truth. */
static void aligned(int64_t offset_ns)
{
    uint64_t seed = 12;
    struct truth t = { 0 };
    struct truth_counter c = { .period_ns = MS, .read_ns = 10 * MS };
    struct series_reading watts[600], load[3000];
    uint64_t now = 0;

    /* Bursts of 0.3 to 1 s. */
    while (now < 30000 * MS) {
        truth_step(&t, now, 12);
        now += (uint64_t)(300 + 700 * truth_random(&seed)) * MS;
        truth_step(&t, now, 60);
        now += (uint64_t)(300 + 700 * truth_random(&seed)) * MS;
    }

    /* Mean watts of the last 50 ms, said at its middle. */
    for (uint64_t i = 0; i < LEN(watts); i++) {
        uint64_t from = i * 50 * MS;

        watts[i] = (struct series_reading){
            (uint64_t)((int64_t)(from + 1025 * MS) + offset_ns),
            (truth_joules(&t, from + 50 * MS) - truth_joules(&t, from)) * 20 +
                    truth_random(&seed) - 0.5
        };
    }
    for (uint64_t i = 0; i < LEN(load); i++)
        load[i] = (struct series_reading){ i * 10 * MS + 1000 * MS,
            truth_joules(&t, i * 10 * MS + MS) -
                    truth_joules(&t, i * 10 * MS) };

    struct align a = align_find(load, LEN(load), watts, LEN(watts), 500 * MS);

    CHECK(a.found);
    CHECK(a.correlation > 0.9);
    CHECK(llabs(a.offset_ns + offset_ns) < (int64_t)(5 * MS));

    struct truth_readings r = truth_read(&t, &c, 0, 30000 * MS, &seed);
    struct series counter, meter;

    for (size_t i = 0; i < LEN(watts); i++)
        watts[i].time_ns =
                (uint64_t)((int64_t)watts[i].time_ns + a.offset_ns) - 1000 * MS;
    series_from_power(&meter, watts, LEN(watts),
            &(struct series_sensor){ .means = true });
    series_from_counter(&counter, r.items, r.count,
            &(struct series_sensor){ 0 });
    for (uint64_t from = 2000; from < 22000; from += 5000) {
        double a_j =
                series_between(&meter, from * MS, (from + 6000) * MS).joules;
        double b_j =
                series_between(&counter, from * MS, (from + 6000) * MS).joules;

        CHECK(within(a_j, b_j, 0.01));
    }
    CHECK(within(series_between(&meter, 1000 * MS, 28000 * MS).joules,
            series_between(&counter, 1000 * MS, 28000 * MS).joules, 0.01));
    series_release(&meter);
    series_release(&counter);
    free(r.items);
    truth_release(&t);
}

/* A load that never changes says nothing about clocks. */
static void flat(void)
{
    struct series_reading a[100], b[100];
    uint64_t seed = 4;

    for (size_t i = 0; i < LEN(a); i++) {
        a[i] = (struct series_reading){ i * 10 * MS, 5 };
        b[i] = (struct series_reading){ i * 10 * MS, truth_random(&seed) };
    }

    struct align x = align_find(a, LEN(a), b, LEN(b), 100 * MS);

    CHECK(!x.found);
    CHECK_INT(x.offset_ns, 0);
    CHECK(!align_find(a, 1, b, LEN(b), MS).found);
}

int main(void)
{
    lines();
    pieces();
    aligned(-50 * (int64_t)MS);
    aligned(50 * (int64_t)MS);
    aligned(0);
    flat();
    return test_result();
}
