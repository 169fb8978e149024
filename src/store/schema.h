/* schema.h -- the tables, and how an older file becomes a newer one. */
#pragma once

#include <stddef.h>

/* Step n brings a file from version n to n + 1; PRAGMA user_version says where
 * a file is.  A step that was once released never changes. */
extern const char *const schema_steps[];
extern const size_t schema_version;
