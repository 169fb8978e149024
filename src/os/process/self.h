/* self.h -- our own process: where its program lies, its memory and streams. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* Bytes that nobody can guess. */
int self_random(void *out, size_t len);

/* Files that we make from now on are ours alone, or as is usual.  Returns what
 * held before. */
bool self_private_files(bool ours_alone);

/* Our standard input or output as a descriptor of its own, to be closed. */
int self_copy_stdin(void);
int self_copy_stdout(void);

/* Whether a person sits at the other end. */
bool self_is_terminal(FILE *stream);
