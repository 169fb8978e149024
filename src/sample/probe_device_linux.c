/* probe_device_linux.c -- what the drivers of GPUs and NPUs offer.
 *
 * Files of a device are looked for and not read: reading may wake it, which
 * costs energy of its own. */
#include "sample/probe.h"

#include "os/dl.h"
#include "os/path.h"
#include "sample/device_reasons.h"
#include "sample/nvml_driver.h"
#include "sample/powermetrics_source.h"

#include <errno.h>
#include <string.h>

static bool has_driver(const struct host_accelerator *a,
        const char *const *drivers)
{
    for (; *drivers; drivers++)
        if (strcmp(a->driver, *drivers) == 0)
            return true;
    return false;
}

/* Lists the accelerators that one of the drivers runs, and which of `files`
 * (paths below the device's folder) they have.  `none` says that there are
 * none. */
static void probe_driver(struct source *s, const struct source_context *c,
        const char *none, const char *const *drivers, const char *const *files)
{
    struct buf list = { 0 };

    for (unsigned i = 0; i < c->host->accelerator_count; i++) {
        const struct host_accelerator *a = &c->host->accelerator[i];
        const char *separator = ": ";

        if (!has_driver(a, drivers))
            continue;
        if (list.len)
            buf_text(&list, "; ");
        buf_printf(&list, "%s, driver %s", a->name[0] ? a->name : a->pci_id,
                a->driver);
        for (const char *const *f = files; *f; f++)
            if (path_readable("%s%s/%s", c->root, a->path, *f) == 0) {
                buf_printf(&list, "%s%s", separator, *f);
                separator = ", ";
            }
    }
    if (list.len)
        probe_found(s, "%s", buf_cstr(&list));
    else
        probe_absent(s, "%s", none);
    buf_release(&list);
}

/* The library is loaded only where the driver is, and never started: it would
 * make a device node. */
void probe_nvml(struct source *s, const struct source_context *c)
{
    const char *library = nvml_library();
    char version[64];
    struct dl *lib = NULL;

    if (nvml_driver(version, sizeof(version), c->root)) {
        probe_absent(s, REASON_NO_NVIDIA);
        return;
    }
    if (dl_open(&lib, library, NULL) == 0) {
        probe_found(s, "%s, driver %s", library, version);
    } else {
        probe_absent(s, REASON_NO_NVML, version, library);
        probe_remedy(s, "install the driver's libraries, of version %s",
                version);
    }
    dl_close(lib);
}

void probe_amdgpu(struct source *s, const struct source_context *c)
{
    static const char *const drivers[] = { "amdgpu", NULL };
    static const char *const files[] = { "gpu_metrics", "gpu_busy_percent",
        "mem_info_vram_used", NULL };

    probe_driver(s, c, REASON_NO_AMDGPU, drivers, files);
}

void probe_intel_gpu(struct source *s, const struct source_context *c)
{
    static const char *const drivers[] = { "xe", "i915", NULL };
    static const char *const files[] = { "tile0/gt0/freq0/act_freq",
        "tile0/gt0/gtidle/idle_residency_ms", NULL };

    probe_driver(s, c, REASON_NO_INTEL_GPU, drivers, files);
}

void probe_intel_npu(struct source *s, const struct source_context *c)
{
    static const char *const drivers[] = { "intel_vpu", NULL };
    static const char *const files[] = { "npu_busy_time_us",
        "npu_memory_utilization", "npu_current_frequency_mhz", NULL };

    probe_driver(s, c, REASON_NO_INTEL_NPU, drivers, files);
}

void probe_amd_npu(struct source *s, const struct source_context *c)
{
    static const char *const drivers[] = { "amdxdna", NULL };
    static const char *const files[] = { "fw_version", "device_type", NULL };

    probe_driver(s, c, REASON_NO_AMD_NPU, drivers, files);
}

void probe_powermetrics(struct source *s, const struct source_context *c)
{
    struct error e = { "" };
    char path[512];
    int rc = powermetrics_program(path, sizeof(path), &e);

    (void)c;
    if (rc == 0) {
        probe_found(s, "%s", path);
    } else if (rc == -EACCES) {
        probe_denied(s, "%s", e.text);
        probe_remedy(s, REMEDY_POWERMETRICS_ROOT);
    } else {
        probe_absent(s, "%s", e.text);
    }
}
