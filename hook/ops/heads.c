/* heads.c -- where attention looks, head by head: how far its weights are
 * spread (their entropy), how much the largest one is, how many are next to
 * nothing.
 *
 * The weights are what a Softmax puts out: [batch, heads, rows, row], a row for
 * each place that looks.  Of large ones some rows are read. */
#include "base/compiler.h"
#include "hook/ops/ops.h"
#include "hook/text.h"

/* Elements of an output; beyond that, every nth row is read. */
#define READ_MAX  (UINT64_C(1) << 18)
#define HEADS_MAX 1024

union bits {
    uint64_t word;
    double number;
};

/* The natural logarithm of a number above 0: that of its exponent, and of what
 * is left between the roots of 1/2 and 2 by the series of the inverse
 * hyperbolic tangent. */
static double logarithm(double x)
{
    const double ln2 = 0.69314718055994530942;
    union bits b = { .number = x };
    int exponent = (int)(b.word >> 52) - 1023;
    double s, square, term, sum = 0;

    b.word = (b.word & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    if (b.number > 1.4142135623730951) {
        b.number /= 2;
        exponent++;
    }
    s = (b.number - 1) / (b.number + 1);
    square = s * s;
    term = s;
    for (int n = 1; n < 20; n += 2, term *= square)
        sum += term / n;
    return exponent * ln2 + 2 * sum;
}

HOT struct record_head heads_look(const struct head_rows *h, uint64_t step)
{
    const double least = 1e-300; /* what is smaller weighs nothing */
    double entropy = 0, largest = 0;
    uint64_t rows = 0, small = 0;

    for (uint64_t i = 0; i < h->batch * h->rows; i += step, rows++) {
        uint64_t at = h->first + i / h->rows * h->stride + i % h->rows * h->row;

        for (uint64_t k = 0; k < h->row; k++) {
            double p = values_element(h->data, h->type, at + k);

            if (p > least)
                entropy -= p * logarithm(p);
            largest = p > largest ? p : largest;
            small += p < HEADS_NEAR_ZERO;
        }
    }
    return (struct record_head){
        .entropy = (float)(entropy > 0 ? entropy / (double)rows : 0),
        .largest = (float)largest,
        .sparsity = (float)((double)small / (double)(rows * h->row)),
    };
}

/* "N11onnxruntime7SoftmaxIfEE". */
static bool is_softmax(const struct kernel *k)
{
    const char *name = kernel_class(k->self);

    return name && text_contains(name, "7Softmax");
}

static uint64_t step_of(uint64_t elements, uint64_t rows)
{
    uint64_t step = elements > READ_MAX ? elements / READ_MAX | 1 : 1;

    return step < rows ? step : rows;
}

void heads_send(const struct kernel *k, size_t output, const struct shape *s,
        const void *data)
{
    if (s->rank != 4 || !is_softmax(k) || s->dims[1] > HEADS_MAX)
        return;

    uint64_t heads = (uint64_t)s->dims[1], each;
    struct head_rows h = {
        .data = data,
        .type = s->type,
        .batch = (uint64_t)s->dims[0],
        .rows = (uint64_t)s->dims[2],
        .row = (uint64_t)s->dims[3],
    };
    struct record r = {
        .kind = RECORD_HEADS,
        .place = record_place(PHASE_OTHER, k->lib->index),
        .heads = { .kernel = (uintptr_t)k->self,
                .trace = k->trace,
                .index = (uint16_t)output,
                .heads = (uint32_t)heads },
    };

    each = h.rows * h.row;
    h.stride = heads * each;
    for (uint64_t i = 0; i < heads; i++) {
        h.first = i * each;
        r.heads.head[r.flags++] =
                heads_look(&h, step_of(h.batch * h.stride, h.batch * h.rows));
        if (r.flags < HEADS_EACH && i + 1 < heads)
            continue;
        (void)channel_try(&r);
        r.heads.first = (uint16_t)(i + 1);
        r.flags = 0;
    }
}
