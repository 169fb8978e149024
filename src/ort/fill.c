#include "ort/fill.h"

#include "ort/input_name.h"

#include <errno.h>
#include <string.h>

#define UNKNOWN_VOCABULARY 100
#define RATE_HZ            16000

/* --- half the bits ----------------------------------------------------------
 */

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Drops the lowest `count` bits, rounding to the nearest, ties to even. */
static uint32_t drop_bits(uint32_t bits, unsigned count)
{
    uint32_t half = UINT32_C(1) << (count - 1);
    uint32_t odd = bits >> count & 1;

    return (bits + half - 1 + odd) >> count;
}

uint16_t fill_bfloat16(float value)
{
    return (uint16_t)drop_bits(bits_of(value), 16);
}

/* IEEE 754: 1 sign, 5 exponent (bias 15), 10 fraction; a float has 8 (bias
 * 127) and 23. */
uint16_t fill_float16(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000;
    int exponent = (int)(bits >> 23 & 0xff) - 127 + 15;
    uint32_t fraction = bits & 0x7fffff;

    if (exponent >= 31)
        return (uint16_t)(sign | 0x7c00); /* too great: infinity */
    if (exponent > 0)
        return (uint16_t)(sign |
                          drop_bits((uint32_t)exponent << 23 | fraction, 13));
    if (exponent < -10)
        return (uint16_t)sign;
    /* A subnormal: the leading 1 is written out, and moved down. */
    return (uint16_t)(sign | drop_bits(fraction | 0x800000,
                                     (unsigned)(14 - exponent)));
}

/* --- what to write ----------------------------------------------------------
 */

enum content {
    CONTENT_RANDOM, /* between 0 and 1 */
    CONTENT_IDS,
    CONTENT_RAMP, /* along the last dimension, from `number` */
    CONTENT_SAME, /* `number` throughout */
};

struct recipe {
    enum content content;
    int64_t number;
    uint64_t ids;  /* CONTENT_IDS: from 1 to this */
    size_t period; /* CONTENT_RAMP */
    uint64_t seed;
};

static bool is_real(enum ort_type type)
{
    switch (type) {
    case ORT_TYPE_FLOAT:
    case ORT_TYPE_FLOAT16:
    case ORT_TYPE_DOUBLE:
    case ORT_TYPE_COMPLEX64:
    case ORT_TYPE_COMPLEX128:
    case ORT_TYPE_BFLOAT16:
    case ORT_TYPE_FLOAT8E4M3FN:
    case ORT_TYPE_FLOAT8E4M3FNUZ:
    case ORT_TYPE_FLOAT8E5M2:
    case ORT_TYPE_FLOAT8E5M2FNUZ: return true;
    default: return false;
    }
}

/* Bytes and half-bytes without a meaning are pixels and the like. */
static bool is_small(enum ort_type type)
{
    return type == ORT_TYPE_UINT8 || type == ORT_TYPE_INT8 ||
           type == ORT_TYPE_UINT4 || type == ORT_TYPE_INT4;
}

static struct recipe same(int64_t number)
{
    return (struct recipe){ .content = CONTENT_SAME, .number = number };
}

static struct recipe recipe_of(const struct tensor_spec *t,
        const int64_t *shape, const struct fill_facts *f)
{
    int64_t last = t->rank ? shape[t->rank - 1] : 1;
    int64_t words = f->vocabulary > 1 ? f->vocabulary : UNKNOWN_VOCABULARY;

    switch (input_use_of(t->name)) {
    case INPUT_MASK: return same(1);
    case INPUT_SEGMENTS:
    case INPUT_CACHE:
    case INPUT_STATE: return same(0);
    case INPUT_RATE: return same(RATE_HZ);
    case INPUT_PAST: return same(f->past);
    case INPUT_TOTAL: return same(f->total);
    case INPUT_LAST: return same(f->total - 1);
    case INPUT_HAS_CACHE: return same(f->past > 0);
    case INPUT_LENGTH:
        if (!is_real(t->type))
            return same(f->sequence);
        break;
    case INPUT_POSITIONS:
        return (struct recipe){
            .content = CONTENT_RAMP,
            .number = f->past,
            .period = last > 0 ? (size_t)last : 1,
        };
    case INPUT_IDS:
        if (!is_real(t->type))
            return (struct recipe){
                .content = CONTENT_IDS,
                .ids = (uint64_t)words - 1,
            };
        break;
    default: break;
    }
    if (is_real(t->type) || is_small(t->type))
        return (struct recipe){ .content = CONTENT_RANDOM };
    return same(1);
}

/* --- writing ----------------------------------------------------------------
 */

