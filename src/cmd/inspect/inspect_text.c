#include "cmd/inspect/inspect.h"

#include "cmd/text/term.h"
#include "onnx/quote.h"

#include <math.h>
#include <string.h>

#define LABEL_WIDTH  14
#define COLUMN_WIDTH 10
#define NAME_WIDTH   26
#define OPS_MAX      16 /* lines of a table; the rest is one line */

struct page {
    struct buf *out;
    bool colours;
};

/* --- pieces --------------------------------------------------------------- */

static void style(const struct page *p, enum term_style s)
{
    buf_text(p->out, term_style(p->colours, s));
}

static void heading(const struct page *p, const char *text)
{
    buf_char(p->out, '\n');
    style(p, TERM_BOLD);
    buf_text(p->out, text);
    style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
}

static void label(const struct page *p, const char *text)
{
    buf_text(p->out, "  ");
    style(p, TERM_DIM);
    term_left(p->out, text, LABEL_WIDTH);
    style(p, TERM_PLAIN);
}

static void count(const struct page *p, uint64_t n, const char *one,
        const char *more)
{
    char text[32];

    buf_printf(p->out, "%s %s", term_count(text, n), n == 1 ? one : more);
}

/* "3.86 G": three digits and the letter for the power of 1000. */
static const char *amount(char out[16], uint64_t n)
{
    static const char *const letters[] = { "", " k", " M", " G", " T", " P",
        " E" };
    double size = (double)n;
    size_t i = 0;

    for (; size >= 999.5 && i + 1 < sizeof(letters) / sizeof(letters[0]); i++)
        size /= 1000;

    int decimals = size < 9.995 ? 2 : (size < 99.95 ? 1 : 0);

    (void)snprintf(out, 16, "%.*f%s", i ? decimals : 0, size, letters[i]);
    return out;
}

static void cut_name(const struct page *p, struct str name, size_t width)
{
    struct buf text = { 0 };
    char cut[160];
    size_t keep = 0, columns = 0;

    quote_add(&text, name);
    if (term_width(buf_cstr(&text)) <= width) {
        term_left(p->out, buf_cstr(&text), width);
    } else {
        const char *whole = buf_cstr(&text);

        while (columns + 1 < width && keep + 8 < sizeof(cut)) {
            cut[keep] = whole[keep];
            keep++;
            columns += ((unsigned char)whole[keep] & 0xc0) != 0x80;
        }
        (void)snprintf(cut + keep, sizeof(cut) - keep, "…");
        term_left(p->out, cut, width);
    }
    buf_release(&text);
}

/* --- the file ------------------------------------------------------------- */

static void opsets(const struct page *p, const struct onnx_model *m)
{
    label(p, "Operator sets");
    for (uint32_t i = 0; i < m->opset_count; i++) {
        if (i)
            buf_text(p->out, ", ");
        quote_add(p->out, m->opsets[i].domain);
        buf_printf(p->out, " %lld", (long long)m->opsets[i].version);
    }
    buf_char(p->out, '\n');
}

static void side_files(const struct page *p, const struct onnx_model *m)
{
    char size[16];

    for (uint32_t i = 0; i < m->side_file_count && i < OPS_MAX; i++) {
        const struct onnx_side_file *f = &m->side_files[i];

        label(p, i ? "" : "Weights in");
        quote_add(p->out, symbol_text(&m->symbols, f->location));
        if (f->found)
            buf_printf(p->out, ", %s\n",
                    term_bytes(size, (double)f->file_bytes));
        else
            buf_text(p->out, ", which is not there\n");
    }
    if (m->side_file_count > OPS_MAX) {
        label(p, "");
        buf_printf(p->out, "and %u more files\n", m->side_file_count - OPS_MAX);
    }
}

static void file(const struct page *p, const struct inspection *x)
{
    const struct onnx_model *m = x->model;
    char size[16];

    style(p, TERM_BOLD);
    quote_add(p->out, str_of(x->path));
    style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
    label(p, "File");
    buf_printf(p->out, "%s, ONNX format %lld\n",
            term_bytes(size, (double)m->file_bytes), (long long)m->ir_version);
    side_files(p, m);
    if (m->producer.len) {
        label(p, "Made by");
        quote_add(p->out, m->producer);
        buf_text(p->out, m->producer_version.len ? " " : "");
        quote_add(p->out, m->producer_version);
        buf_char(p->out, '\n');
    }
    opsets(p, m);
    if (m->property_count) {
        label(p, "Metadata");
        for (uint32_t i = 0; i < m->property_count && i < OPS_MAX; i++) {
            buf_text(p->out, i ? ", " : "");
            quote_add(p->out, m->properties[i].key);
        }
        buf_text(p->out, m->property_count > OPS_MAX ? ", …\n" : "\n");
    }
}

