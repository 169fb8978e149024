#include "ort/tensor_spec.h"

#include "base/alloc.h"
#include "ort/status.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
    const char *name;
    unsigned bits; /* 0: its elements have no size */
} types[ORT_TYPES] = {
    [ORT_TYPE_UNDEFINED] = { "?", 0 },
    [ORT_TYPE_FLOAT] = { "float32", 32 },
    [ORT_TYPE_UINT8] = { "uint8", 8 },
    [ORT_TYPE_INT8] = { "int8", 8 },
    [ORT_TYPE_UINT16] = { "uint16", 16 },
    [ORT_TYPE_INT16] = { "int16", 16 },
    [ORT_TYPE_INT32] = { "int32", 32 },
    [ORT_TYPE_INT64] = { "int64", 64 },
    [ORT_TYPE_STRING] = { "string", 0 },
    [ORT_TYPE_BOOL] = { "bool", 8 },
    [ORT_TYPE_FLOAT16] = { "float16", 16 },
    [ORT_TYPE_DOUBLE] = { "float64", 64 },
    [ORT_TYPE_UINT32] = { "uint32", 32 },
    [ORT_TYPE_UINT64] = { "uint64", 64 },
    [ORT_TYPE_COMPLEX64] = { "complex64", 64 },
    [ORT_TYPE_COMPLEX128] = { "complex128", 128 },
    [ORT_TYPE_BFLOAT16] = { "bfloat16", 16 },
    [ORT_TYPE_FLOAT8E4M3FN] = { "float8e4m3fn", 8 },
    [ORT_TYPE_FLOAT8E4M3FNUZ] = { "float8e4m3fnuz", 8 },
    [ORT_TYPE_FLOAT8E5M2] = { "float8e5m2", 8 },
    [ORT_TYPE_FLOAT8E5M2FNUZ] = { "float8e5m2fnuz", 8 },
    [ORT_TYPE_UINT4] = { "uint4", 4 },
    [ORT_TYPE_INT4] = { "int4", 4 },
};

const char *tensor_type_name(enum ort_type type)
{
    return types[type < ORT_TYPES ? type : ORT_TYPE_UNDEFINED].name;
}

bool tensor_bytes(size_t *out, enum ort_type type, size_t elements)
{
    unsigned bits = type < ORT_TYPES ? types[type].bits : 0;

    if (!bits || elements > (SIZE_MAX - 7) / bits)
        return false;
    *out = (elements * bits + 7) / 8;
    return true;
}

/* --- what ONNX Runtime says ------------------------------------------------
 */

/* One side of a session. */
struct side {
    const struct ort_api *api;
    const struct ort_session *session;
    ort_SessionGetInputCount get_count;
    ort_SessionGetInputTypeInfo get_type;
    ort_SessionGetInputName get_name;
    bool tensors_only;
};

static int read_shape(struct tensor_spec *t, const struct side *s,
        const struct ort_tensor_info *info, struct error *e)
{
    const char *symbol[TENSOR_RANK_MAX] = { NULL };
    int type = 0;
    int rc = status_fail(s->api, ORT(s->api, GetTensorElementType)(info, &type),
            e);

    if (!rc)
        rc = status_fail(s->api,
                ORT(s->api, GetDimensionsCount)(info, &t->rank), e);
    if (rc)
        return rc;
    t->type = type > 0 && type < ORT_TYPES ? (enum ort_type)type
                                           : ORT_TYPE_UNDEFINED;
    if (t->rank > TENSOR_RANK_MAX) {
        size_t rank = t->rank;

        t->rank = 0;
        return fail(e, -ENOTSUP, "'%.64s' has %zu dimensions, more than %d",
                t->name, rank, TENSOR_RANK_MAX);
    }
    rc = status_fail(s->api, ORT(s->api, GetDimensions)(info, t->dim, t->rank),
            e);
    if (!rc)
        rc = status_fail(s->api,
                ORT(s->api, GetSymbolicDimensions)(info, symbol, t->rank), e);
    for (size_t i = 0; i < t->rank && !rc; i++)
        if (t->dim[i] < 0 && symbol[i] && symbol[i][0])
            t->symbol[i] = alloc_text(symbol[i]);
    return rc;
}

static int read_type(struct tensor_spec *t, const struct side *s, size_t index,
        struct error *e)
{
    struct ort_type_info *info = NULL;
    const struct ort_tensor_info *tensor = NULL;
    int kind = 0;
    int rc = status_fail(s->api, s->get_type(s->session, index, &info), e);

    if (!rc)
        rc = status_fail(s->api,
                ORT(s->api, GetOnnxTypeFromTypeInfo)(info, &kind), e);
    if (!rc && kind == ORT_KIND_TENSOR)
        rc = status_fail(s->api,
                ORT(s->api, CastTypeInfoToTensorInfo)(info, &tensor), e);
    if (!rc && tensor)
        rc = read_shape(t, s, tensor, e);
    else if (!rc && s->tensors_only)
        rc = fail(e, -ENOTSUP,
                "input '%.64s' is a sequence, a map or the like, not a tensor: "
                "no value can be made for it",
                t->name);
    if (info)
        ORT(s->api, ReleaseTypeInfo)(info);
    return rc;
}

static int read_name(struct tensor_spec *t, const struct side *s, size_t index,
        struct error *e)
{
    struct ort_allocator *allocator = NULL;
    char *name = NULL;
    int rc = status_fail(s->api,
            ORT(s->api, GetAllocatorWithDefaultOptions)(&allocator), e);

    if (!rc)
        rc = status_fail(s->api,
                s->get_name(s->session, index, allocator, &name), e);
    if (rc)
        return rc;
    t->name = alloc_text(name);
    status_drop(s->api, ORT(s->api, AllocatorFree)(allocator, name));
    return 0;
}

static int read_side(struct tensor_specs *out, const struct side *s,
        struct error *e)
{
    size_t count = 0;
    int rc = status_fail(s->api, s->get_count(s->session, &count), e);

    *out = (struct tensor_specs){ 0 };
    if (rc)
        return rc;
    out->item = alloc_zero(count ? count : 1, sizeof(*out->item));
    for (; out->count < count && !rc; out->count++) {
        struct tensor_spec *t = &out->item[out->count];

        rc = read_name(t, s, out->count, e);
        if (!rc)
            rc = read_type(t, s, out->count, e);
    }
    if (rc)
        tensor_specs_release(out);
    return rc;
}

int tensor_specs_read_inputs(struct tensor_specs *out,
        const struct ort_api *api, const struct ort_session *session,
        struct error *e)
{
    return read_side(out,
            &(struct side){ api, session, ORT(api, SessionGetInputCount),
                    ORT(api, SessionGetInputTypeInfo),
                    ORT(api, SessionGetInputName), true },
            e);
}

int tensor_specs_read_outputs(struct tensor_specs *out,
        const struct ort_api *api, const struct ort_session *session,
        struct error *e)
{
    return read_side(out,
            &(struct side){ api, session, ORT(api, SessionGetOutputCount),
                    ORT(api, SessionGetOutputTypeInfo),
                    ORT(api, SessionGetOutputName), false },
            e);
}

void tensor_specs_release(struct tensor_specs *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->item[i].name);
        for (size_t d = 0; d < s->item[i].rank; d++)
            free(s->item[i].symbol[d]);
    }
    free(s->item);
    *s = (struct tensor_specs){ 0 };
}
