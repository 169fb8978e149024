/* fuzz_ring.c -- any bytes as the memory of a ring: read until it is empty or
 * called damaged, and write once more. */
#include "wire/ring.h"

#include <stdlib.h>
#include <string.h>

#define AT_SIZE 128 /* where the ring's own record size lies, see ring.c */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Exactly as long as the input, so that one byte further is noticed. */
    void *memory;
    uint64_t record[4096 / 8] = { 0 };
    uint32_t record_size = 64;
    struct ring r;

    if (posix_memalign(&memory, 64, size ? size : 1))
        return 0;
    if (size)
        memcpy(memory, data, size);
    if (size >= AT_SIZE + sizeof(record_size))
        memcpy(&record_size, data + AT_SIZE, sizeof(record_size));
    if (!ring_attach(&r, memory, size, record_size)) {
        int rc;

        do {
            rc = ring_pop(&r, record);
        } while (rc > 0 || (!rc && ring_skip(&r)));
        /* Nobody writes: what was not damaged is empty now. */
        if (!rc && ring_waiting(&r))
            abort();
        /* A damaged one may take it or not, as far as a writer remembers the
         * tail; it lies within the memory in any case. */
        if (!ring_push(&r, record) && !rc)
            abort();
    }
    free(memory);
    return 0;
}
