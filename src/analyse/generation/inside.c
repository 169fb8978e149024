#include "analyse/generation/inside.h"

#include "analyse/generation/deep.h"
#include "analyse/generation/section_tree.h"
#include "analyse/generation/timeline_pieces.h"
#include "base/alloc.h"
#include "base/buf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An inference that ended well. */
struct inside_run {
    uint64_t number;
    uint32_t process, thread;
    uint64_t start_ns, end_ns;
    uint64_t token; /* that it made; 0: none */
    bool again;     /* it was made before, by another graph */
    struct section_node *section;
};

struct inside_token {
    uint64_t number;
    uint32_t process, thread;
    uint64_t time_ns;
    bool again; /* as above */
};

/* A layer, or a component of one, in one inference. */
struct inside_sum {
    uint64_t ns, count;
    double joules; /* NAN: not known of all of it */
};

/* What is to be written, as the store is not changed while it is read. */
struct inside_layer {
    uint64_t token;
    uint32_t layer;
    size_t components; /* so many of the list are its own */
    struct inside_sum sum;
};
struct inside_component {
    enum arch_component component;
    struct inside_sum sum;
};
struct inside_section {
    const struct section_node *in;
    const char *name;
    uint64_t start_ns, end_ns;
};
struct inside_times {
    uint64_t number; /* of the token */
    struct token token;
};

/* Lists are of the structs above, in the order of the names. */
struct inside {
    const struct run_energy *energy; /* or NULL */
    struct deep *deep;
    const struct operator_figures **by_id; /* of operators */
    uint32_t id_count;
    struct section_tree tree;
    struct buf runs, tokens;
    /* The timeline that is being read. */
    uint64_t inference;
    struct buf timeline; /* struct operator_run */
    struct timeline_pieces pieces;
    struct inside_sum *layers;
    struct inside_sum (*components)[ARCH_COMPONENTS];
    size_t layer_count;
    /* Found out. */
    struct buf layer_rows, component_rows, section_rows, times;
};

#define LIST(type, b)       ((struct type *)(void *)(b).p)
#define LIST_COUNT(type, b) ((b).len / sizeof(struct type))

/* --- which inference is of what ------------------------------------------- */

static void take_token(void *to, const struct token *t)
{
    struct inside *x = to;
    struct inside_token token = {
        .number = LIST_COUNT(inside_token, x->tokens) + 1,
        .process = t->process,
        .thread = t->thread,
        .time_ns = t->time_ns,
    };

    buf_add(&x->tokens, &token, sizeof(token));
}

static void take_mark(void *to, const struct note *n)
{
    struct inside *x = to;
    struct inside_token token = {
        .process = n->process,
        .thread = n->thread,
        .time_ns = n->time_ns,
        .again = true,
    };
    const size_t len = strlen(DEEP_MARK);

    if (n->text && strncmp(n->text, DEEP_MARK, len) == 0 &&
            !str_u64(&token.number, str_of(n->text + len)) && token.number)
        buf_add(&x->tokens, &token, sizeof(token));
}

static void take_inference(void *to, const struct inference *i)
{
    struct inside *x = to;
    struct inside_run run = {
        .number = i->number,
        .process = i->process,
        .thread = i->thread,
        .start_ns = i->start_ns,
        .end_ns = i->start_ns + i->duration_ns,
    };

    if (i->flags & FLAG_FAILED)
        return;
    run.section = section_tree_around(&x->tree, run.process, run.thread,
            run.start_ns, run.end_ns);
    if (run.section)
        run.section->inferences++;
    buf_add(&x->runs, &run, sizeof(run));
}

static int by_place(uint32_t process, uint32_t thread, uint64_t ns,
        const struct inside_token *t)
{
    if (process != t->process)
        return process < t->process ? -1 : 1;
    if (thread != t->thread)
        return thread < t->thread ? -1 : 1;
    return (ns > t->time_ns) - (ns < t->time_ns);
}

static int by_end(const void *a, const void *b)
{
    const struct inside_run *x = a, *y = b;

    return by_place(x->process, x->thread, x->end_ns,
            &(struct inside_token){ .process = y->process,
                    .thread = y->thread,
                    .time_ns = y->end_ns });
}

