/* pipeline_text.h -- phases and sections for a person at a terminal. */
#pragma once

#include "analyse/generation/pipeline.h"
#include "base/buf.h"

/* Sections of one phase and name are added up. */
void pipeline_text(struct buf *out, const struct pipeline *p, bool colours);
