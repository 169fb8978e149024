/* traced.h -- what is known of the operators of traced inferences.
 *
 * Every traced inference adds to sums; the operator runs themselves
 * (struct operator_run) are kept of some inferences only.  Sessions of the same
 * model with the same options share one table of operators, that of the first
 * of them (session.operators_of); an operator's `session` is that one.
 *
 * Times are nanoseconds.  Texts are borrowed; NULL is "not known". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An input or output of an operator. */
struct operator_tensor {
    uint32_t operator_id;
    bool is_output;
    uint16_t index;
    const char *name;
    bool is_constant;  /* a weight */
    uint8_t type;      /* ONNX's number of the element type; 0: none */
    const char *shape; /* of a weight: "[64,3,7,7]" */
};

/* Shapes with which an operator ran, as ONNX Runtime writes them:
 * [{"float":[1,3,48,192]},...]. */
struct operator_shape {
    uint32_t operator_id;
    uint32_t index; /* among the operator's, from 0 in the order of coming */
    const char *inputs;
    const char *outputs; /* NULL: nobody reads them, so nobody knows */
    uint64_t count; /* operator runs in traced inferences of these shapes, */
    bool phases_known;
    uint64_t prefill_count, decode_count; /* of which in these phases */
    bool sizes_known;
    uint64_t activation_bytes, parameter_bytes; /* what it reads */
    bool output_known;
    uint64_t output_bytes;
};

/* All runs of an operator in traced inferences of one phase. */
struct operator_sum {
    uint32_t operator_id;
    uint8_t phase; /* enum phase */
    uint64_t count;
    uint64_t total_ns;
    uint64_t self_ns;        /* without the operators that ran within */
    uint64_t min_ns, max_ns; /* of self times */
    double squares;          /* of self times, summed, ns^2 */
    const char *spread;      /* of self times: hist_write() (base/hist.h) */
};

/* All traced inferences of a session's table and a phase.  Where nothing ran
 * side by side,
 *     run_ns = before_ns + kernels_ns + flow_ns + between_ns + after_ns
 * to the nanosecond. */
struct traced_sum {
    uint32_t session; /* whose table it is */
    uint8_t phase;
    uint64_t count;      /* inferences */
    uint64_t run_ns;     /* of the inferences */
    uint64_t before_ns;  /* the first kernel */
    uint64_t kernels_ns; /* self times of kernels without kernels in them */
    uint64_t flow_ns; /* self times of those with: If, Loop, Scan, functions */
    uint64_t between_ns; /* kernels: the runtime's own work */
    uint64_t after_ns;   /* the last kernel */
    uint64_t beside;     /* of `count`: kernels of theirs ran side by side; */
    uint64_t beside_run_ns, busy_ns; /* their time, and when a kernel ran */
    uint64_t operator_runs;
    uint64_t cost_ns;   /* of tracing them */
    uint64_t lost;      /* inferences whose lines were lost: not in `count` */
    uint64_t doubtful;  /* operator runs that were left out, since they may
                           have been of another inference */
    uint64_t shapeless; /* of `count`: with shapes that nobody read */
};

/* Of an output's values, in one inference. */
struct activation {
    uint64_t inference;
    uint32_t operator_id;
    uint16_t output;
    uint8_t type;
    uint64_t elements;
    uint64_t read; /* elements that were looked at */
    uint64_t nans, infinities;
    uint64_t near_zero;
    double mean_abs, std_dev, max_abs; /* of the finite ones; NAN: none is */
    uint64_t cost_ns;
    uint64_t negative; /* elements below 0 */
    bool negative_known;
    /* Of attention's weights, a JSON list with a number for each head; NULL: it
     * has none.  In nats, in the mean of its rows; the largest weight; and the
     * share of weights below HEADS_NEAR_ZERO. */
    const char *entropy_per_head, *largest_per_head, *sparsity_per_head;
};
