#include "store/schema.h"

const char *const *const schema_steps[] = {
    schema_1,
    schema_2,
    schema_fleet,
    schema_labels,
};
const size_t schema_version = sizeof(schema_steps) / sizeof(schema_steps[0]);
