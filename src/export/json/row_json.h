/* row_json.h -- a row of a table as a JSON object. */
#pragma once

#include "base/json.h"
#include "export/table/table.h"

/* The members, into an object that is open.  What is absent is left out, and
 * so is a real that JSON cannot hold; a text that is JSON itself stands there
 * as such, if it is sound. */
void row_json(struct json *j, const struct column *columns, size_t count,
        const struct cell *cells);
