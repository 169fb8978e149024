/* percent.h -- shares, as people write them. */
#pragma once

#include "base/error.h"

/* "2%", "2.5 %" or "2" is 0.02, 0.025, 0.02.  More than 0 and at most 1000 %.
 * -EINVAL with a sentence that names the option. */
int percent_read(double *out, const char *text, const char *option,
        struct error *e);
