/* self.h -- our own process: where its program lies, and its memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The running program's file, absolute and without links. */
int self_path(char *out, size_t cap);

/* Lets us have as many files open as the system allows us to. */
void self_raise_file_limit(void);

/* Begins a new stretch for self_peak_bytes().  -ENOTSUP: this system counts
 * from the start of the process only. */
int self_peak_reset(void);

/* Gives memory that was freed back to the system, where the C library would
 * rather keep it. */
void self_trim(void);

/* The most memory that was resident at once since self_peak_reset(). */
int self_peak_bytes(uint64_t *out);

/* Whether we may do everything. */
bool self_is_root(void);
