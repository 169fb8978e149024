/* energy_prices.h -- what energy costs, as options have it: --region, --carbon,
 * --price and --pue. */
#pragma once

#include "base/error.h"
#include "energy/figures.h"

struct energy_price_options {
    const char *region;      /* or NULL */
    double carbon;           /* grams for a kWh; 0: by the region */
    double price;            /* for a kWh; 0: none */
    double pue;              /* 0: 1 */
    struct carbon_grid grid; /* that was found */
};

/* Fills `out`, which points into `o`.  -ENOENT: no such region; the error names
 * some that are near.  -EINVAL: a PUE that makes no sense. */
int energy_prices(struct energy_prices *out, struct energy_price_options *o,
        struct error *e);
