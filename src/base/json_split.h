/* json_split.h -- a large JSON object, taken apart as its bytes come.
 *
 * Only the outermost level is looked at: each element of an array that is a
 * member of the object is handed over by itself, and so is every other member.
 * What is inside them is for json_read.h to tell, also whether it is sound. */
#pragma once

#include "base/str.h"

#include <stddef.h>

struct json_split;

/* `take` gets the key, without quotes and as it stands, and the value; both
 * are gone after the call. */
struct json_split *json_split_new(
        void (*take)(void *context, struct str key, struct str value),
        void *context);
void json_split_free(struct json_split *s); /* NULL is welcome */

/* -EINVAL: it is no object.  -EFBIG: a value is longer than 64 MB.  After
 * either, nothing more is taken. */
int json_split_feed(struct json_split *s, const char *bytes, size_t len);

/* Whether the object has ended. */
bool json_split_ended(const struct json_split *s);
