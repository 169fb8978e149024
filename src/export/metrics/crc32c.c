#include "export/metrics/crc32c.h"

#define POLYNOMIAL 0x82f63b78u /* 0x1edc6f41 with its bits turned round */
#define MASK       0xa282ead8u

uint32_t crc32c(struct str bytes)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= (unsigned char)bytes.p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    return ~crc;
}

uint32_t crc32c_masked(struct str bytes)
{
    uint32_t crc = crc32c(bytes);

    return (crc >> 15 | crc << 17) + MASK;
}
