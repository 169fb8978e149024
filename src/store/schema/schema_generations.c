/* schema_generations.c -- which text an inference helped to make. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_generations[] = {
    "ALTER TABLE inferences ADD COLUMN generation INTEGER;"
    "ALTER TABLE inferences ADD COLUMN lead_ns INTEGER;",
    NULL,
};
