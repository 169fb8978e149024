/* schema_traced.c -- beside the described rows of traced inferences: whose
 * table of operators a session shares, and why a library's have none. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_traced[] = {
    "ALTER TABLE sessions ADD COLUMN operators_of INTEGER;"
    "UPDATE sessions SET operators_of = id WHERE EXISTS (SELECT 1 FROM"
    " operators o WHERE o.run = sessions.run AND o.session = sessions.id);"
    "ALTER TABLE libraries ADD COLUMN untraced TEXT;",
    NULL,
};
