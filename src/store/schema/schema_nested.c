/* schema_nested.c -- sections within sections, and what is known of a token:
 * its probability, and what its layers took together. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_nested[] = {
    "ALTER TABLE pipeline_sections ADD COLUMN parent_id INTEGER;"
    "ALTER TABLE pipeline_sections ADD COLUMN derived INTEGER;"
    "ALTER TABLE tokens ADD COLUMN probability REAL;"
    "ALTER TABLE tokens ADD COLUMN layers_ns INTEGER;"
    "ALTER TABLE tokens ADD COLUMN between_ns INTEGER;"
    "ALTER TABLE tokens ADD COLUMN outside_ns INTEGER;",
    NULL,
};
