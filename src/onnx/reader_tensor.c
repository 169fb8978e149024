/* reader_tensor.c -- tensors without their data.
 *
 * TensorProto keeps data in one of eight fields, or in another file: all are
 * stepped over.  The small ones that shapes are made from are read here. */
#include "onnx/reader.h"

#include "base/alloc.h"
#include "onnx/quote.h"

#include <errno.h>
#include <string.h>

#define WHOLE_MAX 64 /* elements of whole numbers that are read */
#define FLOAT_MAX 8  /* elements of floats */

/* A tensor message, sorted out. */
struct parts {
    int64_t dims[ONNX_LIST_MAX];
    uint32_t rank;
    size_t raw_len; /* of raw_data */
    bool has_raw;
    bool external;
};

/* --- numbers -------------------------------------------------------------- */

static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double size = exponent ? fraction / 1024 + 1 : fraction / 512;

    for (int i = 15; i < exponent; i++)
        size *= 2;
    for (int i = exponent; i < 15; i++)
        size /= 2;
    return bits & 0x8000 ? -size : size;
}

/* One element of raw_data: little-endian, as wide as the type is. */
static double raw_number(int type, const char *p)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < onnx_type_bits(type) / 8; i++)
        bits |= (uint64_t)(unsigned char)p[i] << 8 * i;
    switch (type) {
    case ONNX_FLOAT: return (double)pb_as_float((uint32_t)bits);
    case ONNX_DOUBLE: return pb_as_double(bits);
    case ONNX_FLOAT16: return half((uint16_t)bits);
    case ONNX_BFLOAT16: return (double)pb_as_float((uint32_t)bits << 16);
    case ONNX_INT8: return (double)(int8_t)bits;
    case ONNX_INT16: return (double)(int16_t)bits;
    case ONNX_INT32: return (double)(int32_t)bits;
    case ONNX_INT64: return (double)(int64_t)bits;
    default: return (double)bits;
    }
}

/* The numbers of a message's other fields, one after another. */
struct numbers {
    struct str rest;   /* fields that were not looked at yet */
    struct str packed; /* what is left of a packed one */
};

static bool is_number_field(uint32_t number)
{
    return number == 4 || number == 5 || number == 7 || number == 10 ||
           number == 11;
}

/* The types share fields; see onnx.proto. */
static double field_number(int type, uint64_t bits)
{
    switch (type) {
    case ONNX_FLOAT: return (double)pb_as_float((uint32_t)bits);
    case ONNX_DOUBLE: return pb_as_double(bits);
    case ONNX_FLOAT16: return half((uint16_t)bits);
    case ONNX_BFLOAT16: return (double)pb_as_float((uint32_t)bits << 16);
    case ONNX_UINT64: return (double)bits;
    default: return (double)(int64_t)bits;
    }
}

static bool take_packed(uint64_t *bits, int type, struct str *packed)
{
    uint32_t word;

    switch (type) {
    case ONNX_FLOAT:
        if (pb_next_fixed32(&word, packed) != 1)
            return false;
        *bits = word;
        return true;
    case ONNX_DOUBLE: return pb_next_fixed64(bits, packed) == 1;
    default: return pb_next_varint(bits, packed) == 1;
    }
}

/* They may be packed, or a field each, or both by turns. */
static bool next_number(double *out, int type, struct numbers *n)
{
    uint64_t bits;

    while (!n->packed.len) {
        struct pb_field f;

        if (pb_next(&f, &n->rest) != 1)
            return false;
        if (!is_number_field(f.number))
            continue;
        if (f.wire != PB_WIRE_BYTES) {
            *out = field_number(type, f.value);
            return true;
        }
        n->packed = f.bytes;
    }
    if (!take_packed(&bits, type, &n->packed))
        return false;
    *out = field_number(type, bits);
    return true;
}

/* raw_data of a tensor's message, if it has some. */
static struct str find_raw(struct str message)
{
    struct str raw = { NULL, 0 };
    struct pb_field f;

    while (pb_next(&f, &message) == 1)
        if (f.number == 9 && f.wire == PB_WIRE_BYTES)
            raw = f.bytes;
    return raw;
}

/* Of a tensor whose raw_data, if any, is as long as its shape says. */
static void read_numbers(struct onnx_reader *r, struct onnx_tensor *t,
        struct str message)
{
    unsigned size = onnx_type_bits(t->type) / 8;
    struct str raw = find_raw(message);
    struct numbers fields = { .rest = message };
    double *data = arena_take(&r->model->arena, t->elements + 1, sizeof(*data));

    for (uint64_t i = 0; i < t->elements; i++) {
        if (raw.len)
            data[i] = raw_number(t->type, raw.p + i * size);
        else if (!next_number(&data[i], t->type, &fields))
            return; /* fewer than the shape says: none are known */
    }
    t->data = data;
}

static bool is_float(int type)
{
    return type == ONNX_FLOAT || type == ONNX_DOUBLE || type == ONNX_FLOAT16 ||
           type == ONNX_BFLOAT16;
}

static void keep_small(struct onnx_reader *r, struct onnx_tensor *t,
        struct str message)
{
    bool whole = onnx_type_is_whole(t->type) && t->elements <= WHOLE_MAX;
    bool real = is_float(t->type) && t->elements <= FLOAT_MAX;

    if (t->external)
        return;
    if (whole || (real && t->elements <= 1)) {
        read_numbers(r, t, message);
    } else if (real) {
        if (r->late_count == r->late_cap) {
            r->late_cap = r->late_cap ? 2 * r->late_cap : 16;
            r->late = alloc_resize(r->late, r->late_cap * sizeof(*r->late));
        }
        r->late[r->late_count++] = (struct onnx_late){ t, t->name, message };
    }
}

