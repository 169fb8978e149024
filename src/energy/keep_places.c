#include "energy/keep_places.h"

#include "base/alloc.h"
#include "onnx/arch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS_MOST 4096 /* a name may say anything */

struct place_sum {
    uint64_t count, duration_ns, gross_uj;
    enum reading_method method;
};

struct placed_operator {
    struct arch_place place;
    uint64_t count, duration_ns;
};

struct keeper {
    struct store *store;
    const struct run_energy *energy;
    struct placed_operator *operators; /* by their ids */
    size_t operator_count;
    struct place_sum *layers;
    /* Of each layer and component; those in no layer come first. */
    struct place_sum (*components)[ARCH_COMPONENTS];
    size_t layer_count;
    bool covered; /* the sensors told of nearly all of the run */
};

/* --- reading -------------------------------------------------------------- */

/* What runs in these has a place of its own, and its own energy. */
static bool contains_others(const char *op_type)
{
    return op_type &&
           (strcmp(op_type, "If") == 0 || strcmp(op_type, "Loop") == 0 ||
                   strcmp(op_type, "Scan") == 0);
}

static void take_operator(void *to, const struct operator* o)
{
    struct keeper *k = to;

    if (o->id >= k->operator_count) {
        size_t count = 2 * (size_t)o->id + 1;

        k->operators =
                alloc_resize(k->operators, count * sizeof(*k->operators));
        for (; k->operator_count < count; k->operator_count++)
            k->operators[k->operator_count] =
                    (struct placed_operator){ .place.layer = -1 };
    }
    if (!contains_others(o->op_type))
        k->operators[o->id].place = arch_place(str_of(o->name ? o->name : ""),
                str_of(o->op_type ? o->op_type : ""));
}

static void take_operator_run(void *to, const struct operator_run *r)
{
    struct keeper *k = to;

    if (r->operator_id >= k->operator_count || r->in_cycles)
        return;
    k->operators[r->operator_id].count++;
    k->operators[r->operator_id].duration_ns +=
            r->bracketed ? r->kernel_ns : r->raw_ns;
}

/* --- summing -------------------------------------------------------------- */

static void add(struct place_sum *to, const struct placed_operator *o,
        const struct energy_sum *x)
{
    to->count += o->count;
    to->duration_ns += o->duration_ns;
    to->gross_uj += x->gross_uj;
    if (x->method > to->method)
        to->method = x->method;
}

static void count_layers(struct keeper *k)
{
    for (size_t i = 0; i < k->operator_count; i++) {
        struct arch_place *place = &k->operators[i].place;

        if (place->layer >= LAYERS_MOST)
            place->layer = -1;
        if (k->operators[i].count && place->layer >= 0 &&
                (size_t)place->layer >= k->layer_count)
            k->layer_count = (size_t)place->layer + 1;
    }
    k->layers = alloc_zero(k->layer_count + 1, sizeof(*k->layers));
    k->components = alloc_zero(k->layer_count + 1, sizeof(*k->components));
}

static void sum(struct keeper *k)
{
    count_layers(k);
    for (uint32_t i = 0; i < k->operator_count; i++) {
        const struct placed_operator *o = &k->operators[i];
        struct energy_sum x = run_energy_operator(k->energy, i);

        if (!o->count || !x.count)
            continue;
        if (o->place.layer >= 0)
            add(&k->layers[o->place.layer], o, &x);
        if (o->place.component != ARCH_NONE)
            add(&k->components[o->place.layer + 1][o->place.component], o, &x);
    }
}

/* --- writing -------------------------------------------------------------- */

static const struct activation no_activation = { NAN, NAN, NAN, NAN };

static double millijoules(const struct keeper *k, const struct place_sum *x)
{
    return k->covered ? (double)x->gross_uj / 1e3 : NAN;
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
                        .duration_ns = x->duration_ns,
                        .energy_mj = millijoules(k, x),
                        .activation = no_activation,
                        .energy_method = (uint8_t)x->method,
                });
    }
}

static void write_rows(const struct keeper *k)
{
    uint32_t layer = 0, component = 0;

    for (size_t i = 0; i < k->layer_count; i++) {
        const struct place_sum *x = &k->layers[i];

        if (!x->count)
            continue;
        store_add_layer(k->store, &(struct layer_metric){
                                          .id = ++layer,
                                          .layer_index = (uint32_t)i,
                                          .duration_ns = x->duration_ns,
                                          .energy_mj = millijoules(k, x),
                                          .activation = no_activation,
                                          .energy_method = (uint8_t)x->method,
                                  });
        write_components(k, i + 1, layer, &component);
    }
    write_components(k, 0, 0, &component);
}

int keep_places(struct store *s, int64_t run, const struct run_energy *energy,
        bool covered, struct error *e)
{
    struct keeper k = { .store = s, .energy = energy, .covered = covered };
    int rc = store_each_operator(s, run, take_operator, &k, e);

    if (!rc)
        rc = store_each_operator_run(s, run, take_operator_run, &k, e);
    if (!rc) {
        sum(&k);
        write_rows(&k);
    }
    free(k.operators);
    free(k.layers);
    free(k.components);
    return rc;
}
