/* schema_recorded.c -- latencies by second, minute and hour, and how a run was
 * recorded: tables that model/rows_recorded.c describes. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_recorded[] = { NULL };
