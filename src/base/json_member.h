/* json_member.h -- one member of an object that is kept as JSON text, such as
 * what is stored of a run's host. */
#pragma once

#include "base/buf.h"

/* The member's value as it is written, a borrowed piece of `object`; empty: it
 * has none, or is no object. */
struct str json_member(struct str object, const char *key);

/* Adds a member that is a text to `out`, without quotes and escapes.  False:
 * there is none. */
bool json_member_text(struct buf *out, struct str object, const char *key);
