/* powermetrics_plist.c -- the property lists, by expat.
 *
 * A list is dictionaries and arrays inside each other.  Where we are is a
 * place; a key at a place leads to a place inside, or to a member of the
 * sample, or nowhere. */
#include "sample/power/powermetrics_state.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "os/kernel_text.h"

#include <expat.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH      32  /* of dictionaries and arrays; powermetrics has 8 */
#define TEXT_BYTES 256 /* of a key or value that we want */

enum place {
    NOWHERE, /* and nothing inside it matters */
    TOP,
    ROOT,
    PROCESSOR,
    CLUSTERS,
    CLUSTER,
    CPUS,
    CPU,
    GPU,
    BATTERY,
    TASKS,
    TASK,
};

/* A dictionary or array that we are in. */
struct level {
    enum place place;
    double idle_ratio, down_ratio; /* of a cluster, CPU or GPU */
};

struct plist {
    XML_Parser xml;
    struct powermetrics_sample *sample;
    struct level level[DEPTH];
    size_t depth;
    char key[TEXT_BYTES];
    char text[TEXT_BYTES];
    size_t text_len;
    bool deep;                            /* more than DEPTH: not one of ours */
    struct powermetrics_cluster *cluster; /* the ones we are in */
    struct powermetrics_cpu *cpu;
    struct powermetrics_task *task;
};

/* Dictionaries in an array have no key. */
static const struct {
    enum place from;
    const char *key; /* NULL: any */
    enum place to;
} ways[] = {
    { TOP, NULL, ROOT },
    { ROOT, "processor", PROCESSOR },
    { PROCESSOR, "clusters", CLUSTERS },
    { CLUSTERS, NULL, CLUSTER },
    { CLUSTER, "cpus", CPUS },
    { CPUS, NULL, CPU },
    { ROOT, "gpu", GPU },
    { ROOT, "battery", BATTERY },
    { ROOT, "tasks", TASKS },
    { TASKS, NULL, TASK },
};

#define SAMPLE(member) offsetof(struct powermetrics_sample, member)
#define IN_CLUSTER(m)  offsetof(struct powermetrics_cluster, m)
#define IN_CPU(m)      offsetof(struct powermetrics_cpu, m)
#define IN_TASK(m)     offsetof(struct powermetrics_task, m)

static const struct {
    enum place place;
    const char *key;
    size_t member;
    double unit;
} numbers[] = {
    { ROOT, "elapsed_ns", SAMPLE(elapsed_seconds), 1e-9 },
    { PROCESSOR, "cpu_energy", SAMPLE(cpu_joules), 1e-3 },
    { PROCESSOR, "gpu_energy", SAMPLE(gpu_joules), 1e-3 },
    { PROCESSOR, "ane_energy", SAMPLE(ane_joules), 1e-3 },
    { PROCESSOR, "cpu_power", SAMPLE(cpu_watts), 1e-3 },
    { PROCESSOR, "gpu_power", SAMPLE(gpu_watts), 1e-3 },
    { PROCESSOR, "ane_power", SAMPLE(ane_watts), 1e-3 },
    { PROCESSOR, "combined_power", SAMPLE(combined_watts), 1e-3 },
    { BATTERY, "percent_charge", SAMPLE(battery_charge_ratio), 1e-2 },
    { CLUSTER, "freq_hz", IN_CLUSTER(hertz), 1 },
    { CPU, "cpu", IN_CPU(number), 1 },
    { CPU, "freq_hz", IN_CPU(hertz), 1 },
    { GPU, "freq_hz", SAMPLE(gpu_hertz), 1e6 },
    { GPU, "gpu_energy", SAMPLE(gpu_own_joules), 1e-3 },
    { TASK, "pid", IN_TASK(pid), 1 },
    { TASK, "cputime_ms_per_s", IN_TASK(cpu_ms_per_s), 1 },
    { TASK, "gputime_ms_per_s", IN_TASK(gpu_ms_per_s), 1 },
    { TASK, "energy_impact", IN_TASK(energy_impact), 1 },
};

static enum place here(const struct plist *l)
{
    return l->depth ? l->level[l->depth - 1].place : TOP;
}

/* --- values --------------------------------------------------------------- */

/* What the members of a place lie in; NULL: there was no room for it. */
static char *base_of(struct plist *l)
{
    switch (here(l)) {
    case CLUSTER: return (char *)l->cluster;
    case CPU: return (char *)l->cpu;
    case TASK: return (char *)l->task;
    default: return (char *)l->sample;
    }
}

static void take_number(struct plist *l, struct str text)
{
    char *base = base_of(l);
    double value;

    /* "nan" is none: the member stays absent. */
    if (!base || str_f64(&value, str_trim(text)))
        return;
    if (l->depth && strcmp(l->key, "idle_ratio") == 0)
        l->level[l->depth - 1].idle_ratio = value;
    if (l->depth && strcmp(l->key, "down_ratio") == 0)
        l->level[l->depth - 1].down_ratio = value;
    for (size_t i = 0; i < LEN(numbers); i++)
        if (numbers[i].place == here(l) && !strcmp(numbers[i].key, l->key)) {
            value *= numbers[i].unit;
            memcpy(base + numbers[i].member, &value, sizeof(value));
        }
}

