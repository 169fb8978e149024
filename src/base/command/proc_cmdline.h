/* proc_cmdline.h -- /proc/PID/cmdline, for people to see. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Adds a command line, whose arguments each end with a zero byte, in one line:
 * arguments with blanks in quotes, control characters as '?', and *** in place
 * of what base/command/secrets.h says is secret: the value in "--token=T",
 * "--token T", "PASSWORD=p", "Authorization: Bearer T", and of a user's
 * password in "https://user:p@host", "-u user:p" and mysql's "-pP". */
void proc_cmdline_text(struct buf *out, struct str bytes);

/* The same of a line whose arguments a blank parts, for free(): of those with
 * blanks in them, each word is taken for an argument. */
char *proc_cmdline_masked(const char *line);

/* The same of arguments that end with NULL, quoted as a shell needs it. */
void proc_cmdline_argv(struct buf *out, char *const *argv);
