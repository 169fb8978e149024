/* proc_keyed.h -- files of /proc with a number to each key:
 *
 *     VmRSS:        6716 kB
 *     Threads:       4
 *
 * /proc/meminfo, and io, status and smaps_rollup of a process. */
#pragma once

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/* Puts the number of keys[i] into values[i], in bytes where the file has kB,
 * and returns a mask with bit i set for each that was there; `count` is at
 * most 32.  The first line with a key counts.  The order of the keys is best
 * that of the file.  A line cut short at the end of the text is not there. */
uint32_t proc_keyed_parse(uint64_t *values, const char *const *keys,
        size_t count, struct str text);
