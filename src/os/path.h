/* path.h -- folders, links and where we ourselves lie. */
#pragma once

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names in a folder, without "." and "..". */
struct folder {
    char **name; /* sorted, numbers by their value: card2 before card10 */
    size_t count;
};

/* A negative errno value when the folder cannot be read; `out` is then empty.
 * folder_release() in any case is harmless. */
int folder_read(struct folder *out, const char *path_fmt, ...)
        PRINTF_LIKE(2, 3);
void folder_release(struct folder *f);

/* 0: we may read what lies there.  -ENOENT, -EACCES, ... */
int path_readable(const char *path_fmt, ...) PRINTF_LIKE(1, 2);

/* The last part of what a symbolic link points to, which is how sysfs names a
 * device's driver. */
int path_link_name(char *out, size_t cap, const char *path_fmt, ...)
        PRINTF_LIKE(3, 4);

/* The folder that the running program lies in. */
int path_own_folder(char *out, size_t cap);

/* The file that a function was loaded from, absolute and without links. */
int path_of_code(char *out, size_t cap, void (*function)(void));

enum path_kind {
    PATH_NOTHING, /* there is nothing, or we may not look */
    PATH_FILE,
    PATH_FOLDER,
    PATH_OTHER, /* a device, a pipe ... */
};

/* What lies there; path_kind_here() does not follow a link, which is then
 * PATH_OTHER. */
enum path_kind path_kind(const char *path);
enum path_kind path_kind_here(const char *path);

/* How large a file is. */
int path_bytes(uint64_t *out, const char *path);

/* Makes a folder, for us alone or as is usual; one that is there is good. */
int path_make_folder(const char *path, bool ours_alone);

/* Makes a folder of our own for a while, below TMPDIR or /tmp; its name begins
 * with `prefix`. */
int path_make_temporary(char *out, size_t cap, const char *prefix);
/* Removes a folder and the files in it; folders in it stay, and so does it. */
int path_remove_folder(const char *path);

/* What a path means, absolute and without links. */
int path_real(char *out, size_t cap, const char *path_fmt, ...)
        PRINTF_LIKE(3, 4);

/* The folder that we are in. */
int path_current(char *out, size_t cap);

/* Whether a name is as a shell's pattern has it: `model_*`. */
bool path_name_fits(const char *name, const char *pattern);
