/* schema_labels.c -- how the energy of layers, components and operations was
 * had. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_labels[] = {
    "ALTER TABLE layer_metrics ADD COLUMN energy_method INTEGER;"
    "ALTER TABLE component_metrics ADD COLUMN energy_method INTEGER;"
    "ALTER TABLE deep_operation_metrics ADD COLUMN energy_method INTEGER;",
    NULL,
};
