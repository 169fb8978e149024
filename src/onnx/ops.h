/* ops.h -- what each operator makes of shapes, and what it costs.
 *
 * The operators lie in tables by families, ops_*.c: conv, matmul, ...  The
 * shapes follow the operators' documents (onnx.ai/onnx/operators, and ONNX
 * Runtime's ContribOperators.md); what is not known stays unknown.
 *
 * Costs are counted by these rules:
 *   - a multiplication with its addition, in convolutions, products of
 *     matrices, attention and recurrent nets, is one MAC;
 *   - of all other arithmetic each result of an element is one operation:
 *     Add, Exp and Gelu alike one for each element they make, a Reduce one for
 *     each element it reads, a pool one for each element under its window,
 *     Softmax three (exponential, sum, quotient), a normalisation as many as
 *     its table says;
 *   - what only moves, selects or converts costs nothing.
 * So FLOPs = 2 MACs + operations.  They count work, not time. */
#pragma once

#include "onnx/arena.h"
#include "onnx/fact.h"

struct onnx_cost {
    uint64_t macs;
    uint64_t operations; /* that are not part of a MAC */
};

/* An operator with what it is given: one node, at one place. */
struct onnx_call {
    const struct onnx_op *op;
    const struct onnx_node *node;   /* whose attributes count; NULL: none */
    const struct onnx_call *caller; /* of the function that the node lies in */
    const struct fact *const *in;   /* NULL: left out */
    int in_count;
    struct fact *out; /* filled by `infer`, read by `cost` */
    int out_count;
    struct arena *arena; /* for numbers */
};

struct onnx_op {
    const char *name;
    /* Sets what is known of the outputs, which begin with nothing known.
     * NULL: nothing can be said. */
    void (*infer)(struct onnx_call *c);
    /* Counts, from inputs and outputs.  False, or NULL: cannot be told. */
    bool (*cost)(const struct onnx_call *c, struct onnx_cost *out);
    int each; /* operations for an element, or what the two functions need */
};

/* The operator of a name and domain; NULL: not in our tables.  "" and
 * "ai.onnx" are ONNX's own domain. */
const struct onnx_op *op_find(struct str name, struct str domain);

/* The families; each ends with one that has no name. */
extern const struct onnx_op ops_elementwise[], ops_conv[], ops_matmul[],
        ops_reshape[], ops_select[], ops_generate[], ops_reduce[],
        ops_normalise[], ops_attention[], ops_recurrent[], ops_resize[];
/* Those of com.microsoft, which take arguments of their own. */
extern const struct onnx_op ops_microsoft_elementwise[], ops_microsoft_conv[],
        ops_microsoft_matmul[], ops_microsoft_normalise[],
        ops_microsoft_attention[], ops_microsoft_recurrent[];

/* --- for the families: what a call is given ------------------------------- */

/* An input; nothing is known of one that is left out. */
const struct fact *call_in(const struct onnx_call *c, int i);
/* Whether it is given at all. */
bool call_has(const struct onnx_call *c, int i);

/* Sets an output; nothing happens when nobody asked for it. */
void call_set(struct onnx_call *c, int i, const struct fact *f);

/* Attributes, or the default.  Within a function the caller's may be meant. */
const struct onnx_attr *call_attr(const struct onnx_call *c, const char *name);
int64_t call_int(const struct onnx_call *c, const char *name,
        int64_t otherwise);
struct str call_text(const struct onnx_call *c, const char *name);
/* A list of whole numbers: returns how many, FACT_UNKNOWN if there is none. */
int call_ints(const struct onnx_call *c, const char *name, const int64_t **out);

/* The numbers of an input, if all are known; returns how many, or
 * FACT_UNKNOWN. */
int call_numbers(const struct onnx_call *c, int i, int64_t out[FACT_DATA_MAX]);

/* Whole numbers that older operator sets have as an attribute and newer ones as
 * an input: returns how many, FACT_UNKNOWN if they are not known, and sets
 * `given` to whether there are any. */
int call_list(const struct onnx_call *c, int i, const char *name,
        int64_t out[FACT_DATA_MAX], bool *given);

/* Room for the numbers of a value that has `count` of them. */
double *call_data(struct onnx_call *c, int count);

/* --- for the families: common answers ------------------------------------- */

void infer_same(struct onnx_call *c);      /* shape and type of input 0 */
void infer_broadcast(struct onnx_call *c); /* of all inputs; type of input 0 */

bool cost_free(const struct onnx_call *c, struct onnx_cost *out);
bool cost_each(const struct onnx_call *c,
        struct onnx_cost *out); /* of output 0 */
bool cost_read(const struct onnx_call *c,
        struct onnx_cost *out); /* of input 0 */

/* `sum += a * b`.  False: it does not fit. */
bool cost_add(uint64_t *sum, uint64_t a, uint64_t b);
