#include "store/schema.h"

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
};
const size_t schema_version = sizeof(schema_steps) / sizeof(schema_steps[0]);
const char *const schema_digest =
        "75ba146fe0e0ecfa5af37b4e05d78a9b7c5c83c7396447ea51856c98d658946d";

int schema_take_step(sqlite3 *db, size_t n)
{
    int rc = SQLITE_OK;

    for (const char *const *sql = schema_steps[n]; *sql && !rc; sql++)
        rc = sqlite3_exec(db, *sql, NULL, NULL, NULL);
    return rc ? rc : described_step(db, n + 1);
}
