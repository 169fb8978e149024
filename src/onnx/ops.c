#include "onnx/ops.h"

#include "base/compiler.h"

static const struct onnx_op *const standard[] = { ops_elementwise, ops_conv,
    ops_matmul, ops_reshape, ops_select, ops_generate, ops_reduce,
    ops_normalise, ops_attention, ops_recurrent, ops_resize };

static const struct onnx_op *const microsoft[] = { ops_microsoft_elementwise,
    ops_microsoft_conv, ops_microsoft_matmul, ops_microsoft_normalise,
    ops_microsoft_attention, ops_microsoft_recurrent };

static const struct onnx_op *look(const struct onnx_op *const *families,
        size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        for (const struct onnx_op *op = families[i]; op->name; op++)
            if (str_is(name, op->name))
                return op;
    return NULL;
}

const struct onnx_op *op_find(struct str name, struct str domain)
{
    /* Convolutions over blocks of channels keep shapes and meaning. */
    bool ours = !domain.len || str_is(domain, "ai.onnx") ||
                str_is(domain, "com.microsoft.nchwc");

    if (str_is(domain, "com.microsoft")) {
        const struct onnx_op *op = look(microsoft, LEN(microsoft), name);

        if (op)
            return op;
        ours = true; /* some are in either domain, and the same in both */
    }
    return ours ? look(standard, LEN(standard), name) : NULL;
}