/* splitmix64: the n-th number of a sequence, without those before it. */
static uint64_t random_at(uint64_t seed, size_t n)
{
    uint64_t x = seed + ((uint64_t)n + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static double real_at(const struct recipe *r, size_t n)
{
    if (r->content == CONTENT_RANDOM)
        return (double)(random_at(r->seed, n) >> 11) * 0x1p-53;
    if (r->content == CONTENT_RAMP)
        return (double)r->number + (double)(n % r->period);
    return (double)r->number;
}

static int64_t whole_at(const struct recipe *r, size_t n)
{
    switch (r->content) {
    case CONTENT_RANDOM: return (int64_t)(random_at(r->seed, n) >> 56);
    case CONTENT_IDS: return (int64_t)(1 + random_at(r->seed, n) % r->ids);
    case CONTENT_RAMP: return r->number + (int64_t)(n % r->period);
    default: return r->number;
    }
}

/* The codes 0x30 to 0x37 lie between 0 and 1 in all four kinds; 0 is 0. */
static uint8_t float8_at(const struct recipe *r, size_t n)
{
    if (r->content == CONTENT_SAME && r->number == 0)
        return 0;
    return (uint8_t)(0x30 | (random_at(r->seed, n) & 7));
}

static void write_real(void *data, enum ort_type type, const struct recipe *r,
        size_t n)
{
    switch (type) {
    case ORT_TYPE_FLOAT: ((float *)data)[n] = (float)real_at(r, n); break;
    case ORT_TYPE_DOUBLE: ((double *)data)[n] = real_at(r, n); break;
    case ORT_TYPE_FLOAT16:
        ((uint16_t *)data)[n] = fill_float16((float)real_at(r, n));
        break;
    case ORT_TYPE_BFLOAT16:
        ((uint16_t *)data)[n] = fill_bfloat16((float)real_at(r, n));
        break;
    case ORT_TYPE_COMPLEX64:
        ((float *)data)[2 * n] = (float)real_at(r, 2 * n);
        ((float *)data)[2 * n + 1] = (float)real_at(r, 2 * n + 1);
        break;
    case ORT_TYPE_COMPLEX128:
        ((double *)data)[2 * n] = real_at(r, 2 * n);
        ((double *)data)[2 * n + 1] = real_at(r, 2 * n + 1);
        break;
    default: ((uint8_t *)data)[n] = float8_at(r, n);
    }
}

static void write_whole(void *data, enum ort_type type, const struct recipe *r,
        size_t n)
{
    int64_t value = whole_at(r, n);

    switch (type) {
    case ORT_TYPE_BOOL: ((uint8_t *)data)[n] = value != 0; break;
    case ORT_TYPE_UINT4:
    case ORT_TYPE_INT4:
        /* Two in a byte, the first in the lower half. */
        if (n % 2 == 0)
            ((uint8_t *)data)[n / 2] = 0;
        ((uint8_t *)data)[n / 2] |= (uint8_t)((value & 15) << (n % 2 * 4));
        break;
    case ORT_TYPE_UINT8:
    case ORT_TYPE_INT8: ((uint8_t *)data)[n] = (uint8_t)value; break;
    case ORT_TYPE_UINT16:
    case ORT_TYPE_INT16: ((uint16_t *)data)[n] = (uint16_t)value; break;
    case ORT_TYPE_UINT32:
    case ORT_TYPE_INT32: ((uint32_t *)data)[n] = (uint32_t)value; break;
    default: ((uint64_t *)data)[n] = (uint64_t)value;
    }
}

/* FNV-1a: two inputs of one model do not get the same values. */
static uint64_t seed_of(const char *name)
{
    uint64_t seed = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        seed = (seed ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return seed;
}

int fill_check(const struct tensor_spec *input, struct error *e)
{
    size_t bytes;

    if (input->type == ORT_TYPE_STRING)
        return fail(e, -ENOTSUP,
                "input '%.64s' takes texts: no text can be made up that means "
                "something to the model",
                input->name);
    if (!tensor_bytes(&bytes, input->type, 1))
        return fail(e, -ENOTSUP,
                "input '%.64s' is of a type that ortmeter does not know",
                input->name);
    return 0;
}

void fill_tensor(void *data, const struct tensor_spec *input,
        const int64_t *shape, const struct fill_facts *facts)
{
    struct recipe r = recipe_of(input, shape, facts);
    bool real = is_real(input->type);
    size_t elements = 1;

    r.seed = seed_of(input->name);
    for (size_t i = 0; i < input->rank; i++)
        elements *= (size_t)shape[i];
    for (size_t n = 0; n < elements; n++) {
        if (real)
            write_real(data, input->type, &r, n);
        else
            write_whole(data, input->type, &r, n);
    }
}
