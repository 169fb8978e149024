/* top_draw.h -- what `ortmeter top` shows, and how: from a model to a grid of
 * cells, by functions that ask nobody else. */
#pragma once

#include "cmd/top/grid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_HISTORY 240 /* values of a sparkline, at most */
#define TOP_CORES   256
#define TOP_DEVICES 16
#define TOP_MODELS  16

/* A figure that may not be known. */
struct top_value {
    bool known;
    double value;
};

struct top_line {
    double share[TOP_HISTORY]; /* 0 to 1, oldest first */
    size_t count;
};

struct top_process {
    uint64_t pid;
    char name[32];
    struct top_value cpu_cores, rss_bytes, threads, read_bytes, written_bytes;
};

struct top_device {
    char name[48];
    struct top_value busy, memory_used, memory_total, watts, celsius;
};

/* A model, and its inferences of late. */
struct top_latency {
    char name[48];
    uint64_t count; /* that the figures are made of */
    double per_s, p50_ns, p95_ns, last_ns;
    uint64_t failed;
};

struct top_model {
    char host[64];
    char clock[16]; /* the time of day */
    double hz;      /* of the figures, as it truly is; 0: not known yet */
    double cost;    /* ours: a share of a core */
    struct top_value busy, memory_used, memory_total;
    struct top_line busy_line, memory_line;
    double core[TOP_CORES]; /* 0 to 1 */
    size_t cores;
    struct top_device device[TOP_DEVICES];
    size_t devices;
    char no_device[160]; /* why there is none */
    struct top_latency latency[TOP_MODELS];
    size_t latencies;
    char run[288]; /* which run they are of, or why there are none */
    struct top_process *process; /* the caller's */
    size_t processes;
};

enum top_order {
    TOP_BY_CPU,
    TOP_BY_MEMORY,
    TOP_BY_THREADS,
    TOP_BY_PID,
    TOP_BY_NAME
};

/* What the person at the keys wants. */
struct top_view {
    enum top_order order;
    bool reversed;
    bool paused, help, quit;
    bool typing; /* a filter */
    char filter[32];
    size_t first; /* of the processes shown */
};

/* Keys that are no character. */
enum {
    TOP_KEY_UP = 0x1000,
    TOP_KEY_DOWN,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_BACKSPACE
};

/* Takes a key. */
void top_key(struct top_view *v, int key);

/* Puts the processes that the filter leaves first, in the order that is asked
 * for.  Returns how many they are. */
size_t top_arrange(struct top_model *m, const struct top_view *v);

/* Draws all of it on the grid, whatever its size.  Arranges the processes. */
void top_draw(struct grid *g, struct top_model *m, const struct top_view *v);
