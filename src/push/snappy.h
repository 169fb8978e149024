/* snappy.h -- Snappy's block format, which Prometheus's remote write wants. */
#pragma once

#include "base/buf.h"

/* Adds the compressed bytes to `out`: never much more than bytes.len, which is
 * below 4 GiB. */
void snappy_compress(struct buf *out, struct str bytes);
