/* trace_state.h -- what the files of the trace share.  Not for others. */
#pragma once

#include "base/map.h"
#include "collect/session_options.h"
#include "collect/texts.h"
#include "collect/trace.h"
#include "model/follow.h"

/* A process that claims more than that is not believed. */
#define OBJECTS_MAX ((1 << 20) - 1)
#define OPTIONS_MAX (1 << 16)

/* What a process told, by the addresses it uses. */
struct known {
    uint32_t parent;
    uint64_t start_ns;
    uint32_t library[16]; /* ids, by the hook's index */
    struct map ended;     /* address to the last session that ended there */
    struct map sessions;  /* address to id */
    struct map options;   /* address to struct session_options */
    struct map errors;    /* thread to text: why its next record failed */
    struct map runtime;   /* thread to a part of its next run, in Python: */
    struct map gil;       /* of ONNX Runtime itself, and waiting for the GIL */
    struct map batches;   /* thread to a place in `batch` */
    struct context {
        uint32_t thread;
        uint32_t size, padding, queue_depth;
        bool lasts;
    } * batch;
    size_t batch_count;
    struct map passed; /* thread to struct passed_on: of its next run */
};

struct passed_on {
    uint64_t session; /* address */
    struct passed passed;
};

struct trace {
    struct subscriber sink;
    struct follower *follower;
    uint64_t start_ns;
    struct texts texts;
    struct kernels *kernels;
    const struct tick_line *clock; /* of the record at hand; or NULL */
    uint64_t inference_count;
    struct known *processes;
    uint32_t process_count;
    uint32_t library_count;
    uint64_t *libraries; /* by id, from 1: what it is, as a hash */
    uint32_t session_count;
    struct about_session {
        uint64_t end_ns;   /* or 0 */
        uint64_t identity; /* equal for equal sessions; 0: who knows */
    } * sessions;          /* by id, from 1 */
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
void trace_take_passed(struct trace *t, uint32_t process,
        const struct record *r);
void trace_take_gil(struct trace *t, uint32_t process, const struct record *r);
void trace_take_batch(struct trace *t, uint32_t process,
        const struct record *r);
