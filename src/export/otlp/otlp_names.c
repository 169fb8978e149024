/* otlp_names.c -- see opentelemetry.io/docs/specs/semconv and, for gen_ai,
 * open-telemetry/semantic-conventions-genai: both are still in development. */
#include "export/otlp/otlp_names.h"

#include "base/compiler.h"

#include <string.h>

/* By the metric's name and not its number, so that a table of conventions may
 * know metrics that a build does not have. */
static const struct {
    const char *metric;
    const char *name;
    enum otlp_convention convention;
    const char *key, *value; /* an attribute of it; NULL: none */
} known[] = {
    { "time_to_first_token_seconds", "gen_ai.server.time_to_first_token",
            OTLP_GEN_AI, NULL, NULL },
    { "time_per_output_token_seconds", "gen_ai.server.time_per_output_token",
            OTLP_GEN_AI, NULL, NULL },
    { "device_energy_joules_total", "hw.energy", OTLP_HW, NULL, NULL },
    { "zone_energy_joules_total", "hw.energy", OTLP_HW, NULL, NULL },
    { "device_power_watts", "hw.power", OTLP_HW, NULL, NULL },
    { "zone_power_watts", "hw.power", OTLP_HW, NULL, NULL },
    { "device_temperature_celsius", "hw.temperature", OTLP_HW, NULL, NULL },
    { "zone_temperature_celsius", "hw.temperature", OTLP_HW, NULL, NULL },
    { "battery_charge_ratio", "hw.battery.charge", OTLP_HW, NULL, NULL },
    { "process_user_cpu_seconds_total", "process.cpu.time", OTLP_PROCESS,
            "cpu.mode", "user" },
    { "process_system_cpu_seconds_total", "process.cpu.time", OTLP_PROCESS,
            "cpu.mode", "system" },
    { "process_resident_bytes", "process.memory.usage", OTLP_PROCESS, NULL,
            NULL },
    { "process_virtual_bytes", "process.memory.virtual", OTLP_PROCESS, NULL,
            NULL },
    { "process_threads", "process.thread.count", OTLP_PROCESS, NULL, NULL },
    { "process_open_files", "process.unix.file_descriptor.count", OTLP_PROCESS,
            NULL, NULL },
    { "process_voluntary_switches_total", "process.context_switches",
            OTLP_PROCESS, "process.context_switch.type", "voluntary" },
    { "process_involuntary_switches_total", "process.context_switches",
            OTLP_PROCESS, "process.context_switch.type", "involuntary" },
    { "process_storage_read_bytes_total", "process.disk.io", OTLP_PROCESS,
            "disk.io.direction", "read" },
    { "process_storage_written_bytes_total", "process.disk.io", OTLP_PROCESS,
            "disk.io.direction", "write" },
};

static const struct {
    const char *unit, *ucum;
} units[] = {
    { "none", "1" },
    { "seconds", "s" },
    { "bytes", "By" },
    { "ratio", "1" },
    { "joules", "J" },
    { "watts", "W" },
    { "celsius", "Cel" },
    { "hertz", "Hz" },
    { "volts", "V" },
    { "amperes", "A" },
};

static const struct {
    enum otlp_convention convention;
    const char *label, *name;
} labels[] = {
    { OTLP_GEN_AI, "model", "gen_ai.request.model" },
    { OTLP_HW, "device", "hw.parent" },
    { OTLP_PROCESS, "pid", "process.pid" },
    { OTLP_PROCESS, "program", "process.executable.name" },
};

static int known_at(enum metric_id metric)
{
    for (size_t i = 0; i < LEN(known); i++)
        if (strcmp(known[i].metric, metric_table[metric].name) == 0)
            return (int)i;
    return -1;
}

enum otlp_convention otlp_convention_of(enum metric_id metric)
{
    int at = known_at(metric);

    return at < 0 ? OTLP_OWN : known[at].convention;
}

void otlp_metric_groups(enum metric_id first[METRIC_IDS])
{
    int first_of[LEN(known)]; /* of the names */

    for (size_t i = 0; i < LEN(known); i++)
        first_of[i] = -1;
    for (int m = 0; m < METRIC_IDS; m++) {
        int at = known_at((enum metric_id)m);

        first[m] = (enum metric_id)m;
        for (int i = 0; at >= 0 && i <= at; i++) {
            if (strcmp(known[i].name, known[at].name) != 0)
                continue;
            if (first_of[i] < 0)
                first_of[i] = m;
            first[m] = (enum metric_id)first_of[i];
            break;
        }
    }
}

