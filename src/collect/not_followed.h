/* not_followed.h -- the processes of a run whose inferences are not in it:
 * named by pid and program, with the reason and what to do. */
#pragma once

#include "base/buf.h"
#include "collect/empty_run.h"
#include "collect/rings.h"
#include "model/subscriber.h"

/* Tells of each of them as a process whose inferences are missing for a reason,
 * and adds a sentence or two on them to `out`; nothing, where there is none.
 * Counts them in `seen`. */
void not_followed_report(struct buf *out, struct empty_run *seen,
        const struct subscriber *to, struct rings *rings);
