/* sysfs.h -- small files of the kernel that hold one line.
 *
 * Only what stands before the first line end or zero byte counts: some
 * recorded trees, and some drivers, fill the rest of a page with zeros. */
#pragma once

#include "base/compiler.h"

#include <stddef.h>
#include <stdint.h>

/* All return 0 or a negative errno value; then `out` is untouched, but for
 * sysfs_line(), which empties it. */
int sysfs_line(char *out, size_t cap, const char *path_fmt, ...)
        PRINTF_LIKE(3, 4);
int sysfs_u64(uint64_t *out, const char *path_fmt, ...) PRINTF_LIKE(2, 3);
/* A whole number, which may be negative, times `unit`. */
int sysfs_scaled(double *out, double unit, const char *path_fmt, ...)
        PRINTF_LIKE(3, 4);
