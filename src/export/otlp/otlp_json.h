/* otlp_json.h -- OTLP's other encoding: the same messages as JSON. */
#pragma once

#include "base/buf.h"

enum otlp_request { OTLP_METRICS, OTLP_TRACES };

/* Adds a request that is protobuf as one line of JSON, without a newline.
 * -EINVAL: it is none; then what was added is of no use.  Fields that we do not
 * write are left out. */
int otlp_json(struct buf *out, enum otlp_request kind, struct str request);
