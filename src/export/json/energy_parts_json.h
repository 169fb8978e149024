/* energy_parts_json.h -- the energy of a model's parts as members of a JSON
 * document: layers, components, and tokens by the length of their past. */
#pragma once

#include "analyse/summary.h"
#include "base/json.h"

/* What is not known is left out with its key. */
void energy_parts_json(struct json *j, const char *key,
        const struct summary *s);
