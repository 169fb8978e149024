/* summary.h -- a run in figures: what `report` prints.
 *
 * Everything is computed from the store, when it is asked for: so a run whose
 * meter died is summed up as well as any other. */
#pragma once

#include "analyse/operators.h"
#include "analyse/session_device.h"
#include "analyse/spread.h"
#include "analyse/usage.h"
#include "base/error.h"
#include "energy/figures.h"
#include "model/run.h"
#include "store/store.h"

struct summary_library {
    uint32_t id;
    uint32_t process;
    char *path;
    char *version; /* NULL: a static copy that cannot be entered */
    char *language;
};

struct range {
    uint64_t count; /* 0: nothing was read */
    uint64_t min, max;
    double sum;
};

struct summary_session {
    uint32_t id;
    uint32_t process;
    uint32_t library;
    char *model;
    uint64_t model_bytes;
    char *providers; /* JSON */
    char *options;   /* JSON */
    struct session_device device;
    char *error;
    bool seen_late;
    bool first_load; /* of this model in this run */
    uint64_t load_ns;
    uint64_t inferences, failed, sampled;
    struct spread spread;
    struct spread slowed;          /* of those that were looked into */
    struct spread_figures latency; /* as in the whole run */
    struct range batch, sequence, in_bytes, out_bytes;
    uint64_t *first_ns; /* the first durations, for the warm-up */
    size_t first_count;
};

struct summary_process {
    uint32_t id, pid, parent;
    char *program;
    uint32_t hook_ns;
    uint64_t lost, untimed, torn;
    bool ended; /* its last records were read */
};

struct summary_section {
    uint8_t phase;
    char *name;
    uint64_t count;
    uint64_t total_ns;
};

struct summary_token {
    uint32_t index;
    int64_t id;
    char *text;
    uint64_t time_ns;
};

struct summary_note {
    uint32_t process, thread;
    char *text;
    uint64_t time_ns;
};

/* An error and how often it came. */
struct summary_error {
    char *text;
    uint64_t count;
};

/* Generating text: from the phases of the inferences. */
struct summary_tokens {
    uint64_t generations; /* prompts that got a first token */
    uint64_t count;       /* tokens made */
    double ttft_ns;       /* mean time to the first token */
    uint64_t later;       /* tokens that followed a first one */
    double tpot_ns;       /* mean time of those */
    double busy_ns;       /* from each prompt to its last token, together */
};

struct summary {
    struct run run; /* its texts are owned here */

    struct summary_process *processes;
    size_t process_count;
    struct summary_library *libraries;
    size_t library_count;
    struct summary_session *sessions;
    size_t session_count;

    uint64_t inferences, failed, sampled;
    struct spread spread;
    struct spread slowed; /* of those that were looked into */
    /* Of those that did not fail and were not looked into; of the latter only
     * where there are no others.  `count` 0: none that did not fail. */
    struct spread_figures latency;
    struct operators operators;
    uint64_t first_start_ns, last_end_ns;
    double samples; /* in all batches; a run of unknown batch is one */

    struct {
        uint64_t count; /* inferences in warm-up */
        double mean_ns;
        bool known;
    } warmup;

    struct spread phase_spread[PHASES];
    struct spread_figures phase[PHASES];
    uint64_t phase_tokens[PHASES]; /* that went in */
    struct summary_tokens tokens;

    struct range batch_size, padding, queue_depth; /* as the program told */

    struct summary_section *sections;
    size_t section_count;
    struct summary_token *items;
    size_t item_count;
    uint64_t told_tokens; /* by the program; the first of them are `items` */
    struct summary_note *marks;
    size_t mark_count;
    struct summary_note *threads;
    size_t thread_count;
    struct summary_error *errors;
    size_t error_count;

    uint64_t lost; /* records and runs that left no trace but this number */
    uint64_t unfinished; /* records that a process was writing when it died */
    uint32_t hook_ns;    /* the dearest process; 0: not measured */

    struct usage usage; /* of the machine, as it was sampled */

    struct run_energy energy;
    struct energy_counts whole;  /* of all of the run, where the figures above
                                  * are of a part of it; else zeroed */
    struct energy_prices prices; /* none, unless whoever reads sets them */
};

int summary_read(struct summary *out, struct store *s, int64_t run,
        struct error *e);
void summary_release(struct summary *s);

/* What a model is called: its file's name without the ending, with the folder
 * where the name alone says nothing ("model.onnx").  For free(). */
char *summary_model_name(const char *path);

/* What its energy is divided by. */
struct energy_counts summary_energy_counts(const struct summary *s);
