/* schema.h -- what answers look like, in few letters, and as JSON Schema.
 *
 *     s i n b o a     text, whole number, number, truth, object, anything
 *     [i]             a list
 *     {id:i,name?:s}  an object; '?': absent when unknown
 *     'a|b'           one of these texts
 *     Run             a schema of the table, by its name
 */
#pragma once

#include "base/json.h"

struct schema {
    const char *name;
    const char *text;
};

/* Ends with a name of NULL. */
extern const struct schema schemas[];

/* Writes it as JSON Schema (2020-12); names are "#/components/schemas/Run".
 * False: it cannot be read, which is a mistake of ours. */
bool schema_json(struct json *j, const char *key, const char *text);
