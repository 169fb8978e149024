/* setting.h -- members of the objects that a model's directory describes itself
 * with. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "llm/tokenizer/pattern.h"

/* A member that is true or false; `otherwise`: it is neither, or not there. */
bool setting_bool(struct str object, const char *key, bool otherwise);

/* A member that is a number.  False: it is none, or not there. */
bool setting_i64(int64_t *out, struct str object, const char *key);
bool setting_f64(double *out, struct str object, const char *key);

/* The "type" of a part of a tokenizer; cut where it does not fit. */
void setting_type(char *out, size_t cap, struct str object);

/* {"String": "..."} or {"Regex": "..."}, or a plain text. */
int setting_pattern(struct pattern *out, struct str value, struct error *e);
