/* fake_nvml.c -- a libnvidia-ml.so that says what a test wants.
 *
 * FAKE_NVML_OLD: as of driver 470, which lacks what came later.
 * FAKE_NVML_BROKEN: lacks what cannot be done without. */
#include "fake_nvml.h"

#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Every call is announced, so that none is spelt wrongly. */
#define X(name, must, args) EXPORT int name args;
NVML_CALLS(X)
#undef X
EXPORT const char *nvmlErrorString(int rc);
extern EXPORT struct fake_nvml fake_nvml;

struct fake_nvml fake_nvml;

static char handles[FAKE_GPUS];

static int state_of(struct nvml_device *d, int rc)
{
    ptrdiff_t i = (char *)d - handles;

    if (!fake_nvml.begun)
        return 1;
    if (i < 0 || i >= FAKE_GPUS)
        return 2;
    return fake_nvml.lost[i] ? NVML_GPU_IS_LOST : rc;
}

/* Returns early unless the call is to work. */
#define ENTER(name, d)                            \
    do {                                          \
        int rc_ = state_of(d, fake_nvml.rc.name); \
        if (rc_)                                  \
            return rc_;                           \
    } while (0)

const char *nvmlErrorString(int rc)
{
    switch (rc) {
    case NVML_NOT_SUPPORTED: return "Not Supported";
    case NVML_NO_PERMISSION: return "Insufficient Permissions";
    case 9: return "Driver Not Loaded";
    case NVML_FUNCTION_NOT_FOUND: return "Function Not Found";
    case NVML_GPU_IS_LOST: return "GPU is lost";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
    }
}

int nvmlInit_v2(void)
{
    fake_nvml.begun += fake_nvml.rc.nvmlInit_v2 == 0;
    return fake_nvml.rc.nvmlInit_v2;
}

int nvmlShutdown(void)
{
    fake_nvml.begun--;
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = fake_nvml.gpus;
    return fake_nvml.rc.nvmlDeviceGetCount_v2;
}

#ifndef FAKE_NVML_BROKEN
int nvmlDeviceGetHandleByIndex_v2(unsigned i, struct nvml_device **out)
{
    *out = (struct nvml_device *)(void *)&handles[i];
    return i == 0 ? fake_nvml.rc.nvmlDeviceGetHandleByIndex_v2 : 0;
}
#endif

int nvmlDeviceGetName(struct nvml_device *d, char *out, unsigned cap)
{
    static const char name[] = "GeForce RTX 0";

    ENTER(nvmlDeviceGetName, d);
    if (cap < sizeof(name))
        return NVML_INSUFFICIENT_SIZE;
    memcpy(out, name, sizeof(name));
    return 0;
}

int nvmlDeviceGetPciInfo_v3(struct nvml_device *d, struct nvml_pci *out)
{
    ENTER(nvmlDeviceGetPciInfo_v3, d);
    *out = (struct nvml_pci){ .bus = 1 + (unsigned)((char *)d - handles) };
    return 0;
}

int nvmlDeviceGetMigMode(struct nvml_device *d, unsigned *now,
        unsigned *pending)
{
    ENTER(nvmlDeviceGetMigMode, d);
    *now = *pending = fake_nvml.mig;
    return 0;
}

int nvmlDeviceGetUtilizationRates(struct nvml_device *d,
        struct nvml_utilization *out)
{
    ENTER(nvmlDeviceGetUtilizationRates, d);
    out->gpu = fake_nvml.gpu_percent;
    out->memory = fake_nvml.memory_percent;
    return 0;
}

int nvmlDeviceGetEncoderUtilization(struct nvml_device *d, unsigned *percent,
        unsigned *period_us)
{
    ENTER(nvmlDeviceGetEncoderUtilization, d);
    *percent = fake_nvml.encoder_percent;
    *period_us = 167000;
    return 0;
}

