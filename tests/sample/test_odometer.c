#include "sample/power/odometer.h"

#include "test.h"

int main(void)
{
    struct odometer o = { .wrap = 1000 };

    CHECK_INT(odometer_total(&o, 990), 990);
    CHECK_INT(odometer_total(&o, 995), 995);
    CHECK_INT(odometer_total(&o, 5), 1005); /* max - last + now */
    CHECK_INT(odometer_total(&o, 5), 1005);
    CHECK_INT(odometer_total(&o, 4), 2004);

    /* It never wraps, so a step back is a reset: nothing is lost. */
    struct odometer plain = { 0 };

    CHECK_INT(odometer_total(&plain, 100), 100);
    CHECK_INT(odometer_total(&plain, 7), 107);
    CHECK_INT(odometer_total(&plain, 9), 109);
    return test_result();
}
