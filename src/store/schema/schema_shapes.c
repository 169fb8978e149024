/* schema_shapes.c -- in which phases an operator had certain shapes: columns
 * that model/rows_traced.c describes. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_shapes[] = { NULL };
