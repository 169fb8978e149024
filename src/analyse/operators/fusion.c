#include "analyse/operators/fusion.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "onnx/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* A node of the file, in whatever graph of it. */
struct file_node {
    const struct onnx_node *node;
    uint32_t same;   /* the node of that name before it, or NOBODY */
    uint32_t body;   /* which of the file's graphs it is in */
    uint32_t group;  /* the operator that does its work, or NOBODY */
    uint32_t copies; /* operators that are it */
    bool constant;   /* what it makes is known at loading */
};

/* What is known of an operator of the table. */
struct ran {
    const struct operator_figures *figures;
    uint32_t anchor; /* the node that it is named after, or NOBODY */
    uint32_t body;   /* where it is, as far as the one says that it is in */
};

struct search {
    struct file_node *nodes;
    uint32_t count, cap;
    uint32_t *owners; /* of bodies: the node whose body it is, or NOBODY */
    uint32_t bodies;
    struct map by_name; /* hash of a node's name to the last place of it */
    struct map maker;   /* in_body() of a value to a place in `nodes` */
    struct map makers;  /* symbol of a value to a place, in whatever body */
    struct map weights; /* symbols of initializers */
    const struct onnx_model *model;
    const struct operators *operators;
    uint32_t session;
    struct ran *ran;
    uint32_t ran_count;
    struct map made; /* in_body() of values that operators make, to who does */
};

static uint64_t hash(struct str s)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
    return h;
}

/* --- the file ------------------------------------------------------------- */

/* Values of two bodies may have one name. */
static uint64_t in_body(uint32_t value, uint32_t body)
{
    return (uint64_t)body << 32 | value;
}

static void add_names(struct search *s, const struct onnx_node *n, uint32_t at)
{
    struct file_node *f = &s->nodes[at];
    const uint64_t *same =
            n->name.len ? map_find(&s->by_name, hash(n->name)) : NULL;

    if (same)
        f->same = (uint32_t)*same;
    if (n->name.len)
        map_put(&s->by_name, hash(n->name), at);
    for (uint32_t k = 0; k < n->output_count; k++) {
        if (!symbol_text(&s->model->symbols, n->outputs[k]).len)
            continue;
        map_put(&s->maker, in_body(n->outputs[k], f->body), at);
        map_put(&s->makers, n->outputs[k], at);
    }
}

static void collect(struct search *s, const struct onnx_graph *g,
        uint32_t owner)
{
    uint32_t body = s->bodies++;

    s->owners = alloc_resize(s->owners, s->bodies * sizeof(*s->owners));
    s->owners[body] = owner;
    for (uint32_t i = 0; i < g->tensor_count; i++)
        map_put(&s->weights, g->tensors[i]->name, 1);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct onnx_node *n = &g->nodes[i];
        uint32_t at = s->count++;

        if (at == s->cap) {
            s->cap = s->cap ? 2 * s->cap : 256;
            s->nodes = alloc_resize(s->nodes, s->cap * sizeof(*s->nodes));
        }
        s->nodes[at] = (struct file_node){ n, NOBODY, body, NOBODY, 0, false };
        add_names(s, n, at);
        for (uint32_t k = 0; k < n->attr_count; k++)
            if (n->attrs[k].kind == ONNX_ATTR_GRAPH && n->attrs[k].graph)
                collect(s, n->attrs[k].graph, at);
    }
}

/* The node that makes a value, as seen from a body: in it, or around it; else
 * in any, as bodies are inlined.  NOBODY: none does. */
static uint32_t find_maker(const struct search *s, uint32_t value,
        uint32_t body)
{
    const uint64_t *at;

    for (;;) {
        at = map_find(&s->maker, in_body(value, body));
        if (at)
            return (uint32_t)*at;
        if (s->owners[body] == NOBODY)
            break;
        body = s->nodes[s->owners[body]].body;
    }
    at = map_find(&s->makers, value);
    return at ? (uint32_t)*at : NOBODY;
}

