/* hwmon.h -- the sensors of one chip, as the kernel's hwmon tells them:
 * Documentation/hwmon/sysfs-interface.rst.  For several samplers. */
#pragma once

#include "sample/power/odometer.h"
#include "sample/sampler.h"

#define HWMON_SENSORS 32

struct hwmon_sensor {
    char file[24]; /* "temp1_input" */
    enum metric_id metric;
    uint32_t subject;
    double unit;        /* of the file's number */
    struct odometer uj; /* of an energy */
};

struct hwmon {
    char folder[224];
    struct hwmon_sensor sensor[HWMON_SENSORS];
    size_t count;
};

/* What to look for. */
enum hwmon_kind {
    HWMON_TEMPERATURES = 1,
    HWMON_POWERS = 2,
    HWMON_ENERGIES = 4,
};

/* Finds the sensors of those kinds of the chip in `folder`.  Each becomes a
 * zone like `like`: with its parent and source, and with its name and "/"
 * before the sensor's label, or before "temp1". */
void hwmon_open(struct hwmon *h, struct subjects *subjects, const char *folder,
        const struct subject *like, unsigned wanted);
void hwmon_read(struct hwmon *h, struct batch *out);
