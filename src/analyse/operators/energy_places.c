#include "analyse/operators/energy_places.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(struct energy_sum *to, const struct energy_sum *x)
{
    to->count += x->count;
    to->gross_uj += x->gross_uj;
    to->net_uj += x->net_uj;
    to->busy_s += x->busy_s;
    to->error_j = hypot(to->error_j, x->error_j);
    if (x->method > to->method)
        to->method = x->method;
}

static void add_to_layer(struct energy_places *p, size_t layer,
        const struct energy_sum *x)
{
    if (layer >= p->layer_count) {
        p->layers = alloc_resize(p->layers, (layer + 1) * sizeof(*p->layers));
        memset(p->layers + p->layer_count, 0,
                (layer + 1 - p->layer_count) * sizeof(*p->layers));
        p->layer_count = layer + 1;
    }
    add(&p->layers[layer], x);
}

void energy_places_find(struct energy_places *out, const struct summary *s)
{
    *out = (struct energy_places){ 0 };
    for (size_t i = 0; i < s->operators.count && s->energy.account.counted;
            i++) {
        const struct operator_figures *o = &s->operators.items[i];
        struct energy_sum x = run_energy_operator(&s->energy, o->id);
        struct arch_place place = o->place;

        if (!x.count || o->contains)
            continue;
        if (place.layer >= 0)
            add_to_layer(out, (size_t)place.layer, &x);
        if (place.component != ARCH_NONE)
            add(&out->components[place.component], &x);
        out->any |= place.layer >= 0 || place.component != ARCH_NONE;
    }
}

void energy_places_release(struct energy_places *p)
{
    free(p->layers);
    *p = (struct energy_places){ 0 };
}
