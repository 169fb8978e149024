/* target_names_linux.h -- processes chosen by name; for targets only. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct target_names {
    char **globs;
    size_t count;
};

void target_names_init(struct target_names *n, const char *const *globs,
        size_t count);
void target_names_release(struct target_names *n);

/* Whether one of them fits the name of a process, or that of the file that it
 * runs: <proc_fd>/<pid>/exe. */
bool target_names_fit(const struct target_names *n, int proc_fd, uint64_t pid,
        struct str name);
