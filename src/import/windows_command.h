/* windows_command.h -- a command line of Windows', for people to see. */
#pragma once

#include "base/buf.h"

/* Adds it in one line, with *** in place of what is secret
 * (base/command/proc_cmdline.h).  Windows keeps one text, so its arguments are
 * told apart by blanks and quotes, as its C library does. */
void windows_command_text(struct buf *out, struct str line);
