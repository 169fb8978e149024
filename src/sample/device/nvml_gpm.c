/* nvml_gpm.c -- GPM tells what happened between two of its samples, which are
 * renewed every 100 ms. */
#include "sample/device/nvml_gpu.h"

#include "base/alloc.h"
#include "base/compiler.h"

#include <stdlib.h>

#define WINDOW_NS 100000000ull
#define MIB       1048576.0

static const struct {
    unsigned id;
    enum metric_id metric;
    double unit;
    bool pcie; /* only where the counters do not tell it */
} asked[] = {
    { 2, METRIC_device_sm_active_ratio, 0.01, false },
    { 3, METRIC_device_sm_occupancy_ratio, 0.01, false },
    { 5, METRIC_device_tensor_active_ratio, 0.01, false },
    { 10, METRIC_device_memory_bandwidth_ratio, 0.01, false },
    { 20, METRIC_device_pcie_sent_bytes_per_second, MIB, true },
    { 21, METRIC_device_pcie_received_bytes_per_second, MIB, true },
};

void nvml_gpm_open(const struct nvml *n, struct nvml_gpu *g)
{
    struct nvml_gpm_support s = { .version = NVML_GPM_VERSION };

    if (!n->nvmlGpmQueryDeviceSupport || !n->nvmlGpmSampleAlloc ||
            !n->nvmlGpmSampleFree || !n->nvmlGpmSampleGet ||
            !n->nvmlGpmMetricsGet)
        return;
    if (n->nvmlGpmQueryDeviceSupport(g->device, &s) || !s.supported)
        return;
    for (size_t i = 0; i < LEN(g->gpm); i++)
        if (n->nvmlGpmSampleAlloc(&g->gpm[i]))
            g->gpm[i] = NULL;
    if (!g->gpm[0] || !g->gpm[1]) {
        nvml_gpm_close(n, g);
        return;
    }
    g->gpm_request = alloc_zero(1, sizeof(*g->gpm_request));
}

void nvml_gpm_close(const struct nvml *n, struct nvml_gpu *g)
{
    for (size_t i = 0; i < LEN(g->gpm); i++)
        if (g->gpm[i])
            (void)n->nvmlGpmSampleFree(g->gpm[i]);
    g->gpm[0] = g->gpm[1] = NULL;
    free(g->gpm_request);
    g->gpm_request = NULL;
}

static void tell(const struct nvml_gpu *g, struct batch *out)
{
    for (size_t i = 0; i < LEN(asked); i++) {
        const struct nvml_gpm_metric *m = &g->gpm_request->metric[i];

        if (m->rc == NVML_OK && !(asked[i].pcie && g->fields_tell_pcie))
            batch_add(out, asked[i].metric, g->subject,
                    m->value * asked[i].unit);
    }
}

int nvml_gpm_read(const struct nvml *n, struct nvml_gpu *g, struct batch *out)
{
    int rc;

    if (!g->gpm_request)
        return NVML_NOT_SUPPORTED;
    if (!g->gpm_time_ns) {
        rc = n->nvmlGpmSampleGet(g->device, g->gpm[0]);
        g->gpm_time_ns = rc ? 0 : out->time_ns;
        return rc;
    }
    if (out->time_ns - g->gpm_time_ns < WINDOW_NS)
        return NVML_OK;
    rc = n->nvmlGpmSampleGet(g->device, g->gpm[1]);
    if (rc)
        return rc;
    *g->gpm_request = (struct nvml_gpm){
        .version = NVML_GPM_VERSION,
        .count = LEN(asked),
        .before = g->gpm[0],
        .after = g->gpm[1],
    };
    for (size_t i = 0; i < LEN(asked); i++)
        g->gpm_request->metric[i].id = asked[i].id;
    rc = n->nvmlGpmMetricsGet(g->gpm_request);
    if (rc == NVML_OK)
        tell(g, out);

    struct nvml_sample *older = g->gpm[0];

    g->gpm[0] = g->gpm[1];
    g->gpm[1] = older;
    g->gpm_time_ns = out->time_ns;
    return rc;
}
