/* reader.c -- a model and its graphs, from bytes that nobody vouches for.
 *
 * The messages are those of onnx.proto.  What is repeated in the file is
 * merged as protobuf does it: of plain fields the last counts, lists grow, and
 * a second `graph` continues the first. */
#include "onnx/reader.h"

#include "base/alloc.h"
#include "onnx/quote.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define THINGS_MAX (UINT64_C(1) << 22)
#define DEPTH_MAX  32
#define OPSETS_MAX 256

int reader_fail(const struct onnx_reader *r, int code, const char *fmt, ...)
{
    char text[sizeof(r->e->text)];
    char path[QUOTE_PATH];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return fail(r->e, code, "%s %s", quote_path(path, r->path), text);
}

int reader_damaged(const struct onnx_reader *r, const char *at,
        const char *what)
{
    return reader_fail(r, -EINVAL,
            "is damaged: byte %zu of %zu, in %s, makes no sense",
            (size_t)(at - r->file.p), r->file.len, what);
}

int reader_next(const struct onnx_reader *r, struct pb_field *f,
        struct str *rest, const char *what)
{
    int rc = pb_next(f, rest);

    return rc < 0 ? reader_damaged(r, rest->p, what) : rc;
}

int reader_count(struct onnx_reader *r, uint64_t things)
{
    r->things += things;
    if (r->things > THINGS_MAX)
        return reader_fail(r, -E2BIG,
                "has more nodes and names than we read: over %llu",
                (unsigned long long)THINGS_MAX);
    return 0;
}

void *reader_grow(void *array, uint32_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    return alloc_resize(array, (count ? 2 * (size_t)count : 1) * size);
}

uint32_t reader_symbol(struct onnx_reader *r, struct str text)
{
    return symbol_add(&r->model->symbols, text);
}

struct str reader_text(struct onnx_reader *r, struct str text)
{
    return symbol_text(&r->model->symbols, reader_symbol(r, text));
}

uint64_t reader_kind(struct onnx_reader *r, struct str name, struct str *domain)
{
    if (str_is(*domain, "ai.onnx"))
        *domain = str_of("");
    /* What differs most stands in the low bits, which maps go by. */
    return (uint64_t)reader_symbol(r, *domain) << 32 | reader_symbol(r, name);
}

struct str reader_beginning(struct onnx_reader *r, struct str text)
{
    if (text.len > ONNX_LIST_MAX)
        text.len = ONNX_LIST_MAX;
    return arena_text(&r->model->arena, text);
}

/* --- graphs --------------------------------------------------------------- */

struct onnx_graph *reader_graph_new(struct onnx_reader *r,
        struct onnx_graph *outer)
{
    struct onnx_model *m = r->model;
    struct onnx_graph *g = arena_take(&m->arena, 1, sizeof(*g));

    m->graphs = reader_grow(m->graphs, m->all_graph_count, sizeof(void *));
    m->graphs[m->all_graph_count++] = g;
    g->name = str_of("");
    g->outer = outer;
    return g;
}

static int add_tensor(struct onnx_reader *r, struct onnx_graph *g,
        struct str bytes, bool sparse)
{
    struct onnx_tensor ***list = sparse ? &g->sparse : &g->tensors;
    uint32_t *count = sparse ? &g->sparse_count : &g->tensor_count;
    struct onnx_tensor *t = arena_take(&r->model->arena, 1, sizeof(*t));

    *list = reader_grow(*list, *count, sizeof(void *));
    (*list)[(*count)++] = t;
    return sparse ? reader_sparse(r, t, bytes) : reader_tensor(r, t, bytes);
}

static int add_value(struct onnx_reader *r, struct onnx_value **list,
        uint32_t *count, struct str bytes)
{
    *list = reader_grow(*list, *count, sizeof(**list));

    struct onnx_value *v = &(*list)[(*count)++];

    *v = (struct onnx_value){ .rank = -1 };
    return reader_value(r, v, bytes);
}

static int graph_field(struct onnx_reader *r, struct onnx_graph *g,
        const struct pb_field *f)
{
    switch (f->number) {
    case 1: return reader_node(r, g, f->bytes);
    case 2: g->name = reader_text(r, f->bytes); return 0;
    case 5: return add_tensor(r, g, f->bytes, false);
    case 11: return add_value(r, &g->inputs, &g->input_count, f->bytes);
    case 12: return add_value(r, &g->outputs, &g->output_count, f->bytes);
    case 13: return add_value(r, &g->values, &g->value_count, f->bytes);
    case 15: return add_tensor(r, g, f->bytes, true);
    default: return 0;
    }
}

int reader_graph(struct onnx_reader *r, struct onnx_graph *g, struct str bytes)
{
    struct pb_field f;
    int rc;

    if (r->depth == DEPTH_MAX)
        return reader_fail(r, -E2BIG,
                "has graphs within graphs, more than %d deep", DEPTH_MAX);
    r->depth++;
    while ((rc = reader_next(r, &f, &bytes, "a graph")) == 1) {
        if (f.wire != PB_WIRE_BYTES)
            continue;
        rc = reader_count(r, 1);
        if (!rc)
            rc = graph_field(r, g, &f);
        if (rc)
            break;
        if (r->mapping && r->depth == 1)
            mapping_passed(r->mapping, bytes.p);
    }
    r->depth--;
    return rc;
}

