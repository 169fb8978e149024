/* input.h -- what run_energy.c and its files take from the store on the way;
 * for src/energy only. */
#pragma once

#include "base/map.h"
#include "energy/account.h"
#include "energy/model.h"
#include "energy/run_energy.h"
#include "energy/throttle_watch.h"

#define THREAD_BITS 22 /* of a span's thread; above them is its process */

struct sensor_readings {
    struct series_reading *items;
    size_t count, cap;
};

void readings_add(struct sensor_readings *r, uint64_t time_ns, double value);

/* A subject, and what was read of it that bears on energy. */
struct input_subject {
    uint32_t id, parent;
    uint64_t number;
    enum subject_kind kind;
    char *name, *source, *detail;
    struct sensor_readings joules, watts;
    struct sensor_readings cycles; /* of a process, in millions */
    enum reading_method method;
    struct cpu_model model; /* zeroed: it is a sensor */
    uint64_t period_ns;     /* between two updates, as was observed; or 0 */
};

/* One second of the machine. */
struct input_second {
    double own_cores; /* of our processes */
    double host_busy; /* share of all CPUs */
    bool own_seen, host_seen;
};

struct energy_input {
    struct run_energy *out;
    bool only_joules; /* nothing but these is wanted */
    int64_t run;
    uint64_t duration_ns; /* of the run */
    uint64_t last_ns;     /* of the last reading */
    char *host;           /* the run's, as JSON */
    struct input_subject *subjects;
    size_t subject_count;
    struct map by_id;     /* from a subject's id to its place */
    struct map processes; /* from a pid to the run's number of it */
    char *no_cycles;      /* why they were not counted; NULL: nobody said */
    struct sensor_readings host_busy;
    double clock_sum_hz, clock_count; /* of the cores */
    struct input_second *seconds;
    size_t second_cap;
    unsigned cores; /* logical CPUs that were sampled */

    /* Of inferences 1, 2, ... */
    uint8_t *phases;
    uint32_t *sessions;
    size_t inference_count, inference_cap;

    struct throttle_watch *throttle;

    struct work_span *spans;
    size_t span_count, span_cap;
    struct map classes; /* from a key to a class */
    size_t class_cap;

    /* What operators have of their inferences, and how often each runs in one:
     * of runs whose traced inferences were summed up. */
    bool summed;
    struct work_split *splits;
    double *split_runs;
    size_t split_count, split_cap;
};

/* Whether anything told of power, or a model may. */
bool input_has_power(const struct energy_input *g);

struct input_subject *input_find(const struct energy_input *g, uint32_t id);

/* input.c: everything but the idle watts; no work where only joules are wanted
 * and there are none.  input_release() in any case. */
int input_read(struct energy_input *g, struct store *s, int64_t run,
        struct error *e);
void input_release(struct energy_input *g);

/* input_model.c: gives the model's subject its watts, where there is one. */
void input_model(struct energy_input *g);

/* input_meter.c: moves an external meter's readings to where they fit. */
void input_meter(struct energy_input *g);

/* input_work.c: inferences and spans, and the class of each. */
int input_work(struct energy_input *g, struct store *s, int64_t run,
        struct error *e);

/* input_place.c: sets `here` of each sensor whose role is set, for free();
 * only where there is a sensor of a GPU or NPU. */
int input_place(const struct energy_input *g, struct account_sensor *sensors,
        size_t count, struct store *store, struct error *e);

/* input_rates.c: FLOPs or cycles a second of each class, NAN where they are
 * not known; says in the run how much is.  -ENODATA: nothing is. */
int input_rates(double *rate, const struct energy_input *g,
        const struct energy_key *key, struct error *e);

/* calibration.c: the newest idle watts of the same machine for each sensor, in
 * the order of `subjects`; NAN: none. */
int input_idle(double *idle_watts, const struct energy_input *g,
        struct store *s, struct error *e);
