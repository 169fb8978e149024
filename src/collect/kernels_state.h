/* kernels_state.h -- what the files of the kernels share.  Not for others. */
#pragma once

#include "base/hist.h"
#include "base/map.h"
#include "collect/account.h"
#include "collect/kernels.h"

#include <stddef.h>

/* Who claims more than that is not believed. */
#define OPERATORS_MAX (1 << 18)          /* of a run */
#define TENSORS_MAX   (1 << 21)          /* of a run's operators */
#define SHAPES_MAX    512                /* of an operator */
#define SETS_MAX      ((size_t)1 << 24)  /* places in a run's sets of shapes */
#define SHAPE_TEXT    ((size_t)64 << 20) /* bytes of a run's shapes */
#define SPREAD_BYTES  ((size_t)256 << 20)
#define BODIES        64 /* within each other */

/* --- tables of operators -------------------------------------------------- */

/* An input or output of an operator. */
struct op_tensor {
    uint64_t name; /* its hash; 0: none */
    char *shape;   /* of a weight, owned; NULL: not known */
    uint16_t index;
    uint8_t flags; /* enum tensor_flag */
    uint8_t type;
};

struct op_shape {
    uint64_t hash;
    char *inputs, *outputs; /* outputs NULL: not known */
    bool sizes_known, output_known;
    uint64_t activation_bytes, parameter_bytes, output_bytes;
    uint64_t counts[PHASES];
    bool changed;
};

/* What is summed up of an operator in one phase. */
struct op_sum {
    uint64_t count, total_ns, self_ns, min_ns, max_ns;
    double squares;
    struct hist_part spread;
    bool no_spread; /* there was no memory for it */
    bool changed;
};

struct op {
    struct operator row; /* `name` is owned where the node has none */
    char *made_name;
    uint32_t graph; /* place of the operator in whose body it is, + 1; or 0 */
    bool is_flow;
    struct op_tensor *tensors; /* inputs, then outputs, by their index */
    uint32_t tensor_count;
    struct op_shape *shapes;
    uint32_t shape_count;
    struct op_sum *sums[PHASES];
};

/* The traced inferences of one phase. */
struct op_account {
    struct traced_sum sum;
    struct hist_part durations;
    uint64_t slow_ns; /* 99 of 100 took less; 0: too few yet */
    uint64_t slow, slowest_ns;
    bool changed;
};

/* Of equal sessions. */
struct op_table {
    uint32_t session; /* the first of them */
    struct op *ops;
    uint32_t count, cap;
    uint32_t told;        /* of them */
    struct map places;    /* a kernel's key to its operator's place */
    struct map producers; /* graph and name to the place of who makes it */
    struct map sets;      /* key of the inputs' shapes to a struct shape_set */
    struct op_account accounts[PHASES];
    uint64_t rows_kept; /* of timelines */
    bool changed;       /* something of it is to be told */
};

/* Which shape each operator has where the inputs have certain shapes. */
struct shape_set {
    uint32_t *shape; /* by the operator's place; place + 1, or 0 */
    uint32_t count;
};

/* --- kernels of a process ------------------------------------------------- */

struct kernel {
    struct record found;    /* RECORD_KERNEL */
    struct record *tensors; /* as described, until it is an operator */
    uint32_t tensor_count;
    struct op_table *table; /* NULL: it is none yet */
    uint32_t place;
    uint64_t key;   /* op_key(); 0: not known yet */
    uint64_t stamp; /* of the inference it was last met in */
};

struct lines {
    uint32_t thread;
    uint32_t count, cap;
    struct record_line *line;
};

/* A trace that is not over. */
struct pending {
    uint32_t trace; /* 0: this one is free */
    uint64_t age;
    struct lines *lines; /* one a thread */
    size_t thread_count;
    struct record *others; /* RECORD_TENSOR, _STATS and _HEADS */
    size_t other_count, other_cap;
    bool damaged;
};

struct process_kernels {
    struct map kernels; /* address to struct kernel */
    size_t tensor_count;
    struct map traced;   /* thread to a place in `told` */
    struct record *told; /* RECORD_TRACED, one a thread */
    size_t told_count;
    struct pending *pending;
    size_t pending_count;
    size_t waiting; /* bytes */
    uint64_t age;
};

struct kernels {
    struct subscriber sink;
    const struct texts *texts;
    struct process_kernels *processes;
    uint32_t process_count;
    struct op_table **tables;
    uint32_t table_count;
    struct map by_identity; /* to a place in `tables`, + 1 */
    struct map by_session;
    struct map lost; /* session << 8 | phase to inferences, before its table */
    uint64_t closed; /* inferences */
    bool keeps_timelines;
    uint32_t operator_count;
    size_t tensor_count, set_places, text_bytes, spread_bytes;
    /* Kept from one inference to the next. */
    struct kernel_run *runs;
    struct kernel **run_kernels;
    size_t run_cap;
    struct buf text;
};

struct kernel *kernels_find(struct process_kernels *p, uint64_t address);
const char *kernels_text(const struct kernels *k, uint64_t hash);

/* --- op_table.c ----------------------------------------------------------- */

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) *
                 UINT64_C(0xbf58476d1ce4e5b9);

    return x ^ x >> 29;
}

/* What a kernel is, the same in equal sessions.  False: the kernel in whose
 * body it is, is not known. */
bool op_key(struct kernels *k, struct process_kernels *p, struct kernel *x);

/* The session's table; it is made if need be.  `signature` tells sessions apart
 * whose identity is not known. */
struct op_table *op_table_of(struct kernels *k, const struct kernels_run *run,
        uint64_t signature);
/* NULL: it has none yet. */
struct op_table *op_table_find(const struct kernels *k, uint32_t session);

/* Makes it an operator of the table, or finds it there.  False: too many. */
bool op_resolve(struct kernels *k, struct process_kernels *p,
        struct op_table *t, struct kernel *x, unsigned depth);

/* Tells of the operators that are new, and of their edges. */
void op_tell_new(struct kernels *k, struct op_table *t);

const struct op_tensor *op_find_tensor(const struct op *o, bool is_output,
        uint16_t index);

void op_table_free(struct op_table *t);

/* --- op_shapes.c ---------------------------------------------------------- */

/* The shapes of this trace's inputs, with what its kernels told.  NULL: nobody
 * read them. */
const struct shape_set *op_shapes_take(struct kernels *k,
        struct process_kernels *p, struct op_table *t, uint64_t key,
        struct pending *trace);

void op_shapes_tell(struct kernels *k, struct op *o);

/* --- activations.c -------------------------------------------------------- */

void kernels_tell_activations(struct kernels *k, struct process_kernels *p,
        const struct op_table *t, const struct kernels_run *run,
        const struct pending *trace);

/* --- op_sums.c ------------------------------------------------------------ */

/* When each kernel of an inference ran. */
void op_keep_timeline(struct kernels *k, struct op_table *t,
        const struct kernels_run *run, size_t count);
void op_sums_add(struct kernels *k, struct op_table *t,
        const struct kernels_run *run, const struct account *account,
        const struct record *traced, const struct shape_set *shapes,
        size_t count);
void op_sums_lose(struct kernels *k, const struct kernels_run *run,
        uint64_t doubtful);
void op_sums_tell(struct kernels *k, struct op_table *t);
