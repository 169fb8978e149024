/* fill.h -- values for an input that make a model work as it does in earnest.
 *
 * The input's name and type say what it holds: ids lie within the vocabulary,
 * masks let everything through, positions count up, caches are empty, a
 * sampling rate is 16000; other whole numbers are 1, which is a harmless index
 * and a harmless divisor.  Everything else is random between 0 and 1, the same
 * in every run.
 *
 * Pure: no ONNX Runtime is needed. */
#pragma once

#include "ort/tensor_spec.h"

struct fill_facts {
    int64_t vocabulary; /* ids are below it; 0: not known */
    int64_t sequence, past, total;
};

/* Whether values can be made for it.  -ENOTSUP: it takes texts, or elements of
 * a type that we do not know. */
int fill_check(const struct tensor_spec *input, struct error *e);

/* Writes all elements of a tensor that fill_check() let pass; `data` has room
 * for them and is aligned for its type. */
void fill_tensor(void *data, const struct tensor_spec *input,
        const int64_t *shape, const struct fill_facts *facts);

/* The bits of the nearest half-precision number, and of the nearest bfloat16;
 * ties go to the even one. */
uint16_t fill_float16(float value);
uint16_t fill_bfloat16(float value);
