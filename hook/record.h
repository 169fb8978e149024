/* record.h -- what the hook leaves for the collector to read.
 *
 * `ortmeter run` makes a folder and names it in ORTMETER_DIR.  A process that
 * meets ONNX Runtime puts one file there, "<pid>-<start>.ring": a header, and
 * behind it, at CHANNEL_RING_AT, a ring of records (base/ring.h).  The file
 * outlives the process, so what a killed program had written is still read.
 * Where there is no room for it, it puts an empty "<pid>-<start>.refused".
 *
 * Objects are named by their address in that process.  An address may be used
 * again after the object's end; the records are in order, so the reader can
 * tell.  Texts are named by a hash of their bytes and sent once, in pieces,
 * before the first record that names them; 0 is "no text".
 *
 * Times and durations without a unit in their names are of mono_ns(), or, where
 * the header says so, ticks (os/ticks.h).  rings.h tells them in nanoseconds.
 *
 * Both sides are built from the same source: CHANNEL_VERSION changes with any
 * change here or in the ring, and a reader refuses another version. */
#pragma once

#include <stdint.h>

#define CHANNEL_MAGIC   UINT64_C(0x3152544d54524f00) /* "\0ORTMTR1" */
#define CHANNEL_VERSION 4u
#define CHANNEL_RING_AT 4096 /* where the ring begins in the file */

struct channel_header {
    uint64_t magic;
    uint32_t version;
    uint32_t pid;
    uint64_t start_ns;   /* mono_ns() when the file was made */
    uint32_t parent_pid; /* of the ring this process forked from, or 0 */
    uint32_t hook_ns;    /* measured: what the hook adds to an empty Run */
    uint64_t parent_start_ns;
    uint64_t in_ticks;        /* 1: what has no unit is in ticks */
    uint64_t pid_namespace;   /* in which `pid` is the process's number */
    _Atomic uint64_t untimed; /* runs seen and passed on without a record */
    char program[1024];       /* what /proc/self/cmdline says, NULs as spaces */
};

_Static_assert(sizeof(struct channel_header) <= CHANNEL_RING_AT, "header");

enum record_kind {
    RECORD_NONE,
    RECORD_TEXT,
    RECORD_LIBRARY,
    RECORD_STATIC_LIBRARY, /* an ONNX Runtime that the hook cannot enter */
    RECORD_LANGUAGE,
    RECORD_OPTIONS,
    RECORD_OPTIONS_CLONE,
    RECORD_OPTIONS_END,
    RECORD_OPTION,
    RECORD_PROVIDER,
    RECORD_SESSION,
    RECORD_SESSION_END,
    RECORD_RUN,
    RECORD_ERROR,
    RECORD_OPERATOR,
    RECORD_OPERATOR_SIZES,
    RECORD_OPERATOR_RUN,
    RECORD_SAMPLE,
    RECORD_PROFILE,
    RECORD_SECTION,
    RECORD_BATCH,
    RECORD_TOKEN,
    RECORD_MARK,
    RECORD_THREAD,
    RECORD_KINDS
};

/* Part of an inference of a language model, from its inputs' names and shapes;
 * the first five are also what sections are marked with (ortmeter.h). */
enum phase {
    PHASE_OTHER,
    PHASE_PRE,
    PHASE_PREFILL,
    PHASE_DECODE,
    PHASE_POST,
    PHASES
};

enum record_flag {
    FLAG_FAILED = 1,
    FLAG_ASYNC = 2,
    FLAG_BINDING = 4,
    FLAG_INPUT_BYTES = 8,   /* in_bytes was read, also when it is 0 */
    FLAG_OUTPUT_BYTES = 16, /* the same for out_bytes */
    FLAG_SHAPE = 32,        /* batch was read */
    FLAG_SEQUENCE = 64,     /* sequence was read */
    FLAG_PAST = 128,        /* past was read */
    FLAG_SAMPLED = 256,     /* its operators were recorded, which slowed it */
    FLAG_BURST = 512,       /* by ONNX Runtime, into a profile of its own */
    FLAG_TIMED = 1024,      /* only its kernels were timed: nothing described */
    FLAG_KERNEL = 2048,     /* of an operator: the kernel itself was timed */
};

