/* reader_node.c -- nodes and their attributes. */
#include "onnx/reader.h"

#include "onnx/quote.h"

#include <errno.h>

/* --- attributes ----------------------------------------------------------- */

/* AttributeProto.AttributeType, of those that we keep. */
enum {
    TYPE_FLOAT = 1,
    TYPE_INT = 2,
    TYPE_STRING = 3,
    TYPE_TENSOR = 4,
    TYPE_GRAPH = 5,
    TYPE_FLOATS = 6,
    TYPE_INTS = 7,
    TYPE_STRINGS = 8,
    TYPE_GRAPHS = 10,
};

/* An attribute message, sorted out. */
struct parts {
    struct str name;
    struct str text; /* s */
    struct str reference;
    struct str tensor;
    struct str graph; /* g, or the first of graphs */
    bool has_text, has_tensor, has_graph, has_int, has_float;
    int64_t i;
    float f;
    uint64_t type;
    uint32_t ints, floats, texts; /* how many */
};

/* Numbers of a repeated field: packed, or this one. */
static uint32_t count_varints(const struct pb_field *f)
{
    uint32_t count = 0;

    if (f->wire == PB_WIRE_VARINT)
        return 1;
    /* Each ends with a byte below 0x80. */
    for (size_t i = 0; f->wire == PB_WIRE_BYTES && i < f->bytes.len; i++)
        count += (unsigned char)f->bytes.p[i] < 0x80;
    return count;
}

static uint32_t count_floats(const struct pb_field *f)
{
    if (f->wire == PB_WIRE_FIXED32)
        return 1;
    return f->wire == PB_WIRE_BYTES ? (uint32_t)(f->bytes.len / 4) : 0;
}

static void attr_bytes(struct parts *p, const struct pb_field *f)
{
    switch (f->number) {
    case 1: p->name = f->bytes; break;
    case 4:
        p->text = f->bytes;
        p->has_text = true;
        break;
    case 5:
        p->tensor = f->bytes;
        p->has_tensor = true;
        break;
    case 6:
    case 11:
        if (!p->has_graph)
            p->graph = f->bytes;
        p->has_graph = true;
        break;
    case 9: p->texts++; break;
    case 21: p->reference = f->bytes; break;
    default: break;
    }
}

static int sort_out(const struct onnx_reader *r, struct parts *p,
        struct str bytes)
{
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "an attribute")) == 1) {
        if (f.wire == PB_WIRE_BYTES)
            attr_bytes(p, &f);
        if (f.number == 2 && f.wire == PB_WIRE_FIXED32) {
            p->f = pb_as_float((uint32_t)f.value);
            p->has_float = true;
        }
        if (f.number == 3 && f.wire == PB_WIRE_VARINT) {
            p->i = (int64_t)f.value;
            p->has_int = true;
        }
        if (f.number == 7)
            p->floats += count_floats(&f);
        if (f.number == 8)
            p->ints += count_varints(&f);
        if (f.number == 20 && f.wire == PB_WIRE_VARINT)
            p->type = f.value;
    }
    return rc;
}

/* Files older than version 2 of the format do not say the type. */
static uint64_t type_of(const struct parts *p)
{
    if (p->type)
        return p->type;
    if (p->has_int)
        return TYPE_INT;
    if (p->has_float)
        return TYPE_FLOAT;
    if (p->has_text)
        return TYPE_STRING;
    if (p->has_tensor)
        return TYPE_TENSOR;
    if (p->has_graph)
        return TYPE_GRAPH;
    if (p->ints)
        return TYPE_INTS;
    return p->floats ? TYPE_FLOATS : 0;
}

static void keep_ints(struct onnx_reader *r, struct onnx_attr *a,
        struct str bytes)
{
    int64_t *ints = arena_take(&r->model->arena, a->count, sizeof(*ints));
    uint32_t at = 0;
    struct pb_field f;

    while (pb_next(&f, &bytes) == 1) {
        uint64_t value = f.value;

        if (f.number != 8)
            continue;
        if (f.wire == PB_WIRE_VARINT && at < a->count)
            ints[at++] = (int64_t)value;
        while (f.wire == PB_WIRE_BYTES && at < a->count &&
                pb_next_varint(&value, &f.bytes) == 1)
            ints[at++] = (int64_t)value;
    }
    a->count = at;
    a->ints = ints;
}

static void keep_floats(struct onnx_reader *r, struct onnx_attr *a,
        struct str bytes)
{
    float *floats = arena_take(&r->model->arena, a->count, sizeof(*floats));
    uint32_t at = 0;
    struct pb_field f;

    while (pb_next(&f, &bytes) == 1) {
        uint32_t value = (uint32_t)f.value;

        if (f.number != 7)
            continue;
        if (f.wire == PB_WIRE_FIXED32 && at < a->count)
            floats[at++] = pb_as_float(value);
        while (f.wire == PB_WIRE_BYTES && at < a->count &&
                pb_next_fixed32(&value, &f.bytes) == 1)
            floats[at++] = pb_as_float(value);
    }
    a->count = at;
    a->floats = floats;
}

static int keep_graph(struct onnx_reader *r, struct onnx_graph *around,
        struct onnx_attr *a, struct str bytes)
{
    a->kind = ONNX_ATTR_GRAPH;
    a->graph = reader_graph_new(r, around);
    return reader_graph(r, a->graph, bytes);
}

static int keep_tensor(struct onnx_reader *r, struct onnx_attr *a,
        struct str bytes)
{
    a->kind = ONNX_ATTR_TENSOR;
    a->tensor = arena_take(&r->model->arena, 1, sizeof(*a->tensor));
    return reader_tensor(r, a->tensor, bytes);
}

