/* powermetrics_source.h -- the program that is run for Apple's figures. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* Where it is: what the environment's ORTMETER_POWERMETRICS names, or the
 * powermetrics in PATH.  -ENODEV: there is none.  -EACCES: it is for root only;
 * `e` says that without what to do about it. */
int powermetrics_program(char *path, size_t cap, struct error *e);
