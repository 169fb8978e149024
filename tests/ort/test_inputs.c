/* test_inputs.c -- numbers for open dimensions, and values for inputs. */
#include "base/compiler.h"
#include "ort/dims.h"
#include "ort/fill.h"
#include "ort/input_name.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#define OPEN (-1)
#define RANK 5

/* --- open dimensions --------------------------------------------------------
 */

struct one {
    const char *name;
    enum ort_type type;
    size_t rank;
    int64_t dim[RANK];
    const char *symbol[RANK];
    int64_t want[RANK];
};

#define MOST 4

/* One model after another; an input without a name ends each. */
static const struct one models[][MOST + 1] = {
    { { "x", ORT_TYPE_FLOAT, 2, { OPEN, 64 }, { "batch" }, { 1, 64 } } },
    /* PP-OCR: names that say nothing, so the places count. */
    { { "x", ORT_TYPE_FLOAT, 4, { OPEN, 3, 48, OPEN },
            { "p2o.DynamicDimension.0", NULL, NULL, "p2o.DynamicDimension.1" },
            { 1, 3, 48, 224 } } },
    { { "image", ORT_TYPE_UINT8, 4, { OPEN, OPEN, OPEN, 3 }, { NULL },
            { 1, 224, 224, 3 } } },
    { { "pixel_values", ORT_TYPE_FLOAT, 4, { OPEN, OPEN, OPEN, OPEN },
            { "batch_size", "num_channels", "height", "width" },
            { 1, 3, 224, 224 } } },
    /* Silero: no names at all, and a rate. */
    { { "input", ORT_TYPE_FLOAT, 2, { OPEN, OPEN }, { NULL }, { 1, 512 } },
            { "state", ORT_TYPE_FLOAT, 3, { 2, OPEN, 128 }, { NULL },
                    { 2, 1, 128 } },
            { "sr", ORT_TYPE_INT64, 0, { 0 }, { NULL }, { 0 } } },
    { { "input_values", ORT_TYPE_FLOAT, 2, { OPEN, OPEN },
            { "batch_size", "sequence_length" }, { 1, 16000 } } },
    /* Language models: with a past that is empty ... */
    { { "input_ids", ORT_TYPE_INT64, 2, { OPEN, OPEN },
              { "batch_size", "sequence_length" }, { 1, 16 } },
            { "attention_mask", ORT_TYPE_INT64, 2, { OPEN, OPEN },
                    { "batch_size", "total_sequence_length" }, { 1, 16 } },
            { "past_key_values.0.key", ORT_TYPE_FLOAT, 4, { OPEN, 2, OPEN, 16 },
                    { "batch_size", NULL, "past_sequence_length", NULL },
                    { 1, 2, 0, 16 } },
            { "past_0", ORT_TYPE_FLOAT, 5, { 2, OPEN, 4, OPEN, 8 }, { NULL },
                    { 2, 1, 4, 0, 8 } } },
    /* ... and with sums for names. */
    { { "input_ids", ORT_TYPE_INT64, 2, { OPEN, OPEN }, { NULL }, { 1, 16 } },
            { "attention_mask", ORT_TYPE_INT64, 2, { OPEN, OPEN },
                    { "batch_size", "past_sequence_length + 1" }, { 1, 1 } },
            { "mask", ORT_TYPE_INT64, 2, { OPEN, OPEN },
                    { "N", "past_sequence_length + sequence_length" },
                    { 1, 16 } } },
    { { "anything", ORT_TYPE_FLOAT, 3, { OPEN, OPEN, 7 }, { "odd", "odder" },
            { 1, 1, 7 } } },
};

static struct tensor_spec spec_of(const struct one *o)
{
    struct tensor_spec t = {
        .name = (char *)o->name,
        .type = o->type,
        .rank = o->rank,
    };

    for (size_t d = 0; d < o->rank; d++) {
        t.dim[d] = o->dim[d];
        t.symbol[d] = (char *)o->symbol[d];
    }
    return t;
}

