/* model_text.h -- a model of a CPU as a line of text, to be kept with a run:
 * "idle 24 full 150 low 0.5 high 2: the TDP of ...". */
#pragma once

#include "energy/model.h"

#define MODEL_TEXT 320

void model_text(char out[MODEL_TEXT], const struct cpu_model *m);

/* -EINVAL: it is no such line. */
int model_from_text(struct cpu_model *out, const char *text);
