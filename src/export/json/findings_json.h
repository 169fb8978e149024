/* findings_json.h -- findings as /api/findings and `advise --json` write them.
 */
#pragma once

#include "analyse/finding/findings.h"
#include "base/json.h"

/* The members findings and slow, into an object that is open. */
void findings_json_members(struct json *j, const struct findings *f);
