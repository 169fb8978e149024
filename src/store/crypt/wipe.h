/* wipe.h -- overwrites what is about to go, so that it does not lie about on
 * the disk.  On file systems that copy on write, and on flash, the disk may
 * keep the old bytes all the same. */
#pragma once

#include <sqlite3.h>

/* From there to the end of an open file.  What fails is left to fail: the file
 * goes in any case. */
void wipe_file(sqlite3_file *f, sqlite3_int64 from);

/* A log or journal of that name, whole; anything else is left alone. */
void wipe_path(const char *path);