static void take_string(struct plist *l, struct str text)
{
    struct powermetrics_sample *s = l->sample;
    enum place place = here(l);

    if (place == ROOT && strcmp(l->key, "hw_model") == 0)
        text_copy(s->model, sizeof(s->model), text);
    else if (place == ROOT && strcmp(l->key, "thermal_pressure") == 0)
        text_copy(s->thermal_pressure, sizeof(s->thermal_pressure), text);
    else if (strcmp(l->key, "name") != 0)
        return;
    else if (place == CLUSTER && l->cluster)
        text_copy(l->cluster->name, sizeof(l->cluster->name), text);
    else if (place == TASK && l->task)
        text_copy(l->task->name, sizeof(l->task->name), text);
}

/* --- dictionaries and arrays ---------------------------------------------- */

static enum place inside(const struct plist *l)
{
    for (size_t i = 0; i < LEN(ways); i++)
        if (ways[i].from == here(l) &&
                (!ways[i].key || strcmp(ways[i].key, l->key) == 0))
            return ways[i].to;
    return NOWHERE;
}

static void enter(struct plist *l)
{
    enum place place = inside(l);

    if (l->depth == DEPTH) {
        l->deep = true;
        (void)XML_StopParser(l->xml, XML_FALSE);
        return;
    }
    /* Only newer chips can be down. */
    l->level[l->depth++] = (struct level){ place, NAN, 0 };
    l->key[0] = 0;
    if (place == CLUSTER)
        l->cluster = powermetrics_cluster(l->sample, str_of(""));
    else if (place == CPU)
        l->cpu = powermetrics_cpu(l->sample);
    else if (place == TASK)
        l->task = powermetrics_task(l->sample);
}

static void take_busy(struct plist *l, const struct level *at)
{
    double busy = 1 - at->idle_ratio - at->down_ratio;

    if (isnan(busy))
        return;
    busy = busy < 0 ? 0 : busy; /* rounding */
    if (at->place == GPU)
        l->sample->gpu_busy_ratio = busy;
    else if (at->place == CLUSTER && l->cluster)
        l->cluster->busy_ratio = busy;
    else if (at->place == CPU && l->cpu)
        l->cpu->busy_ratio = busy;
}

static void leave(struct plist *l)
{
    if (l->depth)
        take_busy(l, &l->level[--l->depth]);
    l->key[0] = 0;
}

/* --- expat ---------------------------------------------------------------- */

static void XMLCALL begin(void *user, const XML_Char *name,
        const XML_Char **attributes)
{
    struct plist *l = user;

    (void)attributes;
    l->text_len = 0;
    if (strcmp(name, "dict") == 0 || strcmp(name, "array") == 0)
        enter(l);
}

static void XMLCALL end(void *user, const XML_Char *name)
{
    struct plist *l = user;
    struct str text = { l->text, l->text_len };

    if (strcmp(name, "dict") == 0 || strcmp(name, "array") == 0)
        leave(l);
    else if (strcmp(name, "key") == 0)
        text_copy(l->key, sizeof(l->key), text);
    else if (strcmp(name, "integer") == 0 || strcmp(name, "real") == 0)
        take_number(l, text);
    else if (strcmp(name, "string") == 0)
        take_string(l, text);
    l->text_len = 0;
}

static void XMLCALL characters(void *user, const XML_Char *text, int len)
{
    struct plist *l = user;
    size_t room = sizeof(l->text) - l->text_len;
    size_t take = (size_t)len < room ? (size_t)len : room;

    memcpy(l->text + l->text_len, text, take);
    l->text_len += take;
}

static void ready(struct plist *l)
{
    (void)XML_ParserReset(l->xml, NULL);
    XML_SetUserData(l->xml, l);
    XML_SetElementHandler(l->xml, begin, end);
    XML_SetCharacterDataHandler(l->xml, characters);
    l->depth = 0;
    l->text_len = 0;
    l->key[0] = 0;
    l->deep = false;
}

struct plist *plist_new(struct powermetrics_sample *sample)
{
    struct plist *l = alloc_zero(1, sizeof(*l));

    l->sample = sample;
    l->xml = XML_ParserCreate(NULL);
    ready(l);
    return l;
}

void plist_free(struct plist *l)
{
    if (!l)
        return;
    XML_ParserFree(l->xml);
    free(l);
}

bool plist_feed(struct plist *l, const char *bytes, size_t len)
{
    /* expat counts in int. */
    while (len) {
        int part = len < 1 << 20 ? (int)len : 1 << 20;

        if (XML_Parse(l->xml, bytes, part, 0) != XML_STATUS_OK)
            return false;
        bytes += part;
        len -= (size_t)part;
    }
    return true;
}

bool plist_end(struct plist *l)
{
    bool whole = XML_Parse(l->xml, "", 0, 1) == XML_STATUS_OK && !l->deep;

    ready(l);
    return whole;
}