static size_t model(struct tensor_spec out[MOST], const struct one *inputs)
{
    size_t count = 0;

    for (; inputs[count].name; count++)
        out[count] = spec_of(&inputs[count]);
    return count;
}

static void check_guesses(void)
{
    for (size_t m = 0; m < LEN(models); m++) {
        struct tensor_spec t[MOST];
        struct tensor_specs specs = { t, model(t, models[m]) };
        struct dims d;

        CHECK_INT(dims_resolve(&d, &specs, &(struct dims_wish){ 0 }, NULL), 0);
        for (size_t i = 0; i < specs.count; i++)
            for (size_t a = 0; a < t[i].rank; a++) {
                CHECK_INT(d.shape[i][a], models[m][i].want[a]);
                if (d.shape[i][a] != models[m][i].want[a])
                    (void)fprintf(stderr, "  %s, axis %zu\n", t[i].name, a);
            }
        dims_release(&d);
    }
}

#define DECODER 6

/* A decode step: one token, and 100 in the cache. */
static void check_given(void)
{
    const struct dim_given given[] = {
        { str_of("past_sequence_length"), 100 },
        { str_of("sequence_length"), 1 },
    };
    struct tensor_spec t[MOST];
    struct tensor_specs specs = { t, model(t, models[DECODER]) };
    struct buf text = { 0 };
    struct dims d;

    CHECK_INT(dims_resolve(&d, &specs,
                      &(struct dims_wish){ given, LEN(given), 3 }, NULL),
            0);
    CHECK(d.has_batch);
    CHECK_INT(d.shape[0][0], 3);
    CHECK_INT(d.shape[0][1], 1);
    CHECK_INT(d.shape[1][1], 101); /* the mask covers both */
    CHECK_INT(d.shape[2][2], 100);
    CHECK_INT(d.past, 100);
    CHECK_INT(d.total, 101);

    /* The cache without names has dimensions of its own. */
    CHECK_INT(d.shape[3][1], 3);
    CHECK_INT(d.shape[3][3], 100);
    dims_explain(&text, &d);
    CHECK(strstr(buf_cstr(&text),
            "total_sequence_length = 101 (--dim total_sequence_length=N)"));
    CHECK(strstr(buf_cstr(&text), "past_0:3 = 100 (--dim past_0:3=N)"));
    CHECK(!strstr(buf_cstr(&text), "past_sequence_length ="));
    buf_release(&text);
    dims_release(&d);
}

static void check_refused(size_t which, struct dims_wish wish,
        const char *because)
{
    struct tensor_spec t[MOST];
    struct tensor_specs specs = { t, model(t, models[which]) };
    struct error e = { 0 };
    struct dims d;

    CHECK_INT(dims_resolve(&d, &specs, &wish, &e), -EINVAL);
    CHECK(strstr(e.text, because));
    if (!strstr(e.text, because))
        (void)fprintf(stderr, "  %s\n", e.text);
}

static void check_refusals(void)
{
    static const struct one fixed[] = {
        { "x", ORT_TYPE_FLOAT, 2, { 1, 8 }, { NULL }, { 1, 8 } }, { 0 }
    };
    struct tensor_spec t[MOST];
    struct tensor_specs specs = { t, model(t, fixed) };
    struct dim_given given = { str_of("nobody"), 7 };
    struct error e = { 0 };
    struct dims d;

    check_refused(0, (struct dims_wish){ &given, 1, 0 }, "it has batch");
    given.name = str_of("batch");
    check_refused(0, (struct dims_wish){ &given, 1, 4 },
            "both --batch and --dim batch");
    CHECK_INT(dims_resolve(&d, &specs, &(struct dims_wish){ .batch = 4 }, &e),
            -EINVAL);
    CHECK(strstr(e.text, "batch is fixed"));
    CHECK_INT(dims_resolve(&d, &specs, &(struct dims_wish){ &given, 1, 0 }, &e),
            -EINVAL);
    CHECK(strstr(e.text, "all its dimensions are fixed"));
}

