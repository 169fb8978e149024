/* find.h -- where an ONNX Runtime may lie on this machine. */
#pragma once

#include <stddef.h>

#define RUNTIME_PATH 1024

struct runtime_place {
    char path[RUNTIME_PATH]; /* a file, or a bare name for the loader */
    const char *came_from;   /* "the system", ...: a static text */
};

/* The places to try when nobody named one, the best first: the system's
 * libraries, then what `make` has fetched below `own_folder`, where our program
 * lies.  Looks at folders, loads nothing.  Returns how many were written. */
size_t runtime_places(struct runtime_place *out, size_t cap,
        const char *own_folder);
