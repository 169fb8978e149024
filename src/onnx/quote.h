/* quote.h -- names from files, fit to stand in a sentence or a table.
 *
 * A name in a model may be any bytes.  Here it stays on one line and is valid
 * UTF-8: control characters and what is no UTF-8 become \n, \t or \xNN, and a
 * backslash becomes two. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#define QUOTE_NAME 84  /* room for a cut name */
#define QUOTE_PATH 132 /* room for a cut path */

/* Adds the whole name. */
void quote_add(struct buf *out, struct str name);

/* The name within 'quotation marks', cut behind 72 bytes with an ellipsis;
 * `out` is returned. */
const char *quote_name(char out[QUOTE_NAME], struct str name);

/* The path without quotation marks; of a long one the end, which tells more
 * than its beginning. */
const char *quote_path(char out[QUOTE_PATH], const char *path);
