#include "cmd/text/metric_label.h"

#include "base/compiler.h"
#include "os/path.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *unit;
    int decimals;
} precise[] = {
    { "seconds", 6 },
    { "joules", 6 },
    { "ratio", 4 },
    { "cores", 2 },
};

void metric_json(struct json *j, enum metric_id metric, double value)
{
    const char *name = metric_label(metric);
    double shown = metric_shown(metric, value);
    int decimals = 3;

    if (shown >= 0 && shown < 9e15 && shown == floor(shown)) {
        json_u64(j, name, (uint64_t)shown);
        return;
    }
    for (size_t i = 0; i < LEN(precise); i++)
        if (strcmp(precise[i].unit, metric_table[metric].unit) == 0)
            decimals = precise[i].decimals;
    json_fixed(j, name, shown, decimals);
}

bool metric_matches(enum metric_id metric, const char *const *globs, int count)
{
    for (int i = 0; i < count; i++)
        if (path_name_fits(metric_label(metric), globs[i]) ||
                path_name_fits(metric_table[metric].name, globs[i]))
            return true;
    return false;
}
