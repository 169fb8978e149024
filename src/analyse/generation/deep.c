#include "analyse/generation/deep.h"

#include "analyse/generation/deep_operation.h"
#include "analyse/generation/deep_values.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct deep_key {
    uint64_t token;
    int layer;
    bool unfused;
    enum arch_component component;
    enum deep_step step;
};

struct deep_row {
    struct deep_key key;
    uint64_t ns, count;
    double joules;
    double kill_ratio, variance_ratio;
    const struct deep_value *weights; /* of attention; NULL: not known */
};

struct left_row {
    struct deep_key key; /* without a step */
    struct depth_values values;
};

/* A step of a component while an inference is looked through. */
struct cell {
    uint64_t ns, count;
    double joules;
};

struct component_state {
    struct cell step[DEEP_STEPS];
    uint32_t first, last; /* operators; 0: none */
};

struct deep {
    const struct operators *operators;
    const struct operator_figures **by_id;
    enum deep_step *step_of;
    uint32_t id_count;
    size_t layer_count;
    struct deep_values values;
    struct map makers; /* from a session's tensor to operator and output */
    struct component_state (*state)[ARCH_COMPONENTS];
    /* All that ran in the other graph, by operator. */
    struct deep_piece *elsewhere;
    bool has_elsewhere;
    struct buf rows, left; /* struct deep_row, struct left_row */
};

/* --- reading -------------------------------------------------------------- */

static uint64_t tensor_key(uint32_t session, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ session;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

static const struct operator_figures *figures_of(const struct deep *d,
        uint32_t id)
{
    return id < d->id_count ? d->by_id[id] : NULL;
}

static void index_operators(struct deep *d)
{
    const struct operators *o = d->operators;

    for (size_t i = 0; i < o->count; i++) {
        if (o->items[i].id >= d->id_count)
            d->id_count = o->items[i].id + 1;
        if (o->items[i].place.layer >= (int)d->layer_count)
            d->layer_count = (size_t)o->items[i].place.layer + 1;
    }
    d->by_id = alloc_zero(d->id_count + 1, sizeof(struct operator_figures *));
    d->step_of = alloc_zero(d->id_count + 1, sizeof(*d->step_of));
    d->elsewhere = alloc_zero(d->id_count + 1, sizeof(*d->elsewhere));
    d->state = alloc_zero(d->layer_count + 1, sizeof(*d->state));
    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *f = &o->items[i];

        d->by_id[f->id] = f;
        d->step_of[f->id] = deep_step_of(o, f);
    }
    for (size_t i = 0; i < o->tensor_count; i++) {
        const struct operator_tensor *t = &o->tensors[i];
        const struct operator_figures *f = figures_of(d, t->operator_id);

        if (f && t->is_output && t->name)
            map_put(&d->makers, tensor_key(f->session, t->name),
                    (uint64_t)t->operator_id << 16 | t->index);
    }
}

int deep_read(struct deep **out, const struct operators *o, struct store *s,
        int64_t run, struct error *e)
{
    struct deep *d = alloc_zero(1, sizeof(*d));
    int rc;

    d->operators = o;
    rc = deep_values_read(&d->values, o, s, run, e);
    if (d->values.count)
        index_operators(d);
    *out = d;
    return rc;
}

void deep_free(struct deep *d)
{
    if (!d)
        return;
    deep_values_release(&d->values);
    map_release(&d->makers);
    buf_release(&d->rows);
    buf_release(&d->left);
    free(d->by_id);
    free(d->step_of);
    free(d->elsewhere);
    free(d->state);
    free(d);
}

bool deep_is_wanted(const struct deep *d)
{
    return d->values.count > 0;
}

/* --- what an inference tells ---------------------------------------------- */

static const struct deep_value *output_of(const struct deep *d,
        uint64_t inference, uint32_t operator_id)
{
    return operator_id ? deep_values_find(&d->values, inference, operator_id, 0)
                       : NULL;
}

/* What an operator's first input held. */
static const struct deep_value *input_of(const struct deep *d,
        uint64_t inference, uint32_t operator_id)
{
    const struct operator_figures *f = figures_of(d, operator_id);
    const struct operator_tensor *t;
    size_t count;

    if (!f)
        return NULL;
    t = operators_tensors(d->operators, operator_id, &count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *maker;

        if (t[i].is_output || t[i].index != 0 || !t[i].name)
            continue;
        maker = map_find(&d->makers, tensor_key(f->session, t[i].name));
        return maker ? deep_values_find(&d->values, inference,
                               (uint32_t)(*maker >> 16),
                               (uint16_t)(*maker & 0xffff))
                     : NULL;
    }
    return NULL;
}

static void add_left(struct deep *d, const struct deep_key *key,
        const struct deep_value *v)
{
    struct left_row row = { .key = *key };

    if (!v || isnan(v->mean))
        return;
    row.key.step = DEEP_MAIN;
    row.values = (struct depth_values){
        .mean = v->mean,
        .std = v->std,
        .max = v->max,
        .sparsity = (double)v->near_zero / (double)v->read,
    };
    buf_add(&d->left, &row, sizeof(row));
}

