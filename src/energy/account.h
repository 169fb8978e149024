/* account.h -- the energy of a stretch of time: what each sensor says, what is
 * counted, whose it was, and how sure that is.
 *
 * Arithmetic on what is handed in; run_energy.h takes it from the store. */
#pragma once

#include "energy/attribute.h"
#include "energy/series.h"
#include "energy/zones.h"
#include "model/reading.h"
#include "wire/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sensor's readings.  Texts and arrays are borrowed. */
struct account_sensor {
    struct energy_zone zone; /* `role` and `of` are set here */
    const struct series_reading *joules;
    size_t joules_count;
    const struct series_reading *watts; /* used where there are no joules */
    size_t watts_count;
    struct series_sensor sensor;
    const double *idle_watts; /* NULL: not calibrated */
    enum reading_method method;
    double low_factor, high_factor; /* of a model; 0: measured */
    const char *basis;              /* of a model */
    const bool *here; /* of each class: what it draws there, this one feeds; the
                       * time of others is that of the span around them.  NULL:
                       * all of them */
};

struct account_input {
    struct account_sensor *sensors;
    size_t sensor_count;
    const struct work_span *spans; /* by start, the longer first */
    size_t span_count;
    const struct work_split *splits;
    size_t split_count;
    uint32_t class_count, owner_count;
    const struct cpu_share *shares;
    size_t share_count;
    const double *rate; /* of each class; NULL: by busy time */
    uint64_t start_ns, end_ns;
};

/* What one sensor said. */
struct account_zone {
    struct energy_zone zone; /* its texts are owned here */
    struct series_window window;
    uint64_t period_ns;
    bool period_resolved;
    size_t faults[SERIES_FAULTS];
    double mean_watts; /* over what it covered */
    bool idle_known;
    double idle_watts;
    enum reading_method method;
};

/* Steps are no shorter. */
#define ENERGY_STEP_LEAST_NS 100000000ull

/* All counted sensors together, over a step of time. */
struct account_point {
    uint64_t start_ns, end_ns;
    double watts;
    double part_watts[ZONE_PARTS];
    enum phase phase; /* of most of it; PHASE_IDLE: none of our work was done
                       * in it.  Set by run_energy.h */
};

struct energy_account {
    struct account_zone *zones;
    size_t zone_count;
    bool shared;    /* one of them measures the CPU, which others use, too */
    size_t counted; /* of them; 0: nothing is known, all below is empty */

    enum reading_method method;     /* the weakest of those counted */
    double low_factor, high_factor; /* bounds of a model; 0: none */
    char basis[160];

    uint64_t start_ns, end_ns;
    uint64_t covered_ns; /* by the sensor that covers least */
    uint64_t period_ns;  /* of the slowest sensor */
    uint64_t part_uj[ZONE_PARTS];
    double mean_watts, peak_watts, last_watts;
    struct account_point *points;
    size_t point_count;
    struct series *series; /* of those counted */
    struct attribution attribution;
};

/* Sets the roles of the sensors: which are counted, and which are inside of
 * others. */
void energy_account_plan(const struct account_input *in);

/* Does so, too. */
void energy_account_build(struct energy_account *out,
        const struct account_input *in);
void energy_account_release(struct energy_account *a);

/* Joules that all counted sensors tell of a stretch of time, gross; NAN: one of
 * them says nothing of some of it. */
double energy_account_between(const struct energy_account *a, uint64_t start_ns,
        uint64_t end_ns);

/* How the energy of something that lasts so long was had: measured where the
 * sensors moved often enough in it, else apportioned; and never better than the
 * sensors. */
enum reading_method energy_account_method(const struct energy_account *a,
        uint64_t length_ns);
