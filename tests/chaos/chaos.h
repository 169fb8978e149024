/* chaos.h -- what the parts of `chaos` share. */
#pragma once

#include "full_run.h"

#include "cmd/cmd.h"

extern struct tree chaos_work;      /* where everything lies */
extern uint64_t chaos_round;        /* its number */
extern unsigned long chaos_runs;    /* verbs and requests that read something */
extern unsigned long chaos_refused; /* of these */

/* Something below that number that looks like chance, and comes from the
 * round. */
uint64_t chance(uint64_t below);

/* A verb of ours with these words; ends with NULL.  Its exit code. */
int verb(const struct cmd *cmd, ...);

/* Has the database read by everybody who reads one: verbs, the server's
 * answers, what follows a run that is being recorded, top.  One in `share` of
 * the formats and answers, others in the next round: most of them read the
 * same rows, and each gets its part of the rounds. */
void read_all(const char *db, uint64_t share);
void change_all(const char *db);

/* Changes cells of a database, as the number of the round has it: every column
 * of every table in turn gets the values that matter to its type, and then it
 * is chance. */
void tamper(const char *path);
