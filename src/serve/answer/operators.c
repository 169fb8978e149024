/* operators.c -- /api/operators and /api/graph: where the time of inferences
 * goes, as lists and as a graph. */
#include "analyse/operators/fusion.h"
#include "analyse/operators/operator_groups.h"
#include "analyse/operators/operators_window.h"
#include "analyse/summary.h"
#include "base/alloc.h"
#include "model/phase.h"
#include "serve/answer/run_about.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of the list: one operator, or several together. */
struct op_row {
    const struct operator_figures *one; /* NULL: several */
    uint32_t session;
    const char *op_type, *component;
    char *name; /* of by=same */
    int layer;
    uint64_t operators, count;
    double total_ns, self_ns, joules;
    bool has_joules;
    double before_ns; /* self time in the window before, an inference */
    bool has_before;
    struct {
        int layer;
        double ns;
    } * layers; /* of by=same */
    size_t layer_count;
};

struct op_list {
    struct op_row *items;
    size_t count;
};

/* A window that somebody looks at, and the one before it. */
struct op_window {
    bool given;
    struct operators_window now, before;
};

static struct op_row *add_row(struct op_list *l)
{
    l->items = alloc_resize(l->items, (l->count + 1) * sizeof(*l->items));
    l->items[l->count] = (struct op_row){ .layer = -1 };
    return &l->items[l->count++];
}

static void list_release(struct op_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i].name);
        free(l->items[i].layers);
    }
    free(l->items);
}

/* --- which ---------------------------------------------------------------- */

