/* nvml_gpu.c -- the figures of a GPU, each by a function that returns what NVML
 * said.  A call that the library does not have is not supported. */
#include "sample/device/nvml_gpu.h"

#include "base/compiler.h"

/* Bits of the reasons for a lower clock; the others are normal. */
#define REASONS_POWER   (0x4u | 0x80u)  /* power cap, power brake */
#define REASONS_THERMAL (0x20u | 0x40u) /* of software, of hardware */
#define REASONS_ALL     (REASONS_POWER | REASONS_THERMAL | 0x8u)

#define CLOCK_SM      1u
#define CLOCK_MEMORY  2u
#define PCIE_SENT     0u
#define PCIE_RECEIVED 1u

typedef int figure_read(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out);

static int read_utilization(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    struct nvml_utilization u;
    int rc = n->nvmlDeviceGetUtilizationRates
                     ? n->nvmlDeviceGetUtilizationRates(g->device, &u)
                     : NVML_FUNCTION_NOT_FOUND;

    if (rc)
        return rc;
    batch_add(out, METRIC_device_utilization_ratio, g->subject, u.gpu / 100.0);
    batch_add(out, METRIC_device_memory_utilization_ratio, g->subject,
            u.memory / 100.0);
    return 0;
}

/* The newer call does not count what the driver keeps for itself as used. */
static int read_memory(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    struct nvml_memory_v2 m = { .version = NVML_MEMORY_V2 };
    struct nvml_memory old;
    int rc = n->nvmlDeviceGetMemoryInfo_v2
                     ? n->nvmlDeviceGetMemoryInfo_v2(g->device, &m)
                     : NVML_FUNCTION_NOT_FOUND;

    if (rc && rc != NVML_GPU_IS_LOST && n->nvmlDeviceGetMemoryInfo) {
        rc = n->nvmlDeviceGetMemoryInfo(g->device, &old);
        m.used = rc ? 0 : old.used;
        m.total = rc ? 0 : old.total;
    }
    if (rc)
        return rc;
    batch_add(out, METRIC_device_memory_used_bytes, g->subject, (double)m.used);
    batch_add(out, METRIC_device_memory_total_bytes, g->subject,
            (double)m.total);
    return 0;
}

/* Of now, where the driver tells that; else what older ones tell, which is the
 * mean of a second on some chips. */
static int read_power(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    struct nvml_field f = { .id = NVML_FIELD_POWER_MW };
    unsigned mw;
    int rc = NVML_FUNCTION_NOT_FOUND;

    if (n->nvmlDeviceGetFieldValues) {
        rc = n->nvmlDeviceGetFieldValues(g->device, 1, &f);
        rc = rc ? rc : f.rc;
        mw = f.value.u32;
    }
    if (rc && rc != NVML_GPU_IS_LOST && n->nvmlDeviceGetPowerUsage)
        rc = n->nvmlDeviceGetPowerUsage(g->device, &mw);
    if (!rc)
        batch_add(out, METRIC_device_power_watts, g->subject, mw / 1e3);
    return rc;
}

static int read_power_limit(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    unsigned mw;
    int rc = n->nvmlDeviceGetEnforcedPowerLimit
                     ? n->nvmlDeviceGetEnforcedPowerLimit(g->device, &mw)
                     : NVML_FUNCTION_NOT_FOUND;

    if (!rc)
        batch_add(out, METRIC_device_power_limit_watts, g->subject, mw / 1e3);
    return rc;
}

static int read_energy(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    unsigned long long mj;
    int rc = n->nvmlDeviceGetTotalEnergyConsumption
                     ? n->nvmlDeviceGetTotalEnergyConsumption(g->device, &mj)
                     : NVML_FUNCTION_NOT_FOUND;

    if (!rc)
        batch_add(out, METRIC_device_energy_joules_total, g->subject,
                (double)mj / 1e3);
    return rc;
}

static int read_temperature(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    struct nvml_temperature t = { .version = NVML_TEMPERATURE_V1 };
    unsigned celsius;
    int rc = n->nvmlDeviceGetTemperatureV
                     ? n->nvmlDeviceGetTemperatureV(g->device, &t)
                     : NVML_FUNCTION_NOT_FOUND;

    if (rc && rc != NVML_GPU_IS_LOST && n->nvmlDeviceGetTemperature) {
        rc = n->nvmlDeviceGetTemperature(g->device, 0, &celsius);
        t.celsius = rc ? 0 : (int)celsius;
    }
    if (!rc)
        batch_add(out, METRIC_device_temperature_celsius, g->subject,
                t.celsius);
    return rc;
}

