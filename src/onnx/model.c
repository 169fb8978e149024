#include "onnx/model.h"

#include "base/alloc.h"
#include "onnx/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- what is no model ----------------------------------------------------- */

/* What people hand over by mistake. */
static const struct {
    size_t at;
    const char *magic;
    const char *is;
} others[] = {
    { 4, "ORTM", "is a model in ONNX Runtime's own format, .ort" },
    { 4, "TFL3", "is a TensorFlow Lite model" },
    { 0, "GGUF", "is a GGUF model" },
    { 0, "PK\3\4", "is a zip archive" },
    { 0, "\x1f\x8b", "is compressed with gzip" },
    { 0, "\x89HDF", "is an HDF5 file" },
    { 0, "version https://git-lfs",
            "is a Git LFS pointer; the model itself was not fetched" },
    { 0, "<!DOCTYPE", "is a web page" },
    { 0, "<html", "is a web page" },
    { 0,
            "\x7f"
            "ELF",
            "is a program" },
};

static const char *recognise(struct str file)
{
    for (size_t i = 0; i < LEN(others); i++) {
        size_t len = strlen(others[i].magic);

        if (file.len >= others[i].at + len &&
                memcmp(file.p + others[i].at, others[i].magic, len) == 0)
            return others[i].is;
    }
    return NULL;
}

/* A field of bytes that is longer than what is left. */
static bool is_cut(struct str rest, uint32_t *number, uint64_t *len)
{
    uint64_t tag;

    if (pb_next_varint(&tag, &rest) != 1 || (tag & 7) != PB_WIRE_BYTES ||
            pb_next_varint(len, &rest) != 1)
        return false;
    *number = (uint32_t)(tag >> 3);
    return *len > rest.len;
}

int reader_unreadable(const struct onnx_reader *r, struct str rest)
{
    const char *is = recognise(r->file);
    uint32_t number;
    uint64_t len;

    if (is)
        return reader_fail(r, -EINVAL, "is not an ONNX model: it %s", is);
    /* A real model says its version first, and then who made it. */
    if (r->model->ir_version && is_cut(rest, &number, &len))
        return reader_fail(r, -EINVAL,
                "is cut short: %s at byte %zu is %llu bytes long, and the "
                "file ends at byte %zu",
                number == 7 ? "the graph" : "a part",
                (size_t)(rest.p - r->file.p), (unsigned long long)len,
                r->file.len);
    if (r->model->graph || r->model->ir_version)
        return reader_damaged(r, rest.p, "the model");
    return reader_fail(r, -EINVAL, "is not an ONNX model");
}

static int check(const struct onnx_reader *r)
{
    const struct onnx_model *m = r->model;
    const char *is = recognise(r->file);

    if (!m->graph && is)
        return reader_fail(r, -EINVAL, "is not an ONNX model: it %s", is);
    if (!m->graph && !m->ir_version)
        return reader_fail(r, -EINVAL, "is not an ONNX model");
    if (!m->graph)
        return reader_fail(r, -EINVAL,
                "has no graph: it is cut short, or no model");
    /* Older files may leave it out; so says onnx.proto. */
    if (!m->opset_count && m->ir_version >= 3)
        return reader_fail(r, -EINVAL,
                "does not say which operators it uses (opset_import): it is "
                "cut short, or damaged");
    return 0;
}

/* --- files with weights --------------------------------------------------- */

/* `places` finds them by their location. */
static struct onnx_side_file *side_file(struct onnx_model *m,
        struct map *places, uint32_t location)
{
    const uint64_t *place = map_find(places, location);

    if (place)
        return &m->side_files[*place];
    map_put(places, location, m->side_file_count);
    m->side_files = reader_grow(m->side_files, m->side_file_count,
            sizeof(*m->side_files));

    struct onnx_side_file *f = &m->side_files[m->side_file_count++];

    *f = (struct onnx_side_file){ .location = location };
    return f;
}

/* Below the model's folder, as ONNX Runtime wants it. */
static bool stays_inside(struct str location)
{
    struct str rest = location;

    if (!location.len || location.p[0] == '/' ||
            memchr(location.p, 0, location.len))
        return false;
    while (rest.len) {
        if (str_is(str_before(rest, '/'), ".."))
            return false;
        rest = str_after(rest, '/');
    }
    return true;
}

