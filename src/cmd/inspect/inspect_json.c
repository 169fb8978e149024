#include "cmd/inspect/inspect.h"

#include "base/json.h"

#define SCHEMA_VERSION 1

static struct str text_of(const struct inspection *x, uint32_t symbol)
{
    return symbol_text(&x->model->symbols, symbol);
}

static void optional(struct json *j, const char *key, struct str text)
{
    if (text.len)
        json_str(j, key, text);
}

/* --- head ----------------------------------------------------------------- */

static void file(struct json *j, const struct inspection *x)
{
    const struct onnx_model *m = x->model;

    json_text(j, "model", x->path);
    json_u64(j, "file_bytes", m->file_bytes);
    json_u64(j, "external_bytes", m->external_bytes);
    json_array(j, "external_files");
    for (uint32_t i = 0; i < m->side_file_count; i++) {
        const struct onnx_side_file *f = &m->side_files[i];

        json_object(j, NULL);
        json_str(j, "location", text_of(x, f->location));
        json_bool(j, "found", f->found);
        if (f->found)
            json_u64(j, "file_bytes", f->file_bytes);
        json_u64(j, "used_bytes", f->used_bytes);
        json_end(j);
    }
    json_end(j);
}

static void origin(struct json *j, const struct inspection *x)
{
    const struct onnx_model *m = x->model;

    if (m->ir_version)
        json_int(j, "ir_version", m->ir_version);
    optional(j, "producer", m->producer);
    optional(j, "producer_version", m->producer_version);
    optional(j, "domain", m->domain);
    if (m->version)
        json_int(j, "model_version", m->version);
    json_object(j, "opsets");
    for (uint32_t i = 0; i < m->opset_count; i++)
        json_int(j, m->opsets[i].domain.p, m->opsets[i].version);
    json_end(j);
    json_array(j, "metadata_keys");
    for (uint32_t i = 0; i < m->property_count; i++)
        json_str(j, NULL, m->properties[i].key);
    json_end(j);
    optional(j, "graph_name", m->graph->name);
}

/* --- values --------------------------------------------------------------- */

static const char *kind_name(enum onnx_kind kind)
{
    switch (kind) {
    case ONNX_KIND_SPARSE: return "sparse_tensor";
    case ONNX_KIND_SEQUENCE: return "sequence";
    case ONNX_KIND_MAP: return "map";
    case ONNX_KIND_OPTIONAL: return "optional";
    case ONNX_KIND_TENSOR:
    case ONNX_KIND_NONE: break;
    }
    return NULL;
}

/* A size that is not known is its name, or "?". */
static void shape(struct json *j, const struct inspection *x,
        const struct fact *f, const struct onnx_value *said)
{
    bool named = said && said->rank == f->rank;

    if (f->rank < 0)
        return;
    json_array(j, "shape");
    for (int i = 0; i < f->rank; i++) {
        if (f->dims[i] >= 0)
            json_int(j, NULL, f->dims[i]);
        else if (named && said->dims[i].name != SYMBOL_EMPTY)
            json_str(j, NULL, text_of(x, said->dims[i].name));
        else
            json_text(j, NULL, "?");
    }
    json_end(j);
}

static void value(struct json *j, const struct inspection *x,
        const struct onnx_value *v)
{
    const struct fact *known = study_value(x->study, v->name);
    struct fact f = known ? *known : fact_of_value(v);
    const char *type = kind_name(v->kind);

    if (!type)
        type = onnx_type_name(v->type ? v->type : f.type);
    json_object(j, NULL);
    json_str(j, "name", text_of(x, v->name));
    if (type)
        json_text(j, "type", type);
    shape(j, x, &f, v);
    json_end(j);
}

static void values(struct json *j, const char *key, const struct inspection *x,
        const struct onnx_value *list, uint32_t count)
{
    json_array(j, key);
    for (uint32_t i = 0; i < count; i++)
        if (!list[i].has_default)
            value(j, x, &list[i]);
    json_end(j);
}

/* --- counts --------------------------------------------------------------- */

static void operators(struct json *j, const char *key,
        const struct tally_op *ops, uint32_t count)
{
    struct buf name = { 0 };

    json_object(j, key);
    for (uint32_t i = 0; i < count; i++) {
        buf_clear(&name);
        if (ops[i].domain.len)
            buf_printf(&name, "%s.", ops[i].domain.p);
        buf_text(&name, ops[i].op_type.p);
        json_u64(j, buf_cstr(&name), ops[i].row.nodes);
    }
    json_end(j);
    buf_release(&name);
}

