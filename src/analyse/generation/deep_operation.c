#include "analyse/generation/deep_operation.h"

#include "onnx/arch_name.h"

#include <string.h>

static const char attention[] = "attention", mlp[] = "mlp",
                  layernorm[] = "layernorm";

static const struct {
    const char *type, *name; /* name NULL: as the component itself */
} operations[ARCH_COMPONENTS] = {
    [ARCH_QK] = { attention, "qk_matmul" },
    [ARCH_SCALE] = { attention, NULL },
    [ARCH_MASK] = { attention, NULL },
    [ARCH_SOFTMAX] = { attention, NULL },
    [ARCH_AV] = { attention, "value_matmul" },
    [ARCH_ATTENTION] = { attention, NULL },
    [ARCH_GATE_UP] = { mlp, NULL },
    [ARCH_GATE] = { mlp, NULL },
    [ARCH_UP] = { mlp, NULL },
    [ARCH_ACTIVATION] = { mlp, NULL },
    [ARCH_MULTIPLY] = { mlp, "gate_up_mult" },
    [ARCH_DOWN] = { mlp, NULL },
    [ARCH_MLP] = { mlp, NULL },
    [ARCH_INPUT_NORM] = { layernorm, NULL },
    [ARCH_Q_NORM] = { layernorm, NULL },
    [ARCH_K_NORM] = { layernorm, NULL },
    [ARCH_POST_NORM] = { layernorm, NULL },
    [ARCH_OUTPUT_NORM] = { layernorm, NULL },
};

const char *deep_type_name(enum arch_component component)
{
    return operations[component].type;
}

bool deep_is_norm(enum arch_component component)
{
    return operations[component].type == layernorm;
}

const char *deep_step_name(enum arch_component component, enum deep_step step)
{
    static const char *const names[] = {
        [DEEP_MEAN] = "mean",
        [DEEP_VARIANCE] = "variance",
        [DEEP_NORMALISE] = "normalization",
        [DEEP_SCALE_SHIFT] = "scale_shift",
        [DEEP_FUSED] = "fused",
        [DEEP_OTHER] = "other",
    };

    if (step != DEEP_MAIN)
        return names[step];
    return operations[component].name ? operations[component].name
                                      : arch_component_name(component);
}

/* --- within a normalisation ----------------------------------------------- */

static bool is_type(const struct operator_figures *f, const char *op_type)
{
    return f->op_type && strcmp(f->op_type, op_type) == 0;
}

static bool is_one_of(const struct operator_figures *f, const char *const *list)
{
    for (; *list; list++)
        if (is_type(f, *list))
            return true;
    return false;
}

/* A mean is what is taken away from all; the other one is of squares. */
static bool is_subtracted(const struct operators *o,
        const struct operator_figures *f)
{
    for (size_t i = 0; i < o->edge_count; i++) {
        const struct operator_figures *to = NULL;

        if (o->edges[i].from == f->id)
            to = operators_find(o, o->edges[i].to);
        if (to && is_type(to, "Sub"))
            return true;
    }
    return false;
}

/* A weight with a number for each element, as a scale or a shift has it. */
static bool has_weights(const struct operators *o,
        const struct operator_figures *f)
{
    size_t count;
    const struct operator_tensor *t = operators_tensors(o, f->id, &count);

    for (size_t i = 0; i < count; i++)
        if (!t[i].is_output && t[i].is_constant && t[i].shape &&
                strcmp(t[i].shape, "[]") != 0 && strcmp(t[i].shape, "[1]") != 0)
            return true;
    return false;
}

static enum deep_step norm_step(const struct operators *o,
        const struct operator_figures *f)
{
    static const char *const normalising[] = { "Sub", "Sqrt", "Div",
        "Reciprocal", "Add", "Mul", NULL };

    if (op_is_norm(str_of(f->op_type ? f->op_type : "")))
        return DEEP_FUSED;
    if (is_type(f, "ReduceMean"))
        return is_subtracted(o, f) ? DEEP_MEAN : DEEP_VARIANCE;
    if (is_type(f, "Pow"))
        return DEEP_VARIANCE;
    if ((is_type(f, "Mul") || is_type(f, "Add")) && has_weights(o, f))
        return DEEP_SCALE_SHIFT;
    return is_one_of(f, normalising) ? DEEP_NORMALISE : DEEP_OTHER;
}

/* --- all ------------------------------------------------------------------ */

enum deep_step deep_step_of(const struct operators *o,
        const struct operator_figures *f)
{
    enum arch_component c = f->place.component;

    if (deep_is_norm(c))
        return norm_step(o, f);
    if (c == ARCH_ATTENTION)
        return op_is_attention(str_of(f->op_type ? f->op_type : ""))
                       ? DEEP_FUSED
                       : DEEP_OTHER;
    return c == ARCH_MLP ? DEEP_OTHER : DEEP_MAIN;
}
