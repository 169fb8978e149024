/* operator_runs.h -- a run in a store, with operators and figures of ours. */
#pragma once

#include "analyse/operators/operators.h"
#include "stored.h"

#include <math.h>

static struct tree tree;
static struct store *store;
static struct run run;
static struct operators got;

static inline void begin(void)
{
    tree = tree_open();
    store = stored_open(&tree, STORE_WRITE);
    run = stored_run(store, 1000);
}

static inline void read_back(void)
{
    struct error e = { 0 };

    stored_flush(store);
    CHECK_INT(operators_read(&got, store, run.row, &e), 0);
}

static inline void end(void)
{
    operators_release(&got);
    store_close(store);
    tree_close(&tree);
}

static inline void operators_of(uint32_t session, uint32_t first,
        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        store_add_operator(store, &(struct operator){ .id = first + i,
                                          .session = session,
                                          .name = "n",
                                          .node_index = UINT32_MAX });
}

/* In microseconds; returns its number. */
static inline uint64_t inference(uint32_t session, uint64_t start_us,
        uint64_t took_us, uint16_t flags)
{
    return store_add_inference(store, &(struct inference){ .session = session,
                                              .process = 1,
                                              .start_ns = start_us * 1000,
                                              .duration_ns = took_us * 1000,
                                              .flags = flags });
}

/* kernel_us 0: it was not seen. */
static inline void ran(uint64_t number, uint32_t id, uint32_t depth,
        uint64_t start_us, uint64_t raw_us, uint64_t kernel_us)
{
    store_add_operator_run(store, &(struct operator_run){ .inference = number,
                                          .operator_id = id,
                                          .thread = 1,
                                          .depth = depth,
                                          .start_ns = start_us * 1000,
                                          .raw_ns = raw_us * 1000,
                                          .kernel_ns = kernel_us * 1000,
                                          .kernel_known = kernel_us > 0 });
}

static inline const struct operator_figures *by_id(uint32_t id)
{
    static const struct operator_figures none;

    for (size_t i = 0; i < got.count; i++)
        if (got.items[i].id == id)
            return &got.items[i];
    test_failures++;
    return &none;
}

#define CHECK_US(got_ns, want_us) \
    CHECK_INT(llround((got_ns)*1000), (want_us)*1000000LL)
