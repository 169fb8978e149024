/* run_metrics_state.h -- what run_metrics.c counts and run_metrics_collect.c
 * hands on; for these two only. */
#pragma once

#include "analyse/counting.h"
#include "analyse/generation/generation.h"
#include "export/metrics/run_metrics.h"

struct counted_process {
    uint32_t id, pid;
    char *program;
    uint64_t lost;
    uint32_t hook_ns;
};

struct counted_library {
    uint32_t id, process;
    char *path, *version, *language;
};

struct counted_session {
    uint32_t id;
    char *model;     /* its short name, or NULL */
    char *path;      /* or NULL */
    char *providers; /* separated by commas, or NULL */
    bool first_load, seen_late, failed;
    uint64_t load_ns;
    uint64_t inferences, errors;
    struct buckets *hist[METRIC_IDS]; /* NULL: nothing was counted */
};

struct run_metrics {
    struct run_metrics_about about;
    char *host; /* JSON, or NULL */
    struct counted_process *processes;
    size_t process_count;
    struct counted_library *libraries;
    size_t library_count;
    struct counted_session *sessions;
    size_t session_count;
    struct counting *counting; /* which inferences count, */
    bool counting_done;        /* by all of them, and not as they come */
    /* Traced ones that came before it was known what tracing costs. */
    struct waiting {
        uint32_t session;
        uint16_t flags;
        uint8_t phase;
        uint64_t duration_ns;
    } * waiting;
    size_t waiting_count;
    struct generations *generations; /* NULL: nothing more comes */
    struct generation_listener listener;
    uint64_t tokens;
    uint64_t meter_cpu_ns, meter_rss_bytes;
};
