/* trace.h -- makes sense of the hook's records: which process has which ONNX
 * Runtime, which sessions, and what they ran.
 *
 * The records come from other people's processes: whatever they hold, nothing
 * here crashes or grows without bound.  One process's records are in order. */
#pragma once

#include "hook/record.h"
#include "model/run.h"

#include <stddef.h>

/* Who is told.  All borrowed: what is pointed to is gone after the call. */
struct trace_sink {
    void *context;
    void (*library)(void *context, const struct library *l);
    /* The language whose binding a program uses, as it told the runtime. */
    void (*language)(void *context, uint32_t library, const char *name);
    void (*session)(void *context, const struct session *s);
    void (*session_end)(void *context, uint32_t session, uint64_t time_ns);
    /* Returns its number within the run. */
    uint64_t (*inference)(void *context, const struct inference *i);
    void (*found_operator)(void *context, const struct operator* o);
    void (*ran_operator)(void *context, const struct operator_run *r);
    /* Hands over the bytes of a file that a process left in our folder. */
    void (*read_file)(void *context, const char *path,
            void (*feed)(void *to, const void *bytes, size_t len), void *to);
    void (*section)(void *context, const struct section *s);
    void (*token)(void *context, const struct token *t);
    void (*mark)(void *context, const struct note *n);
    void (*thread)(void *context, const struct note *n);
};

struct trace;

/* Times are told relative to `start_ns`, of mono_ns(). */
struct trace *trace_new(const struct trace_sink *sink, uint64_t start_ns);
void trace_free(struct trace *t);

/* A process came, at that time of mono_ns(): `parent` is the id of the one it
 * forked from, or 0.  Returns its id, from 1. */
uint32_t trace_process(struct trace *t, uint32_t parent, uint64_t start_ns);

/* Takes one record of that process. */
void trace_take(struct trace *t, uint32_t process, const struct record *r);

/* How many records made no sense. */
uint64_t trace_odd(const struct trace *t);
