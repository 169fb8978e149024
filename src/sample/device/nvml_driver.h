/* nvml_driver.h -- whether NVIDIA's driver is loaded.
 *
 * Asked before the library is: without the driver it cannot begin, and as root
 * it would leave a device node behind. */
#pragma once

#include <stddef.h>

/* -ENODEV: it is not.  Else its version, "" if it does not tell. */
int nvml_driver(char *version, size_t cap, const char *root);

/* What the library is called: the environment's ORTMETER_NVML, or the system's
 * own name for it. */
const char *nvml_library(void);
