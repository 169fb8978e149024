#include "energy/emi.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte is the version; measurements are tried on the same bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct emi_metadata m;
    struct emi_measurement x[EMI_CHANNELS_MOST];

    if (!size)
        return 0;
    if (emi_metadata(&m, data[0], data + 1, size - 1) == 0) {
        if (m.channel_count > EMI_CHANNELS_MOST)
            abort();
        for (unsigned i = 0; i < m.channel_count; i++) {
            bool inside = false;

            if (!memchr(m.channel[i].name, 0, EMI_NAME_MOST))
                abort();
            (void)emi_part(m.channel[i].name, &inside);
        }
    }
    (void)emi_measurements(x, data[0] % EMI_CHANNELS_MOST, data + 1, size - 1);
    return 0;
}
