/* run.h -- the nouns: a run of a program under the meter, and what was seen of
 * it.  Only data; the store keeps it, the trace fills it.
 *
 * Times are nanoseconds since the run's start, unless the name says `wall`.
 * Ids of processes, libraries and sessions count from 1 within a run.  Texts
 * are borrowed from whoever hands the struct over; NULL is "not known". */
#pragma once

#include "wire/record.h"

#include <stdbool.h>
#include <stdint.h>

#define RUN_ID_LEN 36 /* as UUIDs are written */

enum run_status {
    RUN_RUNNING,
    RUN_COMPLETE,
    RUN_INTERRUPTED, /* the meter died before the program's end */
    RUN_FAILED,      /* recording had to stop: `note` says why */
    RUN_KILLED,      /* a signal ended the program: `signal` */
    RUN_STATUS_LAST = RUN_KILLED,
};

const char *run_status_name(enum run_status status);

struct run {
    int64_t row; /* the store's own number */
    char id[RUN_ID_LEN + 1];
    enum run_status status;
    uint64_t started_wall_ns;
    uint64_t start_mono_ns; /* what the times of the run count from */
    uint64_t duration_ns;   /* 0: still running, or interrupted */
    uint32_t meter_pid;
    const char *command;
    const char *directory;
    const char *tags;    /* separated by commas */
    const char *host;    /* a JSON object */
    const char *version; /* of ortmeter */
    const char *note;
    const char *experiment; /* what it belongs to */
    const char *prompt;     /* of a text that was generated, */
    const char *response;   /* and the text */
    const char *depth;      /* "off", "module", "deep": how far was looked */

    /* Known at the end. */
    bool ended;
    int exit_code;
    int signal; /* that ended the program, or 0 */
    uint64_t peak_rss_bytes;
    uint64_t user_cpu_ns, system_cpu_ns;
    uint64_t meter_cpu_ns;
    uint64_t meter_rss_bytes;
    uint64_t input_tokens, output_tokens; /* both 0: not told */
    double energy_mj;                     /* of the whole run */
    uint8_t energy_method;                /* enum reading_method */
    bool has_energy;
};

struct process {
    uint32_t id;
    uint32_t pid;
    uint32_t parent; /* an id; 0: not forked from one that we know */
    uint64_t start_ns;
    const char *program;
    /* Known at its end. */
    uint64_t lost;    /* records that found the ring full */
    uint64_t untimed; /* runs that could not be timed */
    uint64_t torn;    /* records begun when the process died */
    uint32_t hook_ns; /* what the hook adds to an empty run; 0: not measured */
};

struct library {
    uint32_t id;
    uint32_t process;
    const char *path;
    const char *version;  /* NULL: a static copy that cannot be entered */
    const char *language; /* of the binding in use; NULL: not told */
    uint32_t slots;
    /* Why operators of its sessions are not traced; NULL: they are, or nobody
     * asked.  store_set_untraced() writes it. */
    const char *untraced;
};

struct session {
    uint32_t id;
    uint32_t process;
    uint32_t library;
    const char *model;     /* path; NULL: from memory, or made before us */
    uint64_t model_bytes;  /* of a model from memory; 0: not known */
    const char *providers; /* a JSON array, in the order of asking */
    const char *options;   /* a JSON object */
    const char *error;     /* why it could not be made */
    bool seen_late;        /* it was there before the meter: no load time */
    uint64_t start_ns;
    uint64_t duration_ns;
    uint64_t read_ns;       /* of duration_ns: the model was read; */
    uint64_t initialise_ns; /* and made ready.  Both 0: not told apart */
    uint32_t thread;
    uint64_t end_ns; /* 0: not seen; store_add_session_end() writes it */
    /* Whose table of operators it shares: that of the first session of the same
     * model and options, maybe its own; 0: it has none (yet).
     * store_set_operators_of() writes it. */
    uint32_t operators_of;
};

