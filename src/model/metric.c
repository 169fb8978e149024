#include "model/metric.h"

#include <stdbool.h>

const struct metric metric_table[METRIC_IDS] = {
#define X(name, unit, kind, scope, source, help) \
    { #name, unit, METRIC_##kind, METRIC_##scope, METRIC_FROM_##source, help },
    METRIC_LIST(X)
#undef X
};

struct word {
    const char *name;
    const char *about;
};

static const struct word kinds[METRIC_KINDS] = {
    [METRIC_COUNTER] = { "counter", "only grows, from the start of the run" },
    [METRIC_GAUGE] = { "gauge", "one number, which may go up and down" },
    [METRIC_HISTOGRAM] = { "histogram", "how often each value occurred" },
    [METRIC_INFO] = { "info", "always 1: its labels are what it says" },
};

static const struct word scopes[METRIC_SCOPES] = {
    [METRIC_HOST] = { "host", "One value for the machine" },
    [METRIC_PROCESS] = { "process", "One value for each process" },
    [METRIC_DEVICE] = { "device", "One value for each device" },
    [METRIC_ZONE] = { "zone",
            "One value for each part that has a sensor of its own" },
    [METRIC_SESSION] = { "session", "One value for each inference session" },
    [METRIC_INFERENCE] = { "inference", "One value for each inference" },
    [METRIC_PHASE] = { "phase",
            "One value for each inference of a phase of text generation" },
    [METRIC_TOKEN] = { "token", "One value for each token or its text" },
    [METRIC_OPERATOR] = { "operator", "One value for each operator" },
    [METRIC_RUN] = { "run", "One value for the whole run" },
    [METRIC_CORE] = { "core", "One value for each logical CPU" },
    [METRIC_THREAD] = { "thread", "One value for each thread" },
    [METRIC_SERVER] = { "server", "One value for `ortmeter serve`, in its "
                                  "/metrics" },
};

static const struct word sources[METRIC_SOURCES] = {
    [METRIC_FROM_SYSTEM] = { "system", "the operating system" },
    [METRIC_FROM_DEVICE] = { "device",
            "a device, through its driver or its maker's tool" },
    [METRIC_FROM_HOOK] = { "hook",
            "libortmeter in the program, from ONNX Runtime's own calls" },
    [METRIC_FROM_PROGRAM] = { "program",
            "the program, by calls of `ortmeter.h`" },
    [METRIC_FROM_COLLECTOR] = { "collector", "ortmeter, about itself" },
    [METRIC_FROM_METRICS] = { "derived", "arithmetic on other metrics" },
};

bool metric_is_power(enum metric_id id)
{
    return id == METRIC_zone_power_watts || id == METRIC_device_power_watts ||
           id == METRIC_battery_power_watts;
}

bool metric_is_energy(enum metric_id id)
{
    return id == METRIC_zone_energy_joules_total ||
           id == METRIC_device_energy_joules_total || metric_is_power(id);
}

const struct metric *metric_find(struct str name)
{
    for (size_t i = 0; i < METRIC_IDS; i++)
        if (str_is(name, metric_table[i].name))
            return &metric_table[i];
    return NULL;
}

const char *metric_kind_name(enum metric_kind kind)
{
    return kinds[kind].name;
}

const char *metric_scope_name(enum metric_scope scope)
{
    return scopes[scope].name;
}

const char *metric_source_name(enum metric_source source)
{
    return sources[source].name;
}

static void write_words(struct buf *out, const char *title,
        const struct word *words, size_t count)
{
    buf_printf(out, "\n%s:\n\n", title);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "- **%s**: %s\n", words[i].name, words[i].about);
}

/* A scope that has no metric yet gets no chapter. */
static void write_scope(struct buf *out, enum metric_scope scope)
{
    bool begun = false;

    for (size_t i = 0; i < METRIC_IDS; i++) {
        const struct metric *m = &metric_table[i];

        if (m->scope != scope)
            continue;
        if (!begun)
            buf_printf(out,
                    "\n## %s\n\n%s.\n\n"
                    "| metric | unit | kind | source | what it says |\n"
                    "|---|---|---|---|---|\n",
                    scopes[scope].name, scopes[scope].about);
        begun = true;
        buf_printf(out, "| `%s` | %s | %s | %s | %s |\n", m->name, m->unit,
                kinds[m->kind].name, sources[m->source].name, m->help);
    }
}

void metric_write_markdown(struct buf *out)
{
    buf_text(out,
            "# Metrics\n\n"
            "Made by `tools/metrics_md.c` from `src/model/metric.h`: change "
            "that, not this.\n\n"
            "A name ends with its unit, then `_total` if it is a counter. "
            "Exports put `ortmeter_` before it. What could not be measured is "
            "absent, never 0.\n");
    write_words(out, "Kinds", kinds, METRIC_KINDS);
    write_words(out, "Sources", sources, METRIC_SOURCES);
    for (int scope = 0; scope < METRIC_SCOPES; scope++)
        write_scope(out, (enum metric_scope)scope);
}
