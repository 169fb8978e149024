/* gzip.h -- bytes in memory, compressed as gzip has it. */
#pragma once

#include "base/buf.h"

/* Adds them to `out`. */
void gzip_add(struct buf *out, struct str bytes);
