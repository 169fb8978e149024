/* inputs.h -- inputs for any model, made from what its session says of them.
 *
 * Shapes come from dims.h and values from fill.h.  The tensors lie in memory of
 * ours; a run only reads them, so any number of threads and sessions of the
 * same model may use them at once. */
#pragma once

#include "ort/dims.h"

struct inputs {
    const struct ort_api *api;
    struct tensor_specs specs;
    struct dims dims;
    size_t count;
    const char **names;
    struct ort_value **values;
    void **data;
    size_t bytes; /* of all values */

    struct tensor_specs outputs;
    const char **output_names;
};

/* `memory` says where the values lie: the CPU.  It is borrowed for the call.
 * -EINVAL, -ENOTSUP, -ENOMEM: the error names the input or the option. */
int inputs_make(struct inputs *out, const struct ort_api *api,
        const struct ort_session *session, const struct ort_memory_info *memory,
        const struct dims_wish *wish, struct error *e);

/* Half-made ones are welcome. */
void inputs_release(struct inputs *in);