static void counts(struct json *j, const struct inspection *x)
{
    const struct onnx_model *m = x->model;
    const struct tally *t = &x->tally;
    uint64_t inner = m->graph_nodes - m->graph->node_count;

    json_u64(j, "nodes", m->graph->node_count);
    json_u64(j, "subgraph_nodes", inner - m->function_nodes);
    json_u64(j, "functions", m->function_count);
    json_u64(j, "function_nodes", m->function_nodes);
    json_u64(j, "initializers", m->graph->tensor_count);
    json_u64(j, "sparse_initializers", m->graph->sparse_count);
    json_u64(j, "subgraph_initializers",
            m->graph_tensors - m->graph->tensor_count);
    json_u64(j, "constants", m->constants);
    json_u64(j, "parameters", m->parameters);
    json_u64(j, "parameter_bytes", m->parameter_bytes);
    operators(j, "operators", t->ops, t->op_count);
    if (t->inner_op_count)
        operators(j, "subgraph_operators", t->inner_ops, t->inner_op_count);
}

/* --- costs ---------------------------------------------------------------- */

static void cost(struct json *j, const struct tally_row *r)
{
    json_u64(j, "nodes", r->nodes);
    if (tally_tells(r)) {
        json_u64(j, "macs", r->cost.macs);
        json_u64(j, "flops", onnx_flops(&r->cost));
    }
    json_u64(j, "macs_known_nodes", r->known);
    json_u64(j, "parameter_bytes", r->parameter_bytes);
}

static void add_name(void *context, struct str name)
{
    json_str(context, NULL, name);
}

static void costs(struct json *j, const struct inspection *x)
{
    const struct tally_row *all = &x->tally.all;

    if (tally_tells(all)) {
        json_u64(j, "macs", all->cost.macs);
        json_u64(j, "flops", onnx_flops(&all->cost));
    }
    json_u64(j, "macs_known_nodes", all->known);
    json_bool(j, "macs_complete", tally_is_complete(all));
    json_array(j, "open_dims");
    inspection_open_sizes(x, add_name, j);
    json_end(j);
}

static void places(struct json *j, const struct inspection *x)
{
    const struct tally *t = &x->tally;

    json_text(j, "architecture", x->arch->name);
    json_bool(j, "architecture_fallback", x->arch->fallback);
    json_text(j, "architecture_reason", x->arch->reason);
    if (x->arch->layers)
        json_int(j, "layers", x->arch->layers);
    if (!x->arch->transformer)
        return;
    json_array(j, "components");
    for (int i = 0; i < ARCH_COMPONENTS; i++) {
        if (!t->component[i].nodes)
            continue;
        json_object(j, NULL);
        json_text(j, "component", arch_component_name(i));
        cost(j, &t->component[i]);
        json_end(j);
    }
    json_end(j);
    json_array(j, "per_layer");
    for (int i = 0; i < t->layer_count; i++) {
        if (!t->layers[i].nodes)
            continue;
        json_object(j, NULL);
        json_int(j, "layer", i);
        cost(j, &t->layers[i]);
        json_end(j);
    }
    json_end(j);
}

/* --- nodes ---------------------------------------------------------------- */

static void node_costs(struct json *j, const struct study_node *n)
{
    if (n->cost_known) {
        json_u64(j, "macs", n->cost.macs);
        json_u64(j, "flops", onnx_flops(&n->cost));
    }
    if (n->bytes_known) {
        json_u64(j, "parameter_bytes", n->parameter_bytes);
        json_u64(j, "activation_bytes", n->activation_bytes);
        json_u64(j, "output_bytes", n->output_bytes);
    }
}

static void node(struct json *j, const struct inspection *x, uint32_t i)
{
    const struct onnx_node *n = &x->model->graph->nodes[i];
    struct arch_place p = x->arch->places[i];

    json_object(j, NULL);
    json_u64(j, "index", i);
    optional(j, "name", n->name);
    json_str(j, "op_type", n->op_type);
    optional(j, "domain", n->domain);
    if (p.layer >= 0)
        json_int(j, "layer", p.layer);
    if (p.component != ARCH_NONE)
        json_text(j, "component", arch_component_name(p.component));
    node_costs(j, study_node(x->study, i));
    json_array(j, "outputs");
    for (uint32_t k = 0; k < n->output_count; k++) {
        const struct fact *f = study_value(x->study, n->outputs[k]);
        const char *type = f ? onnx_type_name(f->type) : NULL;

        json_object(j, NULL);
        json_str(j, "name", text_of(x, n->outputs[k]));
        if (type)
            json_text(j, "type", type);
        if (f)
            shape(j, x, f, NULL);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void inspect_json(struct buf *out, const struct inspection *x)
{
    const struct onnx_graph *g = x->model->graph;
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_int(&j, "schema_version", SCHEMA_VERSION);
    file(&j, x);
    origin(&j, x);
    values(&j, "inputs", x, g->inputs, g->input_count);
    values(&j, "outputs", x, g->outputs, g->output_count);
    counts(&j, x);
    costs(&j, x);
    places(&j, x);
    if (x->nodes) {
        json_array(&j, "node_list");
        for (uint32_t i = 0; i < g->node_count; i++)
            node(&j, x, i);
        json_end(&j);
    }
    json_end(&j);
    buf_char(out, '\n');
}
