/* charsmap.h -- SentencePiece's own normal form: a table, compiled into a
 * double array, from characters to what stands for them. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>

struct charsmap;

/* From the base64 text of a tokenizer's file.  -EINVAL: it is none. */
int charsmap_new(struct charsmap **out, struct str base64, struct error *e);
void charsmap_free(struct charsmap *m); /* NULL is welcome */

/* Adds the text in that form. */
void charsmap_add(const struct charsmap *m, struct buf *out, struct str text);