static void graph(const struct page *p, const struct inspection *x)
{
    const struct onnx_model *m = x->model;
    uint64_t inner = m->graph_nodes - m->graph->node_count - m->function_nodes;
    char size[16], number[32];

    heading(p, "Graph");
    label(p, "Kind");
    buf_printf(p->out, "%s (%s)\n", x->arch->name, x->arch->reason);
    if (x->arch->layers) {
        label(p, "Layers");
        buf_printf(p->out, "%d\n", x->arch->layers);
    }
    label(p, "Nodes");
    buf_text(p->out, term_count(number, m->graph->node_count));
    if (inner)
        buf_printf(p->out, ", and %s in graphs within them",
                term_count(number, inner));
    if (m->function_count) {
        buf_text(p->out, ", and ");
        count(p, m->function_nodes, "in", "in");
        buf_char(p->out, ' ');
        count(p, m->function_count, "function", "functions");
    }
    buf_char(p->out, '\n');
    label(p, "Initializers");
    buf_text(p->out, term_count(number, m->graph->tensor_count));
    if (m->constants) {
        buf_text(p->out, ", and ");
        count(p, m->constants, "constant", "constants");
    }
    buf_char(p->out, '\n');
    label(p, "Parameters");
    buf_printf(p->out, "%s (%s)\n", term_count(number, m->parameters),
            term_bytes(size, (double)m->parameter_bytes));
}

/* --- values --------------------------------------------------------------- */

static void shape(const struct page *p, const struct inspection *x,
        const struct fact *f, const struct onnx_value *said)
{
    bool named = said && said->rank == f->rank;

    if (f->rank < 0) {
        buf_text(p->out, "shape not known");
        return;
    }
    buf_char(p->out, '[');
    for (int i = 0; i < f->rank; i++) {
        buf_text(p->out, i ? ", " : "");
        if (f->dims[i] >= 0)
            buf_printf(p->out, "%lld", (long long)f->dims[i]);
        else if (named && said->dims[i].name != SYMBOL_EMPTY)
            quote_add(p->out,
                    symbol_text(&x->model->symbols, said->dims[i].name));
        else
            buf_char(p->out, '?');
    }
    buf_char(p->out, ']');
}

static void values(const struct page *p, const struct inspection *x,
        const struct onnx_value *list, uint32_t total)
{
    for (uint32_t i = 0; i < total; i++) {
        const struct onnx_value *v = &list[i];
        const struct fact *known = study_value(x->study, v->name);
        struct fact f = known ? *known : fact_of_value(v);
        const char *type = onnx_type_name(f.type);

        if (v->has_default)
            continue;
        buf_text(p->out, "  ");
        cut_name(p, symbol_text(&x->model->symbols, v->name), NAME_WIDTH);
        buf_char(p->out, ' ');
        term_left(p->out, type ? type : "", 8);
        buf_char(p->out, ' ');
        shape(p, x, &f, v);
        buf_char(p->out, '\n');
    }
}

/* --- costs ---------------------------------------------------------------- */

static void add_name(void *context, struct str name)
{
    struct buf *list = context;

    if (list->len)
        buf_text(list, ", ");
    quote_add(list, name);
}

static void cost(const struct page *p, const struct inspection *x)
{
    const struct tally_row *all = &x->tally.all;
    const char *least = tally_is_complete(all) ? "" : "at least ";
    struct buf open = { 0 };
    char number[32];

    heading(p, "One run");
    if (tally_tells(all)) {
        label(p, "MACs");
        buf_printf(p->out, "%s%s\n", least, amount(number, all->cost.macs));
        label(p, "FLOPs");
        buf_printf(p->out, "%s%s\n", least,
                amount(number, onnx_flops(&all->cost)));
    }
    label(p, "Known for");
    buf_printf(p->out, "%s of ", term_count(number, all->known));
    count(p, all->nodes, "node", "nodes");
    buf_char(p->out, '\n');
    inspection_open_sizes(x, add_name, &open);
    if (open.len && !tally_is_complete(all)) {
        label(p, "Open sizes");
        buf_printf(p->out, "%s (choose with --dim NAME=N)\n", buf_cstr(&open));
    }
    buf_release(&open);
}

static void table_head(const struct page *p, const char *what)
{
    heading(p, what);
    buf_text(p->out, "  ");
    style(p, TERM_DIM);
    term_left(p->out, "", NAME_WIDTH);
    term_right(p->out, "nodes", COLUMN_WIDTH);
    term_right(p->out, "MACs", COLUMN_WIDTH);
    term_right(p->out, "share", COLUMN_WIDTH);
    term_right(p->out, "FLOPs", COLUMN_WIDTH);
    term_right(p->out, "weights", COLUMN_WIDTH);
    style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
}

