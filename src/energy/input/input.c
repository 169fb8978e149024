/* input.c -- what the store has of a run that bears on its energy. */
#include "energy/input/input.h"

#include "base/alloc.h"
#include "energy/recorder.h"
#include "store/replay.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX (UINT64_C(1) << 24) /* half a year */

/* Readings that say how much was drawn, by whom. */
static bool is_joules(unsigned metric)
{
    return metric == METRIC_zone_energy_joules_total ||
           metric == METRIC_device_energy_joules_total;
}

static bool is_watts(unsigned metric)
{
    return metric == METRIC_zone_power_watts ||
           metric == METRIC_device_power_watts ||
           metric == METRIC_battery_power_watts;
}

void readings_add(struct sensor_readings *r, uint64_t time_ns, double value)
{
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 256;
        r->items = alloc_resize(r->items, r->cap * sizeof(*r->items));
    }
    r->items[r->count++] = (struct series_reading){ time_ns, value };
}

struct input_subject *input_find(const struct energy_input *g, uint32_t id)
{
    const uint64_t *at = map_find(&g->by_id, id);

    return at ? &g->subjects[*at] : NULL;
}

/* --- from the store ------------------------------------------------------- */

static void take_run(void *to, const struct run *r)
{
    struct energy_input *g = to;

    if (r->duration_ns)
        g->duration_ns = r->duration_ns;
    g->host = r->host ? alloc_text(r->host) : NULL;
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct energy_input *g = to;

    g->cores += x->subject.kind == SUBJECT_CORE;
    g->out->sampled = true;
    g->subjects = alloc_resize(g->subjects,
            (g->subject_count + 1) * sizeof(*g->subjects));
    map_put(&g->by_id, x->id, g->subject_count);
    g->subjects[g->subject_count++] = (struct input_subject){
        .id = x->id,
        .parent = x->subject.parent,
        .number = x->subject.number,
        .kind = x->subject.kind,
        .name = alloc_text(x->subject.name ? x->subject.name : ""),
        .source = alloc_text(x->subject.source ? x->subject.source : ""),
        .detail = alloc_text(x->subject.detail ? x->subject.detail : ""),
    };
}

static void take_reading(void *to, const struct reading *r)
{
    struct energy_input *g = to;

    throttle_watch_reading(g->throttle, r);
    if (r->time_ns > g->last_ns)
        g->last_ns = r->time_ns;
    if (r->metric == METRIC_host_busy_ratio) {
        readings_add(&g->host_busy, r->time_ns, r->value);
        return;
    }
    if (r->metric == METRIC_core_frequency_hertz) {
        g->clock_sum_hz += r->value;
        g->clock_count++;
        return;
    }

    struct input_subject *x = input_find(g, r->subject);

    if (x && r->metric == METRIC_zone_update_seconds)
        x->period_ns = (uint64_t)(r->value * 1e9);
    if (x && r->metric == METRIC_process_cycles_total)
        readings_add(&x->cycles, r->time_ns, r->value / 1e6);
    if (!x || (!is_joules(r->metric) && !is_watts(r->metric)))
        return;
    if (r->method > (unsigned)x->method)
        x->method = (enum reading_method)r->method;
    readings_add(is_joules(r->metric) ? &x->joules : &x->watts, r->time_ns,
            r->value);
}

static void take_changes(void *to, const struct reading_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        take_reading(to, &list->items[i]);
}

static void take_rollup(void *to, const struct rollup *r)
{
    struct energy_input *g = to;

    throttle_watch_rollup(g->throttle, r);
    if ((r->metric != METRIC_process_cpu_cores &&
                r->metric != METRIC_host_busy_ratio) ||
            r->second >= SECONDS_MAX)
        return;
    if (r->second >= g->second_cap) {
        size_t cap = 2 * (size_t)r->second + 64;

        g->seconds = alloc_resize(g->seconds, cap * sizeof(*g->seconds));
        memset(g->seconds + g->second_cap, 0,
                (cap - g->second_cap) * sizeof(*g->seconds));
        g->second_cap = cap;
    }

    struct input_second *x = &g->seconds[r->second];

    if (r->metric == METRIC_host_busy_ratio) {
        x->host_busy = r->mean;
        x->host_seen = true;
    } else {
        x->own_cores += r->mean;
        x->own_seen = true;
    }
}

static void take_process(void *to, const struct process *p)
{
    struct energy_input *g = to;

    map_put(&g->processes, p->pid, p->id);
}

static void take_absence(void *to, const struct absence_note *a)
{
    struct energy_input *g = to;
    struct run_energy *r = g->out;
    const struct input_subject *x = input_find(g, a->subject);

    if (a->metric == METRIC_process_cycles_total && !g->no_cycles)
        g->no_cycles = alloc_text(a->reason);
    if (!is_joules(a->metric) && !is_watts(a->metric))
        return;
    r->reasons = alloc_resize(r->reasons,
            (r->reason_count + 1) * sizeof(*r->reasons));
    r->reasons[r->reason_count++] = (struct energy_reason){
        .what = alloc_text(a->subject && x ? x->name : "energy"),
        .why = alloc_text(a->reason),
    };
}

bool input_has_power(const struct energy_input *g)
{
    for (size_t i = 0; i < g->subject_count; i++) {
        const struct input_subject *x = &g->subjects[i];

        if (x->joules.count || x->watts.count ||
                strcmp(x->source, ENERGY_SOURCE_MODEL) == 0)
            return true;
    }
    return false;
}

int input_read(struct energy_input *g, struct store *s, int64_t run,
        struct error *e)
{
    const struct subscriber to = { g, .begin = take_run,
        .process = take_process, .subject = take_subject,
        .missing = take_absence, .changes = take_changes,
        .rollup = take_rollup };

    g->throttle = throttle_watch_new();

    int rc = store_replay_to(s, run, &to, e);

    if (!rc && (!g->only_joules || input_has_power(g)))
        rc = input_work(g, s, run, e);
    return rc;
}

void input_release(struct energy_input *g)
{
    for (size_t i = 0; i < g->subject_count; i++) {
        free(g->subjects[i].name);
        free(g->subjects[i].source);
        free(g->subjects[i].detail);
        free(g->subjects[i].joules.items);
        free(g->subjects[i].watts.items);
        free(g->subjects[i].cycles.items);
    }
    free(g->subjects);
    free(g->host);
    free(g->host_busy.items);
    free(g->seconds);
    free(g->phases);
    free(g->sessions);
    free(g->spans);
    free(g->splits);
    free(g->split_runs);
    free(g->no_cycles);
    throttle_watch_free(g->throttle);
    map_release(&g->by_id);
    map_release(&g->processes);
    map_release(&g->classes);
}
