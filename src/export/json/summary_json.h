/* summary_json.h -- a run's summary as one JSON document. */
#pragma once

#include "analyse/summary.h"
#include "base/buf.h"

#define SUMMARY_SCHEMA_VERSION 1

/* What is not known is left out. */
void summary_json(struct buf *out, const struct summary *s);

/* The same with one more member, whose value is a document of its own. */
void summary_json_with(struct buf *out, const struct summary *s,
        const char *key, struct str value);

/* A run's head alone, as a member: for lists. */
struct json;
void summary_run_json(struct json *j, const char *key, const struct run *run);
