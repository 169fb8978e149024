/* Rules of alerts: whatever is written, one that is taken can be kept. */
#include "live/alert_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct alert_rule r;
    struct error e = { 0 };
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (alert_rule_read(&r, text, &e)) {
        if (!e.text[0])
            abort();
    } else if (!isfinite(r.threshold) || !isfinite(r.until) ||
               r.metric >= METRIC_IDS || !r.severity) {
        abort();
    }
    free(text);
    return 0;
}
