/* fake_nvml.h -- how a test tells the made-up NVML what to say.  The library
 * exports one of these, fake_nvml. */
#pragma once

#include "sample/device/nvml.h"

#define FAKE_GPUS    4
#define FAKE_ENTRIES 8

/* What a call returns; 0: it works. */
#define FAKE_CALL(name, must, args) int name;

struct fake_nvml {
    int begun; /* nvmlInit_v2 less nvmlShutdown */
    unsigned gpus;
    struct {
        NVML_CALLS(FAKE_CALL)
    } rc;
    bool lost[FAKE_GPUS];
    unsigned mig;
    unsigned gpu_percent, memory_percent, encoder_percent, decoder_percent;
    uint64_t memory_total, memory_reserved, memory_used;
    unsigned power_now_mw, power_mean_mw, power_limit_mw;
    int power_now_rc, pcie_rc; /* of the fields */
    unsigned long long energy_mj;
    int celsius;
    unsigned sm_mhz, memory_mhz;
    unsigned long long reasons;
    uint64_t pcie_sent, pcie_received; /* bytes so far */
    unsigned pcie_kb_per_s[2];
    unsigned pcie_calls; /* of the call that takes long */
    unsigned gpm_supported;
    unsigned gpm_samples; /* allocated */
    unsigned gpm_taken;
    double gpm_value[32]; /* by id */
    int gpm_metric_rc[32];
    /* Processes that compute, as many as there are entries, and those that
     * draw. */
    unsigned process_count, graphics_count;
    unsigned process_bytes; /* of an entry: 24, or 32 with some drivers */
    uint32_t pid[FAKE_ENTRIES], graphics_pid[FAKE_ENTRIES];
    uint64_t process_memory[FAKE_ENTRIES], graphics_memory[FAKE_ENTRIES];
};