static bool is_constant(const struct search *s, uint32_t value, uint32_t body)
{
    if (!symbol_text(&s->model->symbols, value).len ||
            map_find(&s->weights, value))
        return true;

    uint32_t place = find_maker(s, value, body);

    return place != NOBODY && s->nodes[place].constant;
}

/* What depends on nothing but weights; also sizes of what has a fixed one.
 * Nodes come behind those that they read from. */
static void find_constants(struct search *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct file_node *f = &s->nodes[i];
        const struct onnx_node *n = f->node;
        bool all = n->input_count > 0 && !n->graph_count;

        for (uint32_t k = 0; k < n->input_count && all; k++)
            all = is_constant(s, n->inputs[k], f->body);
        f->constant = !f->copies && (all || str_is(n->op_type, "Constant") ||
                                            str_is(n->op_type, "Shape") ||
                                            str_is(n->op_type, "Size"));
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

/* "If_0_then_branch__Inline_0__/decoder/Add" was inlined: /decoder/Add.  So may
 * it be again: the last one counts. */
static struct str without_inline(struct str s)
{
    for (;;) {
        const char *at = str_find(s, "__Inline_");
        const char *end = s.p + s.len;
        const char *rest =
                at ? str_find((struct str){ at + 9, (size_t)(end - at - 9) },
                             "__")
                   : NULL;

        if (!rest)
            return s;
        s = (struct str){ rest + 2, (size_t)(end - rest - 2) };
    }
}

/* The name of an operator that was changed, back to what it was made from. */
static struct str undecorated(struct str name)
{
    return without_tail(without_head(name, "fused "), "_nchwc");
}

/* Of nodes of one name, in the branches of an If: one that nobody is yet, and
 * of these the one in that body. */
static uint32_t pick(const struct search *s, uint32_t last, uint32_t body)
{
    uint32_t best = last;
    int most = -1;

    for (uint32_t at = last; at != NOBODY; at = s->nodes[at].same) {
        const struct file_node *f = &s->nodes[at];
        int fits = 2 * !f->copies + (f->body == body);

        if (fits > most) {
            most = fits;
            best = at;
        }
    }
    return best;
}

static uint32_t find_name(const struct search *s, const char *text,
        uint32_t body)
{
    struct str name = str_of(text ? text : "");
    struct str tries[] = { name, undecorated(name),
        undecorated(without_inline(name)) };

    for (size_t i = 0; i < LEN(tries); i++) {
        const uint64_t *last = map_find(&s->by_name, hash(tries[i]));
        uint32_t value = symbol_find(&s->model->symbols, tries[i]);
        uint32_t place = last    ? pick(s, (uint32_t)*last, body)
                         : value ? find_maker(s, value, body)
                                 : NOBODY;

        if (place != NOBODY)
            return place;
    }
    return NOBODY;
}

/* Symbol of a value, as the file calls it; 0: the file has none.  Between two
 * casts that were put in, a value of half precision has a name before its
 * own. */
static uint32_t find_value(const struct search *s, const char *text)
{
    struct str name = str_of(text ? text : "");
    struct str tries[] = { name, without_inline(name),
        without_head(name, "InsertedPrecisionFreeCast_") };
    uint32_t symbol = 0;

    for (size_t i = 0; i < LEN(tries) && !symbol; i++)
        symbol = symbol_find(&s->model->symbols, tries[i]);
    return symbol;
}

/* ONNX Runtime's own steps between its kernels: what they put out may be called
 * as a value of the file. */
static bool is_step(const struct operator_figures *o)
{
    const char *type = o->op_type ? o->op_type : "";

    return strncmp(type, "Reorder", 7) == 0 ||
           strncmp(type, "Memcpy", 6) == 0 ||
           (o->name && strncmp(o->name, "Inserted", 8) == 0);
}

static bool same_type(const struct operator_figures *o,
        const struct onnx_node *n)
{
    return o->op_type && str_is(n->op_type, o->op_type);
}

static int by_id(const void *a, const void *b)
{
    const struct ran *x = a, *y = b;

    return x->figures->id < y->figures->id ? -1
                                           : x->figures->id > y->figures->id;
}

/* In an order that is not that of their times: who comes first may take a node
 * that another could be, and two runs of a model are to say the same. */
static void list_ran(struct search *s)
{
    s->ran = alloc_zero(s->operators->count + 1, sizeof(*s->ran));
    for (size_t i = 0; i < s->operators->count; i++) {
        const struct operator_figures *o = &s->operators->items[i];

        if (o->session == s->session && o->times[PHASES].count)
            s->ran[s->ran_count++] = (struct ran){ o, NOBODY, 0 };
    }
    if (s->ran_count)
        qsort(s->ran, s->ran_count, sizeof(*s->ran), by_id);
}

static void vote(const struct search *s, uint32_t *votes, const char *name)
{
    const uint64_t *last =
            name ? map_find(&s->by_name, hash(str_of(name))) : NULL;

    for (uint32_t at = last ? (uint32_t)*last : NOBODY; at != NOBODY;
            at = s->nodes[at].same)
        votes[s->nodes[at].body]++;
}

/* The operators of one If say together in which of its bodies they are: their
 * names alone may be in both. */
static void find_bodies(struct search *s)
{
    uint32_t *votes = alloc_zero(s->bodies + 1, sizeof(*votes));
    struct map seen = { 0 };

    for (uint32_t i = 0; i < s->ran_count; i++) {
        uint32_t parent = s->ran[i].figures->parent, best = 0;

        if (!parent || map_find(&seen, parent))
            continue;
        map_put(&seen, parent, 1);
        memset(votes, 0, s->bodies * sizeof(*votes));
        for (uint32_t k = i; k < s->ran_count; k++)
            if (s->ran[k].figures->parent == parent)
                vote(s, votes, s->ran[k].figures->name);
        for (uint32_t b = 1; b < s->bodies; b++)
            best = votes[b] > votes[best] ? b : best;
        for (uint32_t k = i; k < s->ran_count; k++)
            if (s->ran[k].figures->parent == parent)
                s->ran[k].body = best;
    }
    map_release(&seen);
    free(votes);
}

static uint32_t body_of(const struct search *s, const struct ran *r)
{
    return r->anchor != NOBODY ? s->nodes[r->anchor].body : r->body;
}

/* What operators put out, as values of the file. */
static void find_made(struct search *s)
{
    for (uint32_t i = 0; i < s->ran_count; i++) {
        const struct ran *r = &s->ran[i];
        size_t count;
        const struct operator_tensor *t =
                operators_tensors(s->operators, r->figures->id, &count);

        for (size_t k = 0; k < count && !is_step(r->figures); k++) {
            uint32_t value = t[k].is_output ? find_value(s, t[k].name) : 0;
            uint32_t place =
                    value ? find_maker(s, value, body_of(s, r)) : NOBODY;

            if (place != NOBODY)
                map_put(&s->made, in_body(value, s->nodes[place].body), i);
        }
    }
}

static void claim(struct search *s, uint32_t ran, uint32_t place)
{
    struct file_node *n = &s->nodes[place];

    s->ran[ran].anchor = place;
    n->copies++;
    if (n->group == NOBODY)
        n->group = ran;
}

static void find_anchors_by_name(struct search *s)
{
    for (uint32_t i = 0; i < s->ran_count; i++) {
        const struct operator_figures *o = s->ran[i].figures;
        uint32_t place =
                is_step(o) ? NOBODY : find_name(s, o->name, s->ran[i].body);

        if (place != NOBODY &&
                (!s->nodes[place].copies || same_type(o, s->nodes[place].node)))
            claim(s, i, place);
    }
}

/* By what they put out, where nobody else is that node. */
static void find_other_anchors(struct search *s)
{
    for (uint32_t i = 0; i < s->ran_count; i++) {
        const struct operator_figures *o = s->ran[i].figures;
        size_t count;
        const struct operator_tensor *t =
                operators_tensors(s->operators, o->id, &count);

        for (size_t k = 0; k < count && s->ran[i].anchor == NOBODY; k++) {
            uint32_t value = t[k].is_output && !is_step(o)
                                     ? find_value(s, t[k].name)
                                     : 0;
            uint32_t place =
                    value ? find_maker(s, value, s->ran[i].body) : NOBODY;

            if (place != NOBODY && !s->nodes[place].copies)
                claim(s, i, place);
        }
    }
}

/* --- what it stands for --------------------------------------------------- */

static bool is_made(const struct search *s, uint32_t value, uint32_t maker)
{
    return map_find(&s->made, in_body(value, s->nodes[maker].body)) != NULL;
}

/* Takes the nodes behind a value that did not run themselves.  A value that
 * some operator made is where another's part ends. */
static void take_behind(struct search *s, uint32_t ran, uint32_t place)
{
    uint32_t *stack = alloc_zero(s->count + 1, sizeof(*stack));
    uint32_t depth = 0;

    stack[depth++] = place;
    while (depth) {
        const struct file_node *from = &s->nodes[stack[--depth]];
        const struct onnx_node *n = from->node;

        for (uint32_t k = 0; k < n->input_count; k++) {
            uint32_t at = find_maker(s, n->inputs[k], from->body);
            struct file_node *f = at != NOBODY ? &s->nodes[at] : NULL;

            if (!f || is_made(s, n->inputs[k], at) ||
                    is_constant(s, n->inputs[k], from->body) ||
                    f->group != NOBODY || f->constant)
                continue;
            f->group = ran;
            stack[depth++] = at;
        }
    }
    free(stack);
}

/* An operator of the same type as its node does the work of that node, and not
 * that of nodes before it: a Cast that was not needed, a Sqrt that is there
 * twice.  Only what pads becomes part of those that have pads themselves. */
static bool takes_what_is_before(const struct search *s, const struct ran *r)
{
    static const char *const padded[] = { "Conv", "ConvTranspose", "MaxPool",
        "AveragePool" };
    const struct onnx_node *n = s->nodes[r->anchor].node;

    for (size_t i = 0; i < LEN(padded); i++)
        if (str_is(n->op_type, padded[i]))
            return true;
    return !same_type(r->figures, n);
}

/* From what an operator puts out, and from the node that it is named after. */
static void find_groups(struct search *s)
{
    for (uint32_t i = 0; i < s->ran_count; i++) {
        const struct ran *r = &s->ran[i];
        size_t count;
        const struct operator_tensor *t =
                operators_tensors(s->operators, r->figures->id, &count);

        if (r->anchor == NOBODY || s->nodes[r->anchor].group != i)
            continue;
        for (size_t k = 0; k < count; k++) {
            uint32_t value = t[k].is_output ? find_value(s, t[k].name) : 0;
            uint32_t at = value ? find_maker(s, value, body_of(s, r)) : NOBODY;
            struct file_node *f = at != NOBODY ? &s->nodes[at] : NULL;

            if (!f || f->group != NOBODY || f->constant)
                continue;
            f->group = i;
            take_behind(s, i, at);
        }
        if (takes_what_is_before(s, r))
            take_behind(s, i, r->anchor);
    }
}

/* What is left joins the one that makes its input, where that value is nowhere
 * to be seen: as what was fused into an operator whose result is called
 * otherwise.  But nothing of a body of which nothing ran. */
static void take_forwards(struct search *s)
{
    bool *ran = alloc_zero(s->bodies, sizeof(*ran));

    for (uint32_t i = 0; i < s->count; i++)
        ran[s->nodes[i].body] |= s->nodes[i].copies != 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct file_node *f = &s->nodes[i];

        for (uint32_t k = 0; k < f->node->input_count; k++) {
            uint32_t at = find_maker(s, f->node->inputs[k], f->body);
            const struct file_node *maker = at != NOBODY ? &s->nodes[at] : NULL;

            if (!ran[f->body] || f->group != NOBODY || f->constant || !maker ||
                    maker->group == NOBODY ||
                    is_made(s, f->node->inputs[k], at))
                continue;
            f->group = maker->group;
        }
    }
    free(ran);
}

