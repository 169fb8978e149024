/* info.h -- the first record of a trace: what it says about itself. */
#pragma once

#include "etw/trace.h"

/* Fills what the record tells; names are added to.  -EINVAL: it is no such
 * record. */
int etw_info_parse(struct etw_info *out, const struct etw_record *first);

void etw_info_release(struct etw_info *i);
