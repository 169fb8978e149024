/* powermetrics_text.c -- the text that powermetrics writes for people, of new
 * and old versions.  One line is one figure. */
#include "sample/power/powermetrics_state.h"

#include "base/compiler.h"
#include "os/kernel_text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *unit;
    double scale;
} units[] = {
    { "mW", 1e-3 },
    { "W", 1 },
    { "mJ", 1e-3 },
    { "MHz", 1e6 },
    { "GHz", 1e9 },
    { "C", 1 },
    { "%", 1e-2 },
};

/* "44 mW", "25.08% (600 MHz: ...)", ".43%": in base units, or NAN. */
static double quantity(struct str s)
{
    struct str rest = str_trim(s);
    struct str number = { rest.p, 0 };
    double value;

    while (number.len < rest.len &&
            strchr("0123456789.-", rest.p[number.len]) && rest.p[number.len])
        number.len++;
    if (str_f64(&value, number))
        return NAN;
    rest = (struct str){ rest.p + number.len, rest.len - number.len };

    struct str unit = str_word(&rest);

    for (size_t i = 0; i < LEN(units); i++)
        if (str_is(unit, units[i].unit))
            return value * units[i].scale;
    return unit.len ? NAN : value;
}

#define SAMPLE(member) offsetof(struct powermetrics_sample, member)

static const struct {
    const char *name; /* before the colon */
    size_t member;
    double scale;
} figures[] = {
    { "CPU Power", SAMPLE(cpu_watts), 1 },
    { "Clusters Total Power", SAMPLE(cpu_watts), 1 },
    { "GPU Power", SAMPLE(gpu_watts), 1 },
    { "ANE Power", SAMPLE(ane_watts), 1 },
    { "DRAM Power", SAMPLE(dram_watts), 1 },
    { "Package Power", SAMPLE(package_watts), 1 },
    { "Combined Power (CPU + GPU + ANE)", SAMPLE(combined_watts), 1 },
    { "GPU HW active frequency", SAMPLE(gpu_hertz), 1 },
    { "GPU active frequency", SAMPLE(gpu_hertz), 1 },
    { "GPU HW active residency", SAMPLE(gpu_busy_ratio), 1 },
    { "GPU active residency", SAMPLE(gpu_busy_ratio), 1 },
    { "CPU die temperature", SAMPLE(cpu_die_celsius), 1 },
    { "percent_charge", SAMPLE(battery_charge_ratio), 1e-2 },
};

/* `name` without `end`; empty: it does not end so. */
static struct str without(struct str name, const char *end)
{
    size_t len = strlen(end);

    if (name.len <= len || memcmp(name.p + name.len - len, end, len) != 0)
        return (struct str){ name.p, 0 };
    return (struct str){ name.p, name.len - len };
}

/* "E-Cluster HW active frequency", "P0-Cluster Power". */
static bool take_cluster(struct powermetrics_sample *s, struct str name,
        double value)
{
    static const struct {
        const char *end;
        size_t member;
    } kinds[] = {
        { " HW active frequency",
                offsetof(struct powermetrics_cluster, hertz) },
        { " HW active residency",
                offsetof(struct powermetrics_cluster, busy_ratio) },
        { " active frequency", offsetof(struct powermetrics_cluster, hertz) },
        { " active residency",
                offsetof(struct powermetrics_cluster, busy_ratio) },
        { " Power", offsetof(struct powermetrics_cluster, watts) },
    };

    for (size_t i = 0; i < LEN(kinds); i++) {
        struct str cluster = without(name, kinds[i].end);

        if (!without(cluster, "-Cluster").len)
            continue;

        struct powermetrics_cluster *c = powermetrics_cluster(s, cluster);

        if (c)
            memcpy((char *)c + kinds[i].member, &value, sizeof(value));
        return true;
    }
    return false;
}

/* "CPU 0 frequency", "cpu 0 active residency": the frequency comes first. */
static void take_cpu(struct powermetrics_sample *s, struct str name,
        double value)
{
    uint64_t number;
    struct str rest = name;
    struct str word = str_word(&rest);

    if (!str_is(word, "CPU") && !str_is(word, "cpu"))
        return;
    if (str_u64(&number, str_word(&rest)))
        return;
    rest = str_trim(rest);
    if (str_is(rest, "frequency")) {
        struct powermetrics_cpu *c = powermetrics_cpu(s);

        if (c) {
            c->number = (double)number;
            c->hertz = value;
        }
    } else if (str_is(rest, "active residency") && s->cpu_count &&
               s->cpu[s->cpu_count - 1].number == (double)number) {
        s->cpu[s->cpu_count - 1].busy_ratio = value;
    }
}

/* "... (5021.96ms elapsed) ***" */
static void take_beginning(struct powermetrics_sample *s, struct str line)
{
    struct str text = str_before(str_after_last(line, '('), 'm');
    double ms;

    if (str_f64(&ms, text) == 0)
        s->elapsed_seconds = ms / 1e3;
}

bool powermetrics_text_begins(struct str line)
{
    return str_starts(line, "*** Sampled system activity");
}

void powermetrics_text_line(struct powermetrics_sample *s, struct str line)
{
    struct str name = str_trim(str_before(line, ':'));
    struct str rest = str_after(line, ':');

    if (powermetrics_text_begins(line)) {
        take_beginning(s, line);
        return;
    }
    if (str_is(name, "Machine model"))
        text_copy(s->model, sizeof(s->model), rest);
    if (str_is(name, "Current pressure level"))
        text_copy(s->thermal_pressure, sizeof(s->thermal_pressure), rest);
    if (str_is(name, "Battery")) {
        name = str_trim(str_before(rest, ':'));
        rest = str_after(rest, ':');
    }

    double value = quantity(rest);

    if (isnan(value))
        return;
    for (size_t i = 0; i < LEN(figures); i++)
        if (str_is(name, figures[i].name)) {
            value *= figures[i].scale;
            memcpy((char *)s + figures[i].member, &value, sizeof(value));
            return;
        }
    if (!take_cluster(s, name, value))
        take_cpu(s, name, value);
}
