#include "analyse/fusion.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "onnx/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY     UINT32_MAX
#define LOOKS_MOST 1000
#define STEPS_MOST 8 /* through nodes that did not run */

/* A node of the file, in whatever graph of it. */
struct file_node {
    const struct onnx_node *node;
    uint32_t group; /* the operator that does its work, or NOBODY */
};

struct search {
    struct file_node *nodes;
    uint32_t count;
    struct map by_name; /* hash of a name to a place in `nodes` */
    struct map maker;   /* symbol of a value to a place in `nodes` */
    const struct operators *operators;
    uint32_t session;
};

static uint64_t hash(struct str s)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
    return h;
}

/* --- the file ------------------------------------------------------------- */

static void collect(struct search *s, const struct onnx_model *m,
        const struct onnx_graph *g)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct onnx_node *n = &g->nodes[i];

        s->nodes = alloc_resize(s->nodes, (s->count + 1) * sizeof(*s->nodes));
        s->nodes[s->count] = (struct file_node){ n, NOBODY };
        if (n->name.len)
            map_put(&s->by_name, hash(n->name), s->count);
        for (uint32_t k = 0; k < n->output_count; k++) {
            struct str value = symbol_text(&m->symbols, n->outputs[k]);

            map_put(&s->maker, n->outputs[k], s->count);
            if (value.len && !map_find(&s->by_name, hash(value)))
                map_put(&s->by_name, hash(value), s->count);
        }
        s->count++;
        for (uint32_t k = 0; k < n->attr_count; k++)
            if (n->attrs[k].kind == ONNX_ATTR_GRAPH && n->attrs[k].graph)
                collect(s, m, n->attrs[k].graph);
    }
}

/* --- from an operator that ran to a node of the file ---------------------- */

static struct str without_tail(struct str s, const char *tail)
{
    size_t len = strlen(tail);

    if (s.len > len && memcmp(s.p + s.len - len, tail, len) == 0)
        s.len -= len;
    return s;
}

static struct str without_head(struct str s, const char *head)
{
    size_t len = strlen(head);

    if (s.len > len && memcmp(s.p, head, len) == 0)
        s = (struct str){ s.p + len, s.len - len };
    return s;
}

/* "If_0_then_branch__Inline_0__/decoder/Add" was inlined: /decoder/Add. */
static struct str without_inline(struct str s)
{
    const char *at = memmem(s.p, s.len, "__Inline_", 9);
    const char *end = s.p + s.len;
    const char *rest =
            at ? memmem(at + 9, (size_t)(end - at - 9), "__", 2) : NULL;

    return rest ? (struct str){ rest + 2, (size_t)(end - rest - 2) } : s;
}

/* The name of an operator that was changed, back to what it was made from. */
static struct str undecorated(struct str name)
{
    return without_tail(without_head(name, "fused "), "_nchwc");
}

static struct file_node *find(struct search *s, struct str name)
{
    uint64_t *place = map_find(&s->by_name, hash(name));

    return place ? &s->nodes[*place] : NULL;
}

static struct file_node *anchor(struct search *s, const struct operator_sum *o)
{
    struct str name = str_of(o->name ? o->name : "");
    struct file_node *n = find(s, name);

    if (!n)
        n = find(s, undecorated(name));
    return n ? n : find(s, undecorated(without_inline(name)));
}

static bool same_type(const struct operator_sum *o, const struct onnx_node *n)
{
    return o->op_type && str_is(n->op_type, o->op_type);
}

/* FusedConv is made of a Conv and what follows it. */
static bool leads(const struct operator_sum *o, const struct onnx_node *n)
{
    return o->op_type &&
           str_eq(n->op_type, without_head(str_of(o->op_type), "Fused"));
}

/* It is more than the node that it is named after. */
static bool was_changed(const struct operator_sum *o, const struct onnx_node *n)
{
    struct str name = str_of(o->name ? o->name : "");

    return !same_type(o, n) || undecorated(name).len != name.len;
}

