/* A description and a payload that need not fit each other. */
#include "base/json.h"
#include "base/json_read.h"
#include "etw/bytes.h"
#include "etw/live/self.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An item as it lies in a record: the first byte says how long it is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char items[8 + 256 + 8] = { 0 };
    size_t len;
    struct etw_self self;
    struct buf text = { 0 };

    if (size < 1 || size - 1 < data[0])
        return 0;
    len = data[0];
    put_u16(items, (uint16_t)((8 + len + 7) & ~(size_t)7));
    put_u16(items + 2, ETW_EXT_SCHEMA);
    put_u16(items + 6, (uint16_t)len);
    memcpy(items + 8, data + 1, len);
    put_u16(items + 8, (uint16_t)len); /* else nearly all would be refused */

    struct etw_record r = { .kind = ETW_EVENT,
        .extended = items,
        .extended_len = (8 + len + 7) & ~(size_t)7,
        .data = data + 1 + len,
        .len = size - 1 - len,
        .pointer_bytes = 8 };

    if (etw_self_parse(&self, &r)) {
        struct json j = json_line_into(&text);

        json_object(&j, NULL);
        (void)etw_self_json(&j, &self, &r);
        json_end(&j);
        if (!json_is_sound(buf_str(&text)))
            abort();
    }
    buf_release(&text);
    return 0;
}