static int by_time(const void *a, const void *b)
{
    const struct inside_token *x = a, *y = b;
    int order = by_place(x->process, x->thread, x->time_ns, y);

    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b)
{
    const struct inside_run *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static void made_by(struct inside_run *run, const struct inside_token *t)
{
    run->token = t->number;
    run->again = t->again;
}

/* The last that ended before the token was told, and after the one before. */
static void find_tokens(struct inside *x)
{
    struct inside_run *runs = LIST(inside_run, x->runs);
    struct inside_token *tokens = LIST(inside_token, x->tokens);
    size_t run_count = LIST_COUNT(inside_run, x->runs);
    size_t token_count = LIST_COUNT(inside_token, x->tokens), at = 0;

    if (!run_count || !token_count)
        return;
    qsort(runs, run_count, sizeof(*runs), by_end);
    qsort(tokens, token_count, sizeof(*tokens), by_time);
    for (size_t i = 0; i < token_count; i++) {
        size_t first = at;

        while (at < run_count && by_place(runs[at].process, runs[at].thread,
                                         runs[at].end_ns, &tokens[i]) <= 0)
            at++;
        if (at > first && runs[at - 1].process == tokens[i].process &&
                runs[at - 1].thread == tokens[i].thread)
            made_by(&runs[at - 1], &tokens[i]);
    }
    qsort(runs, run_count, sizeof(*runs), by_number);
}

static struct inside_run *find_run(const struct inside *x, uint64_t number)
{
    struct inside_run key = { .number = number };
    size_t count = LIST_COUNT(inside_run, x->runs);

    return count ? bsearch(&key, x->runs.p, count, sizeof(key), by_number)
                 : NULL;
}

/* --- layers --------------------------------------------------------------- */

static const struct operator_figures *operator_of(const struct inside *x,
        const struct timeline_piece *p)
{
    return p->operator_id < x->id_count ? x->by_id[p->operator_id] : NULL;
}

static int layer_of(const struct inside *x, const struct timeline_piece *p)
{
    const struct operator_figures *o = operator_of(x, p);

    return o ? o->place.layer : -1;
}

/* The runtime's own, or that of an operator in which others run. */
static bool is_runtime(const struct inside *x, const struct timeline_piece *p)
{
    const struct operator_figures *o = operator_of(x, p);

    return !o || o->contains;
}

static void add_sum(struct inside_sum *to, uint64_t ns, double joules)
{
    to->ns += ns;
    to->count++;
    to->joules += joules;
}

/* From the first piece of a layer, with what the runtime does before it, to the
 * last, which is `behind` - 1.  False: there is none. */
static bool find_layers(const struct inside *x, size_t *first, size_t *behind)
{
    *first = *behind = 0;
    for (size_t i = 0; i < x->pieces.count; i++) {
        if (layer_of(x, &x->pieces.items[i]) < 0)
            continue;
        if (!*behind)
            *first = i;
        *behind = i + 1;
    }
    while (*first && is_runtime(x, &x->pieces.items[*first - 1]))
        --*first;
    return *behind > 0;
}

static void sum_layers(struct inside *x, struct inside_times *t, size_t first,
        size_t behind)
{
    for (size_t i = first; i < behind; i++) {
        const struct timeline_piece *p = &x->pieces.items[i];
        const struct operator_figures *o = operator_of(x, p);
        uint64_t ns = p->end_ns - p->start_ns;
        double joules = x->energy ? energy_account_between(&x->energy->account,
                                            p->start_ns, p->end_ns)
                                  : NAN;
        int layer = layer_of(x, p);

        if (layer >= 0) {
            add_sum(&x->layers[layer], ns, joules);
            add_sum(&x->components[layer][o->place.component], ns, joules);
        } else if (is_runtime(x, p))
            t->token.between_ns += ns;
        else
            t->token.outside_ns += ns;
    }
    t->token.layers_ns = x->pieces.items[behind - 1].end_ns -
                         x->pieces.items[first].start_ns;
}

static void add_layer_rows(struct inside *x, uint64_t token)
{
    for (size_t i = 0; i < x->layer_count; i++) {
        struct inside_layer row = { token, (uint32_t)i, 0, x->layers[i] };

        if (!row.sum.count)
            continue;
        for (int k = ARCH_NONE + 1; k < ARCH_COMPONENTS; k++) {
            struct inside_component c = { (enum arch_component)k,
                x->components[i][k] };

            if (!c.sum.count)
                continue;
            buf_add(&x->component_rows, &c, sizeof(c));
            row.components++;
        }
        buf_add(&x->layer_rows, &row, sizeof(row));
    }
    memset(x->layers, 0, x->layer_count * sizeof(*x->layers));
    memset(x->components, 0, x->layer_count * sizeof(*x->components));
}

/* The same, for what is in the components. */
static void open_deep(struct inside *x, const struct inside_run *run,
        size_t first, size_t behind)
{
    struct buf pieces = { 0 };

    for (size_t i = first; i < behind; i++) {
        const struct timeline_piece *t = &x->pieces.items[i];
        struct deep_piece p = { t->operator_id, t->end_ns - t->start_ns, 1,
            NAN };

        if (x->energy)
            p.joules = energy_account_between(&x->energy->account, t->start_ns,
                    t->end_ns);
        buf_add(&pieces, &p, sizeof(p));
    }
    deep_add(x->deep, run->token, run->number, run->again,
            (const struct deep_piece *)(void *)pieces.p, behind - first);
    buf_release(&pieces);
}

static void open_token(struct inside *x, uint64_t token, size_t first,
        size_t behind)
{
    struct inside_times times = { .number = token };

    sum_layers(x, &times, first, behind);
    buf_add(&x->times, &times, sizeof(times));
    add_layer_rows(x, token);
}

/* --- sections ------------------------------------------------------------- */

enum inside_part { EMBEDDING, POSITION, LAYERS, NORM, HEAD, CACHE };

static const char *const part_names[][2] = {
    [EMBEDDING] = { "embedding_lookup", "embedding" },
    [POSITION] = { "position_embedding", "position" },
    [LAYERS] = { "layers", "layers" },
    [NORM] = { "final_layernorm", "final_layernorm" },
    [HEAD] = { "lm_head", "lm_head" },
    [CACHE] = { "kv_cache_store", "kv_cache_append" },
};

/* Before the layers there are tokens and positions, behind them norm and
 * head. */
static enum inside_part part_of(const struct inside *x, size_t at, size_t first,
        size_t behind, bool *normed)
{
    const struct operator_figures *o = operator_of(x, &x->pieces.items[at]);
    enum arch_component c = o ? o->place.component : ARCH_NONE;

    if (at < first)
        return c == ARCH_EMBEDDING ? EMBEDDING : POSITION;
    if (at < behind)
        return LAYERS;
    *normed |= c == ARCH_LM_HEAD || c == ARCH_HEAD;
    if (*normed)
        return HEAD;
    *normed = c == ARCH_FINAL_NORM;
    return NORM;
}

static void open_section(struct inside *x, struct section_node *in,
        size_t first, size_t behind)
{
    bool decode = in->phase == PHASE_DECODE, normed = false;
    struct inside_section row = { .in = in,
        .start_ns = x->pieces.items[0].start_ns };
    size_t count = x->pieces.count;

    in->opened++;
    for (size_t i = 0; i < count; i++) {
        const struct timeline_piece *p = &x->pieces.items[i];
        const char *name;

        if (is_runtime(x, p) && (i < first || i >= behind) && i + 1 < count)
            continue; /* it is for what comes next */
        name = part_names[is_runtime(x, p) && i >= behind
                                  ? CACHE
                                  : part_of(x, i, first, behind, &normed)]
                         [decode];
        if (row.name && strcmp(row.name, name) != 0) {
            buf_add(&x->section_rows, &row, sizeof(row));
            row.start_ns = row.end_ns;
        }
        row.name = name;
        row.end_ns = p->end_ns;
    }
    buf_add(&x->section_rows, &row, sizeof(row));
}

/* --- timelines ------------------------------------------------------------ */

static bool is_opened(const struct section_node *s)
{
    return s && (s->phase == PHASE_PREFILL || s->phase == PHASE_DECODE);
}

static void finish_timeline(struct inside *x)
{
    const struct inside_run *run = find_run(x, x->inference);
    size_t count = LIST_COUNT(operator_run, x->timeline), first, behind;

    if (count && run && (run->token || is_opened(run->section)) &&
            timeline_cut(&x->pieces, LIST(operator_run, x->timeline), count,
                    run->start_ns, run->end_ns) &&
            find_layers(x, &first, &behind)) {
        if (run->token && !run->again)
            open_token(x, run->token, first, behind);
        if (run->token)
            open_deep(x, run, first, behind);
        if (is_opened(run->section))
            open_section(x, run->section, first, behind);
    }
    buf_clear(&x->timeline);
}

static void take_operator_run(void *to, const struct operator_run *r)
{
    struct inside *x = to;

    if (r->inference != x->inference)
        finish_timeline(x);
    x->inference = r->inference;
    if (r->kernel_known && !r->in_cycles)
        buf_add(&x->timeline, r, sizeof(*r));
}

/* --- what remains of sections --------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct inside_section *x = a, *y = b;

    if (x->in != y->in)
        return x->in < y->in ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* All children of those that were opened, those that were told, too: without a
 * name. */
static struct buf list_children(const struct inside *x)
{
    struct buf all = { 0 };
    size_t count = LIST_COUNT(inside_section, x->section_rows);

    buf_add(&all, x->section_rows.p, count * sizeof(struct inside_section));
    for (size_t i = 0; i < x->tree.count; i++) {
        const struct section_node *s = &x->tree.items[i];
        struct inside_section child = { .start_ns = s->start_ns,
            .end_ns = s->end_ns };

        if (s->outer == SIZE_MAX || !x->tree.items[s->outer].opened)
            continue;
        child.in = &x->tree.items[s->outer];
        buf_add(&all, &child, sizeof(child));
    }
    count = LIST_COUNT(inside_section, all);
    if (count)
        qsort(all.p, count, sizeof(struct inside_section), by_start);
    return all;
}

static void add_gap(struct inside *x, const struct section_node *in,
        uint64_t from_ns, uint64_t to_ns)
{
    struct inside_section gap = { in, "between_sections", from_ns, to_ns };

    if (to_ns > from_ns)
        buf_add(&x->section_rows, &gap, sizeof(gap));
}

static void fill_gaps(struct inside *x)
{
    struct buf all = list_children(x);
    const struct inside_section *child = LIST(inside_section, all);
    size_t count = LIST_COUNT(inside_section, all);

    for (size_t i = 0; i < count;) {
        const struct section_node *in = child[i].in;
        bool whole = in->opened == in->inferences;
        uint64_t at_ns = in->start_ns;

        for (; i < count && child[i].in == in; i++) {
            if (whole)
                add_gap(x, in, at_ns, child[i].start_ns);
            if (child[i].end_ns > at_ns)
                at_ns = child[i].end_ns;
        }
        if (whole)
            add_gap(x, in, at_ns, in->end_ns);
    }
    buf_release(&all);
}

/* --- writing -------------------------------------------------------------- */

static double millijoules(const struct inside_sum *s)
{
    return 1e3 * s->joules;
}

static uint8_t method_of(const struct inside *x, uint64_t ns)
{
    return x->energy ? (uint8_t)energy_account_method(&x->energy->account, ns)
                     : 0;
}

static void write_components(const struct inside *x, struct store *s,
        const struct inside_layer *l, const struct inside_component *c,
        struct inside_ids *ids)
{
    uint32_t of[ARCH_COMPONENTS] = { 0 };

    for (size_t k = 0; k < l->components; k++, c++) {
        of[c->component] = ++ids->component;
        store_add_component(s,
                &(struct component_metric){
                        .id = ids->component,
                        .layer_metric_id = ids->layer,
                        .component_name = arch_component_name(c->component),
                        .count = c->sum.count,
                        .duration_ns = c->sum.ns,
                        .energy_mj = millijoules(&c->sum),
                        .activation = deep_values_of(x->deep, l->token,
                                (int)l->layer, c->component),
                        .energy_method = method_of(x, c->sum.ns),
                });
    }
    ids->deep = deep_write(x->deep, s, l->token, (int)l->layer, of, ids->deep,
            method_of(x, l->sum.ns));
}

static void write_layers(const struct inside *x, struct store *s,
        struct inside_ids *ids)
{
    const struct inside_layer *rows = LIST(inside_layer, x->layer_rows);
    const struct inside_component *c =
            LIST(inside_component, x->component_rows);
    const struct inside_times *times = LIST(inside_times, x->times);

    for (size_t i = 0; i < LIST_COUNT(inside_times, x->times); i++)
        store_set_token_layers(s, times[i].number, &times[i].token);
    for (size_t i = 0; i < LIST_COUNT(inside_layer, x->layer_rows); i++) {
        store_add_layer(s,
                &(struct layer_metric){
                        .id = ++ids->layer,
                        .token_id = rows[i].token,
                        .layer_index = rows[i].layer,
                        .duration_ns = rows[i].sum.ns,
                        .energy_mj = millijoules(&rows[i].sum),
                        .activation = deep_values_of(x->deep, rows[i].token,
                                (int)rows[i].layer, ARCH_NONE),
                        .energy_method = method_of(x, rows[i].sum.ns),
                });
        write_components(x, s, &rows[i], c, ids);
        c += rows[i].components;
    }
}

static void write_sections(const struct inside *x, struct store *s)
{
    const struct inside_section *rows = LIST(inside_section, x->section_rows);
    uint64_t number = x->tree.count;

    for (size_t i = 0; i < x->tree.count; i++)
        if (x->tree.items[i].parent)
            store_set_section_parent(s, x->tree.items[i].number,
                    x->tree.items[i].parent);
    for (size_t i = 0; i < LIST_COUNT(inside_section, x->section_rows); i++) {
        const struct section_node *in = rows[i].in;
        uint64_t ns = rows[i].end_ns - rows[i].start_ns;
        double joules = x->energy ? energy_account_between(&x->energy->account,
                                            rows[i].start_ns, rows[i].end_ns)
                                  : NAN;

        store_add_section(s, &(struct section){
                                     .process = in->process,
                                     .thread = in->thread,
                                     .phase = in->phase,
                                     .name = rows[i].name,
                                     .start_ns = rows[i].start_ns,
                                     .duration_ns = ns,
                                     .parent = in->number,
                                     .derived = true,
                             });
        number++;
        if (!isnan(joules))
            store_set_section_energy(s, number, 1e3 * joules,
                    (enum reading_method)method_of(x, ns));
    }
}

/* --- all of it ------------------------------------------------------------ */

static void index_operators(struct inside *x, const struct operators *o)
{
    for (size_t i = 0; i < o->count; i++) {
        if (o->items[i].id >= x->id_count)
            x->id_count = o->items[i].id + 1;
        if (o->items[i].place.layer >= (int)x->layer_count)
            x->layer_count = (size_t)o->items[i].place.layer + 1;
    }
    x->by_id = alloc_zero(x->id_count + 1, sizeof(struct operator_figures *));
    for (size_t i = 0; i < o->count; i++)
        x->by_id[o->items[i].id] = &o->items[i];
    x->layers = alloc_zero(x->layer_count + 1, sizeof(*x->layers));
    x->components = alloc_zero(x->layer_count + 1, sizeof(*x->components));
}

void inside_free(struct inside *x)
{
    if (!x)
        return;
    section_tree_release(&x->tree);
    timeline_pieces_release(&x->pieces);
    buf_release(&x->runs);
    buf_release(&x->tokens);
    buf_release(&x->timeline);
    buf_release(&x->layer_rows);
    buf_release(&x->component_rows);
    buf_release(&x->section_rows);
    buf_release(&x->times);
    free(x->by_id);
    free(x->layers);
    free(x->components);
    free(x);
}

static int read_all(struct inside *x, struct store *s, int64_t run,
        struct error *e)
{
    int rc = store_each_token(s, run, take_token, x, e);

    if (!rc)
        rc = store_each_mark(s, run, take_mark, x, e);
    if (!rc)
        rc = store_each_inference(s, run, take_inference, x, e);
    if (rc)
        return rc;
    find_tokens(x);
    rc = store_each_operator_run(s, run, take_operator_run, x, e);
    finish_timeline(x);
    fill_gaps(x);
    return rc;
}

int inside_read(struct inside **out, struct store *s, const struct run *run,
        const struct operators *o, const struct run_energy *energy,
        struct deep *deep, struct error *e)
{
    struct inside *x = alloc_zero(1, sizeof(*x));
    int rc = section_tree_read(&x->tree, s, run->row, e);

    x->energy = energy;
    x->deep = deep;
    index_operators(x, o);
    if (!rc && x->layer_count)
        rc = read_all(x, s, run->row, e);
    *out = x;
    return rc;
}

void inside_write(const struct inside *x, struct store *s,
        struct inside_ids *ids)
{
    write_sections(x, s);
    write_layers(x, s, ids);
}
