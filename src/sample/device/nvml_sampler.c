/* nvml_sampler.c -- NVIDIA GPUs. */
#include "sample/device/device_samplers.h"

#include "base/alloc.h"
#include "base/str.h"
#include "sample/device/device_subject.h"
#include "sample/device/nvml_driver.h"
#include "sample/device/nvml_gpu.h"
#include "sample/device/nvml_processes.h"
#include "sample/process/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define GPUS 64

struct state {
    struct nvml nvml;
    struct nvml_gpu *gpu;
    size_t count;
    struct subjects *subjects;
    struct targets *targets;     /* NULL: no process is looked at */
    struct nvml_process *listed; /* NVML_PROCESSES, of one GPU */
    struct nvml_process *summed; /* as many, of all GPUs */
};

/* NVML's names begin with the maker's on some cards only. */
static void describe(char *out, size_t cap, const struct nvml *n,
        struct nvml_device *d)
{
    char name[96] = "GPU";
    struct nvml_pci pci = { .bus_id = "" };

    if (n->nvmlDeviceGetName)
        (void)n->nvmlDeviceGetName(d, name, sizeof(name));
    if (n->nvmlDeviceGetPciInfo_v3 &&
            n->nvmlDeviceGetPciInfo_v3(d, &pci) == NVML_OK)
        (void)snprintf(pci.bus_id, sizeof(pci.bus_id), "%04x:%02x:%02x.0",
                pci.domain, pci.bus, pci.device);
    (void)snprintf(out, cap, "%s%s, nvidia, %s",
            str_starts(str_of(name), "NVIDIA") ? "" : "NVIDIA ", name,
            pci.bus_id);
}

static void add_gpu(struct state *s, const struct sample_context *c, unsigned i)
{
    struct nvml_gpu *g = &s->gpu[s->count];
    char detail[192];

    /* One that we may not open is none of ours. */
    if (s->nvml.nvmlDeviceGetHandleByIndex_v2(i, &g->device))
        return;
    describe(detail, sizeof(detail), &s->nvml, g->device);
    g->subject =
            device_subject_add(c->subjects, "gpu", sampler_nvml.name, detail);
    g->costly = c->costly;
    nvml_gpm_open(&s->nvml, g);
    s->count++;
}

static int open_gpus(void *state, const struct sample_context *c,
        struct error *e)
{
    struct state *s = state;
    char version[64];
    unsigned count = 0;

    if (nvml_driver(version, sizeof(version), c->root))
        return fail(e, -ENODEV, "NVIDIA's driver is not loaded");

    int rc = nvml_begin(&s->nvml, nvml_library(), e);

    if (rc && s->nvml.lib)
        return rc;
    if (rc) {
        (void)fail(e, rc, "driver %s is loaded, but there is no %s", version,
                nvml_library());
        error_remedy(e, "install the driver's libraries, of version %s",
                version);
        return rc;
    }
    s->subjects = c->subjects;
    s->targets = c->targets;
    s->listed = alloc_zero(NVML_PROCESSES, sizeof(*s->listed));
    s->summed = alloc_zero(NVML_PROCESSES, sizeof(*s->summed));
    rc = s->nvml.nvmlDeviceGetCount_v2(&count);
    if (rc)
        return fail(e, -ENODEV, "NVML: %s", nvml_words(&s->nvml, rc));
    count = count < GPUS ? count : GPUS;
    s->gpu = alloc_zero(count + 1, sizeof(*s->gpu));
    for (unsigned i = 0; i < count; i++)
        add_gpu(s, c, i);
    return s->count ? 0
                    : fail(e, -ENODEV,
                              "driver %s is loaded, but has no GPU for us",
                              version);
}

static void sum(struct nvml_process *all, size_t *count,
        const struct nvml_process *p)
{
    size_t i = 0;

    while (i < *count && all[i].pid != p->pid)
        i++;
    if (i == NVML_PROCESSES)
        return;
    if (i == *count)
        all[(*count)++] = (struct nvml_process){ .pid = p->pid };
    all[i].bytes += p->bytes;
}

/* A process may have memory on several GPUs. */
static void read_processes(struct state *s, struct batch *out)
{
    size_t count, all = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (s->gpu[i].lost || nvml_processes(&s->nvml, s->gpu[i].device,
                                      s->listed, NVML_PROCESSES, &count))
            continue;
        for (size_t n = 0; n < count; n++)
            sum(s->summed, &all, &s->listed[n]);
    }
    for (size_t i = 0; i < all; i++) {
        const struct target *t = targets_find(s->targets, s->summed[i].pid);

        if (t)
            batch_add(out, METRIC_process_device_memory_bytes, t->subject,
                    (double)s->summed[i].bytes);
    }
}

static void read_gpus(void *state, struct batch *out)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++)
        nvml_gpu_read(&s->nvml, &s->gpu[i], s->subjects, out);
    if (s->targets)
        read_processes(s, out);
}

static void close_gpus(void *state)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++)
        nvml_gpm_close(&s->nvml, &s->gpu[i]);
    free(s->gpu);
    free(s->listed);
    free(s->summed);
    nvml_end(&s->nvml);
}

/* The driver renews most figures ten to fifty times a second. */
const struct sampler sampler_nvml = {
    .name = "nvml",
    .about = "NVIDIA GPU: use, memory, power, energy, clocks",
    .state_size = sizeof(struct state),
    .default_hz = 10,
    .most_hz = 50,
    .open = open_gpus,
    .read = read_gpus,
    .close = close_gpus,
};
