/* operators_state.h -- what the files of the operators share.  Not for
 * others. */
#pragma once

#include "analyse/operators/operators.h"

/* While they are read, operators are in the order of their ids; NULL: there is
 * none of that id. */
struct operator_figures *operators_by_id(struct operators *o, uint32_t id);
/* The table, which is made on the way. */
struct operator_table *operators_make_table(struct operators *o,
        uint32_t session);

/* operators_runs.c: sums of the single runs of operators, for what was
 * imported. */
int operators_sum_runs(struct operators *o, struct store *s, int64_t run,
        struct error *e);

/* operators_place.c: layer and component of each, by its name, what it puts
 * out, its weights, and its neighbours. */
void operators_find_places(struct operators *o);
