/* powermetrics.h -- what macOS's program powermetrics writes, taken apart as
 * it comes: property lists with a zero byte between them, or text.
 *
 * Works on every OS, on any bytes.  A document that is damaged or cut short is
 * counted and left out; the ones around it are not harmed.  Traps that are
 * seen to here: energies are of the sample's window and in millijoules, powers
 * in milliwatts; a cluster's `freq_hz` is in hertz, the GPU's in megahertz; a
 * ratio may be "nan", and is then absent; the text tells the GPU's power twice,
 * and percentages may begin with the point. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define POWERMETRICS_CLUSTERS 16
#define POWERMETRICS_CPUS     64
#define POWERMETRICS_TASKS    4096

struct powermetrics_cluster {
    char name[24]; /* "E-Cluster", "P0-Cluster" */
    double hertz;
    double busy_ratio;
    double watts; /* only the text of older versions */
};

struct powermetrics_cpu {
    double number;
    double hertz;
    double busy_ratio;
};

struct powermetrics_task {
    double pid;
    char name[64];
    double cpu_ms_per_s;
    double gpu_ms_per_s;
    double energy_impact; /* Apple's own measure, without a unit */
};

/* One window.  A number that was not told, or was no number, is NAN; a text is
 * then "". */
struct powermetrics_sample {
    double elapsed_seconds; /* the window's true length */
    char model[32];         /* "Mac16,5" */
    char thermal_pressure[24];
    /* In this window: */
    double cpu_joules, gpu_joules, ane_joules;
    /* The same of the GPU by its own account, which differs a little; also told
     * where the processor was not asked for. */
    double gpu_own_joules;
    /* Its mean.  combined = cpu + gpu + ane; without memory and display. */
    double cpu_watts, gpu_watts, ane_watts, combined_watts;
    /* Only the text of older versions: */
    double dram_watts, package_watts;
    double gpu_hertz, gpu_busy_ratio;
    double cpu_die_celsius; /* Intel only */
    double battery_charge_ratio;
    struct powermetrics_cluster cluster[POWERMETRICS_CLUSTERS];
    size_t cluster_count;
    struct powermetrics_cpu cpu[POWERMETRICS_CPUS];
    size_t cpu_count;
    /* Memory of the parser; those of "DEAD_TASKS" have a negative pid. */
    struct powermetrics_task *task;
    size_t task_count;
};

struct powermetrics;

/* `sink` is called for each whole sample, from within powermetrics_feed() and
 * powermetrics_end(); the sample is gone afterwards. */
struct powermetrics *powermetrics_new(
        void (*sink)(void *context, const struct powermetrics_sample *s),
        void *context);
void powermetrics_free(struct powermetrics *p);

/* The next bytes, cut anywhere. */
void powermetrics_feed(struct powermetrics *p, const char *bytes, size_t len);

/* No more will come: a last text has no other end. */
void powermetrics_end(struct powermetrics *p);

/* Documents that were left out. */
uint64_t powermetrics_damaged(const struct powermetrics *p);
