/* nvml.h -- the part of NVIDIA's management library that we use, as one list.
 * Loaded at run time: no header and no library of NVIDIA's is needed to build.
 *
 * Names, arguments and sizes are those of the library's own interface, which
 * only ever grows: a call that is missing belongs to a newer driver.  For
 * src/sample/nvml*.c only. */
#pragma once

#include "base/error.h"
#include "os/dl.h"

#include <stdbool.h>
#include <stdint.h>

struct nvml_device; /* a handle */
struct nvml_sample; /* of GPM, opaque */

/* What calls return. */
enum nvml_return {
    NVML_OK = 0,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_FUNCTION_NOT_FOUND = 13,
    NVML_GPU_IS_LOST = 15,
    NVML_RESET_REQUIRED = 16,
    NVML_OPERATING_SYSTEM = 17, /* a container that may not */
    NVML_NO_DATA = 21,
    NVML_ARGUMENT_VERSION_MISMATCH = 25,
    NVML_UNKNOWN = 999,
};

struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

struct nvml_utilization {
    unsigned gpu, memory; /* percent */
};

struct nvml_memory {
    uint64_t total, free, used; /* bytes; used includes what is reserved */
};

#define NVML_MEMORY_V2 0x02000028u

struct nvml_memory_v2 {
    unsigned version;
    uint64_t total, reserved, free, used;
};

#define NVML_TEMPERATURE_V1 0x0100000Cu

struct nvml_temperature {
    unsigned version, sensor;
    int celsius;
};

/* What GetFieldValues is asked for. */
enum nvml_field_id {
    NVML_FIELD_POWER_MW = 186,  /* of now; since driver 535 */
    NVML_FIELD_PCIE_SENT = 197, /* bytes, cumulative; since 555 */
    NVML_FIELD_PCIE_RECEIVED = 198,
};

enum nvml_value_type {
    NVML_DOUBLE,
    NVML_UNSIGNED,
    NVML_UNSIGNED_LONG,
    NVML_UNSIGNED_LONG_LONG,
    NVML_SIGNED_LONG_LONG,
    NVML_SIGNED,
    NVML_UNSIGNED_SHORT,
};

struct nvml_field {
    unsigned id, scope;
    int64_t timestamp_us, latency_us;
    unsigned type; /* enum nvml_value_type */
    int rc;
    union {
        double real;
        unsigned u32;
        unsigned long ulong;
        uint64_t u64;
        int64_t s64;
        int s32;
        unsigned short u16;
    } value;
};

struct nvml_gpm_support {
    unsigned version, supported;
};

#define NVML_GPM_VERSION 1
#define NVML_GPM_METRICS 98 /* the first library's array has this many */

struct nvml_gpm_metric {
    unsigned id;
    int rc;
    double value;
    const char *texts[3];
};

struct nvml_gpm {
    unsigned version, count;
    struct nvml_sample *before, *after;
    struct nvml_gpm_metric metric[NVML_GPM_METRICS];
};

_Static_assert(sizeof(struct nvml_pci) == 68, "as NVML has it");
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "as NVML has it");
_Static_assert(sizeof(struct nvml_field) == 40, "as NVML has it");
_Static_assert(sizeof(struct nvml_gpm) == 3944, "as NVML has it");

