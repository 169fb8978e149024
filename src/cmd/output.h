/* output.h -- where a command's result goes. */
#pragma once

#include "base/error.h"
#include "base/str.h"

/* Writes the whole text to a file, which is made or replaced, or to stdout
 * where `path` is NULL or "-".  A negative errno value when not all of it could
 * be written; the error names the file. */
int output_write(const char *path, struct str text, struct error *e);