#define RECORD_TEXT_BYTES 40

/* 64 bytes, a cache line. */
struct record {
    uint32_t stamp; /* the ring's */
    uint8_t kind;   /* enum record_kind */
    uint8_t place;  /* record_place() */
    uint16_t flags; /* enum record_flag */
    union {
        struct {
            uint64_t hash;
            uint32_t len; /* of the whole text */
            uint32_t at;  /* where this piece goes */
            char bytes[RECORD_TEXT_BYTES];
        } text;
        struct {
            uint64_t time;
            uint64_t path;    /* text */
            uint64_t version; /* text */
            uint32_t slots;   /* patched */
        } library_found;      /* also RECORD_STATIC_LIBRARY */
        struct {
            uint64_t options; /* address; RECORD_LANGUAGE: of the env */
            uint64_t from;    /* RECORD_OPTIONS_CLONE: address */
            uint64_t key;     /* text; RECORD_PROVIDER: its name */
            uint64_t value;   /* text, or 0: `number` is the value */
            int64_t number;
        } option;
        struct {
            uint64_t start;
            uint64_t end;
            uint64_t session;     /* address; 0 when it failed */
            uint64_t options;     /* address or 0 */
            uint64_t model;       /* text: its path; 0: from memory */
            uint64_t model_bytes; /* when it came from memory */
            uint32_t thread;
        } session;
        struct {
            uint64_t start;
            uint64_t end;
            uint64_t session;
            uint64_t in_bytes;
            uint64_t out_bytes;
            uint32_t thread;
            uint32_t batch;
            uint32_t sequence;
            uint32_t past;
        } run;
        struct { /* why the next run or session of this thread failed */
            uint64_t text;
            uint32_t thread;
            int32_t code;
        } error;
        struct { /* a node that ran; all but the first two are texts */
            uint64_t id;
            uint32_t node_index; /* UINT32_MAX: not told */
            uint64_t name, op_type, provider;
            uint64_t inputs, outputs;
        } operator_found;
        struct { /* in bytes */
            uint64_t id;
            uint64_t activation, parameter, output;
        } operator_sizes;
        struct { /* inner ones come before the one that they ran in */
            uint64_t id;
            uint64_t start;
            uint64_t raw_ns; /* as ONNX Runtime says; unless FLAG_TIMED */
            uint64_t kernel; /* how long; 0: not seen */
            uint32_t sample;
            uint32_t thread;
            uint16_t level;   /* events around it, and itself */
            uint16_t streams; /* of text, made while it was described */
        } operator_run;
        struct { /* the last run of this thread is that sample */
            uint32_t id;
            uint32_t thread;
        } sample;
        struct { /* of the session's runs with FLAG_BURST, in their order */
            uint64_t session;
            uint64_t path; /* text: a file in the folder, for us to remove */
        } profile;
        struct {
            uint64_t start;
            uint64_t end;
            uint64_t name; /* text */
            uint32_t thread;
        } section;
        struct { /* for the next run of this thread */
            uint32_t thread;
            uint32_t size;
            uint32_t padding;
            uint32_t queue_depth;
        } batch;
        struct {
            uint64_t time;
            uint64_t text; /* or 0 */
            int64_t id;
            uint32_t index;
            uint32_t thread;
        } token;
        struct {
            uint64_t time;
            uint64_t text;
            uint32_t thread;
        } mark; /* also RECORD_THREAD: the thread's name */
    };
};

_Static_assert(sizeof(struct record) == 64, "a record is a cache line");

/* The phase, and which ONNX Runtime of the process, from 0, in one byte. */
static inline uint8_t record_place(enum phase phase, uint8_t library)
{
    return (uint8_t)((unsigned)phase | (unsigned)library << 4);
}

static inline uint8_t record_phase(const struct record *r)
{
    return r->place & 15;
}

static inline uint8_t record_library(const struct record *r)
{
    return r->place >> 4;
}