static double variance_ratio(const struct deep *d, uint64_t inference,
        const struct component_state *c)
{
    const struct deep_value *in = input_of(d, inference, c->first);
    const struct deep_value *out = output_of(d, inference, c->last);

    if (!in || !out || isnan(in->std) || !(out->std > 0))
        return NAN;
    return in->std * in->std / (out->std * out->std);
}

/* Which component an activation reads. */
static enum arch_component before_activation(const struct component_state *c)
{
    static const enum arch_component wide[] = { ARCH_GATE, ARCH_GATE_UP,
        ARCH_UP };

    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
        if (c[wide[i]].last)
            return wide[i];
    return ARCH_NONE;
}

static double kill_ratio(const struct deep *d, uint64_t inference,
        const struct component_state *c)
{
    const struct deep_value *in =
            input_of(d, inference, c[ARCH_ACTIVATION].first);

    return in && in->negative_known && in->read
                   ? (double)in->negative / (double)in->read
                   : NAN;
}

/* The step of a normalisation that has its ratio. */
static enum deep_step ratio_step(const struct component_state *c)
{
    return c->step[DEEP_NORMALISE].count ? DEEP_NORMALISE : DEEP_FUSED;
}

static void add_component(struct deep *d, struct deep_key key,
        uint64_t inference)
{
    const struct component_state *all = d->state[key.layer];
    const struct component_state *c = &all[key.component];

    for (int i = 0; i < DEEP_STEPS; i++) {
        struct deep_row row = { key, c->step[i].ns, c->step[i].count,
            c->step[i].joules, NAN, NAN, NULL };

        if (!row.count)
            continue;
        row.key.step = (enum deep_step)i;
        if (key.component == ARCH_SOFTMAX)
            row.weights = output_of(d, inference, c->last);
        if (key.component == before_activation(all))
            row.kill_ratio = kill_ratio(d, inference, all);
        if (deep_is_norm(key.component) && row.key.step == ratio_step(c))
            row.variance_ratio = variance_ratio(d, inference, c);
        if (row.weights && !row.weights->head_count)
            row.weights = NULL;
        buf_add(&d->rows, &row, sizeof(row));
    }
}

static void add_piece(struct deep *d, const struct deep_piece *p,
        uint64_t inference, bool unfused, uint32_t *last_of_layer)
{
    const struct operator_figures *f = figures_of(d, p->operator_id);

    if (!f || f->place.layer < 0)
        return;

    struct component_state *c = &d->state[f->place.layer][f->place.component];
    struct cell *cell = &c->step[d->step_of[f->id]];

    cell->ns += p->ns;
    cell->count += p->count;
    cell->joules += p->joules;
    if (!c->first)
        c->first = f->id;
    if (output_of(d, inference, f->id)) {
        c->last = f->id;
        last_of_layer[f->place.layer] = f->id;
    } else if (!c->last && !d->values.count)
        c->last = f->id;
    if (unfused && inference) {
        struct deep_piece *all = &d->elsewhere[f->id];

        all->operator_id = f->id;
        all->ns += p->ns;
        all->count += p->count;
        all->joules += p->joules;
        d->has_elsewhere = true;
    }
}

void deep_add(struct deep *d, uint64_t token, uint64_t inference, bool unfused,
        const struct deep_piece *pieces, size_t count)
{
    uint32_t *last;

    if (!deep_is_wanted(d) || !d->layer_count)
        return;
    last = alloc_zero(d->layer_count, sizeof(*last));
    memset(d->state, 0, d->layer_count * sizeof(*d->state));
    for (size_t i = 0; i < count; i++)
        add_piece(d, &pieces[i], inference, unfused, last);
    for (size_t layer = 0; layer < d->layer_count; layer++) {
        struct deep_key key = { .token = token,
            .layer = (int)layer,
            .unfused = unfused };

        add_left(d, &key, output_of(d, inference, last[layer]));
        for (int c = ARCH_NONE + 1; c < ARCH_COMPONENTS; c++) {
            key.component = (enum arch_component)c;
            add_left(d, &key, output_of(d, inference, d->state[layer][c].last));
            if (deep_type_name(key.component))
                add_component(d, key, inference);
        }
    }
    free(last);
}

static int by_id(const void *a, const void *b)
{
    const struct deep_piece *x = a, *y = b;

    return (x->operator_id > y->operator_id) -
           (x->operator_id < y->operator_id);
}

/* Operators are numbered in the order in which they ran first. */
void deep_add_all(struct deep *d,
        double (*joules)(const void *context, uint32_t operator_id),
        const void *context)
{
    const struct operators *o = d->operators;
    struct buf pieces = { 0 };

    if (!deep_is_wanted(d))
        return;
    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *f = &o->items[i];
        const struct operator_times *t = &f->times[PHASES];
        struct deep_piece p = { f->id, (uint64_t)t->self_ns, t->count,
            joules ? joules(context, f->id) : NAN };

        if (t->count)
            buf_add(&pieces, &p, sizeof(p));
    }
    if (pieces.len) {
        qsort(pieces.p, pieces.len / sizeof(struct deep_piece),
                sizeof(struct deep_piece), by_id);
        deep_add(d, 0, 0, false, (const struct deep_piece *)(void *)pieces.p,
                pieces.len / sizeof(struct deep_piece));
    }
    if (d->has_elsewhere)
        deep_add(d, 0, 0, true, d->elsewhere, d->id_count);
    buf_release(&pieces);
}

