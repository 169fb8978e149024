/* recorder.h -- what has to be kept of a run so that its energy can be told
 * afterwards: which sensors there are, why others are not, the model where one
 * was asked for, and an external meter. */
#pragma once

#include "base/error.h"
#include "energy/model.h"
#include "live/loop.h"

#include <stdbool.h>
#include <stdint.h>

enum energy_mode {
    ENERGY_AUTO,  /* what sensors say; nothing where there are none */
    ENERGY_MODEL, /* the model of the CPU, where no sensor measures it */
    ENERGY_OFF,
};

/* "auto", "model", "off"; ends with NULL. */
extern const char *const energy_mode_names[];

struct energy_plan {
    enum energy_mode mode;
    struct cpu_model_given given;
    const char *meter; /* a file, a pipe, or tcp:HOST:PORT; NULL: none */
    bool meter_offset_given;
    double meter_offset_s; /* to be added to the meter's times, if so */
};

/* The subject of the model, and of a meter. */
#define ENERGY_SOURCE_MODEL "cpu-model"
#define ENERGY_SOURCE_METER "meter"

/* At the end of a meter's detail, where its clock was set by hand. */
#define ENERGY_METER_SET ", its clock set by "

/* Whether a sampler tells of energy, by its name. */
bool energy_is_sampler(const char *name);

/* Rates that switch all such samplers off, for sampling_open(); returns how
 * many.  None, unless the mode is ENERGY_OFF. */
#define ENERGY_SAMPLERS_MAX 16
size_t energy_rates(struct sampling_rate out[ENERGY_SAMPLERS_MAX],
        const struct energy_plan *plan);

/* Adds to the subjects why sensors are missing, and the model. */
void energy_note(struct sampling *s, const struct energy_plan *plan);

/* Does so for a loop that was just opened, finds out how often the counters
 * move, which may take a moment, and has the loop take the readings of an
 * external meter, where there is one.  Close it after the last step. */
struct energy_meter;

struct energy_meter *energy_record(struct loop *l,
        const struct energy_plan *plan);
void energy_meter_close(struct energy_meter *m);
