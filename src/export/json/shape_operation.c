/* shape_operation.c -- operators that ran, as TEZ-158 has them. */
#include "base/alloc.h"
#include "base/json_read.h"
#include "export/json/shape_list.h"
#include "export/json/shapes.h"
#include "export/names.h"

#include <ctype.h>
#include <string.h>

struct operations {
    struct shape_list list;
    uint64_t started_wall_ns;
    struct names names;
};

static void take_run(void *to, const struct run *r)
{
    ((struct operations *)to)->started_wall_ns = r->started_wall_ns;
}

const char *provider_class(const char *name)
{
    static const struct {
        const char *part, *class;
    } classes[] = {
        { "CPU", "CPU" },
        { "Xnnpack", "CPU" },
        { "XNNPACK", "CPU" },
        { "ACL", "CPU" },
        { "Dnnl", "CPU" },
        { "DNNL", "CPU" },
        { "CUDA", "GPU" },
        { "TensorRT", "GPU" },
        { "Tensorrt", "GPU" },
        { "NvTensorRTRTX", "GPU" },
        { "ROCM", "GPU" },
        { "MIGraphX", "GPU" },
        { "Dml", "GPU" },
        { "DML", "GPU" },
        { "WebGpu", "GPU" },
        { "QNN", "NPU" },
        { "VitisAI", "NPU" },
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (strstr(name, classes[i].part))
            return classes[i].class;
    return "Mixed";
}

/* The shapes of [{"float":[1,3]},{"int64":[2]}]: [[1,3],[2]].  What is not such
 * a text has none. */
static void shapes(struct json *j, const char *key, const char *text)
{
    struct str rest = str_of(text ? text : ""), value;
    struct buf out = { 0 };
    int rc;

    buf_char(&out, '[');
    while ((rc = json_next_element(&rest, &value)) > 0) {
        struct str type, shape;

        if (json_next_member(&value, &type, &shape) <= 0 ||
                json_kind(shape) != '[') {
            rc = -1;
            break;
        }
        if (out.len > 1)
            buf_char(&out, ',');
        buf_add(&out, shape.p, shape.len);
    }
    buf_char(&out, ']');
    if (!rc && text)
        json_raw(j, key, buf_cstr(&out));
    buf_release(&out);
}

void shape_operation_id(struct buf *out, const struct operator* o)
{
    if (o->name && *o->name) {
        buf_text(out, o->name);
        return;
    }
    for (const char *p = o->op_type ? o->op_type : "node"; *p; p++)
        buf_char(out, (char)tolower((unsigned char)*p));
    buf_printf(out, "_%u", o->node_index == UINT32_MAX ? o->id : o->node_index);
}

/* What is known of the node. */
static void node_members(struct json *j, const struct operator* o)
{
    struct buf id = { 0 };

    shape_operation_id(&id, o);
    json_str(j, "operation_id", buf_str(&id));
    buf_release(&id);
    if (o->op_type)
        json_text(j, "operation_type", o->op_type);
    if (o->provider) {
        json_text(j, "provider", provider_class(o->provider));
        json_text(j, "execution_provider", o->provider);
    }
    shapes(j, "input_shapes", o->inputs);
    shapes(j, "output_shapes", o->outputs);
    if (o->sizes_known)
        json_u64(j, "memory_bytes",
                o->activation_bytes + o->parameter_bytes + o->output_bytes);
}

void shape_operation_json(struct json *j, uint64_t started_wall_ns,
        const struct operator_run *r, const struct operator* o, uint64_t number)
{
    json_object(j, NULL);
    if (number)
        json_u64(j, "number", number);
    node_members(j, o);
    if (r->in_cycles) {
        json_u64(j, "cycles", r->cycles);
    } else {
        json_u64(j, "start_time_ns", started_wall_ns + r->start_ns);
        shape_ms(j, "duration_ms", r->kernel_known ? r->kernel_ns : r->raw_ns);
    }
    if (r->inference)
        json_u64(j, "inference", r->inference);
    json_u64(j, "operator", r->operator_id);
    json_u64(j, "thread", r->thread);
    json_u64(j, "depth", r->depth);
    json_end(j);
}

static void take_operator_run(void *to, const struct operator_run *r)
{
    struct operations *x = to;
    const struct operator* o = names_operator(&x->names, r->operator_id);

    if (!o)
        return;
    shape_operation_json(&x->list.json, x->started_wall_ns, r, o, 0);
    shape_list_flush(&x->list);
}

int shape_operations(struct sink *to, struct store *s, int64_t run,
        struct error *e)
{
    struct operations x = { 0 };
    int rc = store_read_run(s, run, take_run, &x, e);

    if (!rc)
        rc = names_read(&x.names, s, run, e);
    shape_list_begin(&x.list, to);
    if (!rc)
        rc = store_each_operator_run(s, run, take_operator_run, &x, e);
    shape_list_end(&x.list);
    names_release(&x.names);
    return rc;
}
