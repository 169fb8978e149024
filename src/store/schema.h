/* schema.h -- the tables, and how an older file becomes a newer one. */
#pragma once

#include <stddef.h>

/* Step n brings a file from version n to n + 1; PRAGMA user_version says where
 * a file is.  A step is some SQL, in pieces that end with NULL; once released,
 * it never changes. */
extern const char *const *const schema_steps[];
extern const size_t schema_version;

/* One file each. */
extern const char *const schema_1[], *const schema_2[];
extern const char *const schema_fleet[];
extern const char *const schema_labels[];
