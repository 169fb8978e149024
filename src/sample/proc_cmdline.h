/* proc_cmdline.h -- /proc/PID/cmdline, for people to see. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Adds a command line, whose arguments each end with a zero byte, in one line:
 * arguments with blanks in quotes, control characters as '?', and *** in place
 * of what sample/secrets.h says is secret: the value in "--token=T",
 * "--token T", "PASSWORD=p", "Authorization: Bearer T", and of a user's
 * password in "https://user:p@host", "-u user:p" and mysql's "-pP". */
void proc_cmdline_text(struct buf *out, struct str bytes);
