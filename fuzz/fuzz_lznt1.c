/* Bytes that claim to be compressed: no more is written than there is room. */
#include "etw/compress/decompress.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Of the size that the input asks for, so that its end is watched. */
    size_t cap = size > 1 ? (size_t)(data[0] | data[1] << 8) * 3 : 0;
    unsigned char *out = malloc(cap ? cap : 1);
    int64_t got;

    if (size < 2 || !out) {
        free(out);
        return 0;
    }
    got = lznt1_decompress(out, cap, data + 2, size - 2);
    if (got > (int64_t)cap)
        abort();
    free(out);
    return 0;
}
