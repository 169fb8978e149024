/* generate_worker.h -- the process that makes the text, under the meter. */
#pragma once

#include "cmd/generate/generate_settings.h"

/* Makes it, text on stdout as it comes, and writes what there is to tell to the
 * file it was given: a JSON object, with `error` where it failed.  Returns what
 * to exit with. */
int generate_worker(const struct generate_settings *s, struct error *e);
