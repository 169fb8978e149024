/* operators_state.h -- what the two files of the operators share.  Not for
 * others. */
#pragma once

#include "analyse/operators.h"

/* A session's account, which is made on the way. */
struct operator_account *operators_account(struct operators *o,
        uint32_t session);

/* operators_sum.c: from what was read to what is told. */
void operators_sum_up(struct operators *o);
