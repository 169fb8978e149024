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

static const struct depth_values no_values = { NAN, NAN, NAN, NAN };

static double millijoules(const struct keeper *k, const struct place_sum *x)
{
    return k->energy ? (double)x->gross_uj / 1e3 : NAN;
}

static void write_components(const struct keeper *k, size_t row, uint32_t layer,
        uint32_t *id)
{
    for (int i = 0; i < ARCH_COMPONENTS; i++) {
        const struct place_sum *x = &k->components[row][i];

        if (!x->count)
            continue;
        store_add_component(k->store,
                &(struct component_metric){
                        .id = ++*id,
                        .layer_metric_id = layer,
                        .component_name =
                                arch_component_name((enum arch_component)i),
                        .count = x->count,
                        .duration_ns = (uint64_t)x->duration_ns,
                        .energy_mj = millijoules(k, x),
                        .activation = no_values,
                        .energy_method = (uint8_t)x->method,
                });
    }
}

/* Returns the last ids. */
static void write_rows(const struct keeper *k, uint32_t *layer,
        uint32_t *component)
{
    for (size_t i = 0; i < k->layer_count; i++) {
        const struct place_sum *x = &k->layers[i];

        if (!x->count)
            continue;
        store_add_layer(k->store,
                &(struct layer_metric){
                        .id = ++*layer,
                        .layer_index = (uint32_t)i,
                        .duration_ns = (uint64_t)x->duration_ns,
                        .energy_mj = millijoules(k, x),
                        .activation = no_values,
                        .energy_method = (uint8_t)x->method,
                });
        write_components(k, i + 1, *layer, component);
    }
    write_components(k, 0, 0, component);
}

int save_operators(struct store *s, const struct run *run, struct error *e)
{
    struct keeper k = { .store = s };
    struct operators operators;
    struct run_energy energy = { 0 };
    uint32_t layer = 0, component = 0;
    int rc = operators_read(&operators, s, run->row, e);

    if (rc)
        return rc;
    if (operators.count && run->has_energy) {
        rc = run_energy_read_ended(&energy, s, run, e);
        if (!rc)
            k.energy = &energy;
    }
    sum(&k, &operators);
    write_rows(&k, &layer, &component);
    if (!rc)
        rc = inside_keep(s, run, &operators, k.energy, layer, component, e);
    for (size_t i = 0; i < operators.edge_count && operators.tensor_count; i++)
        store_add_operator_edge(s, &operators.edges[i]);
    operators_release(&operators);
    run_energy_release(&energy);
    free(k.layers);
    free(k.components);
    return rc;
}
