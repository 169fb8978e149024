#include "model/label.h"

#include "base/compiler.h"

#include <math.h>
#include <string.h>

static const struct {
    enum metric_id metric;
    const char *name;
    double factor;
} known[] = {
    { METRIC_process_cpu_cores, "cpu_percent", 100 },
    { METRIC_process_resident_bytes, "rss_bytes", 1 },
    { METRIC_core_busy_ratio, "cpu_percent", 100 },
    { METRIC_host_busy_ratio, "cpu_percent", 100 },
};

static const char *const prefixes[] = { "process_", "thread_", "core_", "host_",
    "device_", "zone_" };

const char *metric_label(enum metric_id metric)
{
    const char *name = metric_table[metric].name;

    for (size_t i = 0; i < LEN(known); i++)
        if (known[i].metric == metric)
            return known[i].name;
    for (size_t i = 0; i < LEN(prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return name;
}

double metric_shown(enum metric_id metric, double value)
{
    for (size_t i = 0; i < LEN(known); i++)
        if (known[i].metric == metric)
            return value * known[i].factor;
    return value;
}

enum metric_id metric_called(struct str name, bool *by_label)
{
    static const enum metric_scope order[] = { METRIC_PROCESS, METRIC_HOST,
        METRIC_DEVICE, METRIC_ZONE, METRIC_CORE, METRIC_THREAD };
    const struct metric *exact = metric_find(name);

    *by_label = !exact;
    if (exact)
        return (enum metric_id)(exact - metric_table);
    for (size_t i = 0; i < LEN(order); i++)
        for (int m = 0; m < METRIC_IDS; m++)
            if (metric_table[m].scope == order[i] &&
                    str_is(name, metric_label((enum metric_id)m)))
                return (enum metric_id)m;
    return METRIC_IDS;
}

void label_add_bytes(struct buf *out, double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB" };
    size_t unit = 0;

    for (; unit + 1 < LEN(units) && fabs(bytes) >= 1000; unit++)
        bytes /= 1000;
    buf_printf(out, "%.3g %s", bytes, units[unit]);
}

void label_add_value(struct buf *out, enum metric_id metric, double value)
{
    const char *unit = metric_table[metric].unit;
    double shown = metric_shown(metric, value);

    if (strcmp(unit, "bytes") == 0)
        label_add_bytes(out, value);
    else if (shown != value || strcmp(metric_label(metric), "cpu_percent") == 0)
        buf_printf(out, "%.4g %%", shown);
    else
        buf_printf(out, "%.4g %s", value, unit);
}