/* --- asking --------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const struct deep_key *x = a, *y = b; /* the first member of either row */

    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->unfused != y->unfused)
        return x->unfused ? 1 : -1;
    if (x->component != y->component)
        return x->component < y->component ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

void deep_finish(struct deep *d)
{
    if (d->rows.len)
        qsort(d->rows.p, d->rows.len / sizeof(struct deep_row),
                sizeof(struct deep_row), compare_keys);
    if (d->left.len)
        qsort(d->left.p, d->left.len / sizeof(struct left_row),
                sizeof(struct left_row), compare_keys);
}

struct depth_values deep_values_of(const struct deep *d, uint64_t token,
        int layer, enum arch_component component)
{
    struct left_row key = {
        .key = { .token = token, .layer = layer, .component = component }
    };
    const struct left_row *found = NULL;
    size_t count = d->left.len / sizeof(key);

    for (int unfused = 0; unfused < 2 && !found && count; unfused++) {
        key.key.unfused = unfused;
        found = bsearch(&key, d->left.p, count, sizeof(key), compare_keys);
    }
    return found ? found->values : (struct depth_values){ NAN, NAN, NAN, NAN };
}

/* The row of a component that a step is shown in: its own, or of one that the
 * optimiser made part of another, one of the same kind. */
static uint32_t home_of(const uint32_t ids[ARCH_COMPONENTS],
        enum arch_component component)
{
    if (ids[component])
        return ids[component];
    for (int i = 0; i < ARCH_COMPONENTS; i++)
        if (ids[i] && deep_type_name((enum arch_component)i) ==
                              deep_type_name(component))
            return ids[i];
    return 0;
}

static const char *head_list(struct buf *out, const struct deep_value *v,
        enum deep_head_figure figure)
{
    for (size_t i = 0; i < v->head_count; i++)
        buf_printf(out, "%s%.9g", i ? "," : "[",
                v->heads[i * HEAD_FIGURES + figure]);
    buf_char(out, ']');
    return buf_cstr(out);
}

static double head_mean(const struct deep_value *v,
        enum deep_head_figure figure)
{
    double sum = 0;

    for (size_t i = 0; i < v->head_count; i++)
        sum += v->heads[i * HEAD_FIGURES + figure];
    return sum / (double)v->head_count;
}

static void write_row(struct store *s, const struct deep_row *r,
        uint32_t component, uint32_t id, uint8_t method)
{
    const struct deep_value *w = r->weights;
    struct buf lists[HEAD_FIGURES] = { 0 };

    store_add_deep_operation(s,
            &(struct deep_operation_metric){
                    .id = id,
                    .component_metric_id = component,
                    .operation_type = deep_type_name(r->key.component),
                    .operation_name =
                            deep_step_name(r->key.component, r->key.step),
                    .count = r->count,
                    .duration_ns = r->ns,
                    .energy_mj = 1e3 * r->joules,
                    .attention_entropy = w ? head_mean(w, HEAD_ENTROPY) : NAN,
                    .attention_sparsity = w ? head_mean(w, HEAD_SPARSITY) : NAN,
                    .max_attention_weight =
                            w ? head_mean(w, HEAD_LARGEST) : NAN,
                    .activation_kill_ratio = r->kill_ratio,
                    .variance_ratio = r->variance_ratio,
                    .entropy_per_head =
                            w ? head_list(&lists[0], w, HEAD_ENTROPY) : NULL,
                    .largest_per_head =
                            w ? head_list(&lists[1], w, HEAD_LARGEST) : NULL,
                    .sparsity_per_head =
                            w ? head_list(&lists[2], w, HEAD_SPARSITY) : NULL,
                    .graph = r->key.unfused ? DEEP_UNFUSED : NULL,
                    .energy_method = method,
            });
    for (size_t i = 0; i < HEAD_FIGURES; i++)
        buf_release(&lists[i]);
}

uint32_t deep_write(const struct deep *d, struct store *s, uint64_t token,
        int layer, const uint32_t ids[ARCH_COMPONENTS], uint32_t id,
        uint8_t method)
{
    const struct deep_row *rows = (const struct deep_row *)(void *)d->rows.p;
    const struct deep_key key = { .token = token, .layer = layer };
    size_t low = 0, high = d->rows.len / sizeof(*rows), count = high;

    while (low < high) { /* the first of them */
        size_t middle = (low + high) / 2;

        if (compare_keys(&rows[middle].key, &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && rows[low].key.token == token &&
            rows[low].key.layer == layer;
            low++)
        write_row(s, &rows[low], home_of(ids, rows[low].key.component), ++id,
                method);
    return id;
}