static int read_clocks(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    unsigned mhz;
    int rc = n->nvmlDeviceGetClockInfo
                     ? n->nvmlDeviceGetClockInfo(g->device, CLOCK_SM, &mhz)
                     : NVML_FUNCTION_NOT_FOUND;

    if (rc)
        return rc;
    batch_add(out, METRIC_device_clock_hertz, g->subject, mhz * 1e6);
    if (n->nvmlDeviceGetClockInfo(g->device, CLOCK_MEMORY, &mhz) == 0)
        batch_add(out, METRIC_device_memory_clock_hertz, g->subject, mhz * 1e6);
    return 0;
}

static int read_throttling(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    unsigned long long bits;
    int rc = NVML_FUNCTION_NOT_FOUND;

    if (n->nvmlDeviceGetCurrentClocksEventReasons)
        rc = n->nvmlDeviceGetCurrentClocksEventReasons(g->device, &bits);
    else if (n->nvmlDeviceGetCurrentClocksThrottleReasons)
        rc = n->nvmlDeviceGetCurrentClocksThrottleReasons(g->device, &bits);
    if (rc)
        return rc;
    batch_add(out, METRIC_device_throttled_ratio, g->subject,
            (bits & REASONS_ALL) != 0);
    batch_add(out, METRIC_device_throttled_power_ratio, g->subject,
            (bits & REASONS_POWER) != 0);
    batch_add(out, METRIC_device_throttled_thermal_ratio, g->subject,
            (bits & REASONS_THERMAL) != 0);
    return 0;
}

static int read_encoder(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    unsigned percent, period_us;
    int rc = n->nvmlDeviceGetEncoderUtilization
                     ? n->nvmlDeviceGetEncoderUtilization(g->device, &percent,
                               &period_us)
                     : NVML_FUNCTION_NOT_FOUND;

    if (!rc)
        batch_add(out, METRIC_device_encoder_utilization_ratio, g->subject,
                percent / 100.0);
    return rc;
}

static int read_decoder(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    unsigned percent, period_us;
    int rc = n->nvmlDeviceGetDecoderUtilization
                     ? n->nvmlDeviceGetDecoderUtilization(g->device, &percent,
                               &period_us)
                     : NVML_FUNCTION_NOT_FOUND;

    if (!rc)
        batch_add(out, METRIC_device_decoder_utilization_ratio, g->subject,
                percent / 100.0);
    return rc;
}

/* --- PCIe ----------------------------------------------------------------- */

static uint64_t field_u64(const struct nvml_field *f)
{
    return f->type == NVML_UNSIGNED ? f->value.u32 : f->value.u64;
}

static int read_pcie_fields(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    struct nvml_field f[] = { { .id = NVML_FIELD_PCIE_SENT },
        { .id = NVML_FIELD_PCIE_RECEIVED } };
    double per_s;
    int rc = n->nvmlDeviceGetFieldValues
                     ? n->nvmlDeviceGetFieldValues(g->device, LEN(f), f)
                     : NVML_FUNCTION_NOT_FOUND;

    for (size_t i = 0; i < LEN(f) && !rc; i++)
        /* An older driver calls a field that it does not know invalid. */
        rc = f[i].rc == NVML_INVALID_ARGUMENT ? NVML_NOT_SUPPORTED : f[i].rc;
    if (rc)
        return rc;
    g->fields_tell_pcie = true;
    if (counter_rate(&g->pcie_sent, field_u64(&f[0]), out->time_ns, &per_s))
        batch_add(out, METRIC_device_pcie_sent_bytes_per_second, g->subject,
                per_s);
    if (counter_rate(&g->pcie_received, field_u64(&f[1]), out->time_ns, &per_s))
        batch_add(out, METRIC_device_pcie_received_bytes_per_second, g->subject,
                per_s);
    return 0;
}

/* The older call measures for 20 ms, twice, and keeps us waiting: only where
 * what costs much is asked for. */
static int read_pcie(const struct nvml *n, struct nvml_gpu *g,
        struct batch *out)
{
    unsigned sent, received;
    int rc = read_pcie_fields(n, g, out);

