/* schema_python.c -- of which parts an inference called from Python consists.
 */
#include "store/schema/schema.h"

const char *const schema_python[] = {
    /* Of duration_ns; NULL: not told apart. */
    "ALTER TABLE inferences ADD COLUMN runtime_ns INTEGER;"
    "ALTER TABLE inferences ADD COLUMN gil_ns INTEGER;",
    NULL,
};
