/* account.h -- where the time of an inference went, by the kernels that ran in
 * it.  Only arithmetic, exact to the nanosecond. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One time that a kernel ran. */
struct kernel_run {
    uint64_t start_ns, end_ns;
    uint32_t thread;
    uint32_t operator_place; /* for whoever adds up: not looked at here */
    bool is_flow;            /* it is one that kernels run in */
    /* Made of the others. */
    uint64_t self_ns; /* without the kernels that ran within, or what tracing
                         them took */
    uint32_t depth;   /* how many it ran within */
};

/* Finds self times and depths of the kernels of one thread, which are in the
 * order of their ends; marks those that others ran in as flow.  Tracing one
 * took `traced_ns`, outside of its own time.  False: they lie neither beside
 * nor within each other. */
bool account_nest(struct kernel_run *k, size_t count, uint64_t traced_ns);

struct account {
    uint64_t run_ns;
    /* Unless kernels ran side by side: these five are run_ns.  What tracing
     * took is in between_ns. */
    uint64_t before_ns, kernels_ns, flow_ns, between_ns, after_ns;
    bool beside;      /* they did, on several threads: */
    uint64_t busy_ns; /* while any of them ran */
};

/* Kernels of any threads, each thread's nested.  False: one of them lies
 * outside of [start_ns, end_ns]. */
bool account_make(struct account *out, const struct kernel_run *k, size_t count,
        uint64_t start_ns, uint64_t end_ns);
