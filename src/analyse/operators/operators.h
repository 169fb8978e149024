/* operators.h -- where the time of an inference goes: the operators of a run.
 *
 * In traced inferences every kernel was timed (`timed`); an imported profile
 * has the durations that ONNX Runtime or a device wrote (`profile`).  Either
 * way an operator has the sums of all its runs: with what ran in it (total),
 * and without (self).  Self times never overlap on a thread, so they add up:
 *
 *     inference = before the first kernel + self times of kernels
 *               + self times of If, Loop, Scan and functions
 *               + the runtime between kernels + after the last one
 *
 * Where kernels ran side by side there is no such sum: what can be told is how
 * long any of them was at work, and the critical path (run_graph.h).
 *
 * Sessions of one model share a table of operators, that of the first. */
#pragma once

#include "base/error.h"
#include "model/run.h"
#include "onnx/arch.h"
#include "store/store.h"

#define OPERATORS_FEW      10 /* operator runs: fewer say little */
#define OPERATORS_WARM_FEW 8  /* warm inferences: fewer say little */

enum operator_method {
    OPERATOR_TIMED,   /* its kernel was timed */
    OPERATOR_PROFILE, /* as an imported profile says */
};

const char *operator_method_name(enum operator_method method);

/* Runs of an operator.  Zeroed: there are none. */
struct operator_times {
    uint64_t count;
    double total_ns; /* of all together, with the operators in it */
    double self_ns;  /* without */
    /* Of the self time of one run. */
    double median_ns, stddev_ns, min_ns, max_ns;
    char *spread; /* as hist_part_write() writes it; NULL: of all phases, or
                     nobody kept it */
};

/* Whatever the shapes of its inputs, an operator is one. */
struct operator_figures {
    uint32_t id;
    uint32_t session; /* whose table it is in */
    uint32_t parent;  /* the operator in whose body it is; 0: of none */
    char *name, *op_type, *provider;
    uint32_t node_index; /* UINT32_MAX: not told */
    struct arch_place place;
    bool contains;   /* others ran in it */
    uint64_t cycles; /* of a device that tells no time; else 0 */
    struct operator_times times[PHASES + 1]; /* by phase; the last: all */
    struct operator_shape *shapes;           /* the most frequent first */
    size_t shape_count;
    double flops; /* of one run, in the mean of all; NAN: not known */
    double phase_flops[PHASES]; /* the same, in inferences of one phase */
    bool flops_estimated; /* its shapes differ, and of some runs they are not
                             known */
};

/* The operators of sessions that share them. */
struct operator_table {
    uint32_t session;                   /* the first of them */
    struct traced_sum sums[PHASES + 1]; /* by phase; the last: all */
    double self_ns[PHASES + 1];         /* of all its operators */
    /* Of the traced inferences: a session's first one. */
    uint64_t cold[PHASES + 1];
    /* As the graph has it; 0: no tensors were named. */
    size_t width;        /* operators that may run side by side */
    double critical_ns;  /* the longest chain, in the mean of an inference */
    bool peak_known;     /* results that are needed at the same time: */
    uint64_t peak_bytes; /* the most bytes, with the most frequent shapes */
};

struct operators {
    enum operator_method method;
    struct operator_figures *items; /* by their own time, greatest first */
    size_t count;
    struct operator_edge *edges; /* by the one that reads */
    size_t edge_count;
    struct operator_tensor *tensors; /* by operator */
    size_t tensor_count;
    struct operator_table *tables; /* by session */
    size_t table_count;
    /* Of sessions 1, 2, ...: whose table they share; 0: none. */
    uint32_t *table_of;
    size_t session_count;
};

int operators_read(struct operators *out, struct store *s, int64_t run,
        struct error *e);
void operators_release(struct operators *o);
/* Forgets a table and the operators in it. */
void operators_drop_table(struct operators *o, uint32_t session);

/* The operator of that id; NULL: there is none. */
const struct operator_figures *operators_find(const struct operators *o,
        uint32_t id);
/* Its inputs and outputs; their number in `count`. */
const struct operator_tensor *operators_tensors(const struct operators *o,
        uint32_t id, size_t *count);
/* The table that a session shares; NULL: none of its operators are known. */
const struct operator_table *operators_table(const struct operators *o,
        uint32_t session);
/* FLOPs of one run in inferences of a phase, or in all with PHASES; NAN: not
 * known. */
double operator_flops_in(const struct operator_figures *o, unsigned phase);
/* Self times of all operators of a table, in inferences of a phase, or of all
 * with PHASES.  Table 0: of all tables. */
double operators_self_ns(const struct operators *o, uint32_t table,
        unsigned phase);
