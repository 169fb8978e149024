/* help.h -- what `ortmeter VERB --help` prints, from the verb's table. */
#pragma once

#include "base/buf.h"
#include "cmd/cmd.h"

#define HELP_OPTION_MAX 96

/* An option as it is written: "-n, --limit N". */
void help_option(char out[HELP_OPTION_MAX], const struct option *o);

void help_text(struct buf *out, const struct cmd *c);
