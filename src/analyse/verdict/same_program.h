/* same_program.h -- are two runs of one program on one host? */
#pragma once

#include "model/run.h"

#include <stdbool.h>

/* By their commands.  Where that is a benchmark of ours, what only says where
 * its results go (--tag, --db, -o, ...) does not count. */
bool same_program(const struct run *a, const struct run *b);
