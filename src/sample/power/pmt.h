/* pmt.h -- the energy of Intel's NPU, in Intel's platform telemetry
 * (Documentation/ABI/testing/sysfs-class-intel_pmt): a block of numbers whose
 * layout an id names.  Root only. */
#pragma once

#include "base/error.h"
#include "sample/power/odometer.h"

#include <stdbool.h>

/* Starts zeroed. */
struct pmt {
    int fd; /* 0: not open */
    long offset;
    double joules; /* of one count */
    struct odometer raw;
};

/* -ENODEV: there is no telemetry that we know the layout of.  -EACCES: it is
 * not for us. */
int pmt_open(struct pmt *p, const char *root, struct error *e);
/* False: it could not be read. */
bool pmt_read(struct pmt *p, double *joules_total);
void pmt_close(struct pmt *p);
