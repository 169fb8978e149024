/* record.h -- what the hook leaves for the collector to read.
 *
 * `ortmeter run` makes a folder and names it in ORTMETER_DIR.  There lie,
 * before the program starts: CHANNEL_HOOK, a link to libortmeter.so, which
 * LD_PRELOAD names; CHANNEL_SETTINGS, lines "NAME=value"; CHANNEL_REFUSALS,
 * places for those who cannot say it in another way that they have no ring.
 *
 * A process puts one file there when it starts, "<pid>-<start>.ring": a header,
 * and behind it, at CHANNEL_RING_AT, a small ring of records (wire/ring.h).
 * When it needs a larger one it makes another, "<pid>-<start>.<part>.ring", and
 * goes on there.  A child of fork() goes on in its parent's, as a writer of its
 * own: it makes no system call for that.  The files outlive the process, so
 * what a killed program had written is still read.
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
#define CHANNEL_VERSION 10u
#define CHANNEL_RING_AT 4096 /* where the ring begins in the file */

/* The loader takes LD_PRELOAD apart at spaces and colons, so the link has none.
 * And a program that is built with AddressSanitizer does not start when another
 * library than one of this name comes first. */
#define CHANNEL_HOOK     "ortmeter-before-libasan.so"
#define CHANNEL_SETTINGS "settings"
#define CHANNEL_REFUSALS "refusals"

/* A process that has no ring: in the place of its pid modulo their number. */
struct channel_refusal {
    uint32_t pid; /* 0: nobody */
    uint32_t uid;
    int32_t why; /* errno */
    char program[52];
};

#define CHANNEL_REFUSAL_PLACES 128

/* A child of fork() that writes to its parent's ring.  Its number as a writer
 * is its place, from 1; the process that made the ring is 0. */
struct channel_writer {
    _Atomic uint32_t pid; /* 0: a free place.  The collector frees it. */
    uint32_t parent;      /* the writer that it was forked from */
    uint64_t start_ns;
};

#define CHANNEL_WRITERS   160
#define CHANNEL_UNKNOWN   65535 /* the writers for whom there was no place */
#define CHANNEL_ELSEWHERE (UINT32_MAX - 1) /* pid: in another pid namespace */

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
    _Atomic uint32_t ops;     /* which inferences are traced: enum ops_choice,
                                 or one in so many.  Either side writes it. */
    _Atomic uint32_t stats;   /* one in so many has its values looked at; 0 */
    uint32_t part;            /* of the rings of a process, from 0 */
    _Atomic uint32_t grow_to; /* records: the collector's leave to make a larger
                                 ring now; 0: none */
    _Atomic uint32_t cramped; /* times that there was no room for one */
    _Atomic uint32_t unnoted; /* EXECs that found the ring full */
    _Atomic uint32_t paused;  /* 1: inferences pass without a record; the
                                 collector writes it */
    struct channel_writer writers[CHANNEL_WRITERS];
    char program[1024]; /* what /proc/self/cmdline says, NULs as spaces */
};

_Static_assert(sizeof(struct channel_header) <= CHANNEL_RING_AT, "header");

enum ops_choice { OPS_OFF = 0, OPS_ALL = 1 };
#define OPS_AUTO UINT32_MAX

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
    RECORD_SECTION,
    RECORD_BATCH,
    RECORD_TOKEN,
    RECORD_MARK,
    RECORD_THREAD,
    RECORD_KERNEL,
    RECORD_TENSOR,
    RECORD_LINES,
    RECORD_TRACED,
    RECORD_KERNEL_END,
    RECORD_STATS,
    RECORD_HEADS,
    RECORD_GIL,
    RECORD_PASSED,
    RECORD_EXEC, /* a process becomes another program */
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
    FLAG_PROFILED = 256,    /* ONNX Runtime recorded its operators, which slowed
                               it: an imported profile, or a run that was stored
                               before kernels named themselves; there also */
    FLAG_OLD_PROFILED = 512, /* into a profile of its own, */
    FLAG_OLD_TIMED = 1024,   /* or only its kernels were timed */
    FLAG_TRACED = 4096,      /* its operators were recorded: TRACED is before */
    FLAG_STATS = 8192,       /* its values were looked at, which slowed it */
};

