#include "store/schema/schema.h"

#include "store/sqlite.h"

const char *const *const schema_steps[] = {
    schema_1,
    schema_2,
    schema_fleet,
    schema_labels,
    schema_traced,
    schema_generations,
    schema_python,
    schema_shapes,
    schema_recorded,
    schema_nested,
    schema_deep,
};
const size_t schema_version = sizeof(schema_steps) / sizeof(schema_steps[0]);
const char *const schema_digest =
        "6d0c8546bd955d85e5bf4a07fd2c3441da990ef88ef47a6339870526f3ef3efd";

int schema_take_step(sqlite3 *db, size_t n)
{
    int rc = SQLITE_OK;

    for (const char *const *sql = schema_steps[n]; *sql && !rc; sql++)
        rc = sqlite3_exec(db, *sql, NULL, NULL, NULL);
    return rc ? rc : described_step(db, n + 1);
}
