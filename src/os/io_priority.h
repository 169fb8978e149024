/* io_priority.h -- how urgent the reads and writes of a process are. */
#pragma once

#include <stdint.h>

/* 0 (first) to 7 (last) within its class, as the system schedules it.
 * -ENODATA: it follows the CPU's priority.  -ESRCH: there is no such process.
 */
int io_priority(int *out, uint64_t pid);
