/* nvml_processes.c -- NVML's lists of processes.
 *
 * An entry is 16 bytes with the oldest call and 24 with the later ones; but
 * some drivers of the 535 series write 32 with the same call.  So the memory
 * is filled with a pattern first: how far it was overwritten tells. */
#include "sample/device/nvml_processes.h"

#include <string.h>

#define ENTRY_OLD   16
#define ENTRY       24
#define ENTRY_LARGE 32
#define PATTERN     0xaa
#define NOT_TOLD    UINT64_MAX

typedef int list_call(struct nvml_device *d, unsigned *count, void *entries);

static size_t bytes_written(const unsigned char *p, size_t len)
{
    while (len && p[len - 1] == PATTERN)
        len--;
    return len;
}

/* A process that computes and draws is on both lists, with the same memory. */
static void add(struct nvml_process *out, size_t cap, size_t *count,
        const unsigned char *entry)
{
    struct nvml_process p;

    memcpy(&p.pid, entry, sizeof(p.pid));
    memcpy(&p.bytes, entry + 8, sizeof(p.bytes));
    if (p.bytes == NOT_TOLD)
        return;
    for (size_t i = 0; i < *count; i++)
        if (out[i].pid == p.pid) {
            out[i].bytes = p.bytes > out[i].bytes ? p.bytes : out[i].bytes;
            return;
        }
    if (*count < cap)
        out[(*count)++] = p;
}

static int list(list_call *call, struct nvml_device *d, size_t entry,
        struct nvml_process *out, size_t cap, size_t *count)
{
    unsigned char entries[NVML_PROCESSES * ENTRY_LARGE];
    unsigned there = NVML_PROCESSES;

    memset(entries, PATTERN, sizeof(entries));

    int rc = call(d, &there, entries);

    if (rc || there > NVML_PROCESSES)
        return rc;
    if (entry == ENTRY &&
            bytes_written(entries, sizeof(entries)) > (size_t)there * ENTRY)
        entry = ENTRY_LARGE;
    for (unsigned i = 0; i < there; i++)
        add(out, cap, count, entries + i * entry);
    return NVML_OK;
}

int nvml_processes(const struct nvml *n, struct nvml_device *d,
        struct nvml_process *out, size_t cap, size_t *count)
{
    list_call *compute = n->nvmlDeviceGetComputeRunningProcesses_v3;
    size_t entry = ENTRY;

    *count = 0;
    if (!compute)
        compute = n->nvmlDeviceGetComputeRunningProcesses_v2;
    if (!compute) {
        compute = n->nvmlDeviceGetComputeRunningProcesses;
        entry = ENTRY_OLD;
    }
    if (!compute)
        return NVML_FUNCTION_NOT_FOUND;

    int rc = list(compute, d, entry, out, cap, count);

    if (!rc && n->nvmlDeviceGetGraphicsRunningProcesses_v3)
        (void)list(n->nvmlDeviceGetGraphicsRunningProcesses_v3, d, ENTRY, out,
                cap, count);
    return rc;
}
