#include "analyse/operators/save_operators.h"

#include "analyse/generation/inside.h"
#include "base/alloc.h"
#include "energy/run_energy.h"

#include <math.h>
#include <stdlib.h>

struct place_sum {
    uint64_t count;
    double duration_ns;
    uint64_t gross_uj;
    enum reading_method method;
};

struct keeper {
    struct store *store;
    const struct run_energy *energy; /* NULL: not known */
    struct deep *deep;
    struct place_sum *layers;
    /* Of each layer and component; those in no layer come first. */
    struct place_sum (*components)[ARCH_COMPONENTS];
    size_t layer_count;
};

/* --- summing -------------------------------------------------------------- */

static void add(struct place_sum *to, const struct operator_times *t,
        const struct energy_sum *x)
{
    to->count += t->count;
    to->duration_ns += t->self_ns;
    to->gross_uj += x->gross_uj;
    if (x->method > to->method)
        to->method = x->method;
}

static void sum(struct keeper *k, const struct operators *o)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].place.layer >= (int)k->layer_count)
            k->layer_count = (size_t)o->items[i].place.layer + 1;
    k->layers = alloc_zero(k->layer_count + 1, sizeof(*k->layers));
    k->components = alloc_zero(k->layer_count + 1, sizeof(*k->components));
    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *f = &o->items[i];
        const struct operator_times *t = &f->times[PHASES];
        struct energy_sum x = { 0 };

        if (!t->count)
            continue;
        if (k->energy)
            x = run_energy_operator(k->energy, f->id);
        if (f->place.layer >= 0)
            add(&k->layers[f->place.layer], t, &x);
        if (f->place.component != ARCH_NONE)
            add(&k->components[f->place.layer + 1][f->place.component], t, &x);
    }
}

/* --- writing -------------------------------------------------------------- */

static double millijoules(const struct keeper *k, const struct place_sum *x)
{
    return k->energy ? (double)x->gross_uj / 1e3 : NAN;
}

/* Of a layer, whose row that is, or with -1 of those in none. */
static void write_components(const struct keeper *k, int layer,
        struct inside_ids *ids)
{
    uint32_t of[ARCH_COMPONENTS] = { 0 };
    enum reading_method method = 0;

    for (int i = 0; i < ARCH_COMPONENTS; i++) {
        const struct place_sum *x = &k->components[layer + 1][i];
        enum arch_component c = (enum arch_component)i;

        if (!x->count)
            continue;
        of[i] = ++ids->component;
        if (x->method > method)
            method = x->method;
        store_add_component(k->store,
                &(struct component_metric){
                        .id = ids->component,
                        .layer_metric_id = layer >= 0 ? ids->layer : 0,
                        .component_name = arch_component_name(c),
                        .count = x->count,
                        .duration_ns = (uint64_t)x->duration_ns,
                        .energy_mj = millijoules(k, x),
                        .activation = deep_values_of(k->deep, 0, layer, c),
                        .energy_method = (uint8_t)x->method,
                });
    }
    if (layer >= 0)
        ids->deep = deep_write(k->deep, k->store, 0, layer, of, ids->deep,
                (uint8_t)method);
}

static void write_rows(const struct keeper *k, struct inside_ids *ids)
{
    for (size_t i = 0; i < k->layer_count; i++) {
        const struct place_sum *x = &k->layers[i];

        if (!x->count)
            continue;
        store_add_layer(k->store,
                &(struct layer_metric){
                        .id = ++ids->layer,
                        .layer_index = (uint32_t)i,
                        .duration_ns = (uint64_t)x->duration_ns,
                        .energy_mj = millijoules(k, x),
                        .activation =
                                deep_values_of(k->deep, 0, (int)i, ARCH_NONE),
                        .energy_method = (uint8_t)x->method,
                });
        write_components(k, (int)i, ids);
    }
    write_components(k, -1, ids);
}

/* --- all of it ------------------------------------------------------------ */

static double joules_of(const void *context, uint32_t operator_id)
{
    const struct run_energy *energy = context;

    return (double)run_energy_operator(energy, operator_id).gross_uj / 1e6;
}

static int keep(struct keeper *k, const struct run *run,
        const struct operators *o, struct error *e)
{
    struct inside_ids ids = { 0 };
    struct inside *inside = NULL;
    int rc = deep_read(&k->deep, o, k->store, run->row, e);

    if (!rc)
        rc = inside_read(&inside, k->store, run, o, k->energy, k->deep, e);
    deep_add_all(k->deep, k->energy ? joules_of : NULL, k->energy);
    deep_finish(k->deep);
    sum(k, o);
    write_rows(k, &ids);
    if (!rc)
        inside_write(inside, k->store, &ids);
    for (size_t i = 0; i < o->edge_count && o->tensor_count; i++)
        store_add_operator_edge(k->store, &o->edges[i]);
    inside_free(inside);
    deep_free(k->deep);
    return rc;
}

int save_operators(struct store *s, const struct run *run, struct error *e)
{
    struct keeper k = { .store = s };
    struct operators operators;
    struct run_energy energy = { 0 };
    int rc = operators_read(&operators, s, run->row, e), kept;

    if (rc)
        return rc;
    if (operators.count && run->has_energy) {
        rc = run_energy_read_ended(&energy, s, run, e);
        if (!rc)
            k.energy = &energy;
    }
    kept = keep(&k, run, &operators, rc ? NULL : e);
    operators_release(&operators);
    run_energy_release(&energy);
    free(k.layers);
    free(k.components);
    return rc ? rc : kept;
}
