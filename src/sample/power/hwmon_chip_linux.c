#include "sample/power/hwmon.h"

#include "base/compiler.h"
#include "base/str.h"
#include "os/kernel_text.h"
#include "os/path.h"
#include "sample/sysfs.h"

#include <stdio.h>
#include <string.h>

/* Powers are told as the mean or as of now, energies are cumulative. */
static const struct {
    enum hwmon_kind kind;
    const char *begin, *end;
    enum metric_id metric;
    double unit;
} kinds[] = {
    { HWMON_TEMPERATURES, "temp", "_input", METRIC_zone_temperature_celsius,
            1e-3 },
    { HWMON_POWERS, "power", "_input", METRIC_zone_power_watts, 1e-6 },
    { HWMON_POWERS, "power", "_average", METRIC_zone_power_watts, 1e-6 },
    { HWMON_ENERGIES, "energy", "_input", METRIC_zone_energy_joules_total,
            1e-6 },
};

/* "temp1" of "temp1_input", if it is of that kind; else empty. */
static struct str stem_of(struct str file, const char *begin, const char *end)
{
    size_t first = strlen(begin), last = strlen(end);
    uint64_t number;

    if (file.len <= first + last || !str_starts(file, begin) ||
            memcmp(file.p + file.len - last, end, last) != 0)
        return (struct str){ file.p, 0 };
    if (str_u64(&number,
                (struct str){ file.p + first, file.len - first - last }))
        return (struct str){ file.p, 0 };
    return (struct str){ file.p, file.len - last };
}

static void add_sensor(struct hwmon *h, size_t kind, struct str stem,
        struct subjects *subjects, const struct subject *like)
{
    struct hwmon_sensor *n = &h->sensor[h->count];
    char name[16], label[64], full[160];

    text_copy(name, sizeof(name), stem);
    if (sysfs_line(label, sizeof(label), "%s/%s_label", h->folder, name) ||
            !label[0])
        (void)snprintf(label, sizeof(label), "%s", name);
    (void)snprintf(full, sizeof(full), "%s%s%s", like->name,
            like->name[0] ? "/" : "", label);

    struct subject x = *like;

    x.name = full;
    *n = (struct hwmon_sensor){
        .metric = kinds[kind].metric,
        .unit = kinds[kind].unit,
        .subject = subjects_add(subjects, &x),
    };
    (void)snprintf(n->file, sizeof(n->file), "%s%s", name, kinds[kind].end);
    h->count++;
}

static bool has(const struct folder *files, struct str stem, const char *end)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "%.*s%s", (int)stem.len, stem.p, end);
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->name[i], name) == 0)
            return true;
    return false;
}

/* A chip that tells the mean power and that of now: the latter. */
static bool is_second(const struct folder *files, struct str stem,
        const char *end)
{
    return strcmp(end, "_average") == 0 && has(files, stem, "_input");
}

void hwmon_open(struct hwmon *h, struct subjects *subjects, const char *folder,
        const struct subject *like, unsigned wanted)
{
    struct folder files;

    *h = (struct hwmon){ 0 };
    (void)snprintf(h->folder, sizeof(h->folder), "%s", folder);
    (void)folder_read(&files, "%s", folder);
    for (size_t i = 0; i < files.count; i++)
        for (size_t k = 0; k < LEN(kinds) && h->count < HWMON_SENSORS; k++) {
            struct str stem = stem_of(str_of(files.name[i]), kinds[k].begin,
                    kinds[k].end);

            if (stem.len && (wanted & kinds[k].kind) &&
                    !is_second(&files, stem, kinds[k].end))
                add_sensor(h, k, stem, subjects, like);
        }
    folder_release(&files);
}

void hwmon_read(struct hwmon *h, struct batch *out)
{
    for (size_t i = 0; i < h->count; i++) {
        struct hwmon_sensor *n = &h->sensor[i];
        uint64_t uj;
        double value;

        if (n->metric == METRIC_zone_energy_joules_total) {
            if (sysfs_u64(&uj, "%s/%s", h->folder, n->file) == 0)
                batch_add(out, n->metric, n->subject,
                        (double)odometer_total(&n->uj, uj) * n->unit);
        } else if (sysfs_scaled(&value, n->unit, "%s/%s", h->folder, n->file) ==
                   0) {
            batch_add(out, n->metric, n->subject, value);
        }
    }
}
