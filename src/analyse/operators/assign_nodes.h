/* assign_nodes.h -- which inference the run of a node is of, and how deep in
 * other nodes it lies, where only threads and times tell. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct timed_run {
    int64_t start_ns, end_ns;
    uint32_t process, thread;
    uint32_t session;  /* the caller's */
    int64_t latest_ns; /* found out, for our own use */
};

struct timed_node {
    int64_t start_ns;
    uint64_t duration_ns;
    uint32_t process, thread;
    uint32_t operator_id; /* the caller's */

    /* Found out. */
    uint32_t inference; /* its place among the runs, from 1; 0: not known */
    uint32_t depth;     /* 0; 1: within another node; and so on */
    uint32_t order;     /* in which the nodes were given */
};

/* A node is of the run that was under way on its thread when it began; or, in
 * a thread of a pool, of the only run of the process that was under way at all.
 * For depths see nesting.h.
 *
 * Sorts the runs by their start, and the nodes by inference and the order they
 * were given in.  Returns how many nodes are of no run. */
uint64_t assign_nodes(struct timed_run *runs, size_t run_count,
        struct timed_node *nodes, size_t node_count, uint64_t slack_ns);
