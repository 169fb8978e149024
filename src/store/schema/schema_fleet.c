/* schema_fleet.c -- what goes to a store of many machines, and how far it has
 * come. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_fleet[] = {
    "CREATE TABLE shipments ("
    " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
    " destination TEXT NOT NULL,"
    " arrived INTEGER NOT NULL,"
    " PRIMARY KEY (run, destination)) WITHOUT ROWID;"
    "CREATE INDEX shipments_waiting ON shipments (destination, run)"
    " WHERE NOT arrived;"

    "CREATE TABLE shipment_marks ("
    " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
    " destination TEXT NOT NULL,"
    " table_name TEXT NOT NULL,"
    " number INTEGER NOT NULL,"
    " digest INTEGER NOT NULL,"
    " PRIMARY KEY (run, destination, table_name)) WITHOUT ROWID;",
    NULL,
};
