/* test_ops_values.c -- figures of values, against plain sums in doubles; and
 * that they are sent. */
#include "traced_runs.h"

#include <math.h>

#define MANY 1000003

static double reference[MANY];

/* The elements that are read, one by one. */
static void check(const void *data, int type, size_t count)
{
    struct values v;
    double abs = 0, sum = 0, squares = 0, max = 0;
    uint64_t finite = 0, nans = 0, infinities = 0, near_zero = 0, negative = 0;

    CHECK(values_look(&v, data, type, count));
    CHECK_INT(v.elements, count);

    uint64_t step = (count + v.read - 1) / v.read;

    CHECK(v.read == count || step % 2 == 1);
    CHECK_INT(v.read, (count + step - 1) / step);
    for (size_t i = 0; i < count; i += step) {
        double x = reference[i];

        nans += isnan(x);
        infinities += isinf(x) != 0;
        near_zero += fabs(x) < STATS_NEAR_ZERO;
        negative += x < 0;
        if (!isfinite(x))
            continue;
        finite++;
        abs += fabs(x);
        sum += x;
        max = fmax(max, fabs(x));
    }
    for (size_t i = 0; i < count; i += step)
        if (isfinite(reference[i]))
            squares += (reference[i] - sum / (double)finite) *
                       (reference[i] - sum / (double)finite);
    CHECK_INT(v.nans, nans);
    CHECK_INT(v.infinities, infinities);
    CHECK_INT(v.near_zero, near_zero);
    CHECK_INT(v.negative, negative);
    CHECK(v.max_abs == max);
    if (!finite)
        return;

    double deviation = sqrt(squares / (double)finite);

    CHECK(fabs(v.mean_abs - abs / (double)finite) <= 1e-5 * v.mean_abs);
    CHECK(fabs(v.std_dev - deviation) <= 1e-5 * deviation + 1e-12);
}

static double made(size_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x ^= x >> 29;
    return (double)(x * UINT64_C(0xbf58476d1ce4e5b9) >> 40) / (1 << 24) - 0.3;
}

static float floats[MANY];
static double doubles[MANY];
static uint16_t halves[MANY];

static void fill(double scale, double shift, size_t odd_every)
{
    for (size_t i = 0; i < MANY; i++) {
        double x = made(i) * scale + shift;

        if (odd_every && i % odd_every == 0)
            x = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
        if (odd_every && i % odd_every == 1)
            x = 0;
        floats[i] = (float)x;
        doubles[i] = x;
    }
}

static void use_floats(size_t count)
{
    for (size_t i = 0; i < count; i++)
        reference[i] = (double)floats[i];
    check(floats, ORT_TYPE_FLOAT, count);
}

static void numbers(void)
{
    static const size_t counts[] = { 1, 7, 8, 63, 64, 65, 1000, 262144, 262145,
        MANY };

    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        fill(3, 0, 0);
        use_floats(counts[i]);
        fill(1e-3, 1e4, 0); /* close together, far from 0 */
        use_floats(counts[i]);
        memcpy(reference, doubles, counts[i] * sizeof(*doubles));
        check(doubles, ORT_TYPE_DOUBLE, counts[i]);
        fill(1, 0, 5);
        use_floats(counts[i]);
    }
    for (size_t i = 0; i < 100; i++)
        floats[i] = NAN;
    use_floats(100);
}

/* Every number that there is. */
static void all_halves(void)
{
    for (uint32_t i = 0; i < 65536; i++) {
        double fraction = (double)(i & 0x3ff) / 1024;
        int exponent = (int)(i >> 10 & 31);
        double x = exponent == 0    ? ldexp(fraction, -14)
                   : exponent == 31 ? (i & 0x3ff ? NAN : INFINITY)
                                    : ldexp(1 + fraction, exponent - 15);

        halves[i] = (uint16_t)i;
        reference[i] = i & 0x8000 ? -x : x;
    }
    check(halves, ORT_TYPE_FLOAT16, 65536);
    for (uint32_t i = 0; i < 65536; i++) {
        uint32_t bits = i << 16;
        float x;

        memcpy(&x, &bits, sizeof(x));
        /* No sums of the largest numbers, whose squares are none. */
        reference[i] = fabsf(x) < 1e15F || !isfinite(x) ? (double)x : 1;
        halves[i] = reference[i] == 1 ? 0x3f80 : (uint16_t)i;
    }
    check(halves, ORT_TYPE_BFLOAT16, 65536);
}

