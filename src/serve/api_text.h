/* api_text.h -- docs/api.md: the routes and schemas for people, from the table
 * that the router uses. */
#pragma once

#include "base/buf.h"

void api_text(struct buf *out);
