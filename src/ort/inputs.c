#include "ort/inputs.h"

#include "base/alloc.h"
#include "ort/fill.h"
#include "ort/input_name.h"
#include "ort/status.h"

#include <errno.h>
#include <stdlib.h>

/* The number of words that the model chooses from: the last dimension of its
 * logits.  0: not known. */
static int64_t vocabulary(const struct tensor_specs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++) {
        const struct tensor_spec *t = &outputs->item[i];

        if (t->rank && name_has(t->name, "logits") && t->dim[t->rank - 1] > 1)
            return t->dim[t->rank - 1];
    }
    return 0;
}

/* False: more than a size_t counts. */
static bool count_bytes(size_t *out, const struct tensor_spec *t,
        const int64_t *shape)
{
    size_t elements = 1;

    for (size_t i = 0; i < t->rank; i++) {
        size_t dim = (size_t)shape[i];

        if (dim && elements > SIZE_MAX / dim)
            return false;
        elements *= dim;
    }
    return tensor_bytes(out, t->type, elements);
}

static int make_one(struct inputs *in, size_t i,
        const struct ort_memory_info *memory, const struct fill_facts *facts,
        struct error *e)
{
    const struct tensor_spec *t = &in->specs.item[i];
    const int64_t *shape = in->dims.shape[i];
    size_t bytes = 0;
    int rc = fill_check(t, e);

    if (rc)
        return rc;
    if (!count_bytes(&bytes, t, shape))
        return fail(e, -EINVAL, "input '%.64s' would be too large", t->name);
    in->data[i] = calloc(bytes ? bytes : 1, 1);
    if (!in->data[i])
        return fail(e, -ENOMEM, "there is no memory for %zu bytes of '%.64s'",
                bytes, t->name);
    fill_tensor(in->data[i], t, shape, facts);
    in->names[i] = t->name;
    in->bytes += bytes;
    return status_fail(in->api,
            ORT(in->api, CreateTensorWithDataAsOrtValue)(memory, in->data[i],
                    bytes, shape, t->rank, (int)t->type, &in->values[i]),
            e);
}

static int make_all(struct inputs *in, const struct ort_memory_info *memory,
        struct error *e)
{
    size_t room = in->specs.count + 1;
    struct fill_facts facts = {
        .vocabulary = vocabulary(&in->outputs),
        .sequence = in->dims.sequence,
        .past = in->dims.past,
        .total = in->dims.total,
    };
    int rc = 0;

    in->names = alloc_zero(room, sizeof(*in->names));
    in->values = alloc_zero(room, sizeof(struct ort_value *));
    in->data = alloc_zero(room, sizeof(*in->data));
    for (; in->count < in->specs.count && !rc; in->count++)
        rc = make_one(in, in->count, memory, &facts, e);
    return rc;
}

static void name_outputs(struct inputs *in)
{
    in->output_names =
            alloc_zero(in->outputs.count + 1, sizeof(*in->output_names));
    for (size_t i = 0; i < in->outputs.count; i++)
        in->output_names[i] = in->outputs.item[i].name;
}

int inputs_make(struct inputs *out, const struct ort_api *api,
        const struct ort_session *session, const struct ort_memory_info *memory,
        const struct dims_wish *wish, struct error *e)
{
    *out = (struct inputs){ .api = api };

    int rc = tensor_specs_read_inputs(&out->specs, api, session, e);

    if (!rc)
        rc = tensor_specs_read_outputs(&out->outputs, api, session, e);
    if (!rc)
        rc = dims_resolve(&out->dims, &out->specs, wish, e);
    if (!rc)
        rc = make_all(out, memory, e);
    if (rc)
        inputs_release(out);
    else
        name_outputs(out);
    return rc;
}

void inputs_release(struct inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        if (in->values[i])
            ORT(in->api, ReleaseValue)(in->values[i]);
        free(in->data[i]);
    }
    free((void *)in->names);
    free((void *)in->values);
    free(in->data);
    free((void *)in->output_names);
    dims_release(&in->dims);
    tensor_specs_release(&in->specs);
    tensor_specs_release(&in->outputs);
    *in = (struct inputs){ 0 };
}