static void find_side_files(struct onnx_model *m, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct buf full = { 0 };

    for (uint32_t i = 0; i < m->side_file_count; i++) {
        struct onnx_side_file *f = &m->side_files[i];
        struct str location = symbol_text(&m->symbols, f->location);

        if (!stays_inside(location))
            continue;
        buf_clear(&full);
        if (slash)
            buf_add(&full, path, (size_t)(slash + 1 - path));
        buf_add(&full, location.p, location.len);
        f->found = !mapping_file_bytes(&f->file_bytes, buf_cstr(&full));
    }
    buf_release(&full);
}

/* --- sums ----------------------------------------------------------------- */

static void count_tensor(struct onnx_model *m, struct map *places,
        const struct onnx_tensor *t)
{
    m->parameters += t->elements;
    m->parameter_bytes += t->bytes;
    if (!t->external)
        return;
    m->external_bytes += t->length;
    side_file(m, places, t->location)->used_bytes += t->length;
}

static void count_graph(struct onnx_model *m, struct map *places,
        const struct onnx_graph *g)
{
    m->graph_nodes += g->node_count;
    m->graph_tensors += g->tensor_count;
    for (uint32_t i = 0; i < g->tensor_count; i++)
        count_tensor(m, places, g->tensors[i]);
    for (uint32_t i = 0; i < g->sparse_count; i++)
        count_tensor(m, places, g->sparse[i]);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct onnx_node *n = &g->nodes[i];
        const struct onnx_attr *value = onnx_attr(n, "value");

        if (str_is(n->op_type, "Constant") && value &&
                value->kind == ONNX_ATTR_TENSOR) {
            m->constants++;
            count_tensor(m, places, value->tensor);
        }
    }
}

static const struct onnx_graph *outermost(const struct onnx_graph *g)
{
    while (g->outer)
        g = g->outer;
    return g;
}

static void count_all(struct onnx_model *m)
{
    struct map places = { 0 };

    for (uint32_t i = 0; i < m->all_graph_count; i++) {
        const struct onnx_graph *g = m->graphs[i];

        count_graph(m, &places, g);
        if (outermost(g) != m->graph)
            m->function_nodes += g->node_count;
    }
    map_release(&places);
}

/* --- the whole ------------------------------------------------------------ */

static int read_all(struct onnx_reader *r)
{
    int rc = reader_model(r, r->file);

    if (!rc)
        rc = check(r);
    if (!rc)
        rc = reader_link(r);
    if (!rc)
        reader_late(r);
    free(r->late);
    map_release(&r->scales);
    return rc;
}

static int read_model(struct onnx_model **out, struct onnx_reader *r)
{
    struct onnx_model *m = alloc_zero(1, sizeof(*m));

    r->model = m;
    m->file_bytes = r->file.len;
    m->producer = m->producer_version = m->domain = str_of("");

    int rc = read_all(r);

    if (rc) {
        onnx_close(m);
        return rc;
    }
    count_all(m);
    find_side_files(m, r->path);
    *out = m;
    return 0;
}

int onnx_open(struct onnx_model **out, const char *path, struct error *e)
{
    struct mapping mapping = { 0 };
    int rc = mapping_open(&mapping, path, e);

    if (rc)
        return rc;

    struct onnx_reader r = {
        .mapping = &mapping,
        .file = mapping.bytes,
        .path = path,
        .e = e,
    };

    rc = read_model(out, &r);
    if (mapping_cut(&mapping)) {
        if (!rc)
            onnx_close(*out);
        rc = reader_fail(&r, -EINVAL, "became shorter while it was read");
    }
    mapping_close(&mapping);
    return rc;
}

int onnx_parse(struct onnx_model **out, struct str bytes, const char *path,
        struct error *e)
{
    struct onnx_reader r = { .file = bytes, .path = path, .e = e };

    return read_model(out, &r);
}

void onnx_close(struct onnx_model *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->all_graph_count; i++) {
        struct onnx_graph *g = m->graphs[i];

        free(g->nodes);
        free(g->tensors);
        free(g->sparse);
        free(g->inputs);
        free(g->outputs);
        free(g->values);
    }
    free(m->graphs);
    free(m->opsets);
    free(m->properties);
    free(m->functions);
    free(m->side_files);
    symbols_release(&m->symbols);
    arena_release(&m->arena);
    free(m);
}
