/* deep_text.h -- within the components of layers, for people: which step took
 * how long, in which graph, and how far each layer's attention looks. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "store/store.h"

/* Adds nothing where nothing is known. */
int deep_text(struct buf *out, struct store *s, int64_t run, struct error *e);
