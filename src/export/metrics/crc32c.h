/* crc32c.h -- the checksum of TensorBoard's records: CRC-32C (Castagnoli). */
#pragma once

#include "base/str.h"

uint32_t crc32c(struct str bytes);

/* As it is stored: turned and shifted, so that a checksum of bytes that hold
 * checksums stays a good one. */
uint32_t crc32c_masked(struct str bytes);