/* --- the sums ------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    double x = ((const struct fusion_group *)a)->ran->times[PHASES].self_ns;
    double y = ((const struct fusion_group *)b)->ran->times[PHASES].self_ns;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* It is in the body of a node that ran, where none of that body did. */
static bool is_not_taken(const struct search *s, const struct file_node *f,
        const bool *body_ran)
{
    while (s->owners[f->body] != NOBODY) {
        const struct file_node *owner = &s->nodes[s->owners[f->body]];

        if (owner->copies)
            return !body_ran[f->body];
        f = owner;
    }
    return false;
}

static bool is_group(const struct search *s, uint32_t ran, size_t members)
{
    const struct ran *r = &s->ran[ran];

    return members > 1 ||
           (members == 1 && !same_type(r->figures, s->nodes[r->anchor].node));
}

static void count_nodes(struct search *s, struct fusion *f,
        const size_t *members, struct buf *texts)
{
    bool *body_ran = alloc_zero(s->bodies + 1, sizeof(*body_ran));

    for (uint32_t i = 0; i < s->count; i++)
        body_ran[s->nodes[i].body] |= s->nodes[i].group != NOBODY;
    f->file_nodes = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct file_node *n = &s->nodes[i];

        if (n->group == NOBODY) {
            f->not_taken += is_not_taken(s, n, body_ran);
            f->folded += n->constant && !is_not_taken(s, n, body_ran);
            f->removed += !n->constant && !is_not_taken(s, n, body_ran);
        } else if (!is_group(s, n->group, members[n->group])) {
            f->duplicated += n->copies > 1;
            f->kept += n->copies < 2;
        } else {
            f->fused++;
            buf_printf(&texts[n->group], "%s%.*s %.*s",
                    texts[n->group].len ? "\n" : "", (int)n->node->op_type.len,
                    n->node->op_type.p, (int)n->node->name.len,
                    n->node->name.p);
        }
    }
    free(body_ran);
}

