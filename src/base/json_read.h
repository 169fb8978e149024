/* json_read.h -- reads JSON that nobody vouches for: strictly (RFC 8259), and
 * without a copy of it.
 *
 * A value is the slice of text that it stands in.  Objects and arrays are
 * walked member by member:
 *
 *     struct str rest = object, key, value;
 *
 *     while ((rc = json_next_member(&rest, &key, &value)) > 0)
 *         ...
 *
 * At most 64 objects and arrays may lie within each other. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

#include <stdbool.h>

/* Whether it is one value, with blanks around it at most. */
bool json_is_sound(struct str text);

/* Writes a value that is JSON already, if it is; a text from elsewhere may not
 * be, and may be NULL: then nothing is written. */
void json_if_sound(struct json *j, const char *key, const char *value);

/* Takes the next member off an object, whose whole slice `rest` is at first.
 * `key` is what stands between its quotes.  1: there is one; 0: that was all;
 * -EINVAL: it is no object, or damaged. */
int json_next_member(struct str *rest, struct str *key, struct str *value);

/* The same for an array. */
int json_next_element(struct str *rest, struct str *value);

/* Adds what a text means, without quotes and escapes.  -EINVAL: the value is no
 * text. */
int json_read_text(struct buf *out, struct str value);

/* What JSON says a value is, by its first letter: '{', '[', '"', '0' for any
 * number, 't', 'f' or 'n'; 0 for nothing. */
char json_kind(struct str value);
