/* summary.h -- a run in figures: what `report` prints.
 *
 * Everything is computed from the store, when it is asked for: so a run whose
 * meter died is summed up as well as any other. */
#pragma once

#include "analyse/counting.h"
#include "analyse/line_fit.h"
#include "analyse/operators/activations.h"
#include "analyse/operators/operators.h"
#include "analyse/operators/session_device.h"
#include "analyse/spread.h"
#include "analyse/sweep.h"
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
    char *untraced; /* why its operators are not known; NULL: nobody said */
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
    bool aside;      /* it only prepared what was measured: of a benchmark */
    uint64_t load_ns;
    uint64_t inferences, failed;
    uint32_t thread; /* that ran all of them; 0: there were several */
    struct counting_session counted;
    struct spread spread; /* of those that count */
    uint64_t longest_ns;
    double total_ns; /* of all that did not fail */
    struct spread_figures latency;
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
    bool id_known;
    int64_t id;
    char *text;
    uint64_t time_ns;
    uint64_t duration_ns; /* 0: not told */
    double probability;   /* the same */
    double energy_mj;     /* NAN: not known */
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
    uint64_t generations;       /* prompts that got a first token */
    uint64_t count;             /* tokens made */
    double ttft_ns;             /* mean time to the first, of `ttft` */
    uint64_t later;             /* tokens that followed a first one */
    double tpot_ns;             /* mean time of those, of `gaps` */
    double busy_ns;             /* time in which one was under way, or more */
    uint64_t orphans;           /* steps whose prompt was not seen */
    struct spread_figures ttft; /* of the generations that count */
    struct spread_figures gaps; /* from one token of a text to the next */
    /* Slowed by tracing: not in the times above, or in them and marked. */
    uint64_t left_out[TOKEN_KINDS], marked[TOKEN_KINDS];
    bool growth_known;
    struct line_fit growth; /* ns of a step, by the tokens before it */
};

/* Where the time goes of inferences called from Python that did not fail: sums.
 * The rest of `whole_ns` is converting what goes in and comes out. */
struct summary_parts {
    uint64_t count;
    double whole_ns;
    double runtime_ns; /* ONNX Runtime itself */
    double gil_ns;     /* waiting for Python's lock */
};

struct summary {
    struct run run; /* its texts are owned here */

    struct summary_process *processes;
    size_t process_count;
    struct summary_library *libraries;
    size_t library_count;
    struct summary_session *sessions;
    size_t session_count;

    uint64_t inferences, failed;
    /* Traced ones, of which some are left out of all figures, or counted and
     * marked; and those whose values were looked at.  Of which count:
     * counting.h. */
    uint64_t traced, left_out, marked, looked_at;
    struct spread spread;          /* of those that count */
    uint64_t longest_ns;           /* of any that was not looked at */
    struct spread_figures latency; /* `count` 0: there are none; of a sweep it
                                    * would be of several things at once */
    struct sweep sweep;
    struct operators operators;
    unsigned shown_phase; /* of operators, for those who show them: PHASES is
                             all, unless whoever reads sets one */
    struct activations activations;
    uint64_t first_start_ns, last_end_ns;
    double samples; /* in all batches; a run of unknown batch is one */

    struct {
        uint64_t count; /* inferences in warm-up */
        double mean_ns;
        bool known;
    } warmup;

    struct spread phase_spread[PHASES];
    uint64_t phase_longest_ns[PHASES];
    struct spread_figures phase[PHASES];
    /* That did not fail, as `traced` and the others above. */
    struct phase_counts {
        uint64_t inferences, traced, left_out, marked, looked_at;
    } phase_counts[PHASES];
    uint64_t phase_tokens[PHASES]; /* that went in */
    struct summary_tokens tokens;
    uint64_t
            without_cache; /* inferences on ids, of models that keep no cache */

    struct range batch_size, padding, queue_depth; /* as the program told */

    struct summary_parts parts; /* of those called from Python */

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

    struct summary_not_followed {
        uint32_t subject;
        uint64_t pid;
        char *program;
        char *runtime; /* that it had loaded, or NULL */
        char *reason;
    } * not_followed; /* processes whose inferences are not here */
    size_t not_followed_count;

    uint64_t lost; /* records and runs that left no trace but this number */
    uint64_t unfinished;  /* records that a process was writing when it died */
    uint32_t hook_ns;     /* the dearest process; 0: not measured */
    bool tracing_known;   /* what tracing inferences cost, */
    double tracing_ns;    /* of a traced one, in the mean; */
    double tracing_share; /* of the time of all inferences together */

    struct usage usage; /* of the machine, as it was sampled */

    struct run_energy energy;
    struct energy_counts whole;  /* of all of the run, where the figures above
                                  * are of a part of it; else zeroed */
    struct energy_prices prices; /* none, unless whoever reads sets them */
};

/* Counts one more that did not fail; for those who count some of a run again.
 * summary_find_figures() follows the last. */
void summary_count(struct summary *s, const struct inference *i,
        enum counted how);
void summary_find_figures(struct summary *s);

int summary_read(struct summary *out, struct store *s, int64_t run,
        struct error *e);
/* The same without what no comparison shows: run_energy_read_joules(). */
int summary_read_to_compare(struct summary *out, struct store *s, int64_t run,
        struct error *e);
void summary_release(struct summary *s);

/* What a model is called: its file's name without the ending, with the folder
 * where the name alone says nothing ("model.onnx").  For free(). */
char *summary_model_name(const char *path);

/* Why the operators of a session are not known; NULL: they are, or it ran
 * nothing. */
const char *summary_no_operators(const struct summary *s,
        const struct summary_session *x);

/* Why there are no generations, where a model took the ids of tokens; NULL:
 * there are, or none did. */
const char *summary_no_tokens(const struct summary *s);

/* What its energy is divided by. */
struct energy_counts summary_energy_counts(const struct summary *s);