void reader_late(struct onnx_reader *r)
{
    for (size_t i = 0; i < r->late_count; i++)
        if (map_find(&r->scales, r->late[i].name))
            read_numbers(r, r->late[i].tensor, r->late[i].message);
}

/* --- tensors -------------------------------------------------------------- */

static int external_entry(struct onnx_reader *r, struct onnx_tensor *t,
        struct str bytes)
{
    struct str key = str_of(""), value = str_of("");
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "a tensor's place")) == 1) {
        if (f.number == 1 && f.wire == PB_WIRE_BYTES)
            key = f.bytes;
        if (f.number == 2 && f.wire == PB_WIRE_BYTES)
            value = f.bytes;
    }
    if (rc)
        return rc;
    if (str_is(key, "location"))
        t->location = reader_symbol(r, value);
    /* What is no number is left as if it were not there. */
    if (str_is(key, "offset"))
        (void)str_u64(&t->offset, value);
    if (str_is(key, "length"))
        (void)str_u64(&t->length, value);
    return 0;
}

static int add_dim(const struct onnx_reader *r, struct parts *p, uint64_t size)
{
    if (p->rank == ONNX_LIST_MAX)
        return reader_fail(r, -EINVAL,
                "has a tensor of more than %d dimensions", ONNX_LIST_MAX);
    p->dims[p->rank++] = (int64_t)size;
    return 0;
}

static int add_packed_dims(const struct onnx_reader *r, struct parts *p,
        struct str bytes)
{
    uint64_t size;
    int rc;

    while ((rc = pb_next_varint(&size, &bytes)) == 1) {
        rc = add_dim(r, p, size);
        if (rc)
            return rc;
    }
    return rc < 0 ? reader_damaged(r, bytes.p, "a tensor's shape") : 0;
}

static int tensor_bytes(struct onnx_reader *r, struct onnx_tensor *t,
        struct parts *p, const struct pb_field *f)
{
    switch (f->number) {
    case 1: return add_packed_dims(r, p, f->bytes);
    case 8: t->name = reader_symbol(r, f->bytes); return 0;
    case 9:
        p->raw_len = f->bytes.len;
        p->has_raw = true;
        return 0;
    case 13: return external_entry(r, t, f->bytes);
    default: return 0;
    }
}

static int sort_out(struct onnx_reader *r, struct onnx_tensor *t,
        struct parts *p, struct str bytes)
{
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "a tensor")) == 1) {
        rc = 0;
        if (f.wire == PB_WIRE_BYTES)
            rc = tensor_bytes(r, t, p, &f);
        else if (f.wire == PB_WIRE_VARINT && f.number == 1)
            rc = add_dim(r, p, f.value);
        else if (f.wire == PB_WIRE_VARINT && f.number == 2)
            t->type = f.value < 1000 ? (int)f.value : ONNX_UNKNOWN;
        else if (f.wire == PB_WIRE_VARINT && f.number == 14)
            p->external = f.value == 1;
        if (rc)
            return rc;
    }
    return rc;
}

/* How many elements, if such a tensor can be at all. */
static int set_shape(struct onnx_reader *r, struct onnx_tensor *t,
        const int64_t *dims, uint32_t rank)
{
    char name[QUOTE_NAME];
    uint64_t elements = 1;
    bool empty = false;

    for (uint32_t i = 0; i < rank; i++)
        empty |= !dims[i];
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || (!empty && elements > INT64_MAX / (uint64_t)dims[i]))
            return reader_fail(r, -EINVAL,
                    "has a tensor of an impossible shape: dimension %u of %s "
                    "is %lld",
                    i,
                    quote_name(name, symbol_text(&r->model->symbols, t->name)),
                    (long long)dims[i]);
        elements = empty ? 0 : elements * (uint64_t)dims[i];
    }
    t->rank = rank;
    t->elements = empty ? 0 : elements;
    t->dims = arena_take(&r->model->arena, rank, sizeof(*dims));
    memcpy(t->dims, dims, rank * sizeof(*dims));
    (void)onnx_type_bytes(&t->bytes, t->type, t->elements);
    return reader_count(r, rank);
}

int reader_tensor(struct onnx_reader *r, struct onnx_tensor *t,
        struct str bytes)
{
    struct parts p = { .rank = 0 };
    char name[QUOTE_NAME];
    int rc = sort_out(r, t, &p, bytes);

    if (!rc)
        rc = set_shape(r, t, p.dims, p.rank);
    if (rc)
        return rc;
    if (p.has_raw && !p.external && t->bytes && p.raw_len != t->bytes)
        return reader_fail(r, -EINVAL,
                "has a tensor %s whose shape needs %llu bytes but that "
                "holds %zu",
                quote_name(name, symbol_text(&r->model->symbols, t->name)),
                (unsigned long long)t->bytes, p.raw_len);
    t->external = p.external;
    if (t->external && !t->length)
        t->length = t->bytes;
    keep_small(r, t, bytes);
    return 0;
}

int reader_sparse(struct onnx_reader *r, struct onnx_tensor *t,
        struct str bytes)
{
    struct onnx_tensor values = { 0 };
    struct parts whole = { .rank = 0 };
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "a sparse tensor")) == 1) {
        rc = 0;
        if (f.number == 1 && f.wire == PB_WIRE_BYTES)
            rc = reader_tensor(r, &values, f.bytes);
        else if (f.number == 3 && f.wire == PB_WIRE_BYTES)
            rc = add_packed_dims(r, &whole, f.bytes);
        else if (f.number == 3 && f.wire == PB_WIRE_VARINT)
            rc = add_dim(r, &whole, f.value);
        if (rc)
            return rc;
    }
    if (rc)
        return rc;
    t->name = values.name;
    t->type = values.type;
    return set_shape(r, t, whole.dims, whole.rank);
}
