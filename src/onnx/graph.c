#include "onnx/graph.h"

#include "base/compiler.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned bits;
} types[] = {
    [ONNX_FLOAT] = { "float", 32 },
    [ONNX_UINT8] = { "uint8", 8 },
    [ONNX_INT8] = { "int8", 8 },
    [ONNX_UINT16] = { "uint16", 16 },
    [ONNX_INT16] = { "int16", 16 },
    [ONNX_INT32] = { "int32", 32 },
    [ONNX_INT64] = { "int64", 64 },
    [ONNX_STRING] = { "string", 0 },
    [ONNX_BOOL] = { "bool", 8 },
    [ONNX_FLOAT16] = { "float16", 16 },
    [ONNX_DOUBLE] = { "double", 64 },
    [ONNX_UINT32] = { "uint32", 32 },
    [ONNX_UINT64] = { "uint64", 64 },
    [14] = { "complex64", 64 },
    [15] = { "complex128", 128 },
    [ONNX_BFLOAT16] = { "bfloat16", 16 },
    [17] = { "float8e4m3fn", 8 },
    [18] = { "float8e4m3fnuz", 8 },
    [19] = { "float8e5m2", 8 },
    [20] = { "float8e5m2fnuz", 8 },
    [21] = { "uint4", 4 },
    [22] = { "int4", 4 },
    [23] = { "float4e2m1", 4 },
    [24] = { "float8e8m0", 8 },
    [25] = { "uint2", 2 },
    [26] = { "int2", 2 },
};

static bool is_known(int type)
{
    return type > 0 && type < (int)LEN(types);
}

const char *onnx_type_name(int type)
{
    return is_known(type) ? types[type].name : NULL;
}

unsigned onnx_type_bits(int type)
{
    return is_known(type) ? types[type].bits : 0;
}

bool onnx_type_is_whole(int type)
{
    switch (type) {
    case ONNX_UINT8:
    case ONNX_INT8:
    case ONNX_UINT16:
    case ONNX_INT16:
    case ONNX_INT32:
    case ONNX_INT64:
    case ONNX_UINT32:
    case ONNX_UINT64:
    case ONNX_BOOL: return true;
    default: return false;
    }
}

bool onnx_type_bytes(uint64_t *out, int type, uint64_t elements)
{
    unsigned bits = onnx_type_bits(type);

    if (!bits || elements > (UINT64_MAX - 7) / bits)
        return false;
    *out = (elements * bits + 7) / 8;
    return true;
}

const struct onnx_attr *onnx_attr(const struct onnx_node *n, const char *name)
{
    for (uint32_t i = 0; i < n->attr_count; i++)
        if (str_is(n->attrs[i].name, name))
            return &n->attrs[i];
    return NULL;
}

/* ONNX's own operators go by two names. */
static struct str plain(struct str domain)
{
    return domain.len ? domain : str_of("ai.onnx");
}

int64_t onnx_opset(const struct onnx_model *m, struct str domain)
{
    for (uint32_t i = 0; i < m->opset_count; i++)
        if (str_eq(m->opsets[i].domain, plain(domain)))
            return m->opsets[i].version;
    return 0;
}
