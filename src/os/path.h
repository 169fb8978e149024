/* path.h -- folders, links and where we ourselves lie. */
#pragma once

#include "base/compiler.h"

#include <stddef.h>

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