/* --- names ------------------------------------------------------------------
 */

static void check_names(void)
{
    static const struct {
        const char *name;
        enum input_use use;
    } cases[] = {
        { "input_ids", INPUT_IDS },
        { "decoder_input_ids", INPUT_IDS },
        { "attention_mask", INPUT_MASK },
        { "token_type_ids", INPUT_SEGMENTS },
        { "position_ids", INPUT_POSITIONS },
        { "past_key_values.3.value", INPUT_CACHE },
        { "past_sequence_length", INPUT_PAST },
        { "total_sequence_length", INPUT_TOTAL },
        { "seqlens_k", INPUT_LAST },
        { "use_cache_branch", INPUT_HAS_CACHE },
        { "encoder_hidden_states", INPUT_PLAIN },
        { "SR", INPUT_RATE },
        { "x_lens", INPUT_LENGTH },
        { "data_0", INPUT_PLAIN },
        { "", INPUT_PLAIN },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        CHECK_INT(input_use_of(cases[i].name), cases[i].use);
        if (input_use_of(cases[i].name) != cases[i].use)
            (void)fprintf(stderr, "  %s\n", cases[i].name);
    }
}

/* --- values -----------------------------------------------------------------
 */

#define ELEMENTS 1024

static const int64_t shape[TENSOR_RANK_MAX] = { 2, ELEMENTS / 2 };

static void fill(void *data, const char *name, enum ort_type type)
{
    const struct tensor_spec t = {
        .name = (char *)name,
        .type = type,
        .rank = 2,
    };
    const struct fill_facts facts = {
        .vocabulary = 300,
        .sequence = ELEMENTS / 2,
        .past = 10,
        .total = ELEMENTS / 2 + 10,
    };

    CHECK_INT(fill_check(&t, NULL), 0);
    fill_tensor(data, &t, shape, &facts);
}

static void check_whole(void)
{
    int64_t ids[ELEMENTS], again[ELEMENTS], positions[ELEMENTS];
    int32_t other[ELEMENTS];
    uint8_t mask[ELEMENTS];
    int64_t least = INT64_MAX, most = 0;

    fill(ids, "input_ids", ORT_TYPE_INT64);
    for (size_t i = 0; i < ELEMENTS; i++) {
        least = ids[i] < least ? ids[i] : least;
        most = ids[i] > most ? ids[i] : most;
    }
    CHECK(least >= 1 && least < 10);
    CHECK(most < 300 && most > 250);
    fill(again, "input_ids", ORT_TYPE_INT64);
    CHECK(memcmp(ids, again, sizeof(ids)) == 0);

    fill(positions, "position_ids", ORT_TYPE_INT64);
    CHECK_INT(positions[0], 10);
    CHECK_INT(positions[ELEMENTS / 2 - 1], 10 + ELEMENTS / 2 - 1);
    CHECK_INT(positions[ELEMENTS / 2], 10); /* the second of the batch */

    fill(mask, "attention_mask", ORT_TYPE_BOOL);
    CHECK_INT(mask[0], 1);
    CHECK_INT(mask[ELEMENTS - 1], 1);
    fill(other, "whatever", ORT_TYPE_INT32);
    CHECK_INT(other[ELEMENTS - 1], 1);
    fill(other, "total_sequence_length", ORT_TYPE_INT32);
    CHECK_INT(other[0], ELEMENTS / 2 + 10);
    fill(other, "seqlens_k", ORT_TYPE_INT32);
    CHECK_INT(other[0], ELEMENTS / 2 + 9);
}

