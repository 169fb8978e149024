/* A whole trace: buffers, headers, compressed and plain, and all that is made
 * of its records. */
#include "base/json.h"
#include "etw/activity.h"
#include "etw/counts.h"
#include "etw/event.h"
#include "etw/images.h"
#include "etw/ort.h"
#include "etw/stacks.h"

#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etw_trace *t;
    const struct etw_record *r;
    struct etw_counts counts = { 0 };
    struct buf text = { 0 };
    uint64_t records = 0;

    if (etw_trace_open_bytes(&t, data, size, "fuzzed", NULL))
        return 0;

    const struct etw_info *info = etw_trace_info(t);
    struct etw_activity *activity = etw_activity_new(info);
    struct etw_ort *ort = etw_ort_new(info, &(struct etw_ort_sink){ 0 });

    struct etw_images *images = etw_images_new();
    struct etw_stacks *stacks = etw_stacks_new();

    while ((r = etw_trace_next(t))) {
        etw_counts_add(&counts, r);
        etw_activity_take(activity, r);
        etw_ort_take(ort, r);
        etw_images_take(images, r);
        etw_stacks_await(stacks, r, r->pid);
        etw_stacks_take(stacks, r);
        if (++records % 16 == 1) {
            struct json j = json_line_into(&text);

            etw_event_json(&j, r, info);
            buf_clear(&text);
        }
    }
    etw_activity_settle(activity, INT64_MAX);
    etw_ort_end(ort);
    etw_stacks_end(stacks);
    for (size_t i = 0; i < etw_stacks_count(stacks); i++) {
        struct etw_stack x = etw_stacks_at(stacks, i);

        if (x.kernel_count)
            etw_images_name(&text, images, x.pid, x.kernel[0]);
    }
    etw_stacks_free(stacks);
    etw_images_free(images);
    etw_trace_missing(&text, t);
    etw_counts_sort(&counts);
    etw_counts_release(&counts);
    etw_ort_free(ort);
    etw_activity_free(activity);
    etw_trace_close(t);
    buf_release(&text);
    return 0;
}
