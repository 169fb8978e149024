/* stream.h -- a program whose output is read as it comes, without waiting. */
#pragma once

#include "base/error.h"

#include <stddef.h>

struct stream;

/* Starts argv[0], searched in PATH, with an empty standard input.  -ENOENT,
 * -EACCES, ...: it could not be started. */
int stream_open(struct stream **out, char *const *argv, struct error *e);

/* What it has written so far: how many bytes, or 0 when there is nothing new.
 * -EPIPE: it has closed its output, as by ending. */
int stream_read(struct stream *s, char *buf, size_t cap);

/* The same of its standard error. */
int stream_read_errors(struct stream *s, char *buf, size_t cap);

/* Ends the program, whatever it does.  NULL is harmless. */
void stream_close(struct stream *s);
