/* calibration.c -- idle watts as `ortmeter calibrate` keeps them: a run with
 * the tag "calibration", on which each sensor has readings of idle watts. */
#include "energy/calibrate/calibration.h"

#include "base/alloc.h"
#include "energy/input/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 64 /* calibrations of all machines that are looked at */

struct finder {
    const char *host; /* that is wanted, as JSON */
    int64_t row;      /* 0: not found yet */
    uint64_t wall_ns;
};

/* The machine by its name and processor: the whole description also has what
 * changes, such as the memory that is free. */
static struct str member(const char *json, const char *key)
{
    const char *at = strstr(json, key);

    if (!at)
        return (struct str){ "", 0 };

    struct str rest = str_after(str_of(at + strlen(key)), '"');

    return str_before(rest, '"');
}

static bool same_machine(const char *a, const char *b)
{
    return str_eq(member(a, "\"hostname\":"), member(b, "\"hostname\":")) &&
           str_eq(member(a, "\"model\":"), member(b, "\"model\":"));
}

/* The newest comes first. */
static void look(void *to, const struct run_line *l)
{
    struct finder *f = to;

    if (f->row || !l->run->host || !f->host || l->run->status != RUN_COMPLETE ||
            !same_machine(f->host, l->run->host))
        return;
    f->row = l->run->row;
    f->wall_ns = l->run->started_wall_ns;
}

/* What the calibration knew, by the names of the sensors. */
struct known {
    const struct energy_input *g;
    double *idle_watts;
    struct map wanted; /* from a subject of the calibration to one of ours */
};

static void take_subject(void *to, const struct subject_entry *x)
{
    struct known *k = to;
    const char *name = x->subject.name ? x->subject.name : "";
    const char *source = x->subject.source ? x->subject.source : "";

    for (size_t i = 0; i < k->g->subject_count; i++)
        if (strcmp(k->g->subjects[i].name, name) == 0 &&
                strcmp(k->g->subjects[i].source, source) == 0)
            map_put(&k->wanted, x->id, i);
}

static void take_reading(void *to, const struct reading *r)
{
    struct known *k = to;
    const uint64_t *at = map_find(&k->wanted, r->subject);

    if (r->metric == METRIC_zone_idle_watts && at)
        k->idle_watts[*at] = r->value;
}

int input_idle(double *idle_watts, const struct energy_input *g,
        struct store *s, struct error *e)
{
    struct finder f = { .host = g->host };
    struct known k = { .g = g, .idle_watts = idle_watts };
    int rc = store_list_runs(s,
            &(struct run_filter){ .tags = CALIBRATION_TAG, .limit = RUNS_MAX },
            look, &f, e);

    for (size_t i = 0; i < g->subject_count; i++)
        idle_watts[i] = NAN;
    if (rc || !f.row)
        return rc;
    g->out->calibrated_wall_ns = f.wall_ns;
    rc = store_each_subject(s, f.row, take_subject, &k, e);
    if (!rc)
        rc = store_each_reading(s, f.row, take_reading, &k, e);
    map_release(&k.wanted);
    return rc;
}
