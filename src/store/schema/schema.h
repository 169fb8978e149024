/* schema.h -- the tables, and how an older file becomes a newer one. */
#pragma once

#include <sqlite3.h>
#include <stddef.h>

/* Step n brings a file from version n to n + 1; PRAGMA user_version says where
 * a file is.  A step is some SQL, in pieces that end with NULL, and behind it
 * the tables and columns of described rows (model/rows.h) that came with
 * version n + 1: these need a step, too, if an empty one.  Once released, it
 * never changes. */
extern const char *const *const schema_steps[];
extern const size_t schema_version;

/* Takes step n.  A SQLite code. */
int schema_take_step(sqlite3 *db, size_t n);

/* Of the tables as they are after all steps.  Where it is out of date, opening
 * a file takes longer: foreign_schema().  The test 'store_foreign' says what it
 * should be. */
extern const char *const schema_digest;

/* One file each. */
extern const char *const schema_1[], *const schema_2[];
extern const char *const schema_fleet[];
extern const char *const schema_labels[];
extern const char *const schema_traced[];
extern const char *const schema_generations[];
extern const char *const schema_python[];
extern const char *const schema_shapes[];
extern const char *const schema_recorded[];
extern const char *const schema_nested[];
extern const char *const schema_deep[];
