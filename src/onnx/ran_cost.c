#include "onnx/ran_cost.h"

#include "base/json_read.h"

#include <stddef.h>

#define VALUES_MAX 64 /* of more inputs, or outputs, nothing is said */

static int type_of(struct str name)
{
    for (int i = ONNX_FLOAT; i <= ONNX_BFLOAT16; i++) {
        const char *known = onnx_type_name(i);

        if (known && str_is(name, known))
            return i;
    }
    return ONNX_UNKNOWN;
}

/* [1,3,48,192] */
static bool read_shape(struct fact *f, struct str shape)
{
    struct str rest = shape, size;
    int rc;

    f->rank = 0;
    while ((rc = json_next_element(&rest, &size)) > 0) {
        if (f->rank == FACT_RANK_MAX || str_i64(&f->dims[f->rank], size) ||
                f->dims[f->rank] < 0)
            return false;
        f->rank++;
    }
    return rc == 0;
}

/* {"float":[1,3,48,192]} */
static bool read_value(struct fact *f, struct str value)
{
    struct str rest = value, type, shape;

    *f = fact_nothing();
    if (json_next_member(&rest, &type, &shape) <= 0)
        return false;
    f->type = type_of(type);
    return read_shape(f, shape);
}

/* Returns how many; FACT_UNKNOWN: it is no such list. */
static int read_values(struct fact out[VALUES_MAX], struct str text)
{
    struct str rest = text, value;
    int count = 0, rc;

    while ((rc = json_next_element(&rest, &value)) > 0)
        if (count == VALUES_MAX || !read_value(&out[count++], value))
            return FACT_UNKNOWN;
    return rc ? FACT_UNKNOWN : count;
}

/* Its domain is not told; ONNX's own comes first. */
static const struct onnx_op *find(struct str op_type)
{
    const struct onnx_op *op = op_find(op_type, str_of(""));

    return op ? op : op_find(op_type, str_of("com.microsoft"));
}

bool ran_cost(struct onnx_cost *out, const struct ran_operator *o)
{
    struct fact in[VALUES_MAX], made[VALUES_MAX];
    const struct fact *given[VALUES_MAX];
    const struct onnx_op *op = find(o->op_type);
    int in_count = read_values(in, o->inputs);
    int out_count = read_values(made, o->outputs);

    if (!op || !op->cost || in_count < 0 || out_count < 0)
        return false;
    for (int i = 0; i < in_count; i++)
        given[i] = &in[i];

    struct onnx_cost cost = { 0 };
    const struct onnx_call c = {
        .op = op,
        .node = o->node,
        .in = given,
        .in_count = in_count,
        .out = made,
        .out_count = out_count,
    };

    if (!op->cost(&c, &cost))
        return false;
    *out = cost;
    return true;
}
