/* Payloads of the kernel's events, of any class, opcode and version. */
#include "base/json.h"
#include "base/json_read.h"
#include "etw/activity.h"
#include "etw/decode.h"
#include "etw/images.h"
#include "etw/stacks.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etw_decoded d;
    struct buf text = { 0 };

    if (size < 4)
        return 0;

    struct etw_record r = { .kind = data[3] & 2 ? ETW_CLASSIC : ETW_KERNEL,
        .group = data[0],
        .opcode = data[1],
        .version = data[2],
        .pointer_bytes = data[3] & 1 ? 4 : 8,
        .pid = ETW_NO_ID,
        .tid = ETW_NO_ID,
        .data = data + 4,
        .len = size - 4 };
    const struct guid *guid = etw_class_guid(
            (enum etw_class)(data[3] & 4 ? 0x100 | data[0] : data[0]));

    r.guid = guid ? guid->bytes : NULL;
    if (r.kind == ETW_CLASSIC && !r.guid)
        return 0;
    if (etw_decode(&d, &r)) {
        struct json j = json_line_into(&text);

        if (d.taken > r.len)
            abort();
        json_object(&j, NULL);
        etw_decoded_json(&j, &d);
        json_end(&j);
        if (!json_is_sound(buf_str(&text)))
            abort();
    }

    struct etw_info info = { .frequency = 10000000 };
    struct etw_activity *a = etw_activity_new(&info);

    struct etw_images *images = etw_images_new();
    struct etw_stacks *stacks = etw_stacks_new();

    etw_activity_take(a, &r);
    etw_images_take(images, &r);
    etw_stacks_await(stacks, &r, 1);
    etw_stacks_take(stacks, &r);
    etw_stacks_end(stacks);
    etw_stacks_free(stacks);
    etw_images_free(images);
    etw_activity_free(a);
    buf_release(&text);
    return 0;
}