static unsigned phase_of(const struct call *c)
{
    const char *name = query_text(c, "phase");

    for (unsigned i = 0; name && i < PHASES; i++)
        if (strcmp(phase_name((enum phase)i), name) == 0)
            return i;
    return PHASES;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* Whether it has that part, in letters of either case. */
static bool finds(const char *text, const char *part)
{
    size_t len = strlen(part);

    for (; text && *text; text++) {
        size_t i = 0;

        while (i < len && lower(text[i]) == lower(part[i]))
            i++;
        if (i == len)
            return true;
    }
    return false;
}

static bool is_wanted(const struct call *c, const struct operators *all,
        const struct operator_figures *o, unsigned phase)
{
    int64_t session = query_number(c, "session", 0);
    int64_t id = query_number(c, "id", 0);
    const char *find = query_text(c, "find");
    const struct operator_table *t =
            session ? operators_table(all, (uint32_t)session) : NULL;

    return o->times[phase].count && (!id || o->id == id) &&
           (!session || (t && t->session == o->session)) &&
           (!find || finds(o->name, find) || finds(o->op_type, find));
}

/* "/layers.7/attn/MatMul" of layer 7: "/layers.X/attn/MatMul". */
static char *name_of_all_layers(const struct operator_figures *o)
{
    struct buf out = { 0 };
    bool replaced = o->place.layer < 0;

    for (const char *at = o->name ? o->name : ""; *at;) {
        uint64_t number;
        size_t len = 0;

        while (isdigit((unsigned char)at[len]))
            len++;
        if (len && !replaced &&
                str_u64(&number, (struct str){ at, len }) == 0 &&
                number == (uint64_t)o->place.layer) {
            buf_char(&out, 'X');
            replaced = true;
        } else {
            len = len ? len : 1;
            buf_add(&out, at, len);
        }
        at += len;
    }
    if (!out.p)
        buf_text(&out, "");
    return out.p;
}

/* --- rows ----------------------------------------------------------------- */

/* Joules are known of the whole run. */
static void add_times(struct op_row *r, const struct summary *s,
        const struct operator_figures *o, unsigned phase, bool whole)
{
    const struct operator_times *t = &o->times[phase];

    r->operators++;
    r->count += t->count;
    r->total_ns += t->total_ns;
    r->self_ns += t->self_ns;
    if (whole && s->energy.account.counted) {
        struct energy_sum x = run_energy_operator(&s->energy, o->id);

        if (x.count) {
            r->joules += (double)x.gross_uj / 1e6;
            r->has_joules = true;
        }
    }
}

static const char *component_of(const struct operator_figures *o)
{
    return o->place.component == ARCH_NONE
                   ? NULL
                   : arch_component_name(o->place.component);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The row that an operator belongs to; NULL: to none. */
static struct op_row *row_for(struct op_list *l, const char *by,
        const struct operator_figures *o)
{
    bool type = strcmp(by, "type") == 0, layer = strcmp(by, "layer") == 0;
    bool same = strcmp(by, "same") == 0;
    char *name = same ? name_of_all_layers(o) : NULL;
    struct op_row *found = NULL;

    if ((layer && o->place.layer < 0) ||
            (!type && !layer && !same && !component_of(o)))
        return NULL;
    for (size_t i = 0; i < l->count && !found; i++) {
        struct op_row *r = &l->items[i];

        if (r->session == o->session &&
                (type           ? same_text(r->op_type, o->op_type)
                        : layer ? r->layer == o->place.layer
                        : same  ? same_text(r->name, name) &&
                                         same_text(r->op_type, o->op_type)
                               : same_text(r->component, component_of(o))))
            found = r;
    }
    if (found) {
        free(name);
        return found;
    }
    found = add_row(l);
    found->session = o->session;
    found->name = name;
    if (type || same)
        found->op_type = o->op_type;
    if (layer)
        found->layer = o->place.layer;
    if (!type && !layer)
        found->component = component_of(o);
    return found;
}

static void add_layer(struct op_row *r, const struct operator_figures *o,
        double ns)
{
    if (o->place.layer < 0)
        return;
    r->layers =
            alloc_resize(r->layers, (r->layer_count + 1) * sizeof(*r->layers));
    r->layers[r->layer_count].layer = o->place.layer;
    r->layers[r->layer_count++].ns = ns;
}

/* What it took in an inference of the window before. */
static void add_before(struct op_row *r, const struct op_window *w,
        const struct operators *all, const struct operator_figures *o,
        unsigned phase)
{
    const struct operator_table *t = operators_table(all, o->session);
    uint64_t inferences =
            t && w->given ? w->before.inferences[t - all->tables][phase] : 0;

    if (!inferences)
        return;
    r->before_ns +=
            w->before.times[o - all->items][phase].self_ns / (double)inferences;
    r->has_before = true;
}

static void make_list(struct op_list *l, const struct call *c,
        const struct summary *s, const struct op_window *w, unsigned phase)
{
    const char *by = query_text(c, "by") ? query_text(c, "by") : "node";
    const struct operators *all = &s->operators;

    for (size_t i = 0; i < all->count; i++) {
        const struct operator_figures *o = &all->items[i];
        struct op_row *r = NULL;

        if (!is_wanted(c, all, o, phase))
            continue;
        if (strcmp(by, "node") == 0) {
            r = add_row(l);
            r->one = o;
            r->session = o->session;
        } else {
            r = row_for(l, by, o);
        }
        if (!r)
            continue;
        add_times(r, s, o, phase, !w->given);
        add_before(r, w, all, o, phase);
        if (strcmp(by, "same") == 0)
            add_layer(r, o, o->times[phase].self_ns);
    }
}

static double key_of(const struct op_row *r, const char *sort)
{
    if (strcmp(sort, "self") == 0)
        return r->self_ns;
    if (strcmp(sort, "mean") == 0)
        return r->count ? r->self_ns / (double)r->count : 0;
    if (strcmp(sort, "count") == 0)
        return (double)r->count;
    return strcmp(sort, "joules") == 0 ? r->joules : r->total_ns;
}

static _Thread_local const char *sorted_by;

static int greater_first(const void *a, const void *b)
{
    double x = key_of(a, sorted_by), y = key_of(b, sorted_by);

    return (x < y) - (x > y);
}

/* --- writing -------------------------------------------------------------- */

static uint64_t traced_of(const struct operators *o, uint32_t session,
        unsigned phase)
{
    const struct operator_table *t = operators_table(o, session);

    return t ? t->sums[phase].count : 0;
}

static void dependencies(struct json *j, const struct operators *all,
        uint32_t id)
{
    bool any = false;

    for (size_t i = 0; i < all->edge_count; i++) {
        if (all->edges[i].to != id)
            continue;
        if (!any)
            json_array(j, "after");
        any = true;
        json_u64(j, NULL, all->edges[i].from);
    }
    if (any)
        json_end(j);
}

static void place_members(struct json *j, const struct operator_figures *o)
{
    json_u64(j, "id", o->id);
    if (o->name)
        json_text(j, "name", o->name);
    if (o->op_type)
        json_text(j, "op_type", o->op_type);
    if (o->provider)
        json_text(j, "provider", o->provider);
    if (o->place.layer >= 0)
        json_int(j, "layer", o->place.layer);
    if (component_of(o))
        json_text(j, "component", component_of(o));
    if (o->parent)
        json_u64(j, "within", o->parent);
}

static void group_members(struct json *j, const struct op_row *r)
{
    if (r->name)
        json_text(j, "name", r->name);
    if (r->op_type)
        json_text(j, "op_type", r->op_type);
    if (r->layer >= 0)
        json_int(j, "layer", r->layer);
    if (r->component)
        json_text(j, "component", r->component);
    json_u64(j, "operators", r->operators);
}

static void time_members(struct json *j, const struct summary *s,
        const struct op_row *r, unsigned phase)
{
    double all = operators_self_ns(&s->operators, r->session, phase);
    uint64_t traced = traced_of(&s->operators, r->session, phase);

    json_u64(j, "session", r->session);
    json_u64(j, "count", r->count);
    json_fixed(j, "total_us", r->total_ns / 1e3, 3);
    json_fixed(j, "self_us", r->self_ns / 1e3, 3);
    if (all > 0)
        json_fixed(j, "share", r->self_ns / all, 6);
    if (r->count)
        json_fixed(j, "mean_us", r->self_ns / (double)r->count / 1e3, 3);
    if (traced)
        json_fixed(j, "per_inference_us", r->self_ns / (double)traced / 1e3, 3);
    if (r->has_before)
        json_fixed(j, "before_us", r->before_ns / 1e3, 3);
    json_text(j, "method", operator_method_name(s->operators.method));
    if (r->has_joules)
        json_fixed(j, "joules", r->joules, 6);
}

static void write_row(struct json *j, const struct summary *s,
        const struct op_row *r, unsigned phase)
{
    uint64_t traced = traced_of(&s->operators, r->session, phase);

    json_object(j, NULL);
    if (r->one)
        place_members(j, r->one);
    else
        group_members(j, r);
    time_members(j, s, r, phase);
    if (r->one) {
        double flops = operator_flops_in(r->one, phase);

        if (flops > 0)
            json_real(j, "flops", flops);
        dependencies(j, &s->operators, r->one->id);
    }
    if (r->layer_count && traced) {
        json_array(j, "layers");
        for (size_t i = 0; i < r->layer_count; i++) {
            json_array(j, NULL);
            json_int(j, NULL, r->layers[i].layer);
            json_fixed(j, NULL, r->layers[i].ns / (double)traced / 1e3, 3);
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void missing(struct json *j, const struct summary *s, bool window)
{
    json_array(j, "missing");
    if (window) {
        json_object(j, NULL);
        json_text(j, "member", "operators");
        json_text(j, "reason",
                "of a window only those inferences count whose operators were "
                "kept one by one: the slow ones, and some others");
        json_end(j);
    }
    for (size_t i = 0; i < s->session_count; i++) {
        const char *why = summary_no_operators(s, &s->sessions[i]);

        if (!why)
            continue;
        json_object(j, NULL);
        shape_id(j, "member", "operators", "session", s->sessions[i].id);
        json_text(j, "reason", why);
        json_end(j);
    }
    json_end(j);
}

static uint64_t traced_in(const struct operators *all, unsigned phase)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < all->table_count; i++)
        sum += all->tables[i].sums[phase].count;
    return sum;
}

static void write_operators(struct call *c, struct json *j,
        const struct run_about *about, const struct summary *s,
        const struct op_window *w)
{
    unsigned phase = phase_of(c);
    uint64_t limit = (uint64_t)query_number(c, "limit", 1000);
    uint64_t offset = (uint64_t)query_number(c, "offset", 0);
    struct op_list l = { 0 };
    double self_ns = 0;
    uint64_t inferences = 0;

    make_list(&l, c, s, w, phase);
    sorted_by = query_text(c, "sort") ? query_text(c, "sort") : "total";
    if (l.count)
        qsort(l.items, l.count, sizeof(*l.items), greater_first);
    for (size_t i = 0; i < PHASES; i++)
        if (phase == PHASES || phase == i)
            inferences += s->phase_counts[i].inferences;
    json_object(j, NULL);
    json_text(j, "run_id", about->id);
    json_u64(j, "traced",
            w->given ? traced_in(&s->operators, phase) : s->traced);
    json_u64(j, "inferences", inferences);
    json_array(j, "operators");
    for (size_t i = 0; i < l.count; i++) {
        self_ns += l.items[i].self_ns;
        if (i >= offset && i - offset < limit)
            write_row(j, s, &l.items[i], phase);
    }
    json_end(j);
    json_fixed(j, "operators_us", self_ns / 1e3, 3);
    json_u64(j, "total", l.count);
    json_u64(j, "limit", limit);
    json_u64(j, "offset", offset);
    missing(j, s, w->given);
    json_end(j);
    list_release(&l);
}

/* The window that the query names, and as much before it. */
static int read_window(struct op_window *w, struct call *c,
        const struct run_about *r, struct operators *all, uint64_t from_ns,
        uint64_t to_ns, struct error *e)
{
    uint64_t length = to_ns - from_ns;
    int rc = operators_window_read(&w->now, all, c->store, r->row, from_ns,
            to_ns, e);

    if (rc)
        return rc;
    rc = operators_window_read(&w->before, all, c->store, r->row,
            from_ns > length ? from_ns - length : 0, from_ns, e);
    if (!rc)
        operators_window_apply(&w->now, all);
    return rc;
}

void answer_operators(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct op_window w = { .given = query_given(c, "from") ||
                                    query_given(c, "to") };
    uint64_t from_ns, to_ns;
    struct run_about r;
    struct summary s;
    struct error e;

    if (run_of_query(c, a, &r) || range_of_query(c, a, &r, &from_ns, &to_ns))
        return;
    if (summary_read(&s, c->store, r.row, &e)) {
        answer_failed(a, &e);
        return;
    }
    if (w.given && read_window(&w, c, &r, &s.operators, from_ns, to_ns, &e))
        answer_failed(a, &e);
    else
        write_operators(c, &j, &r, &s, &w);
    operators_window_release(&w.now);
    operators_window_release(&w.before);
    summary_release(&s);
}

/* --- the graph ------------------------------------------------------------ */

/* The session that ran most, or the one asked for; NULL: there is none. */
static const struct summary_session *session_of(const struct summary *s,
        int64_t id)
{
    const struct summary_session *best = NULL;

    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        if (id ? x->id == id
               : operators_table(&s->operators, x->id) &&
                                (!best || x->inferences > best->inferences))
            best = x;
    }
    return best;
}

static const struct fusion_group *group_of(const struct fusion *f,
        const struct operator_figures *o)
{
    for (size_t i = 0; i < f->group_count; i++)
        if (f->groups[i].ran == o)
            return &f->groups[i];
    return NULL;
}

/* Where it is from, as far as that is known. */
static void origin(struct json *j, const struct fusion *f,
        const struct operator_figures *o)
{
    const struct fusion_group *g = f ? group_of(f, o) : NULL;
    struct str rest, line;

    if (f && !g && !f->inserted)
        json_text(j, "origin", "file");
    if (!g)
        return;
    json_text(j, "origin", "fused");
    json_array(j, "fused_from");
    rest = str_of(g->members);
    while (str_line(&line, &rest))
        json_str(j, NULL, line);
    json_end(j);
}

static uint64_t output_bytes(const struct operator_figures *o)
{
    return o->shape_count && o->shapes[0].output_known
                   ? o->shapes[0].output_bytes
                   : 0;
}

static void node(struct json *j, const struct summary *s,
        const struct operator_figures *o, const struct fusion *f,
        unsigned phase)
{
    struct op_row r = { .one = o, .session = o->session, .layer = -1 };
    double flops = operator_flops_in(o, phase);

    add_times(&r, s, o, phase, true);
    json_object(j, NULL);
    place_members(j, o);
    origin(j, f, o);
    time_members(j, s, &r, phase);
    if (flops > 0)
        json_real(j, "flops", flops);
    if (output_bytes(o))
        json_u64(j, "output_bytes", output_bytes(o));
    json_end(j);
}

static void edges(struct json *j, const struct operators *all, uint32_t table)
{
    json_array(j, "edges");
    for (size_t i = 0; i < all->edge_count; i++) {
        const struct operator_figures *from =
                operators_find(all, all->edges[i].from);

        if (!from || from->session != table)
            continue;
        json_object(j, NULL);
        json_u64(j, "from", all->edges[i].from);
        json_u64(j, "to", all->edges[i].to);
        if (output_bytes(from))
            json_u64(j, "bytes", output_bytes(from));
        json_end(j);
    }
    json_end(j);
}

static void write_graph(struct json *j, const struct run_about *about,
        const struct summary *s, const struct summary_session *x,
        unsigned phase)
{
    const struct operator_table *t = operators_table(&s->operators, x->id);
    struct fusion f;
    bool fused = x->model && fusion_of_session(&f, s, x, NULL) == 0;

    json_object(j, NULL);
    json_text(j, "run_id", about->id);
    json_u64(j, "session", x->id);
    if (x->model) {
        char *name = summary_model_name(x->model);

        json_text(j, "model", name);
        free(name);
    }
    json_array(j, "nodes");
    for (size_t i = 0; t && i < s->operators.count; i++)
        if (s->operators.items[i].session == t->session)
            node(j, s, &s->operators.items[i], fused ? &f : NULL, phase);
    json_end(j);
    edges(j, &s->operators, t ? t->session : 0);
    json_raw(j, "gone", "[]");
    if (fused)
        json_u64(j, "file_nodes", f.file_nodes);
    missing(j, s, false);
    json_end(j);
    if (fused)
        fusion_release(&f);
}

void answer_graph(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    int64_t id = query_number(c, "session", 0);
    const struct summary_session *x;
    struct run_about r;
    struct summary s;
    struct error e;

    if (run_of_query(c, a, &r))
        return;
    if (summary_read(&s, c->store, r.row, &e)) {
        answer_failed(a, &e);
        return;
    }
    x = session_of(&s, id);
    if (!x)
        answer_problem(a, 404, "not_found", id ? "session" : NULL,
                id ? "the run has no such session"
                   : "no operators are known of this run");
    else
        write_graph(&j, &r, &s, x, phase_of(c));
    summary_release(&s);
}
