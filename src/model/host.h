/* host.h -- the machine that something was measured on, as data.
 *
 * Every value may be absent, since no machine tells everything: a text is then
 * "", a number is 0, of which none can truly be 0, save for the memory that is
 * available, which has a flag of its own.  Plain data: copy it freely, nothing
 * to release.  Texts that do not fit are cut. */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

#define HOST_TEXT         128
#define HOST_CACHES       8
#define HOST_ACCELERATORS 32

enum host_accelerator_kind {
    HOST_GPU,
    HOST_NPU,
    HOST_OTHER, /* a processing accelerator that we know no kind of */
};

struct host_accelerator {
    enum host_accelerator_kind kind;
    char vendor[HOST_TEXT];  /* "NVIDIA" */
    char name[HOST_TEXT];    /* "AD102 [GeForce RTX 4090]" */
    char pci_id[16];         /* "10de:2684" */
    char driver[32];         /* "nvidia"; absent: no driver is bound to it */
    char driver_version[64]; /* absent also where it is the kernel's own */
    char path[HOST_TEXT];    /* its folder in /sys */
    char node[64];           /* "/dev/dri/renderD128" */
};

/* All caches of one level and type on the machine. */
struct host_cache {
    unsigned level;
    char type[16];        /* "Data", "Instruction", "Unified" */
    unsigned count;       /* how many there are */
    uint64_t total_bytes; /* of all together */
};

struct host_info {
    char hostname[HOST_TEXT];
    char vendor[HOST_TEXT]; /* who made the machine; often absent in a VM */
    char product[HOST_TEXT];
    char os_name[HOST_TEXT];    /* "Debian GNU/Linux" */
    char os_version[HOST_TEXT]; /* "12 (bookworm)" */
    char kernel[HOST_TEXT];     /* "6.1.0-18-amd64" */
    char architecture[32];      /* "x86_64" */
    /* "kvm", "vmware", ..., or "unknown" for a virtual machine of a kind we do
     * not recognise.  Absent: no sign of one. */
    char virtualisation[32];

    char cpu_model[HOST_TEXT];
    char cpu_vendor[HOST_TEXT];
    unsigned cpu_sockets;
    unsigned cpu_cores;
    unsigned cpu_threads;
    uint64_t cpu_max_mhz; /* of the fastest core */
    struct host_cache cache[HOST_CACHES];
    unsigned cache_count;

    uint64_t memory_total_bytes;
    uint64_t memory_available_bytes; /* when it was read */
    bool memory_available_known;

    struct host_accelerator accelerator[HOST_ACCELERATORS];
    unsigned accelerator_count; /* what is beyond the array is left out */
};

/* "gpu", "npu", "other". */
const char *host_accelerator_kind(const struct host_accelerator *a);

/* Writes the machine as one object; what is absent is left out. */
void host_json(struct json *j, const char *key, const struct host_info *host);
