#include "cmd/energy_prices.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>

static int price_from_environment(double *out, struct error *e)
{
    const char *text = getenv("ORTMETER_PRICE");

    if (!text || !*text)
        return 0;
    if (str_f64(out, str_of(text)) || *out < 0)
        return fail(e, -EINVAL, "ORTMETER_PRICE is no price: '%.40s'", text);
    return 0;
}

int energy_prices(struct energy_prices *out, struct energy_price_options *o,
        struct error *e)
{
    int rc = 0;

    if (!o->region)
        o->region = getenv("ORTMETER_REGION");
    if (!(o->price > 0))
        rc = price_from_environment(&o->price, e);
    if (rc)
        return rc;
    if (o->pue > 0 && o->pue < 1)
        return fail(e, -EINVAL,
                "--pue is the whole site over its machines, so at least 1");
    *out = (struct energy_prices){
        .price_per_kwh = o->price,
        .pue = o->pue > 0 ? o->pue : 1,
    };
    if (o->carbon > 0)
        o->grid = carbon_given(o->carbon);
    else if (o->region && *o->region)
        rc = carbon_region(&o->grid, o->region, e);
    else
        return 0;
    if (!rc)
        out->grid = &o->grid;
    return rc;
}
