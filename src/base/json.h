/* json.h -- writes JSON, so that commas, quotes and escapes are right by
 * construction.
 *
 *     struct json j = json_into(&text);
 *     json_object(&j, NULL);
 *     json_text(&j, "name", "silero");
 *     json_array(&j, "shape");
 *     json_int(&j, NULL, 1);
 *     json_end(&j);
 *     json_end(&j);
 *
 * `key` is the member's name inside an object and NULL inside an array or at
 * the top.  A value that is absent is simply not written: there is no way to
 * write null.  A number that JSON cannot hold (NaN, infinity) is left out with
 * its key.
 *
 * A struct json writes one value at the top, with no newline behind it, and at
 * most 63 objects and arrays inside each other.  Breaking these rules, or
 * writing a key where none belongs, is a mistake of ours: assert.  Texts are
 * any bytes: what is not UTF-8 becomes U+FFFD.  The locale does not matter. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

struct json {
    struct buf *out;
    int indent;    /* spaces a level; 0: all on one line */
    int depth;     /* open objects and arrays */
    uint64_t used; /* bit n: level n has a member already */
    uint64_t list; /* bit n: level n is an array */
};

/* Pretty-printed with two spaces; json_line_into() writes one line. */
struct json json_into(struct buf *out);
struct json json_line_into(struct buf *out);

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
/* Closes the innermost object or array. */
void json_end(struct json *j);

void json_text(struct json *j, const char *key, const char *terminated);
void json_str(struct json *j, const char *key, struct str s);
void json_int(struct json *j, const char *key, int64_t value);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
/* The shortest text that reads back to the same double; below 1e-307, where
 * doubles have fewer digits, not always the shortest. */
void json_real(struct json *j, const char *key, double value);
/* `decimals` digits behind the point, also when they are zeros: for figures
 * people read.  At most 64.  What rounds to nothing has no sign. */
void json_fixed(struct json *j, const char *key, double value, int decimals);
/* One value that is JSON already, written as it stands. */
void json_raw(struct json *j, const char *key, const char *value);
void json_raw_str(struct json *j, const char *key, struct str value);