/* Of a RECORD_LIBRARY, in record.flags: whether its operators can be traced.
 * The record comes again, with the same place, when that changes. */
enum tracing {
    TRACING_OFF,       /* nobody asked for it: the tables are untouched */
    TRACING_ON,        /* kernels pass by us */
    TRACING_TOO_OLD,   /* before 1.15: kernels do not name themselves */
    TRACING_NO_TYPES,  /* built without descriptions of its classes */
    TRACING_UNKNOWN,   /* its kernels are not laid out as we know them */
    TRACING_PROCESSOR, /* there are no entries for this processor */
    TRACING_REFUSED,   /* its tables could not be written */
};

#define RECORD_TEXT_BYTES 40

/* --- traced inferences -----------------------------------------------------
 *
 * A traced inference has a number of its own, its trace.  Every thread that ran
 * kernels of it sends LINES with that number; when it is over, TRACED and
 * right behind it its RUN are sent.  LINES that name no
 * kernel that is known, or whose count is not what TRACED says, make the
 * inference an untraced one, and a lost one.  A RUN with FLAG_TRACED whose
 * TRACED did not come is one, too.
 *
 * A kernel is described before the first TRACED that has lines of it: KERNEL,
 * and a TENSOR for each of its inputs and outputs.  Two threads that meet it at
 * the same time both describe it: the same twice.  Outputs whose shapes cannot
 * be read have a TENSOR with a name only (type 0).  TENSORs come again, without
 * names, when the shapes of the inference's inputs (TRACED.shapes) are new, and
 * now and then where they always are; they are of the trace that they name. */

/* 16 bytes a kernel, in the order in which kernels of a thread ended; so one
 * that ran in another comes before it, and lies within it. */
struct record_line {
    uint64_t kernel; /* its address; its lowest bits: enum line_kind */
    uint32_t after;  /* from the end of the line before to its own end */
    uint32_t took;
};

enum line_kind {
    LINE_KERNEL,
    LINE_CLOCK, /* `after` and `took` are one time, low half first: the end of
                   "the line before" for the next one.  A thread's first. */
    LINE_HIGH,  /* the upper halves of the next line's `after` and `took` */
    LINE_KIND_BITS = 15,
};

#define RECORD_LINES_EACH 3

/* Of a RECORD_TRACED, in record.flags. */
enum traced_flag {
    TRACED_GIVEN_UP = 1, /* the ring had no room for all of it: what came of
                            that trace is nobody's, and no RUN follows */
};

/* Of a RECORD_TENSOR, in record.flags. */
enum tensor_flag {
    TENSOR_OUTPUT = 1,
    TENSOR_CONSTANT = 2, /* an initializer: a weight */
    TENSOR_ABSENT = 4,   /* an optional one that is not there */
    TENSOR_NO_VALUE = 8, /* a weight that was packed away: shape unknown */
    TENSOR_OTHER = 16,   /* a sequence, a map: it has no shape */
    TENSOR_CUT = 32,     /* more than eight dimensions, or one beyond 32 bits */
};

#define TENSOR_DIMS 8

#define STATS_NEAR_ZERO 1e-4
#define STATS_COUNT     ((UINT64_C(1) << 21) - 1) /* more are not read */

/* Attention weights below that count as none. */
#define HEADS_NEAR_ZERO 0.01
#define HEADS_EACH      3 /* in a record */

enum session_flag {
    SESSION_SEEN_LATE = 2, /* it was there before us: no load time */
};

enum batch_flag {
    BATCH_LASTS = 1,
};

/* --- texts being generated --------------------------------------------------
 *
 * Which text a step belongs to shows in its cache: the program hands the one
 * that a step returned to the next step, whole or cut, as it is or copied.  So
 * each tells a number for the last rows of both, and where they lie. */

enum passed_flag {
    PASSED_STATES_IN = 1,  /* `in` is of an encoder's states, not of a cache */
    PASSED_STATES_OUT = 2, /* so is `out` */
};

