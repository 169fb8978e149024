/* check_measure.h -- measures base and head in pairs, until it is decided. */
#pragma once

#include "cmd/check/check_result.h"

/* Models: two fresh processes that live at the same time, on one processor,
 * and take turns; with several threads, one after the other.  Commands: whole
 * runs in turns, recorded.  `self`: the path of this program, `argv` its
 * command line from the verb.  Fills all of `r` but the operators. */
int check_measure(struct check_result *r, const char *self, char *const *argv,
        const char *tags[2], struct error *e);

/* Records some runs of each model, traced, for the operators. */
int check_record(struct check_result *r, const char *self,
        const char *const tags[2], struct error *e);