/* What is not known of a sum is a dash; of a part of it, a plus behind. */
static void table_row(const struct page *p, const struct tally_row *r,
        const struct tally_row *all)
{
    const char *more = tally_is_complete(r) ? "" : "+";
    char number[32], text[40];

    term_right(p->out, term_count(number, r->nodes), COLUMN_WIDTH);
    if (!tally_tells(r)) {
        term_right(p->out, "–", COLUMN_WIDTH);
        term_right(p->out, "–", COLUMN_WIDTH);
        term_right(p->out, "–", COLUMN_WIDTH);
    } else {
        (void)snprintf(text, sizeof(text), "%s%s", amount(number, r->cost.macs),
                more);
        term_right(p->out, text, COLUMN_WIDTH);
        if (r->cost.macs)
            (void)snprintf(text, sizeof(text), "%.1f %%",
                    100 * (double)r->cost.macs / (double)all->cost.macs);
        term_right(p->out, r->cost.macs ? text : "", COLUMN_WIDTH);
        (void)snprintf(text, sizeof(text), "%s%s",
                amount(number, onnx_flops(&r->cost)), more);
        term_right(p->out, text, COLUMN_WIDTH);
    }
    term_right(p->out, term_bytes(text, (double)r->parameter_bytes),
            COLUMN_WIDTH);
    buf_char(p->out, '\n');
}

static void operators(const struct page *p, const struct inspection *x)
{
    const struct tally *t = &x->tally;

    table_head(p, "Operators");
    for (uint32_t i = 0; i < t->op_count && i < OPS_MAX; i++) {
        buf_text(p->out, "  ");
        cut_name(p, t->ops[i].op_type, NAME_WIDTH);
        table_row(p, &t->ops[i].row, &t->all);
    }
    if (t->op_count > OPS_MAX)
        buf_printf(p->out, "  and %u more\n", t->op_count - OPS_MAX);
}

static void components(const struct page *p, const struct inspection *x)
{
    const struct tally *t = &x->tally;

    table_head(p, "Components");
    for (int i = 0; i < ARCH_COMPONENTS; i++) {
        if (!t->component[i].nodes)
            continue;
        buf_text(p->out, "  ");
        term_left(p->out, arch_component_name(i), NAME_WIDTH);
        table_row(p, &t->component[i], &t->all);
    }
}

static bool same(const struct tally_row *a, const struct tally_row *b)
{
    return a->nodes == b->nodes && a->known == b->known &&
           a->cost.macs == b->cost.macs &&
           a->cost.operations == b->cost.operations &&
           a->parameter_bytes == b->parameter_bytes;
}

/* Layers that are alike stand together: most are. */
static void layers(const struct page *p, const struct inspection *x)
{
    const struct tally *t = &x->tally;

    table_head(p, "Layers");
    for (int i = 0, to; i < t->layer_count; i = to + 1) {
        char name[48];

        for (to = i; to + 1 < t->layer_count; to++)
            if (!same(&t->layers[to + 1], &t->layers[i]))
                break;
        if (to > i)
            (void)snprintf(name, sizeof(name), "%d to %d, each", i, to);
        else
            (void)snprintf(name, sizeof(name), "%d", i);
        buf_text(p->out, "  ");
        term_left(p->out, name, NAME_WIDTH);
        table_row(p, &t->layers[i], &t->all);
    }
}

/* --- nodes ---------------------------------------------------------------- */

static void node(const struct page *p, const struct inspection *x, uint32_t i)
{
    const struct onnx_node *n = &x->model->graph->nodes[i];
    const struct study_node *s = study_node(x->study, i);
    const struct fact *made =
            n->output_count ? study_value(x->study, n->outputs[0]) : NULL;
    struct arch_place place = x->arch->places[i];
    char number[32];

    buf_printf(p->out, "%7u  ", i);
    cut_name(p, n->op_type, NAME_WIDTH - 6);
    if (x->arch->transformer) {
        (void)snprintf(number, sizeof(number), "%d", place.layer);
        term_right(p->out, place.layer < 0 ? "" : number, 4);
        buf_char(p->out, ' ');
        term_left(p->out,
                place.component ? arch_component_name(place.component) : "",
                13);
    }
    term_right(p->out, s->cost_known ? amount(number, s->cost.macs) : "–", 8);
    buf_text(p->out, "  ");
    if (made)
        shape(p, x, made, NULL);
    buf_text(p->out, "  ");
    style(p, TERM_DIM);
    quote_add(p->out, n->name);
    style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
}

void inspect_text(struct buf *out, const struct inspection *x, bool colours)
{
    const struct page p = { out, colours };
    const struct onnx_graph *g = x->model->graph;

    file(&p, x);
    graph(&p, x);
    heading(&p, "Inputs");
    values(&p, x, g->inputs, g->input_count);
    heading(&p, "Outputs");
    values(&p, x, g->outputs, g->output_count);
    cost(&p, x);
    operators(&p, x);
    if (x->arch->transformer) {
        components(&p, x);
        layers(&p, x);
    }
    if (!x->nodes)
        return;
    heading(&p, "Nodes");
    for (uint32_t i = 0; i < g->node_count; i++)
        node(&p, x, i);
}
