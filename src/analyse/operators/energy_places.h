/* energy_places.h -- the energy of a transformer's layers and components, from
 * that of its operators.
 *
 * Where an operator belongs is told by its name (arch.h); those whose names
 * tell nothing are in no layer and no component. */
#pragma once

#include "analyse/summary.h"
#include "onnx/arch.h"

struct energy_places {
    struct energy_sum *layers; /* of layer 0, 1, ...; count 0: not seen */
    size_t layer_count;
    struct energy_sum components[ARCH_COMPONENTS];
    bool any; /* else there are none of either */
};

/* Empty where no energy is known.  A sum's method is the weakest of its
 * operators'. */
void energy_places_find(struct energy_places *out, const struct summary *s);
void energy_places_release(struct energy_places *p);
