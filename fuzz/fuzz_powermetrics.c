#include "sample/power/powermetrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void nothing(void *context, const struct powermetrics_sample *s)
{
    (void)context;
    (void)s;
}

/* The first byte says where to cut the rest. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct powermetrics *p = powermetrics_new(nothing, NULL);
    const char *bytes = (const char *)data + 1;
    size_t cut = size ? data[0] : 0;

    if (size) {
        size--;
        cut = cut < size ? cut : size;
        powermetrics_feed(p, bytes, cut);
        powermetrics_feed(p, bytes + cut, size - cut);
    }
    powermetrics_end(p);
    powermetrics_free(p);
    return 0;
}
