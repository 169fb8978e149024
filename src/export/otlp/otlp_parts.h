/* otlp_parts.h -- pieces that OTLP's messages have in common; for the otlp_*
 * files only.  See opentelemetry-proto: common.proto, resource.proto. */
#pragma once

#include "export/otlp/otlp.h"

/* A text in a field of that number; what is no UTF-8 in it is replaced. */
void otlp_string(struct buf *out, uint32_t field, const char *text);

/* A KeyValue in a field of that number.  No text, no attribute. */
void otlp_text(struct buf *out, uint32_t field, const char *key,
        const char *value);
void otlp_int(struct buf *out, uint32_t field, const char *key, int64_t value);
void otlp_double(struct buf *out, uint32_t field, const char *key,
        double value);

/* A Resource in field 1, and the InstrumentationScope in field 1. */
void otlp_resource(struct buf *out, const struct otlp_source *source);
void otlp_scope(struct buf *out, const struct otlp_source *source);