    if (!rc || rc == NVML_GPU_IS_LOST || !g->costly ||
            !n->nvmlDeviceGetPcieThroughput)
        return rc;
    rc = n->nvmlDeviceGetPcieThroughput(g->device, PCIE_SENT, &sent);
    if (!rc)
        rc = n->nvmlDeviceGetPcieThroughput(g->device, PCIE_RECEIVED,
                &received);
    if (rc)
        return rc;
    batch_add(out, METRIC_device_pcie_sent_bytes_per_second, g->subject,
            sent * 1e3);
    batch_add(out, METRIC_device_pcie_received_bytes_per_second, g->subject,
            received * 1e3);
    return 0;
}

/* --- all of them ---------------------------------------------------------- */

static const struct {
    figure_read *read;
    enum metric_id metric[4]; /* what it tells; METRIC_IDS: no more */
} figures[] = {
    { read_utilization,
            { METRIC_device_utilization_ratio,
                    METRIC_device_memory_utilization_ratio, METRIC_IDS } },
    { read_memory, { METRIC_device_memory_used_bytes,
                           METRIC_device_memory_total_bytes, METRIC_IDS } },
    { read_power, { METRIC_device_power_watts, METRIC_IDS } },
    { read_power_limit, { METRIC_device_power_limit_watts, METRIC_IDS } },
    { read_energy, { METRIC_device_energy_joules_total, METRIC_IDS } },
    { read_temperature, { METRIC_device_temperature_celsius, METRIC_IDS } },
    { read_clocks, { METRIC_device_clock_hertz,
                           METRIC_device_memory_clock_hertz, METRIC_IDS } },
    { read_throttling,
            { METRIC_device_throttled_ratio,
                    METRIC_device_throttled_power_ratio,
                    METRIC_device_throttled_thermal_ratio, METRIC_IDS } },
    { read_encoder, { METRIC_device_encoder_utilization_ratio, METRIC_IDS } },
    { read_decoder, { METRIC_device_decoder_utilization_ratio, METRIC_IDS } },
    { read_pcie, { METRIC_device_pcie_sent_bytes_per_second,
                         METRIC_device_pcie_received_bytes_per_second,
                         METRIC_IDS } },
    { nvml_gpm_read,
            { METRIC_device_sm_active_ratio, METRIC_device_sm_occupancy_ratio,
                    METRIC_device_tensor_active_ratio, METRIC_IDS } },
};

_Static_assert(LEN(figures) == NVML_FIGURES, "one switch for each");

/* Asking again would not help. */
static bool is_final(int rc)
{
    return rc == NVML_NOT_SUPPORTED || rc == NVML_NO_PERMISSION ||
           rc == NVML_FUNCTION_NOT_FOUND ||
           rc == NVML_ARGUMENT_VERSION_MISMATCH;
}

static bool in_mig_mode(const struct nvml *n, const struct nvml_gpu *g)
{
    unsigned now = 0, pending = 0;

    return n->nvmlDeviceGetMigMode &&
           n->nvmlDeviceGetMigMode(g->device, &now, &pending) == 0 && now;
}

static void say_missing(const struct nvml *n, const struct nvml_gpu *g,
        struct subjects *subjects, size_t figure, int rc)
{
    const char *why =
            in_mig_mode(n, g) ? "; in MIG mode some figures are told for the "
                                "parts of a GPU only"
            : rc == NVML_FUNCTION_NOT_FOUND ? "; a newer driver may tell it"
                                            : "";

    /* GPM tells it then. */
    if (figures[figure].read == read_pcie && g->gpm_request && !g->lost)
        return;
    for (const enum metric_id *m = figures[figure].metric; *m != METRIC_IDS;
            m++)
        subjects_missing(subjects, *m, g->subject, "NVML: %s%s",
                nvml_words(n, rc), why);
}

static void lose(const struct nvml *n, struct nvml_gpu *g,
        struct subjects *subjects, uint64_t time_ns, int rc)
{
    g->lost = true;
    for (size_t i = 0; i < LEN(figures); i++)
        if (!g->off[i])
            say_missing(n, g, subjects, i, rc);
    subjects_end(subjects, g->subject, time_ns);
}

void nvml_gpu_read(const struct nvml *n, struct nvml_gpu *g,
        struct subjects *subjects, struct batch *out)
{
    for (size_t i = 0; i < LEN(figures) && !g->lost; i++) {
        int rc = g->off[i] ? NVML_OK : figures[i].read(n, g, out);

        if (rc == NVML_GPU_IS_LOST || rc == NVML_RESET_REQUIRED) {
            lose(n, g, subjects, out->time_ns, rc);
        } else if (is_final(rc)) {
            g->off[i] = true;
            say_missing(n, g, subjects, i, rc);
        }
    }
}
