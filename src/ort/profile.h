/* profile.h -- reads the profile that ONNX Runtime itself writes when a session
 * or a run is profiled: JSON in the form of a Chrome trace, one event a line.
 *
 * It is fed in pieces of any size and calls back for each event that is whole.
 * The memory it takes is bounded, whatever it is fed, and nothing here does
 * input or output.
 *
 * ONNX Runtime escapes nothing: a node called `a"b\c` stands so in the file,
 * which is then no JSON.  Such events are read all the same, and their texts
 * are as the runtime meant them.  A profile that another program has written
 * anew, as proper JSON, is told by its spelling and read as such, also in the
 * form {"traceEvents":[...]}.  What is neither is passed over, and counted. */
#pragma once

#include "base/str.h"

/* An event longer than this is passed over. */
#define PROFILE_EVENT_MAX ((size_t)1 << 20)

#define PROFILE_ABSENT INT64_MIN

/* One event, which took time.  A text is empty, and a number PROFILE_ABSENT,
 * where the event does not tell; a text may hold any bytes.  What is pointed to
 * is gone after the call. */
struct profile_event {
    struct str category; /* "Session", "Node", "Kernel", "Api" */
    struct str name;     /* as it stands there: "Conv_0_kernel_time" */
    int64_t pid, tid;    /* of a device: -1 */
    int64_t start_ns;    /* whole microseconds; since profiling began */
    int64_t duration_ns;

    /* What Node events tell besides; the sizes and memory in bytes. */
    struct str op_name;
    struct str provider;
    struct str input_type_shape; /* [{"float":[1,3,48,192]},...] */
    struct str output_type_shape;
    struct str thread_scheduling_stats; /* a JSON object */
    struct str parent_name;             /* of a kernel on a device: the node */
    int64_t node_index;                 /* within its graph, as optimised */
    int64_t activation_size, parameter_size, output_size;
    int64_t mem_bytes_in_use, mem_in_use_delta, mem_in_use_peak;
    int64_t mem_bytes_requested_in_use, mem_requested_in_use_delta;
    int64_t mem_arena_held, mem_arena_held_delta;
};

enum profile_kind {
    PROFILE_OTHER,
    PROFILE_LOADING,        /* the model was read */
    PROFILE_INITIALIZATION, /* the session was made of it */
    PROFILE_RUN,
    PROFILE_EXECUTOR, /* of a graph or a subgraph, within a run */
    PROFILE_KERNEL,   /* a node ran */
    PROFILE_FENCE,    /* before and after it, in old versions */
    PROFILE_DEVICE,   /* what a node made a device do */
};

enum profile_kind profile_kind(const struct profile_event *e);

/* The node's name, without what tells its kind. */
struct str profile_node_name(const struct profile_event *e);

struct profile_tally {
    uint64_t bytes;         /* fed */
    uint64_t events;        /* called back for */
    uint64_t others;        /* whole objects that took no time: metadata */
    uint64_t broken;        /* events in the midst that are not whole */
    uint64_t too_long;      /* longer than PROFILE_EVENT_MAX */
    uint64_t skipped_bytes; /* of those two, and of what is no event at all */
    uint64_t cut_bytes;     /* at the end: of an event that is not whole */
    bool opened;            /* the list's '[' was seen */
    bool closed;            /* and its ']', behind the last event */
};

struct profile;

struct profile *profile_new(
        void (*each)(void *context, const struct profile_event *e),
        void *context);

void profile_feed(struct profile *p, const void *bytes, size_t len);

/* That was all: reads what is left.  Valid until profile_free(). */
const struct profile_tally *profile_end(struct profile *p);

/* NULL is welcome. */
void profile_free(struct profile *p);