#define PASSED_ROWS 7 /* so many may be cut off again, and it still shows */

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
            uint64_t version; /* text; RECORD_STATIC_LIBRARY: why not */
            uint32_t slots;   /* patched; in Python: methods */
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
        struct { /* of the next run of this thread, in Python: when it */
            uint64_t released; /* let go of the GIL, to run; */
            uint64_t wanted;   /* was done, and asked for it again; */
            uint64_t taken;    /* and had it */
            uint32_t thread;
        } gil;
        struct { /* why the next run or session of this thread failed */
            uint64_t text;
            uint32_t thread;
            int32_t code;
        } error;
        struct { /* an operator of a session, as it runs */
            uint64_t kernel;
            uint64_t parent; /* the kernel in whose body it is; 0: none */
            uint64_t name, op_type, provider; /* texts; name 0: it has none */
            uint64_t domain;                  /* text; 0: not known */
            uint32_t node_index;
            uint32_t since_version; /* 0: not known */
        } kernel;                   /* also RECORD_KERNEL_END: the address */
        struct {
            uint64_t kernel;
            uint64_t name;  /* text; 0: as it was told before */
            uint32_t trace; /* whose shapes these are */
            uint16_t index; /* among its inputs, or among its outputs */
            uint8_t type;   /* ONNX's number of the element type; 0: none */
            uint8_t rank;
            uint32_t dims[TENSOR_DIMS];
        } tensor;
        struct { /* record.flags: how many lines there are */
            uint32_t trace;
            uint32_t thread;
            struct record_line line[RECORD_LINES_EACH];
        } lines;
        struct { /* the next RUN of this thread is that trace: traced_flag */
            uint64_t
                    shapes; /* a number for the shapes of its inputs; 0: none */
            uint64_t cost;  /* what tracing it took, as far as it is known, */
            uint64_t beside_kernels; /* and of that, while it ran */
            uint32_t trace;
            uint32_t thread;
            uint32_t kernels; /* that ended: so many lines were sent, or lost */
            uint32_t doubtful; /* kernels that may have been of another one */
        } traced;
        struct { /* of an output's values, in an inference with FLAG_STATS */
            uint64_t kernel;
            uint64_t elements;
            uint64_t nans : 21, infinities : 21;
            uint64_t near_zero : 21; /* below STATS_NEAR_ZERO */
            uint32_t trace;
            uint32_t read; /* elements that were looked at: all, or every nth */
            uint32_t negative;
            float mean_abs, std_dev, max_abs; /* of those that are finite */
            uint32_t cost;                    /* what looking at it took */
            uint16_t index;                   /* of the output */
            uint8_t type;
            uint8_t unused;
        } stats;
        struct { /* of a Softmax: how far each head of attention looks.  It
                    comes before the STATS of the same output.  record.flags:
                    how many heads there are here */
            uint64_t kernel;
            uint32_t trace;
            uint16_t index; /* of the output */
            uint16_t first; /* of these heads, */
            uint32_t heads; /* of so many */
            struct record_head {
                float entropy;  /* in nats, in the mean of the rows */
                float largest;  /* weight */
                float sparsity; /* share of weights below HEADS_NEAR_ZERO */
            } head[HEADS_EACH];
        } heads;
        struct {
            uint64_t start;
            uint64_t end;
            uint64_t name; /* text */
            uint32_t thread;
        } section;
        struct { /* for the next run of this thread; BATCH_LASTS: for all,
                    until another comes */
            uint32_t thread;
            uint32_t size; /* 0: no more of it */
            uint32_t padding;
            uint32_t queue_depth;
        } batch;
        struct { /* what the next RUN of this thread and session was handed of
                    a text, and hands on.  Numbers of rows and of addresses;
                    0: not known.  record.flags: enum passed_flag */
            uint64_t session;
            uint32_t thread;
            uint32_t in_at, out_at; /* where the caches lie */
            uint32_t in;            /* the last row of the one it was handed */
            uint32_t out[PASSED_ROWS]; /* of the other, the last one first */
        } passed;
        struct {
            uint64_t time;
            uint64_t text; /* or 0 */
            int64_t id;    /* or -1 */
            uint32_t index;
            uint32_t thread;
            uint64_t duration_ns; /* or 0 */
            double probability;   /* or 0 */
        } token;
        struct {
            uint64_t time_ns;
            uint32_t pid;
            uint32_t failed;                 /* it goes on as it was */
            char program[RECORD_TEXT_BYTES]; /* the end of its path */
        } exec;
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
