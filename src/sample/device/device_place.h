/* device_place.h -- where the GPUs and NPUs of a driver lie in sysfs, and what
 * they are called among the subjects.
 *
 * Nothing here reads a file that wakes a device. */
#pragma once

#include "base/str.h"
#include "sample/subjects.h"

#include <stdbool.h>
#include <stddef.h>

#define DEVICE_PLACES 16

struct device_place {
    char node[128];   /* "<root>/sys/class/drm/card1" */
    char device[144]; /* its device's folder: PCI's, in most cases */
    char driver[24];  /* "amdgpu" */
    char pci[24];     /* "0000:c1:00.0"; "": it is not on PCI */
    char pci_id[16];  /* "1002:150E" */
    uint32_t package; /* zone of the processor that it is part of; 0: none.
                       * For the finder to set. */
};

/* The nodes of a class ("drm", "accel") whose names are `begin` and a number,
 * and whose driver is one of `drivers`, a list that ends with NULL.  Returns
 * how many there are. */
size_t device_places(struct device_place out[DEVICE_PLACES], const char *root,
        const char *class, const char *begin, const char *const *drivers);

/* False: it is suspended, or about to be or to wake up.  Reading its sensors
 * would wake it, or make us wait. */
bool device_is_awake(const struct device_place *p);

/* The folder of the chip that watches the device, "<device>/hwmon/hwmon3".
 * -ENOENT: there is none. */
int device_hwmon(char *out, size_t cap, const struct device_place *p);

/* Adds the device as the next of its kind, "gpu0" or "npu0"; its detail is
 * "AMD Strix [Radeon 890M], amdgpu, 0000:c1:00.0". */
uint32_t device_add(struct subjects *s, const char *kind, const char *source,
        const char *root, const struct device_place *p);
