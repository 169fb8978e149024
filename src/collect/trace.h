/* trace.h -- makes sense of the hook's records: which process has which ONNX
 * Runtime, which sessions, and what they ran.
 *
 * The records come from other people's processes: whatever they hold, nothing
 * here crashes or grows without bound.  One process's records are in order. */
#pragma once

#include "collect/kernels.h"
#include "wire/record.h"

#include <stddef.h>

struct trace;

/* Tells what happens from `library` to `thread` (model/subscriber.h), each of
 * whose functions is there.  Times are told relative to `start_ns`, of
 * mono_ns(). */
struct trace *trace_new(const struct subscriber *sink, uint64_t start_ns);
void trace_free(struct trace *t);
/* See kernels_keep_timelines(). */
void trace_keep_timelines(struct trace *t);

/* A process came, at that time of mono_ns(): `parent` is the id of the one it
 * forked from, or 0.  Returns its id, from 1. */
uint32_t trace_process(struct trace *t, uint32_t parent, uint64_t start_ns);

/* Takes one record of that process.  Times are mono_ns()'s, but for those of
 * RECORD_LINES where there is a clock to read them by. */
void trace_take(struct trace *t, uint32_t process, const struct record *r,
        const struct tick_line *clock);

/* Tells what was summed up since the last time; then, all is over. */
void trace_tell(struct trace *t);
void trace_end(struct trace *t);

/* How many records made no sense. */
uint64_t trace_malformed(const struct trace *t);
