#include "base/pb.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the bytes as a message, and the bytes of its fields as messages and as
 * packed numbers, for fields are whatever a .proto says.  Every byte handed out
 * must lie where it was found, and what is left must shrink. */
static void walk(struct str message, int depth)
{
    struct str rest = message;
    struct pb_field f;
    uint64_t value;

    while (pb_next(&f, &rest) == 1) {
        if (f.number < 1 || f.number > PB_NUMBER_MAX)
            abort();
        if (rest.p <= message.p || rest.p + rest.len != message.p + message.len)
            abort();
        if (f.wire != PB_WIRE_BYTES)
            continue;
        if (f.bytes.p <= message.p || f.bytes.p + f.bytes.len != rest.p)
            abort();
        if (depth)
            walk(f.bytes, depth - 1);
        while (pb_next_varint(&value, &f.bytes) == 1)
            ;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk((struct str){ (const char *)data, size }, 8);
    return 0;
}
