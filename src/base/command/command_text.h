/* command_text.h -- a program's arguments as one line, for people. */
#pragma once

#include "base/buf.h"

/* Adds them, with quotes where a shell would need them.  `argv` ends with
 * NULL. */
void command_text(struct buf *out, char *const *argv);
