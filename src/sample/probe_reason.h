/* probe_reason.h -- why a source is not there, in the words of `doctor`. */
#pragma once

#include "base/error.h"
#include "sample/probe.h"

/* Looks for a source below `root`.  0, -ENODEV or -EACCES; then its reason is
 * in `e`, with what to do about it. */
int probe_reason(probe_function *probe, const char *root, struct error *e);
