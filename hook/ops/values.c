/* values.c -- figures of an output's values.
 *
 * Numbers of all kinds are taken as doubles, some at a time, and summed up side
 * by side in lanes that a compiler makes vectors of.  They are summed as
 * distances from one of them, or the spread of large numbers that lie close
 * together would drown in rounding. */
#include "base/compiler.h"
#include "hook/ops/ops.h"

/* Beyond that many elements, every nth is read. */
#define READ_MAX (UINT64_C(1) << 18)
#define LANES    8
#define CHUNK    64 /* elements, a multiple of LANES */

struct sums {
    double abs[LANES], distance[LANES], squares[LANES], max[LANES];
    uint64_t finite[LANES], nans[LANES], near_zero[LANES], negative[LANES];
    double origin;
};

/* --- elements as doubles -------------------------------------------------- */

union bits {
    uint32_t word;
    float number;
};

static float from_bfloat16(uint16_t x)
{
    return (union bits){ .word = (uint32_t)x << 16 }.number;
}

/* The exponent moves from a bias of 15 to one of 127 by a product, which also
 * does what has no exponent; what is infinite or no number has all its bits. */
static float from_float16(uint16_t x)
{
    union bits shifted = { .word = (uint32_t)(x & 0x7fff) << 13 };
    union bits scale = { .word = (UINT32_C(254) - 15) << 23 };
    union bits out = { .number = shifted.number * scale.number };

    if ((x & 0x7c00) == 0x7c00)
        out.word |= UINT32_C(0xff) << 23;
    out.word |= (uint32_t)(x & 0x8000) << 16;
    return out.number;
}

double values_element(const void *data, int type, uint64_t i)
{
    switch (type) {
    case ORT_TYPE_FLOAT: return (double)((const float *)data)[i];
    case ORT_TYPE_DOUBLE: return ((const double *)data)[i];
    case ORT_TYPE_FLOAT16:
        return (double)from_float16(((const uint16_t *)data)[i]);
    default: return (double)from_bfloat16(((const uint16_t *)data)[i]);
    }
}

bool values_have_type(int type)
{
    return type == ORT_TYPE_FLOAT || type == ORT_TYPE_DOUBLE ||
           type == ORT_TYPE_FLOAT16 || type == ORT_TYPE_BFLOAT16;
}

/* Fills `out` from every `step`th element on from `at`. */
static void load(double *out, size_t count, const void *data, int type,
        uint64_t at, uint64_t step)
{
    if (type == ORT_TYPE_FLOAT && step == 1 && count == CHUNK) {
        const float *from = (const float *)data + at;

        for (size_t i = 0; i < CHUNK; i++)
            out[i] = (double)from[i];
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = values_element(data, type, at + i * step);
}

/* --- sums ----------------------------------------------------------------- */

static const double largest = 1.7976931348623157e308;

static inline void add(struct sums *s, const double *x, size_t lanes)
{
    for (size_t i = 0; i < lanes; i++) {
        double a = x[i] < 0 ? -x[i] : x[i];
        bool is_finite = a <= largest; /* what is no number is not */
        double v = is_finite ? a : 0;
        double d = is_finite ? x[i] - s->origin : 0;

        s->abs[i] += v;
        s->distance[i] += d;
        s->squares[i] += d * d;
        s->max[i] = v > s->max[i] ? v : s->max[i];
        s->finite[i] += is_finite;
        s->nans[i] += x[i] != x[i];
        s->near_zero[i] += a < STATS_NEAR_ZERO;
        s->negative[i] += x[i] < 0;
    }
}

/* The first that is finite, of those that are read. */
static double find_origin(const void *data, int type, uint64_t elements,
        uint64_t step)
{
    for (uint64_t i = 0; i < elements && i < CHUNK * step; i += step) {
        double x = values_element(data, type, i);

        if (x >= -largest && x <= largest)
            return x;
    }
    return 0;
}

static double root(double x)
{
    double r = x > 1 ? x : 1;

    for (int i = 0; i < 1100 && x > 0; i++) {
        double next = (r + x / r) / 2;

        if (next >= r)
            break;
        r = next;
    }
    return x > 0 ? r : 0;
}

static void sum_up(struct values *out, const struct sums *s)
{
    double abs = 0, distance = 0, squares = 0;
    uint64_t finite = 0;

    for (size_t i = 0; i < LANES; i++) {
        abs += s->abs[i];
        distance += s->distance[i];
        squares += s->squares[i];
        finite += s->finite[i];
        out->nans += s->nans[i];
        out->near_zero += s->near_zero[i];
        out->negative += s->negative[i];
        if (s->max[i] > out->max_abs)
            out->max_abs = s->max[i];
    }
    out->infinities = out->read - finite - out->nans;
    if (!finite)
        return;

    double mean = distance / (double)finite;

    out->mean_abs = abs / (double)finite;
    out->std_dev = root(squares / (double)finite - mean * mean);
}

bool values_look(struct values *out, const void *data, int type,
        uint64_t elements)
{
    struct sums s = { 0 };
    /* An odd step is not in time with rows whose length is a power of 2. */
    uint64_t step = elements > READ_MAX ? elements / READ_MAX | 1 : 1;
    double chunk[CHUNK];

    if (!values_have_type(type))
        return false;
    *out = (struct values){ .elements = elements,
        .read = (elements + step - 1) / step };
    s.origin = find_origin(data, type, elements, step);
    for (uint64_t done = 0; done < out->read; done += CHUNK) {
        uint64_t left = out->read - done;
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        size_t whole = count / LANES * LANES;

        load(chunk, count, data, type, done * step, step);
        for (size_t i = 0; i < whole; i += LANES)
            add(&s, chunk + i, LANES);
        add(&s, chunk + whole, count - whole);
    }
    sum_up(out, &s);
    return true;
}