static void check_real(void)
{
    float x[ELEMENTS], y[ELEMENTS];
    double d[ELEMENTS];
    uint16_t half[ELEMENTS];
    double sum = 0;

    fill(x, "x", ORT_TYPE_FLOAT);
    fill(y, "y", ORT_TYPE_FLOAT);
    for (size_t i = 0; i < ELEMENTS; i++) {
        CHECK(x[i] >= 0 && x[i] < 1);
        sum += x[i];
    }
    CHECK(sum > 0.45 * ELEMENTS && sum < 0.55 * ELEMENTS);
    CHECK(memcmp(x, y, sizeof(x)) != 0);
    fill(d, "x", ORT_TYPE_DOUBLE);
    CHECK((float)d[7] == x[7]);
    fill(half, "x", ORT_TYPE_FLOAT16);
    for (size_t i = 0; i < ELEMENTS; i++)
        CHECK(half[i] <= 0x3c00); /* 1 */
    fill(x, "past_key_values.0.key", ORT_TYPE_FLOAT);
    CHECK(x[0] == 0 && x[ELEMENTS - 1] == 0);
}

/* All bytes that a type takes are written, and none beyond them: what was there
 * before makes no difference. */
static void check_types(void)
{
    static uint64_t data[2 * ELEMENTS + 1], other[2 * ELEMENTS + 1];

    for (int type = ORT_TYPE_FLOAT; type < ORT_TYPES; type++) {
        size_t len = 0;

        if (type == ORT_TYPE_STRING)
            continue;
        CHECK(tensor_bytes(&len, (enum ort_type)type, ELEMENTS));
        CHECK(len <= 2 * ELEMENTS * sizeof(uint64_t));
        memset(data, 0xa5, sizeof(data));
        memset(other, 0x5a, sizeof(other));
        fill(data, "x", (enum ort_type)type);
        fill(other, "x", (enum ort_type)type);
        CHECK(memcmp(data, other, len) == 0);
        CHECK_INT(((uint8_t *)data)[len], 0xa5);
    }
}

static void check_bytes(void)
{
    struct tensor_spec text = { .name = (char *)"words",
        .type = ORT_TYPE_STRING };
    struct error e = { 0 };
    size_t bytes = 0;

    CHECK(tensor_bytes(&bytes, ORT_TYPE_INT4, 7));
    CHECK_INT(bytes, 4);
    CHECK(tensor_bytes(&bytes, ORT_TYPE_COMPLEX128, 3));
    CHECK_INT(bytes, 48);
    CHECK(!tensor_bytes(&bytes, ORT_TYPE_INT64, SIZE_MAX / 8));
    CHECK(!tensor_bytes(&bytes, ORT_TYPE_STRING, 1));
    CHECK(!tensor_bytes(&bytes, ORT_TYPE_UNDEFINED, 1));
    CHECK_INT(fill_check(&text, &e), -ENOTSUP);
    CHECK(strstr(e.text, "'words' takes texts"));
}

static void check_half(void)
{
    static const struct {
        float value;
        uint16_t half, brain;
    } cases[] = {
        { 0.0F, 0, 0 },
        { 1.0F, 0x3c00, 0x3f80 },
        { -2.0F, 0xc000, 0xc000 },
        { 0.5F, 0x3800, 0x3f00 },
        { 65504.0F, 0x7bff, 0x4780 },
        { 65520.0F, 0x7c00, 0x4780 },        /* rounds up to infinity */
        { 1e10F, 0x7c00, 0x5015 },           /* too great */
        { 0x1p-14F, 0x0400, 0x3880 },        /* the least normal one */
        { 0x1p-24F, 0x0001, 0x3380 },        /* the least of all */
        { 0x1p-26F, 0x0000, 0x3280 },        /* nothing */
        { 1.0F + 0x1p-11F, 0x3c00, 0x3f80 }, /* a tie goes to the even one */
        { 1.0F + 0x3p-11F, 0x3c02, 0x3f80 },
        { 1.0F + 0x1p-8F, 0x3c04, 0x3f80 },
        { 1.0F + 0x3p-8F, 0x3c0c, 0x3f82 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        CHECK_INT(fill_float16(cases[i].value), cases[i].half);
        CHECK_INT(fill_bfloat16(cases[i].value), cases[i].brain);
    }
}

int main(void)
{
    check_guesses();
    check_given();
    check_refusals();
    check_names();
    check_whole();
    check_real();
    check_types();
    check_bytes();
    check_half();
    return test_result();
}
