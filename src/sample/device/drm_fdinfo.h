/* drm_fdinfo.h -- what a driver tells of one program's use of a GPU or NPU, in
 * /proc/PID/fdinfo/FD: Documentation/gpu/drm-usage-stats.rst.  Pure. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRM_ENGINES 16

struct drm_engine {
    char name[24];     /* "render", "ccs", "compute" */
    unsigned capacity; /* of how many alike; at least 1 */
    bool has_ns, has_cycles, has_total;
    uint64_t ns;     /* time that it was busy for this client */
    uint64_t cycles; /* or cycles, */
    uint64_t total;  /* of this many that passed */
};

/* A client is an open device: files that were duplicated are the same one. */
struct drm_fdinfo {
    char driver[32]; /* "amdgpu" */
    char pci[24];    /* "0000:03:00.0"; "": not told */
    bool has_client;
    uint64_t client;
    struct drm_engine engine[DRM_ENGINES];
    size_t engine_count;
    bool has_device_bytes, has_system_bytes;
    uint64_t device_bytes; /* resident in the device's own memory */
    uint64_t system_bytes; /* and in the machine's */
};

/* -EINVAL: it is of no such device.  A line that makes no sense is passed
 * over. */
int drm_fdinfo_parse(struct drm_fdinfo *out, struct str text);
