/* reader_value.c -- what a file says of values: their types and shapes. */
#include "onnx/reader.h"

#include "onnx/quote.h"

#include <errno.h>

static int read_dim(struct onnx_reader *r, struct onnx_dim *d, struct str bytes)
{
    struct pb_field f;
    int rc;

    *d = (struct onnx_dim){ .size = -1 };
    while ((rc = reader_next(r, &f, &bytes, "a dimension")) == 1) {
        /* Some exporters write -1 for a size that is chosen with each run. */
        if (f.number == 1 && f.wire == PB_WIRE_VARINT)
            d->size = (int64_t)f.value < 0 ? -1 : (int64_t)f.value;
        if (f.number == 2 && f.wire == PB_WIRE_BYTES)
            d->name = reader_symbol(r, f.bytes);
    }
    return rc;
}

static int read_shape(struct onnx_reader *r, struct onnx_value *v,
        struct str bytes)
{
    struct str rest = bytes;
    struct pb_field f;
    uint32_t count = 0;
    int rc;

    while ((rc = reader_next(r, &f, &rest, "a shape")) == 1)
        count += f.number == 1 && f.wire == PB_WIRE_BYTES;
    if (!rc)
        rc = reader_count(r, count);
    if (rc)
        return rc;
    v->rank = 0;
    v->dims = arena_take(&r->model->arena, count, sizeof(*v->dims));
    while (!rc && pb_next(&f, &bytes) == 1)
        if (f.number == 1 && f.wire == PB_WIRE_BYTES)
            rc = read_dim(r, &v->dims[v->rank++], f.bytes);
    return rc;
}

static int read_tensor_type(struct onnx_reader *r, struct onnx_value *v,
        struct str bytes)
{
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "a type")) == 1) {
        if (f.number == 1 && f.wire == PB_WIRE_VARINT)
            v->type = f.value < 1000 ? (int)f.value : ONNX_UNKNOWN;
        if (f.number == 2 && f.wire == PB_WIRE_BYTES) {
            rc = read_shape(r, v, f.bytes);
            if (rc)
                return rc;
        }
    }
    return rc;
}

static int read_type(struct onnx_reader *r, struct onnx_value *v,
        struct str bytes)
{
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "a type")) == 1) {
        if (f.wire != PB_WIRE_BYTES)
            continue;
        rc = 0;
        switch (f.number) {
        case 1:
        case 8:
            v->kind = f.number == 1 ? ONNX_KIND_TENSOR : ONNX_KIND_SPARSE;
            rc = read_tensor_type(r, v, f.bytes);
            break;
        case 4: v->kind = ONNX_KIND_SEQUENCE; break;
        case 5: v->kind = ONNX_KIND_MAP; break;
        case 9: v->kind = ONNX_KIND_OPTIONAL; break;
        default: break;
        }
        if (rc)
            return rc;
    }
    return rc;
}

/* The sizes that are fixed must make a tensor that can be. */
static int check_value(const struct onnx_reader *r, const struct onnx_value *v)
{
    char name[QUOTE_NAME];
    uint64_t elements = 1;

    for (int32_t i = 0; i < v->rank; i++) {
        uint64_t size = v->dims[i].size > 0 ? (uint64_t)v->dims[i].size : 1;

        if (elements > INT64_MAX / size)
            return reader_fail(r, -EINVAL,
                    "says of %s what cannot be: dimension %d is %lld",
                    quote_name(name, symbol_text(&r->model->symbols, v->name)),
                    i, (long long)v->dims[i].size);
        elements *= size;
    }
    return 0;
}

int reader_value(struct onnx_reader *r, struct onnx_value *v, struct str bytes)
{
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "a value")) == 1) {
        rc = 0;
        if (f.number == 1 && f.wire == PB_WIRE_BYTES)
            v->name = reader_symbol(r, f.bytes);
        if (f.number == 2 && f.wire == PB_WIRE_BYTES)
            rc = read_type(r, v, f.bytes);
        if (rc)
            return rc;
    }
    return rc ? rc : check_value(r, v);
}