int nvmlDeviceGetDecoderUtilization(struct nvml_device *d, unsigned *percent,
        unsigned *period_us)
{
    ENTER(nvmlDeviceGetDecoderUtilization, d);
    *percent = fake_nvml.decoder_percent;
    *period_us = 167000;
    return 0;
}

int nvmlDeviceGetMemoryInfo(struct nvml_device *d, struct nvml_memory *out)
{
    ENTER(nvmlDeviceGetMemoryInfo, d);
    out->total = fake_nvml.memory_total;
    out->used = fake_nvml.memory_used + fake_nvml.memory_reserved;
    out->free = out->total - out->used;
    return 0;
}

#ifndef FAKE_NVML_OLD
int nvmlDeviceGetMemoryInfo_v2(struct nvml_device *d,
        struct nvml_memory_v2 *out)
{
    ENTER(nvmlDeviceGetMemoryInfo_v2, d);
    if (out->version != NVML_MEMORY_V2)
        return NVML_FUNCTION_NOT_FOUND; /* as the real one does */
    out->total = fake_nvml.memory_total;
    out->used = fake_nvml.memory_used;
    out->reserved = fake_nvml.memory_reserved;
    out->free = out->total - out->used - out->reserved;
    return 0;
}

int nvmlDeviceGetTemperatureV(struct nvml_device *d,
        struct nvml_temperature *out)
{
    ENTER(nvmlDeviceGetTemperatureV, d);
    if (out->version != NVML_TEMPERATURE_V1)
        return NVML_ARGUMENT_VERSION_MISMATCH;
    out->celsius = fake_nvml.celsius;
    return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(struct nvml_device *d,
        unsigned long long *bits)
{
    ENTER(nvmlDeviceGetCurrentClocksEventReasons, d);
    *bits = fake_nvml.reasons;
    return 0;
}
#endif

int nvmlDeviceGetPowerUsage(struct nvml_device *d, unsigned *mw)
{
    ENTER(nvmlDeviceGetPowerUsage, d);
    *mw = fake_nvml.power_mean_mw;
    return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(struct nvml_device *d, unsigned *mw)
{
    ENTER(nvmlDeviceGetEnforcedPowerLimit, d);
    *mw = fake_nvml.power_limit_mw;
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(struct nvml_device *d,
        unsigned long long *mj)
{
    ENTER(nvmlDeviceGetTotalEnergyConsumption, d);
    *mj = fake_nvml.energy_mj;
    return 0;
}

int nvmlDeviceGetTemperature(struct nvml_device *d, unsigned sensor,
        unsigned *celsius)
{
    ENTER(nvmlDeviceGetTemperature, d);
    *celsius = (unsigned)fake_nvml.celsius;
    return sensor ? 2 : 0;
}

int nvmlDeviceGetClockInfo(struct nvml_device *d, unsigned type, unsigned *mhz)
{
    ENTER(nvmlDeviceGetClockInfo, d);
    if (type != 1 && type != 2)
        return 2;
    *mhz = type == 1 ? fake_nvml.sm_mhz : fake_nvml.memory_mhz;
    return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(struct nvml_device *d,
        unsigned long long *bits)
{
    ENTER(nvmlDeviceGetCurrentClocksThrottleReasons, d);
    *bits = fake_nvml.reasons;
    return 0;
}

int nvmlDeviceGetPcieThroughput(struct nvml_device *d, unsigned counter,
        unsigned *kb_per_s)
{
    ENTER(nvmlDeviceGetPcieThroughput, d);
    fake_nvml.pcie_calls++;
    *kb_per_s = fake_nvml.pcie_kb_per_s[counter];
    return 0;
}

int nvmlDeviceGetFieldValues(struct nvml_device *d, int count,
        struct nvml_field *fields)
{
    ENTER(nvmlDeviceGetFieldValues, d);
    for (int i = 0; i < count; i++) {
        struct nvml_field *f = &fields[i];

        f->type = NVML_UNSIGNED_LONG_LONG;
        f->value.u64 = f->id == NVML_FIELD_PCIE_SENT ? fake_nvml.pcie_sent
                                                     : fake_nvml.pcie_received;
        f->rc = fake_nvml.pcie_rc;
        if (f->id == NVML_FIELD_POWER_MW) {
            f->type = NVML_UNSIGNED;
            f->value.u32 = fake_nvml.power_now_mw;
            f->rc = fake_nvml.power_now_rc;
        }
#ifdef FAKE_NVML_OLD
        f->rc = 2; /* it does not know these */
#endif
    }
    return 0;
}

/* --- processes ------------------------------------------------------------ */

static int list(unsigned *room, unsigned char *out, unsigned bytes,
        unsigned count, const uint32_t *pid, const uint64_t *memory)
{
    if (*room < count) {
        *room = count;
        return NVML_INSUFFICIENT_SIZE;
    }
    *room = count;
    for (unsigned i = 0; i < count; i++, out += bytes) {
        memset(out, 0xff, bytes);
        memcpy(out, &pid[i], sizeof(pid[i]));
        memset(out + 4, 0, 4);
        memcpy(out + 8, &memory[i], sizeof(memory[i]));
        if (bytes == 32)
            memset(out + 24, 0, 8);
    }
    return 0;
}

#ifdef FAKE_NVML_OLD
int nvmlDeviceGetComputeRunningProcesses(struct nvml_device *d, unsigned *count,
        void *entries)
{
    ENTER(nvmlDeviceGetComputeRunningProcesses, d);
    return list(count, entries, 16, fake_nvml.process_count, fake_nvml.pid,
            fake_nvml.process_memory);
}
#else
int nvmlDeviceGetComputeRunningProcesses_v3(struct nvml_device *d,
        unsigned *count, void *entries)
{
    ENTER(nvmlDeviceGetComputeRunningProcesses_v3, d);
    return list(count, entries, fake_nvml.process_bytes,
            fake_nvml.process_count, fake_nvml.pid, fake_nvml.process_memory);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(struct nvml_device *d,
        unsigned *count, void *entries)
{
    ENTER(nvmlDeviceGetGraphicsRunningProcesses_v3, d);
    return list(count, entries, fake_nvml.process_bytes,
            fake_nvml.graphics_count, fake_nvml.graphics_pid,
            fake_nvml.graphics_memory);
}

/* --- GPM ------------------------------------------------------------------ */

int nvmlGpmQueryDeviceSupport(struct nvml_device *d,
        struct nvml_gpm_support *out)
{
    ENTER(nvmlGpmQueryDeviceSupport, d);
    if (out->version != NVML_GPM_VERSION)
        return NVML_ARGUMENT_VERSION_MISMATCH;
    out->supported = fake_nvml.gpm_supported;
    return 0;
}

int nvmlGpmSampleAlloc(struct nvml_sample **out)
{
    static char samples[2 * FAKE_GPUS];

    if (fake_nvml.rc.nvmlGpmSampleAlloc)
        return fake_nvml.rc.nvmlGpmSampleAlloc;
    *out = (struct nvml_sample *)(void *)&samples[fake_nvml.gpm_samples++];
    return 0;
}

int nvmlGpmSampleFree(struct nvml_sample *s)
{
    fake_nvml.gpm_samples -= s != NULL;
    return 0;
}

int nvmlGpmSampleGet(struct nvml_device *d, struct nvml_sample *s)
{
    ENTER(nvmlGpmSampleGet, d);
    fake_nvml.gpm_taken++;
    return s ? 0 : 2;
}

int nvmlGpmMetricsGet(struct nvml_gpm *g)
{
    if (g->version != NVML_GPM_VERSION || g->before == g->after)
        return 2;
    for (unsigned i = 0; i < g->count; i++) {
        g->metric[i].value = fake_nvml.gpm_value[g->metric[i].id];
        g->metric[i].rc = fake_nvml.gpm_metric_rc[g->metric[i].id];
    }
    return fake_nvml.rc.nvmlGpmMetricsGet;
}
#endif
