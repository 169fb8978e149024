/* carbon.h -- what energy costs the climate, and its owner.
 *
 * Grams are CO2 equivalents; 1 kWh is 3.6 MJ.  The energy of a machine becomes
 * that of its data centre by PUE, which is 1 unless it is given: it must not be
 * applied to what was metered at the site's own plug. */
#pragma once

#include "base/error.h"
#include "energy/regions.h"

#include <stdbool.h>

struct carbon_grid {
    double grams_per_kwh;
    const char *name;   /* of the region; "given" */
    const char *source; /* of the figure */
    int year;           /* 0: not told */
};

/* By a code of two or three letters, or a name, in any case; "world" is the
 * average of all.  -ENOENT: there is none such; the error names some that are
 * near. */
int carbon_region(struct carbon_grid *out, const char *text, struct error *e);

/* A figure of one's own, which always wins. */
struct carbon_grid carbon_given(double grams_per_kwh);

double carbon_kwh(double joules);
double carbon_grams(double joules, double pue, const struct carbon_grid *grid);
double carbon_cost(double joules, double pue, double price_per_kwh);

/* Software Carbon Intensity, ISO/IEC 21031, version 1.1 of its specification:
 * (O + M) per R.  Without the embodied grams of the machine it is O per R and
 * no SCI score: `complete` is then false. */
struct carbon_sci_input {
    double operational_grams;
    double embodied_grams; /* of the whole machine; 0: not known */
    double used_s;         /* time that it was reserved */
    double lifespan_s;     /* that it is expected to serve; 0: not known */
    double share;          /* of the machine that was reserved: 1, all */
    double units;          /* inferences, tokens: R */
};
struct carbon_sci {
    double grams_per_unit;
    double embodied_grams; /* of it all, M */
    bool complete;
};
struct carbon_sci carbon_sci(const struct carbon_sci_input *in);
