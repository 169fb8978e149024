/* jinja_eval.h -- walks a template's tree. */
#pragma once

#include "llm/jinja/jinja_state.h"

/* Runs statements, one behind the other. */
void jinja_run(struct jinja *j, const struct jinja_node *n);