/* The node that makes its first input; NULL: none of the file's. */
static struct file_node *before(struct search *s, const struct file_node *n)
{
    uint64_t *place = n->node->input_count
                              ? map_find(&s->maker, n->node->inputs[0])
                              : NULL;

    return place ? &s->nodes[*place] : NULL;
}

/* An operator named after the last node of a group: those before it, up to one
 * of the operator's own type, are its as well. */
static void take_backwards(struct search *s, const struct operator_sum *o,
        struct file_node *n)
{
    uint32_t group = n->group;

    for (int steps = 0; n && steps < STEPS_MOST && !leads(o, n->node);
            steps++) {
        n = before(s, n);
        if (!n || n->group != NOBODY)
            return;
        n->group = group;
    }
}

/* What is left joins the one that makes its input, if that was changed. */
static void take_forwards(struct search *s, struct file_node *n)
{
    struct file_node *maker = before(s, n);

    if (maker && maker->group != NOBODY &&
            was_changed(&s->operators->items[maker->group], maker->node))
        n->group = maker->group;
}

/* --- the result ----------------------------------------------------------- */

static bool is_mine(const struct search *s, const struct operator_sum *o)
{
    return o->session == s->session && o->count;
}

static void find_anchors(struct search *s, struct fusion *f)
{
    const struct operators *all = s->operators;

    for (size_t i = 0; i < all->count; i++) {
        const struct operator_sum *o = &all->items[i];
        struct file_node *n = is_mine(s, o) ? anchor(s, o) : NULL;

        if (!is_mine(s, o))
            continue;
        f->ran++;
        if (!n) {
            f->inserted++;
            continue;
        }
        if (n->group == NOBODY)
            n->group = (uint32_t)i;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (s->nodes[i].group != NOBODY)
            take_backwards(s, &all->items[s->nodes[i].group], &s->nodes[i]);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->nodes[i].group == NOBODY)
            take_forwards(s, &s->nodes[i]);
}

static int by_time(const void *a, const void *b)
{
    double x = ((const struct fusion_group *)a)->ran->kernel_ns;
    double y = ((const struct fusion_group *)b)->ran->kernel_ns;

    return x < y ? 1 : x > y ? -1 : 0;
}

static void add_group(struct fusion *f, const struct operator_sum *o,
        struct buf *members, size_t count)
{
    if (count < 2) {
        f->kept += count;
        return;
    }
    f->groups =
            alloc_resize(f->groups, (f->group_count + 1) * sizeof(*f->groups));
    f->groups[f->group_count++] =
            (struct fusion_group){ o, alloc_text(buf_cstr(members)), count };
    f->fused += count;
}

static void list_groups(struct search *s, struct fusion *f)
{
    struct buf *members = alloc_zero(s->operators->count, sizeof(*members));
    size_t *counts = alloc_zero(s->operators->count, sizeof(*counts));

    for (uint32_t i = 0; i < s->count; i++) {
        const struct onnx_node *n = s->nodes[i].node;
        uint32_t group = s->nodes[i].group;

        if (group == NOBODY) {
            f->gone++;
            continue;
        }
        buf_printf(&members[group], "%s%.*s %.*s", counts[group] ? "\n" : "",
                (int)n->op_type.len, n->op_type.p, (int)n->name.len, n->name.p);
        counts[group]++;
    }
    for (size_t i = 0; i < s->operators->count; i++) {
        add_group(f, &s->operators->items[i], &members[i], counts[i]);
        buf_release(&members[i]);
    }
    free(members);
    free(counts);
    if (f->group_count)
        qsort(f->groups, f->group_count, sizeof(*f->groups), by_time);
}

/* --- edges ---------------------------------------------------------------- */

