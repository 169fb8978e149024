/* deep_operation.h -- which step of attention, of an MLP or of a normalisation
 * an operator does, within its component.
 *
 * Where the optimiser made one operator of several, its step is `fused`: what
 * is in it cannot be told apart.  GroupQueryAttention and the like are so in
 * every graph.  A component's steps are all its operators: `other` is what has
 * no name, such as reshaping. */
#pragma once

#include "analyse/operators/operators.h"

enum deep_step {
    DEEP_MAIN, /* the component itself: "softmax", "gate_proj" */
    DEEP_MEAN,
    DEEP_VARIANCE,
    DEEP_NORMALISE,
    DEEP_SCALE_SHIFT,
    DEEP_FUSED,
    DEEP_OTHER,
    DEEP_STEPS,
};

/* "attention", "mlp", "layernorm"; NULL: the component has no steps. */
const char *deep_type_name(enum arch_component component);
/* "qk_matmul", "variance", ... */
const char *deep_step_name(enum arch_component component, enum deep_step step);

bool deep_is_norm(enum arch_component component);

enum deep_step deep_step_of(const struct operators *o,
        const struct operator_figures *f);
