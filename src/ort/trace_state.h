/* trace_state.h -- what the files of the trace share.  Not for others. */
#pragma once

#include "base/map.h"
#include "ort/bursts.h"
#include "ort/options.h"
#include "ort/samples.h"
#include "ort/texts.h"
#include "ort/trace.h"

/* A process that claims more than that is not believed. */
#define SESSION_BITS 20
#define OBJECTS_MOST ((1 << SESSION_BITS) - 1)
#define OPTIONS_MOST (1 << 16)

/* What a process told, by the addresses it uses. */
struct known {
    uint32_t parent;
    uint64_t start_ns;
    uint32_t library[16]; /* ids, by the hook's index */
    struct map ended;     /* address to the last session that ended there */
    struct map sessions;  /* address to id */
    struct map options;   /* address to struct session_options */
    struct map errors;    /* thread to text: why its next record failed */
    struct map batches;   /* thread to a place in `batch` */
    struct context {
        uint32_t thread;
        uint32_t size, padding, queue_depth;
    } * batch;
    size_t batch_count;
    struct map last_run; /* thread to inference << 20 | session */
    struct samples samples;
};

struct trace {
    struct trace_sink sink;
    uint64_t start_ns;
    struct texts texts;
    struct known *processes;
    uint32_t process_count;
    uint32_t library_count;
    uint32_t session_count;
    uint32_t operator_count;
    struct about_session {
        uint64_t end_ns; /* or 0 */
        struct burst_runs burst;
    } * sessions; /* by id, from 1 */
    uint64_t odd;
};

/* --- trace.c: finding things ---------------------------------------------- */

struct known *trace_known(struct trace *t, uint32_t process);
const char *trace_text(struct trace *t, uint64_t hash);
uint64_t trace_since_start(const struct trace *t, uint64_t time_ns);
/* 0 where the end is before the start. */
uint64_t trace_lasted(uint64_t start_ns, uint64_t end_ns);

/* Each looks in the process, and then in those that it was forked from. */
uint32_t trace_session(struct trace *t, uint32_t process, uint64_t at);
struct session_options *trace_options(struct trace *t, uint32_t process,
        uint64_t at);
uint32_t trace_library(struct trace *t, uint32_t process, uint8_t index);

/* Why it failed, if the process said; it is said once. */
const char *trace_error(struct trace *t, struct known *k, uint32_t thread);

/* --- trace_runs.c: takes a record ----------------------------------------- */

void trace_take_session(struct trace *t, uint32_t process,
        const struct record *r);
void trace_take_session_end(struct trace *t, uint32_t process,
        const struct record *r);
void trace_take_run(struct trace *t, uint32_t process, const struct record *r);
void trace_take_operator(struct trace *t, uint32_t process,
        const struct record *r);
void trace_take_profile(struct trace *t, uint32_t process,
        const struct record *r);
void trace_take_sample(struct trace *t, uint32_t process,
        const struct record *r);
void trace_take_batch(struct trace *t, uint32_t process,
        const struct record *r);
