/* figures.h -- what people ask of a run's energy: for each inference, sample
 * and token, by the watt, and what it costs.
 *
 * Gross is all that was drawn meanwhile; net is without what the idle machine
 * and other processes drew, and is known only where idle was calibrated.  A
 * figure that cannot be had is NaN. */
#pragma once

#include "energy/carbon.h"
#include "energy/run_energy.h"

struct energy_counts {
    uint64_t inferences; /* that did not fail */
    double samples;      /* of all batches */
    uint64_t tokens;     /* made; 0: none */
    double seconds;      /* from the first inference to the end of the last */
    double latency_s;    /* of an inference, mean; 0: not known */
    double flops;        /* of an inference; 0: not known */
};

struct energy_prices {
    const struct carbon_grid *grid; /* NULL: no region was given */
    double price_per_kwh;           /* 0: none was given */
    double pue;                     /* 1: the machine alone */
    double embodied_grams,
            lifespan_s; /* of the machine, for SCI; 0: not known */
};

struct energy_each {
    double gross_j, net_j;
};

struct energy_figures {
    double total_j, net_j; /* of the run; net: of our program */
    double idle_share;     /* of the total */
    struct energy_each inference, sample, token; /* in inferences only */
    double inferences_per_watt; /* a second: their rate over mean watts */
    double flops_per_watt;      /* FLOPs a second over mean watts */
    double delay_product_js;    /* joules of an inference times its latency */
    double grams, cost;         /* of the run */
    struct carbon_sci sci;      /* for each inference; grams NaN: not known */
};

struct energy_figures energy_figures(const struct run_energy *r,
        const struct energy_counts *n, const struct energy_prices *p);
