/* json_text.h -- what a text in JSON means. */
#pragma once

#include "base/str.h"

/* Writes what stands between its quotes to `to`, without the escapes, and
 * returns its length: never more than text.len, for which there is room.  Half
 * a pair of surrogates becomes U+FFFD; an escape that JSON does not know stands
 * for the letter behind it. */
size_t json_unescape(char *to, struct str text);
