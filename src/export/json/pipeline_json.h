/* pipeline_json.h -- phases, and the sections in them, as one JSON document. */
#pragma once

#include "analyse/generation/pipeline.h"
#include "base/buf.h"

/* What is not known is left out. */
void pipeline_json(struct buf *out, const struct pipeline *p, const char *id);
