/* output.h -- where a command's result goes. */
#pragma once

#include "base/error.h"
#include "base/str.h"

#include <stdio.h>

/* Writes the whole text to a file, which is made or replaced, or to stdout
 * where `path` is NULL or "-".  A negative errno value when not all of it could
 * be written; the error names the file. */
int output_write(const char *path, struct str text, struct error *e);

/* Shows a text of ours, with names of others in it, to a person: without
 * control characters, and in ASCII where the locale is C. */
int output_show(FILE *to, struct str text);

/* Rows of a verb's table of options: --json and -o, for `bool json` and
 * `const char *out` in its settings. */
#define JSON_OPTION(settings) \
    OPTION_FLAG("json", 0, settings, json, "one JSON document instead of text")
#define OUT_OPTION(settings) \
    OPTION_TEXT(NULL, 'o', settings, out, "FILE", "write to FILE")