static void count_ran(struct search *s, struct fusion *f, const size_t *members,
        struct buf *texts)
{
    f->ran = s->ran_count;
    f->groups = alloc_zero(s->ran_count + 1, sizeof(*f->groups));
    for (uint32_t i = 0; i < s->ran_count; i++) {
        if (is_group(s, i, members[i]))
            f->groups[f->group_count++] =
                    (struct fusion_group){ s->ran[i].figures,
                        alloc_text(buf_cstr(&texts[i])), members[i] };
        else if (s->ran[i].anchor != NOBODY)
            f->from_file++;
        else
            f->inserted++;
        buf_release(&texts[i]);
    }
    f->made = f->group_count;
    if (f->group_count)
        qsort(f->groups, f->group_count, sizeof(*f->groups), by_time);
}

static void sum_up(struct search *s, struct fusion *f)
{
    size_t *members = alloc_zero(s->ran_count + 1, sizeof(*members));
    struct buf *texts = alloc_zero(s->ran_count + 1, sizeof(*texts));

    for (uint32_t i = 0; i < s->count; i++)
        if (s->nodes[i].group != NOBODY)
            members[s->nodes[i].group]++;
    count_nodes(s, f, members, texts);
    count_ran(s, f, members, texts);
    free(members);
    free(texts);
}

int fusion_find(struct fusion *out, const struct operators *o, uint32_t session,
        const char *model_path, struct error *e)
{
    struct search s = { .operators = o, .session = session };
    struct onnx_model *model = NULL;

    *out = (struct fusion){ 0 };
    if (!o->count)
        return fail(e, -ENODATA, "no operator is known");

    int rc = onnx_open(&model, model_path, e);

    if (rc)
        return rc;
    s.model = model;
    collect(&s, model->graph, NOBODY);
    list_ran(&s);
    find_bodies(&s);
    find_anchors_by_name(&s);
    find_made(&s);
    find_other_anchors(&s);
    find_constants(&s);
    find_groups(&s);
    take_forwards(&s);
    sum_up(&s, out);
    free(s.nodes);
    free(s.ran);
    free(s.owners);
    map_release(&s.by_name);
    map_release(&s.maker);
    map_release(&s.makers);
    map_release(&s.weights);
    map_release(&s.made);
    onnx_close(model);
    return 0;
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
