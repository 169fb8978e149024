/* spending.h -- what sampling costs, and whether that is within the budget.
 *
 * Asking the kernel for our CPU time costs as much as looking at a quiet
 * process.  So it is asked for at some ticks only, the metered ones: where
 * something is read besides the fastest source, and ten times a second.  The
 * ticks between are taken to cost what the fastest source costs.
 *
 * Starts with spending_begin(), and ends with spending_end().  For one thread.
 */
#pragma once

#include "sample/rates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPENDING_CHANGES_MAX 256

struct spending {
    struct rates_control control;
    uint64_t (*cpu_ns)(void);
    uint64_t asked_ns; /* the CPU time, as last asked for */
    bool metered;      /* is the tick, or was the last one, */
    bool meter_next;   /* and the next one */
    uint64_t tick_ns;  /* what a tick costs that is not */
    uint64_t unmetered;
    uint64_t metered_ns; /* of mono_ns(): the last time */

    /* Since the last judgement. */
    uint64_t stretch_start_ns, stretch_cpu_ns, forgiven_ns;

    struct rate_change *change; /* the first of them; NULL: there was none */
    size_t changes;
};

/* `budget` is a share of one core, or 0; `cpu_ns` tells what was spent. */
void spending_begin(struct spending *s, double budget, uint64_t (*cpu_ns)(void),
        uint64_t now_ns);

void spending_end(struct spending *s);

/* A tick begins; `anyway`: it is a metered one. */
void spending_tick(struct spending *s, bool anyway);

/* The CPU time since it was last asked for. */
uint64_t spending_ask(struct spending *s);

/* A tick is over.  Whether the rates have to change: control.scale says to
 * what. */
bool spending_judge(struct spending *s, uint64_t now_ns);

/* The next tick is at `next_ns`, and with more than the fastest source or
 * without. */
void spending_plan(struct spending *s, uint64_t next_ns, bool more);

/* What was done since it was last asked was not sampling; or, after a metered
 * tick, it was. */
void spending_forgive(struct spending *s);
void spending_charge(struct spending *s);
