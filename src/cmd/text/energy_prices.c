#include "cmd/text/energy_prices.h"

#include <errno.h>

int energy_prices(struct energy_prices *out, struct energy_price_options *o,
        struct error *e)
{
    int rc = 0;

    if (o->pue > 0 && o->pue < 1)
        return fail(e, -EINVAL,
                "--pue is the whole site over its machines, so at least 1");
    *out = (struct energy_prices){
        .price_per_kwh = o->price,
        .pue = o->pue > 0 ? o->pue : 1,
    };
    if (o->carbon > 0)
        o->grid = carbon_given(o->carbon);
    else if (o->region)
        rc = carbon_region(&o->grid, o->region, e);
    else
        return 0;
    if (!rc)
        out->grid = &o->grid;
    return rc;
}