/* --- the model ------------------------------------------------------------ */

static int add_opset(struct onnx_reader *r, struct str bytes)
{
    struct onnx_model *m = r->model;
    struct onnx_opset o = { .domain = str_of("ai.onnx") };
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "an operator set")) == 1) {
        if (f.number == 1 && f.wire == PB_WIRE_BYTES && f.bytes.len)
            o.domain = reader_text(r, f.bytes);
        if (f.number == 2 && f.wire == PB_WIRE_VARINT)
            o.version = (int64_t)f.value;
    }
    for (uint32_t i = 0; !rc && i < m->opset_count; i++)
        if (str_eq(m->opsets[i].domain, o.domain)) {
            m->opsets[i] = o;
            return 0;
        }
    if (rc)
        return rc;
    if (m->opset_count == OPSETS_MAX)
        return reader_fail(r, -E2BIG, "asks for more than %d operator sets",
                OPSETS_MAX);
    m->opsets = reader_grow(m->opsets, m->opset_count, sizeof(*m->opsets));
    m->opsets[m->opset_count++] = o;
    return 0;
}

static int add_property(struct onnx_reader *r, struct str bytes)
{
    struct onnx_model *m = r->model;
    struct onnx_property p = { str_of(""), str_of("") };
    struct pb_field f;
    int rc;

    while ((rc = reader_next(r, &f, &bytes, "the metadata")) == 1) {
        if (f.number == 1 && f.wire == PB_WIRE_BYTES)
            p.key = reader_text(r, f.bytes);
        if (f.number == 2 && f.wire == PB_WIRE_BYTES)
            p.value = reader_beginning(r, f.bytes);
    }
    if (rc)
        return rc;
    m->properties = reader_grow(m->properties, m->property_count, sizeof(p));
    m->properties[m->property_count++] = p;
    return reader_count(r, 1);
}

/* The names that a function takes and gives are values like a graph's. */
static void add_name(struct onnx_reader *r, struct onnx_value **list,
        uint32_t *count, struct str name)
{
    *list = reader_grow(*list, *count, sizeof(**list));
    (*list)[(*count)++] =
            (struct onnx_value){ .name = reader_symbol(r, name), .rank = -1 };
}

static int add_function(struct onnx_reader *r, struct str bytes)
{
    struct onnx_model *m = r->model;
    struct onnx_graph *body = reader_graph_new(r, NULL);
    struct onnx_function made = { str_of(""), str_of(""), 0, body };
    struct pb_field f;
    int rc;

    r->depth++;
    while ((rc = reader_next(r, &f, &bytes, "a function")) == 1) {
        if (f.wire != PB_WIRE_BYTES)
            continue;
        rc = reader_count(r, 1);
        switch (f.number) {
        case 1: made.name = reader_text(r, f.bytes); break;
        case 4: add_name(r, &body->inputs, &body->input_count, f.bytes); break;
        case 5:
            add_name(r, &body->outputs, &body->output_count, f.bytes);
            break;
        case 7: rc = rc ? rc : reader_node(r, body, f.bytes); break;
        case 10: made.domain = reader_text(r, f.bytes); break;
        default: break;
        }
        if (rc)
            break;
    }
    r->depth--;
    body->name = made.name;
    made.kind = reader_kind(r, made.name, &made.domain);
    m->functions = reader_grow(m->functions, m->function_count, sizeof(made));
    m->functions[m->function_count++] = made;
    return rc;
}

static int model_bytes(struct onnx_reader *r, const struct pb_field *f)
{
    struct onnx_model *m = r->model;

    switch (f->number) {
    case 2: m->producer = reader_text(r, f->bytes); return 0;
    case 3: m->producer_version = reader_text(r, f->bytes); return 0;
    case 4: m->domain = reader_text(r, f->bytes); return 0;
    case 7:
        if (!m->graph)
            m->graph = reader_graph_new(r, NULL);
        return reader_graph(r, m->graph, f->bytes);
    case 8: return add_opset(r, f->bytes);
    case 14: return add_property(r, f->bytes);
    case 25: return add_function(r, f->bytes);
    default: return 0;
    }
}

int reader_model(struct onnx_reader *r, struct str bytes)
{
    struct onnx_model *m = r->model;
    struct pb_field f;
    int rc;

    while ((rc = pb_next(&f, &bytes)) == 1) {
        if (f.wire == PB_WIRE_VARINT && f.number == 1)
            m->ir_version = (int64_t)f.value;
        if (f.wire == PB_WIRE_VARINT && f.number == 5)
            m->version = (int64_t)f.value;
        if (f.wire == PB_WIRE_BYTES)
            rc = model_bytes(r, &f);
        /* Damage before there was anything of a model: it is none. */
        if (rc < 0 && !m->ir_version && !m->graph)
            return reader_unreadable(r, bytes);
        if (rc < 0)
            return rc;
    }
    return rc < 0 ? reader_unreadable(r, bytes) : 0;
}
