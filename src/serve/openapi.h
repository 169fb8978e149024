/* openapi.h -- the routes as OpenAPI 3.1. */
#pragma once

#include "base/buf.h"

/* Adds the document.  False: a schema cannot be read. */
bool openapi_json(struct buf *out);