struct inference {
    uint64_t number; /* within the run, from 1; 0: the one after the last */
    uint32_t session;
    uint32_t process;
    uint32_t thread;
    uint8_t phase;    /* enum phase */
    uint16_t flags;   /* enum record_flag: which of the figures were read */
    bool has_context; /* the program told size, padding and queue depth */
    uint64_t start_ns;
    uint64_t duration_ns;
    uint32_t batch, sequence, past;
    uint32_t batch_size, padding, queue_depth;
    uint64_t in_bytes, out_bytes;
    uint32_t generation; /* from 1, within the run; 0: of no text we know */
    uint64_t lead_ns;    /* of a first one: before it, an encoder had begun */
    bool has_parts;      /* in Python; of duration_ns: */
    uint64_t runtime_ns; /* ONNX Runtime itself; */
    uint64_t gil_ns;     /* waiting for the GIL.  The rest is converting */
    const char *error;
};

/* A node of a session's graph, as ONNX Runtime made it after optimising: not
 * always a node of the model's file. */
struct operator
{
    uint32_t id;      /* from 1, within the run */
    uint32_t session; /* the first of those that share it: operators_of */
    uint32_t parent;  /* the operator in whose body it is; 0: in the graph */
    const char *name;
    const char *op_type;
    const char *domain;     /* NULL: not known; "" is ONNX's own */
    uint32_t since_version; /* of op_type in its domain; 0: not known */
    const char *provider;
    const char *inputs;  /* types and shapes, as ONNX Runtime writes them: */
    const char *outputs; /* [{"float":[1,3,48,192]},...] */
    uint32_t node_index; /* within its graph; UINT32_MAX: not told */
    bool sizes_known;
    uint64_t activation_bytes, parameter_bytes, output_bytes;
};

/* An operator reads what another one made. */
struct operator_edge {
    uint32_t from; /* ids */
    uint32_t to;
};

/* One time that an operator ran, in an inference that was looked into. */
struct operator_run {
    uint64_t inference; /* its number within the run; 0: of none we know */
    uint32_t operator_id;
    uint32_t thread;
    uint32_t depth; /* 0; 1 within an If, Loop or Scan; and so on */
    uint64_t start_ns;
    uint64_t raw_ns;    /* as ONNX Runtime says, its own work included */
    bool raw_unknown;   /* it says nothing: the kernel was timed alone, or there
                           are only cycles */
    uint64_t kernel_ns; /* the kernel alone */
    bool kernel_known;  /* kernel_ns is */
    bool in_cycles;     /* no time is known, neither start nor end: `cycles` */
    uint64_t cycles;    /* of a device's own clock */
};

/* Anything that took time on a thread, for a timeline. */
enum span_kind { SPAN_SESSION, SPAN_SECTION, SPAN_INFERENCE, SPAN_OPERATOR };

struct span {
    enum span_kind kind;
    uint32_t process;
    uint32_t thread;
    uint64_t start_ns;
    uint64_t duration_ns; /* of an operator: the kernel's, where it is known */
    uint64_t inference;   /* number of the inference, or the operator's */
    uint32_t id;          /* of the session or the operator */
    uint32_t depth;       /* of an operator */
    uint8_t phase;        /* of a section */
    uint16_t flags;       /* of an inference */
    const char *text;     /* a section's name, an inference's error */
};

struct section {
    uint32_t process;
    uint32_t thread;
    uint8_t phase;
    const char *name;
    uint64_t start_ns;
    uint64_t duration_ns;
    double energy_mj;
    bool has_energy;
    uint64_t parent; /* the number of the section that it is in, from 1 in the
                        order of coming; 0: in none */
    bool derived;    /* from operators; it was not told */
};

struct token {
    uint32_t process;
    uint32_t thread;
    uint32_t index;
    int64_t id;
    const char *text;
    uint64_t time_ns;
    uint64_t duration_ns; /* 0: not told */
    double energy_mj;
    bool has_energy;
    bool seen; /* it has neither an id nor a text: from the inferences, or not
                  to be kept */
    double probability; /* that the model gave it; 0: not told */
    /* In the inference that made it: from its layers' first operator, and the
     * runtime's work before that, to their last.  That is the time of the
     * layers, what the runtime took between operators, and the operators of no
     * layer that ran meanwhile.  0: not known. */
    uint64_t layers_ns, between_ns, outside_ns;
};

/* A mark, or a thread's name. */
struct note {
    uint32_t process;
    uint32_t thread;
    const char *text;
    uint64_t time_ns;
};
