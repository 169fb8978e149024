/* session_name.h -- what tells a session from others of the same model. */
#pragma once

#include "analyse/summary.h"
#include "base/buf.h"

/* Adds "session 3, process 4711" or "session 3, thread worker-1": the process
 * where they are in several, else the thread where each ran on one of its own.
 * Nothing, where no other session is of this model. */
void session_name(struct buf *out, const struct summary *s,
        const struct summary_session *x);
