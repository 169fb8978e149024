/* operators.h -- where the time of an inference goes.
 *
 * Operators are known from the inferences that were looked into.  In some, ONNX
 * Runtime described each node in words around its kernel, which makes them
 * slower; in others the kernels were timed, and nothing else.  So two accounts
 * are kept, and both add up:
 *
 * - of an inference that was looked into: kernels, the describing, control flow
 *   around nested nodes, the gaps between nodes, and what comes before the
 *   first and after the last;
 * - of one that was not: the kernels, control flow, and the rest of its time,
 *   which is the runtime's own work.  The kernels are those of the median
 *   inference that was timed.  Where there is none, of the median that was
 *   described: caches are colder there, so they may exceed the whole: by a
 *   little, which the account tells, or by much, and then they are made to fit,
 *   which it tells, too.
 *
 * A node that others ran in (If, Loop, Scan) is not counted again: its kernel
 * is theirs, and what it takes itself, which is control flow. */
#pragma once

#include "base/error.h"
#include "model/run.h"
#include "store/store.h"

enum operator_method {
    OPERATOR_TIMED,    /* the kernel itself was timed, in inferences that were
                          otherwise left alone */
    OPERATOR_BRACKET,  /* its start and end were seen, while ONNX Runtime
                          described it */
    OPERATOR_FITTED,   /* that, less a constant of the session for each
                          node: as seen they would take longer than the
                          inference */
    OPERATOR_CONSTANT, /* ONNX Runtime's figure, less what describing costs in
                          this session */
    OPERATOR_RAW,      /* ONNX Runtime's figure as it is: too long */
};

const char *operator_method_name(enum operator_method method);

struct operator_sum {
    uint32_t id;
    uint32_t session;
    char *name, *op_type, *provider, *inputs, *outputs;
    uint32_t node_index;
    bool sizes_known;
    uint64_t activation_bytes, parameter_bytes, output_bytes;
    bool contains; /* others ran in it */
    uint64_t count;
    uint64_t left_out; /* times more, in inferences that were left out */
    uint64_t timed;    /* of `count`, in inferences that were only timed */
    double raw_ns;     /* of all times together, as ONNX Runtime says of those
                          that it described; there may be none of these */
    double kernel_ns;  /* of all times together */
    double self_ns;    /* the same without those that ran in it; 0, and
                          `contains`: it cannot be told */
    uint64_t cycles;   /* of a device that tells no time; else 0 */
    enum operator_method method;
    /* While reading. */
    uint64_t bracketed;
    double bracketed_ns, bracketed_raw_ns, timed_ns;
    double flow_ns;
};

/* All the inferences of a session that were looked into, together. */
struct operator_account {
    uint64_t inferences; /* 0: none */
    uint64_t timed;      /* of these, only timed, not described */
    double run_ns;
    double kernels_ns; /* of nodes that nothing else ran in */
    double describing_ns;
    double control_flow_ns;
    double gaps_ns;   /* between nodes */
    double before_ns; /* the first node */
    double after_ns;  /* the last one */
    bool overlapping; /* nodes ran side by side: kernels may exceed the run */
    double describing_each_ns;   /* of one node, the median's stand-in */
    enum operator_method method; /* the least exact one in use */
    /* Of those that were not looked into, nor came right after one that was and
     * found the caches cold, unless there are no others; 0: there are none. */
    uint64_t plain_inferences;
    double plain_median_ns;
    double typical_kernels_ns; /* of one: the median of those looked into, */
    double typical_flow_ns;    /* and its control flow */
    double seen_ns;        /* both, before kernels were made to fit; else 0, */
    double fitted_each_ns; /* and what each gave, at the most */
    /* Looked into, and far slower than the rest, for a reason that is none of
     * theirs: in neither account. */
    uint64_t left_out;
};

struct operators {
    struct operator_sum *items; /* by their own time, greatest first */
    size_t count;
    struct operator_edge *edges; /* by the one that reads */
    size_t edge_count;
    struct operator_account *accounts; /* of session 1, 2, ... */
    size_t account_count;
};

int operators_read(struct operators *out, struct store *s, int64_t run,
        struct error *e);
/* Only which there are, as if each had run once. */
int operators_read_names(struct operators *out, struct store *s, int64_t run,
        struct error *e);
void operators_release(struct operators *o);
