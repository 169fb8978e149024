/* tensor_spec.h -- what a session wants as inputs and gives as outputs. */
#pragma once

#include "base/error.h"
#include "wire/ort_api.h"

#include <stdbool.h>

#define TENSOR_RANK_MAX 16

struct tensor_spec {
    char *name;
    enum ort_type type;
    size_t rank;
    int64_t dim[TENSOR_RANK_MAX];  /* below 0: left open */
    char *symbol[TENSOR_RANK_MAX]; /* an open one's name; NULL: it has none */
};

struct tensor_specs {
    struct tensor_spec *item;
    size_t count;
};

/* Reads all inputs, or all outputs, in the session's order.  Inputs must be
 * tensors: a sequence or a map is refused by its name with -ENOTSUP; such an
 * output has the type ORT_TYPE_UNDEFINED.  On failure `out` is empty. */
int tensor_specs_read_inputs(struct tensor_specs *out,
        const struct ort_api *api, const struct ort_session *session,
        struct error *e);
int tensor_specs_read_outputs(struct tensor_specs *out,
        const struct ort_api *api, const struct ort_session *session,
        struct error *e);

void tensor_specs_release(struct tensor_specs *s);

/* "float32", "int64": as the ONNX standard's users write it; "type 31" would be
 * "?".  Static. */
const char *tensor_type_name(enum ort_type type);

/* Bytes that so many elements take; types of 4 bits lie two in a byte.  False:
 * texts, types of unknown size, or more bytes than a size_t counts. */
bool tensor_bytes(size_t *out, enum ort_type type, size_t elements);
