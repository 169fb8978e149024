/* mapping.h -- a file's bytes in our address space, read by walking over them.
 *
 * Nothing is copied, and pages that nobody looks at are never read.  Pages that
 * were looked at and lie behind the walker are given back, so a walk over a
 * file of any size keeps a few megabytes resident. */
#pragma once

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct guard;

struct mapping {
    struct str bytes;    /* the whole file */
    const char *dropped; /* pages before this one were given back */
    struct guard *guard;
};

/* Maps an ordinary file.  -ENODATA: it is empty.  -EISDIR: it is a folder.
 * -EINVAL: a pipe, a device or the like.  Else what open() or mmap() say. */
int mapping_open(struct mapping *out, const char *path, struct error *e);

/* The walker has come to `at`, and will look at what lies before it seldom or
 * never.  Cheap: most calls do nothing. */
void mapping_passed(struct mapping *m, const char *at);

/* Whether the file became shorter meanwhile: then what was read is not to be
 * trusted. */
bool mapping_cut(const struct mapping *m);

void mapping_close(struct mapping *m);

/* The size of an ordinary file; a negative errno value when there is none. */
int mapping_file_bytes(uint64_t *out, const char *path);
