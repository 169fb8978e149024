/* session_name.h -- what tells a session from others of the same model. */
#pragma once

#include "analyse/summary.h"
#include "base/buf.h"

/* Adds what its model is called: "mlp", "(from memory)". */
void session_model(struct buf *out, const struct summary_session *x);

/* Adds "session 3, process 4711" or "session 3, thread worker-1": the process
 * where they are in several, else the thread where each ran on one of its own;
 * before it "level basic" where they were optimised to several.
 * Nothing, where no other session is of this model. */
void session_name(struct buf *out, const struct summary *s,
        const struct summary_session *x);

/* Adds both: "mlp", or "mlp, session 3, thread worker-1". */
void session_full_name(struct buf *out, const struct summary *s,
        const struct summary_session *x);

/* What tells a table of operators from others of the run: adds its model, and
 * its sessions and their level where another table is of that model.  Nothing,
 * where there is no other table. */
void session_table_name(struct buf *out, const struct summary *s,
        const struct operator_table *t);

/* Which batches the inferences of a table's sessions had, together. */
struct range session_table_batches(const struct summary *s,
        const struct operator_table *t);

/* ONNX Runtime's number of the level of graph optimisation that was asked for,
 * or SWEEP_NO_LEVEL. */
int session_level(const struct summary_session *x);
