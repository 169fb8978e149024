/* probe_reason.h -- why a source is not there, in the words of `doctor`. */
#pragma once

#include "base/error.h"
#include "sample/probe.h"
#include "sample/sampler.h"

/* Looks for a source.  0, -ENODEV or -EACCES; then its reason is in `e`, with
 * what to do about it. */
int probe_reason(probe_function *probe, const struct sample_context *c,
        struct error *e);