struct telling {
    struct search *search;
    uint32_t to;
    uint32_t looks; /* at makers, for this one: a file may be made to explode */
    void (*each)(void *context, const struct operator_edge *x);
    void *context;
};

/* Whoever makes the value, through nodes that did not run. */
static void tell_makers(struct telling *t, uint32_t value, int steps)
{
    uint64_t *place = map_find(&t->search->maker, value);
    const struct file_node *n = place ? &t->search->nodes[*place] : NULL;

    if (!n || !steps || ++t->looks > LOOKS_MOST)
        return;
    if (n->group == NOBODY) {
        for (uint32_t i = 0; i < n->node->input_count; i++)
            tell_makers(t, n->node->inputs[i], steps - 1);
        return;
    }
    if (n->group != t->to)
        t->each(t->context,
                &(struct operator_edge){
                        .from = t->search->operators->items[n->group].id,
                        .to = t->search->operators->items[t->to].id,
                });
}

static void tell_edges(struct telling *t)
{
    for (uint32_t i = 0; i < t->search->count; i++) {
        const struct file_node *n = &t->search->nodes[i];

        t->to = n->group;
        t->looks = 0;
        for (uint32_t k = 0; t->to != NOBODY && k < n->node->input_count; k++)
            tell_makers(t, n->node->inputs[k], STEPS_MOST);
    }
}

/* --- opening -------------------------------------------------------------- */

static int open_search(struct search *s, struct onnx_model **model,
        const char *model_path, struct fusion *out, struct error *e)
{
    if (!s->operators->count)
        return fail(e, -ENODATA, "no operator is known");

    int rc = onnx_open(model, model_path, e);

    if (rc)
        return rc;
    collect(s, *model, (*model)->graph);
    find_anchors(s, out);
    return 0;
}

static void close_search(struct search *s, struct onnx_model *model)
{
    free(s->nodes);
    map_release(&s->by_name);
    map_release(&s->maker);
    if (model)
        onnx_close(model);
}

int fusion_find(struct fusion *out, const struct operators *o, uint32_t session,
        const char *model_path, struct error *e)
{
    struct search s = { .operators = o, .session = session };
    struct onnx_model *model = NULL;

    *out = (struct fusion){ 0 };

    int rc = open_search(&s, &model, model_path, out, e);

    if (!rc) {
        out->file_nodes = s.count;
        list_groups(&s, out);
    }
    close_search(&s, model);
    return rc;
}

int fusion_edges(const struct operators *o, uint32_t session,
        const char *model_path,
        void (*each)(void *context, const struct operator_edge *x),
        void *context, struct error *e)
{
    struct search s = { .operators = o, .session = session };
    struct telling t = { &s, NOBODY, 0, each, context };
    struct onnx_model *model = NULL;
    struct fusion unused = { 0 };
    int rc = open_search(&s, &model, model_path, &unused, e);

    if (!rc)
        tell_edges(&t);
    close_search(&s, model);
    return rc;
}

int fusion_model_path(char *path, size_t cap, const struct summary *s,
        const struct summary_session *x, struct error *e)
{
    bool relative = x->model[0] != '/' && s->run.directory;
    int n = snprintf(path, cap, "%s%s%s", relative ? s->run.directory : "",
            relative ? "/" : "", x->model);

    if (n < 0 || (size_t)n >= cap)
        return fail(e, -ENAMETOOLONG, "the model's path is too long");
    return 0;
}

int fusion_of_session(struct fusion *out, const struct summary *s,
        const struct summary_session *x, struct error *e)
{
    char path[4096];
    int rc = fusion_model_path(path, sizeof(path), s, x, e);

    *out = (struct fusion){ 0 };
    return rc ? rc : fusion_find(out, &s->operators, x->id, path, e);
}

void fusion_release(struct fusion *f)
{
    for (size_t i = 0; i < f->group_count; i++)
        free(f->groups[i].members);
    free(f->groups);
    *f = (struct fusion){ 0 };
}
