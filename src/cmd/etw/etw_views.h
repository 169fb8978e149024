/* etw_views.h -- what `ortmeter etw` shows of a trace.  Only for etw.c. */
#pragma once

#include "cmd/cli/options.h"
#include "etw/trace.h"

/* Which records are meant; all, while nothing is set. */
struct etw_filter {
    struct option_texts providers; /* names or GUIDs */
    struct option_texts events;    /* names; one that ends with * is a prefix */
    uint64_t pid;
    bool has_pid;
    double from_s, to_s; /* of the trace; to 0: its end */
};

/* Of record alone; numbers and names as in struct etw_live_settings. */
struct etw_record_settings {
    const char *session;
    const char *flags; /* "PROCESS,THREAD"; NULL: the default ones */
    uint64_t buffer_kb, min_buffers, max_buffers, flush_s, sample_hz, max_rate;
    bool stacks;
    struct option_texts only, without; /* names of processes */
    double seconds;                    /* 0: until it is interrupted */
};

/* As etw_live_defaults() has them. */
#define ETW_RECORD_SETTINGS                                                    \
    {                                                                          \
        .session = "OnnxInferenceMonitor", .buffer_kb = 64, .min_buffers = 4,  \
        .max_buffers = 64, .flush_s = 1, .sample_hz = 1000, .max_rate = 100000 \
    }

struct etw_settings {
    struct etw_filter filter;
    struct etw_record_settings record;
    bool json;
    uint64_t limit; /* 0: no end */
    const char *out;
    int format; /* of etw_formats */
};

/* Whether the record passes. */
bool etw_filter_passes(const struct etw_filter *f, const struct etw_record *r,
        const struct etw_info *info);

/* Formats of convert; ends with NULL. */
extern const char *const etw_formats[];
/* Whether the chosen one is nothing for a terminal. */
bool etw_is_binary(const struct etw_settings *s);

/* Each reads the trace to its end. */
int etw_show_info(const struct etw_settings *s, struct etw_trace *t,
        const char *path, struct error *e);
int etw_show_stats(const struct etw_settings *s, struct etw_trace *t,
        const char *path, struct error *e);
int etw_show_events(const struct etw_settings *s, struct etw_trace *t,
        struct error *e);
int etw_convert(const struct etw_settings *s, struct etw_trace *t,
        struct error *e);

struct sink;

/* The stacks of samples, or of the events that are meant, one a line with how
 * often it was seen: what flame graphs are made of. */
void etw_write_folded(const struct etw_settings *s, struct etw_trace *t,
        struct sink *to);