/* Name, is it a must, arguments. */
/* clang-format off */
#define NVML_CALLS(X) \
    X(nvmlInit_v2, true, (void)) \
    X(nvmlShutdown, true, (void)) \
    X(nvmlDeviceGetCount_v2, true, (unsigned *count)) \
    X(nvmlDeviceGetHandleByIndex_v2, true, \
        (unsigned i, struct nvml_device **out)) \
    X(nvmlDeviceGetName, false, \
        (struct nvml_device *d, char *out, unsigned cap)) \
    X(nvmlDeviceGetPciInfo_v3, false, \
        (struct nvml_device *d, struct nvml_pci *out)) \
    X(nvmlDeviceGetMigMode, false, \
        (struct nvml_device *d, unsigned *now, unsigned *pending)) \
    X(nvmlDeviceGetUtilizationRates, false, \
        (struct nvml_device *d, struct nvml_utilization *out)) \
    X(nvmlDeviceGetEncoderUtilization, false, \
        (struct nvml_device *d, unsigned *percent, unsigned *period_us)) \
    X(nvmlDeviceGetDecoderUtilization, false, \
        (struct nvml_device *d, unsigned *percent, unsigned *period_us)) \
    X(nvmlDeviceGetMemoryInfo, false, \
        (struct nvml_device *d, struct nvml_memory *out)) \
    X(nvmlDeviceGetMemoryInfo_v2, false, \
        (struct nvml_device *d, struct nvml_memory_v2 *out)) \
    X(nvmlDeviceGetPowerUsage, false, (struct nvml_device *d, unsigned *mw)) \
    X(nvmlDeviceGetEnforcedPowerLimit, false, \
        (struct nvml_device *d, unsigned *mw)) \
    X(nvmlDeviceGetTotalEnergyConsumption, false, \
        (struct nvml_device *d, unsigned long long *mj)) \
    X(nvmlDeviceGetTemperature, false, \
        (struct nvml_device *d, unsigned sensor, unsigned *celsius)) \
    X(nvmlDeviceGetTemperatureV, false, \
        (struct nvml_device *d, struct nvml_temperature *out)) \
    X(nvmlDeviceGetClockInfo, false, \
        (struct nvml_device *d, unsigned type, unsigned *mhz)) \
    X(nvmlDeviceGetCurrentClocksEventReasons, false, \
        (struct nvml_device *d, unsigned long long *bits)) \
    X(nvmlDeviceGetCurrentClocksThrottleReasons, false, \
        (struct nvml_device *d, unsigned long long *bits)) \
    X(nvmlDeviceGetPcieThroughput, false, \
        (struct nvml_device *d, unsigned counter, unsigned *kb_per_s)) \
    X(nvmlDeviceGetFieldValues, false, \
        (struct nvml_device *d, int count, struct nvml_field *fields)) \
    X(nvmlDeviceGetComputeRunningProcesses_v3, false, \
        (struct nvml_device *d, unsigned *count, void *entries)) \
    X(nvmlDeviceGetComputeRunningProcesses_v2, false, \
        (struct nvml_device *d, unsigned *count, void *entries)) \
    X(nvmlDeviceGetComputeRunningProcesses, false, \
        (struct nvml_device *d, unsigned *count, void *entries)) \
    X(nvmlDeviceGetGraphicsRunningProcesses_v3, false, \
        (struct nvml_device *d, unsigned *count, void *entries)) \
    X(nvmlGpmQueryDeviceSupport, false, \
        (struct nvml_device *d, struct nvml_gpm_support *out)) \
    X(nvmlGpmSampleAlloc, false, (struct nvml_sample **out)) \
    X(nvmlGpmSampleFree, false, (struct nvml_sample *s)) \
    X(nvmlGpmSampleGet, false, \
        (struct nvml_device *d, struct nvml_sample *s)) \
    X(nvmlGpmMetricsGet, false, (struct nvml_gpm *g))
/* clang-format on */

/* Starts zeroed. */
struct nvml {
    struct dl *lib;
    bool begun;
    const char *(*nvmlErrorString)(int rc);
#define X(name, must, args) int(*name) args;
    NVML_CALLS(X)
#undef X
};

/* Loads the library and begins, which needs the driver: see nvml_driver.h.
 * -ENODEV, -EACCES, -ENOSYS: it cannot be used, and `e` says why. */
int nvml_begin(struct nvml *n, const char *library, struct error *e);
/* Ends and unloads; harmless on one that never began. */
void nvml_end(struct nvml *n);

/* What a return value means, in NVML's own words. */
const char *nvml_words(const struct nvml *n, int rc);