static void other_types(void)
{
    struct values v;

    CHECK(!values_look(&v, floats, ORT_TYPE_INT64, 4));
    CHECK(!values_look(&v, floats, ORT_TYPE_STRING, 4));
}

/* --- heads of attention --------------------------------------------------- */

static bool is_near(double is, double wanted)
{
    return fabs(is - wanted) <= 1e-6 * fabs(wanted) + 1e-7;
}

/* Two texts with two heads of three rows: the second head of each is looked
 * at. */
static struct record_head look(size_t row)
{
    return heads_look(
            &(struct head_rows){
                    .data = floats,
                    .type = ORT_TYPE_FLOAT,
                    .first = 3 * row,
                    .batch = 2,
                    .stride = 6 * row,
                    .rows = 3,
                    .row = row,
            },
            1);
}

static void uniform_heads(void)
{
    static const size_t rows[] = { 1, 2, 5, 99, 101, 4096 };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        double n = (double)rows[i];
        struct record_head h;

        for (size_t k = 0; k < 12 * rows[i]; k++)
            floats[k] = (float)(1 / n);
        h = look(rows[i]);
        CHECK(is_near((double)h.entropy, log(n)));
        CHECK(is_near((double)h.largest, 1 / n));
        CHECK((double)h.sparsity == (n > 100));
    }
}

/* All of them at one place each: in the other head at none. */
static void heads_of_one_place(void)
{
    struct record_head h;

    memset(floats, 0, 12 * 50 * sizeof(*floats));
    for (size_t text = 0; text < 2; text++)
        for (size_t row = 0; row < 3; row++)
            floats[text * 300 + 150 + row * 50 + (7 * row + text)] = 1;
    h = look(50);
    CHECK(h.entropy == 0 && h.largest == 1);
    CHECK(is_near((double)h.sparsity, 0.98));
}

static void any_heads(void)
{
    const size_t row = 77;
    double entropy = 0, largest = 0, small = 0;
    struct record_head h;

    for (size_t k = 0; k < 12 * row; k++)
        floats[k] = (float)(pow(made(k) + 0.31, 6) / 20);
    for (size_t text = 0; text < 2; text++)
        for (size_t k = 0; k < 3 * row; k++) {
            double p = (double)floats[text * 6 * row + 3 * row + k];

            entropy -= p > 0 ? p * log(p) : 0;
            largest = fmax(largest, p);
            small += p < HEADS_NEAR_ZERO;
        }
    h = look(row);
    CHECK(is_near((double)h.entropy, entropy / 6));
    CHECK(is_near((double)h.largest, largest));
    CHECK(is_near((double)h.sparsity, small / (6 * (double)row)));
}

/* --- sent ----------------------------------------------------------------- */

static float outputs[192];

static void one_in_two(void)
{
    const struct record *s;

    CHECK(setenv("ORTMETER_STATS", "2", 1) == 0);
    start("off", "1.30.0");
    for (size_t i = 0; i < 192; i++)
        outputs[i] = (float)i - 100;
    outputs[7] = NAN;
    fake.held[0] = (struct fake_data){ &image_value, outputs };
    infer(conv_relu);
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_STATS), 2);
    CHECK_INT(hooked_count(RECORD_TRACED), 1);
    CHECK(nth(RECORD_RUN, 0)->flags & FLAG_STATS);
    CHECK(!(nth(RECORD_RUN, 1)->flags & (FLAG_STATS | FLAG_TRACED)));
    s = nth(RECORD_STATS, 0);
    CHECK_INT(s->stats.kernel, (uintptr_t)&conv);
    CHECK_INT(s->stats.trace, nth(RECORD_TRACED, 0)->traced.trace);
    CHECK_INT(s->stats.elements, 192);
    CHECK_INT(s->stats.read, 192);
    CHECK_INT(s->stats.nans, 1);
    CHECK_INT(s->stats.near_zero, 1);
    CHECK(s->stats.max_abs == 100);
}

int main(void)
{
    numbers();
    all_halves();
    other_types();
    uniform_heads();
    heads_of_one_place();
    any_heads();
    HOOKED(one_in_two);
    return test_result();
}
