/* etl_own.h -- what our own writer put into a trace: sessions, inferences,
 * sections, operators and marks come back as they were. */
#pragma once

#include "etw/trace.h"
#include "import/etl_processes.h"
#include "store/store.h"

struct etl_own;

/* All are borrowed. */
struct etl_own *etl_own_new(struct store *s, const struct etw_info *info,
        struct etl_processes *processes);

/* Records of others are passed over. */
void etl_own_take(struct etl_own *o, const struct etw_record *r);

/* Adds the operators whose inference did not end. */
void etl_own_end(struct etl_own *o);

struct etl_own_tally {
    uint64_t sessions, inferences, operators, operator_runs, marks;
};

const struct etl_own_tally *etl_own_tally(const struct etl_own *o);

/* NULL is welcome. */
void etl_own_free(struct etl_own *o);
