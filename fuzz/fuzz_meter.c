#include "energy/meter.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    uint64_t count, time_sum;
};

static void take(void *to, const struct meter_sample *s)
{
    struct seen *x = to;

    if (!(s->watts >= 0))
        abort();
    x->count++;
    x->time_sum += s->wall_ns;
}

static struct seen feed(const uint8_t *data, size_t size, size_t piece,
        uint64_t *bad)
{
    struct seen seen = { 0, 0 };
    struct meter_reader r = { .take = take, .context = &seen };

    for (size_t at = 0; at < size; at += piece)
        meter_feed(&r, data + at, piece < size - at ? piece : size - at);
    meter_end(&r);
    if (r.samples != seen.count)
        abort();
    *bad = r.bad;
    return seen;
}

/* However it is fed, the same is read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t bad_whole = 0, bad_parts = 0;
    struct seen whole = feed(data, size, size + 1, &bad_whole);
    struct seen parts =
            feed(data, size, size ? 1 + data[0] % 32 : 1, &bad_parts);

    if (memcmp(&whole, &parts, sizeof(whole)) != 0 || bad_whole != bad_parts)
        abort();
    return 0;
}