static int keep_value(struct onnx_reader *r, struct onnx_graph *g,
        struct onnx_attr *a, const struct parts *p, struct str bytes)
{
    switch (type_of(p)) {
    case TYPE_INT:
        a->kind = ONNX_ATTR_INT;
        a->i = p->i;
        return 0;
    case TYPE_FLOAT:
        a->kind = ONNX_ATTR_FLOAT;
        a->f = p->f;
        return 0;
    case TYPE_STRING:
        a->kind = ONNX_ATTR_TEXT;
        a->text = reader_beginning(r, p->text);
        return 0;
    case TYPE_TENSOR: return keep_tensor(r, a, p->tensor);
    case TYPE_GRAPH:
    case TYPE_GRAPHS: return keep_graph(r, g, a, p->graph);
    case TYPE_INTS:
        a->kind = ONNX_ATTR_INTS;
        a->count = p->ints;
        if (a->count <= ONNX_LIST_MAX)
            keep_ints(r, a, bytes);
        return 0;
    case TYPE_FLOATS:
        a->kind = ONNX_ATTR_FLOATS;
        a->count = p->floats;
        if (a->count <= ONNX_LIST_MAX)
            keep_floats(r, a, bytes);
        return 0;
    case TYPE_STRINGS:
        a->kind = ONNX_ATTR_TEXTS;
        a->count = p->texts;
        return 0;
    default: return 0;
    }
}

static int read_attr(struct onnx_reader *r, struct onnx_graph *g,
        struct onnx_attr *a, struct str bytes)
{
    struct parts p = { .name = str_of("") };
    int rc = sort_out(r, &p, bytes);

    if (rc)
        return rc;
    a->name = reader_text(r, p.name);
    if (p.reference.len) {
        a->kind = ONNX_ATTR_REFERENCE;
        a->text = reader_text(r, p.reference);
        return 0;
    }
    return keep_value(r, g, a, &p, bytes);
}

/* --- nodes ---------------------------------------------------------------- */

static int count_parts(struct onnx_reader *r, struct onnx_node *n,
        struct str bytes)
{
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "a node")) == 1) {
        if (f.wire != PB_WIRE_BYTES)
            continue;
        n->input_count += f.number == 1;
        n->output_count += f.number == 2;
        n->attr_count += f.number == 5;
    }
    if (rc)
        return rc;
    return reader_count(r,
            (uint64_t)n->input_count + n->output_count + n->attr_count);
}

static int fill(struct onnx_reader *r, struct onnx_graph *g,
        struct onnx_node *n, struct str bytes)
{
    uint32_t in = 0, out = 0, attr = 0;
    struct pb_field f;
    int rc = 0;

    while (!rc && pb_next(&f, &bytes) == 1) {
        if (f.wire != PB_WIRE_BYTES)
            continue;
        switch (f.number) {
        case 1: n->inputs[in++] = reader_symbol(r, f.bytes); break;
        case 2: n->outputs[out++] = reader_symbol(r, f.bytes); break;
        case 3: n->name = reader_text(r, f.bytes); break;
        case 4: n->op_type = reader_text(r, f.bytes); break;
        case 5: rc = read_attr(r, g, &n->attrs[attr++], f.bytes); break;
        case 7: n->domain = reader_text(r, f.bytes); break;
        default: break;
        }
    }
    return rc;
}

static void note_scales(struct onnx_reader *r, const struct onnx_node *n)
{
    if (!str_is(n->op_type, "Resize") && !str_is(n->op_type, "Upsample"))
        return;
    for (uint32_t i = 1; i < n->input_count; i++)
        map_put(&r->scales, n->inputs[i], 1);
}

/* A Constant's tensor has no name: what it makes has one. */
static void name_late(struct onnx_reader *r, const struct onnx_node *n,
        size_t from)
{
    for (uint32_t i = 0; n->output_count && i < n->attr_count; i++)
        for (size_t k = from; k < r->late_count; k++)
            if (n->attrs[i].kind == ONNX_ATTR_TENSOR &&
                    r->late[k].tensor == n->attrs[i].tensor)
                r->late[k].name = n->outputs[0];
}

int reader_node(struct onnx_reader *r, struct onnx_graph *g, struct str bytes)
{
    struct arena *arena = &r->model->arena;
    struct onnx_node n = {
        .name = str_of(""),
        .op_type = str_of(""),
        .domain = str_of(""),
    };
    const char *at = bytes.p;
    size_t late = r->late_count;
    int rc = count_parts(r, &n, bytes);

    if (rc)
        return rc;
    n.inputs = arena_take(arena, n.input_count, sizeof(*n.inputs));
    n.outputs = arena_take(arena, n.output_count, sizeof(*n.outputs));
    n.attrs = arena_take(arena, n.attr_count, sizeof(*n.attrs));
    rc = fill(r, g, &n, bytes);
    if (rc)
        return rc;
    if (!n.op_type.len)
        return reader_fail(r, -EINVAL,
                "has a node without an operator, at byte %zu",
                (size_t)(at - r->file.p));
    for (uint32_t i = 0; i < n.attr_count; i++)
        n.graph_count += n.attrs[i].kind == ONNX_ATTR_GRAPH;
    n.kind = reader_kind(r, n.op_type, &n.domain);
    note_scales(r, &n);
    name_late(r, &n, late);
    g->nodes = reader_grow(g->nodes, g->node_count, sizeof(*g->nodes));
    g->nodes[g->node_count++] = n;
    return 0;
}
