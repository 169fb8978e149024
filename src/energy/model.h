/* model.h -- a CPU's power where nothing measures it: an estimate, always
 * called `modelled`, and always with its bounds.
 *
 *     watts = idle + (full - idle) * load
 *     load  = busy * clock
 *
 * `busy` is the share of all logical CPUs' time that was not idle, and `clock`
 * their frequency as a share of the highest, where it is told.
 *
 * Uncalibrated, idle is 0.12 TDP and full 0.75 TDP: of the simple models the
 * one that was least wrong on 106 recordings of RAPL from four kinds of
 * processors (mean error 34 %, worst 137 %; the measured power was mostly
 * between half and twice the estimate).  So its bounds are a factor of 2, and 3
 * where even TDP is a guess or the machine is virtual.
 *
 * With the machine's own idle and full watts, from `ortmeter calibrate` or a
 * meter, such a model was 5 to 19 % off: bounds of 20 %. */
#pragma once

#include "model/host.h"

struct cpu_model {
    double idle_watts, full_watts;
    double low_factor, high_factor; /* the truth lies between estimate times
                                     * these, as far as we know */
    char basis[160];                /* on what it rests, in words */
};

/* What the user knows; 0: nothing. */
struct cpu_model_given {
    double idle_watts, full_watts;
    double tdp_watts;
};

/* A TDP counts once for each socket. */
struct cpu_model cpu_model_of(const struct host_info *host,
        const struct cpu_model_given *given);

/* `clock` is 1 where the frequency is not told. */
double cpu_model_watts(const struct cpu_model *m, double busy, double clock);