static struct str without(struct str name, const char *ending)
{
    size_t len = strlen(ending);

    if (name.len > len + 1 && name.p[name.len - len - 1] == '_' &&
            memcmp(name.p + name.len - len, ending, len) == 0)
        name.len -= len + 1;
    return name;
}

/* NULL: UCUM has no symbol for it. */
static const char *ucum_of(struct str unit)
{
    for (size_t i = 0; i < LEN(units); i++)
        if (str_is(unit, units[i].unit))
            return units[i].ucum;
    return NULL;
}

void otlp_metric_name(struct buf *out, enum metric_id metric)
{
    const struct metric *m = &metric_table[metric];
    struct str name = without(str_of(m->name), "total");
    int at = known_at(metric);

    if (at >= 0) {
        buf_text(out, known[at].name);
        return;
    }
    if (ucum_of(str_of(m->unit))) /* a count of things keeps their name */
        name = without(name, m->unit);
    buf_text(out, "ortmeter.");
    buf_add(out, name.p, name.len);
}

static bool ends(struct str s, const char *with)
{
    size_t len = strlen(with);

    return s.len > len && memcmp(s.p + s.len - len, with, len) == 0;
}

/* {token}: one of it, in the words of UCUM. */
static void thing(struct buf *out, struct str name)
{
    size_t len = name.len;

    if (ends(name, "ches") || ends(name, "sses"))
        len -= 2;
    else if (len > 1 && name.p[len - 1] == 's')
        len--;
    buf_char(out, '{');
    buf_add(out, name.p, len);
    buf_char(out, '}');
}

void otlp_metric_unit(struct buf *out, enum metric_id metric)
{
    struct str unit = str_of(metric_table[metric].unit);
    struct str whole = without(unit, "per_second");
    const char *ucum = ucum_of(whole);

    if (ucum)
        buf_text(out, ucum);
    else
        thing(out, whole);
    if (whole.len < unit.len)
        buf_text(out, "/s");
}

void otlp_label_name(struct buf *out, enum metric_id metric, const char *label)
{
    enum otlp_convention convention = otlp_convention_of(metric);

    for (size_t i = 0; i < LEN(labels); i++)
        if (labels[i].convention == convention &&
                strcmp(labels[i].label, label) == 0) {
            buf_text(out, labels[i].name);
            return;
        }
    buf_printf(out, "ortmeter.%s", label);
}

static const char *label_of(const struct figure *f, const char *name)
{
    for (size_t i = 0; i < f->label_count; i++)
        if (strcmp(f->label[i].name, name) == 0)
            return f->label[i].value;
    return NULL;
}

/* "gpu0" is a gpu.  There is no word for an NPU among the conventions' types,
 * which are open to others. */
static const char *hw_type(const char *device, const char *zone)
{
    static const struct {
        const char *begins, *type;
    } types[] = {
        { "gpu", "gpu" },
        { "npu", "npu" },
        { "package", "cpu" },
        { "core", "cpu" },
        { "dram", "memory" },
        { "BAT", "battery" },
    };
    const char *name = device ? device : zone;

    for (size_t i = 0; name && i < LEN(types); i++)
        if (str_starts(str_of(name), types[i].begins))
            return types[i].type;
    return NULL;
}

static void hw_attributes(const struct figure *f,
        void (*add)(void *context, const char *key, const char *value),
        void *context)
{
    const char *device = label_of(f, "device");
    const char *zone = label_of(f, "zone");
    const char *type = hw_type(device, zone);
    struct buf id = { 0 };

    if (device)
        buf_text(&id, device);
    if (zone)
        buf_printf(&id, "%s%s", device ? "/" : "", zone);
    add(context, "hw.id", id.len ? buf_cstr(&id) : "host");
    if (type)
        add(context, "hw.type", type);
    buf_release(&id);
}

void otlp_convention_attributes(const struct figure *f,
        void (*add)(void *context, const char *key, const char *value),
        void *context)
{
    int at = known_at(f->metric);

    if (at < 0)
        return;
    if (known[at].key)
        add(context, known[at].key, known[at].value);
    if (known[at].convention == OTLP_HW)
        hw_attributes(f, add, context);
    if (known[at].convention == OTLP_GEN_AI) {
        add(context, "gen_ai.operation.name", "text_completion");
        add(context, "gen_ai.provider.name", "onnxruntime");
    }
}
