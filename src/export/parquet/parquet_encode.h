/* parquet_encode.h -- how Parquet writes many values of one kind in few bytes.
 *
 * Each adds to a buf.  Integers are little-endian, bits fill bytes from the
 * lowest up. */
#pragma once

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Bits that the numbers 0 to `most` need. */
unsigned parquet_width(uint64_t most);

/* Runs of equal values and packs of others, `width` bits each (0 to 32): for
 * indices into a dictionary, for levels and for booleans. */
void parquet_hybrid(struct buf *out, const uint32_t *values, size_t count,
        unsigned width);

/* The same for one value `count` times. */
void parquet_hybrid_run(struct buf *out, uint32_t value, size_t count,
        unsigned width);

/* DELTA_BINARY_PACKED: what grows steadily, or varies little. */
void parquet_delta(struct buf *out, const int64_t *values, size_t count);

/* A little-endian number of 4 bytes. */
void parquet_u32(struct buf *out, uint32_t value);
