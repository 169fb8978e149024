/* inflow.h -- bytes that come when they come: from a file that may grow, a
 * pipe, or a TCP connection.  Nothing here waits, but for inflow_open() until a
 * connection is made. */
#pragma once

#include "base/error.h"

#include <stddef.h>

struct inflow;

/* A path, "-" for the standard input, or "tcp:HOST:PORT".  The error names what
 * could not be opened, and why. */
int inflow_open(struct inflow **out, const char *name, struct error *e);

/* How many bytes were there, at most `cap`; 0: none now.  -EPIPE: the other
 * side has ended.  Other negative errno values: it failed. */
int inflow_read(struct inflow *s, void *bytes, size_t cap);

/* NULL is welcome. */
void inflow_close(struct inflow *s);
