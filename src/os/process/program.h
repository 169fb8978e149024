/* program.h -- what an executable file is, before it is started: whether the
 * hook can come along. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

enum program_kind {
    PROGRAM_UNKNOWN, /* no file that we understand, or none that we may read */
    PROGRAM_DYNAMIC, /* a 64-bit program of this machine: the hook can come */
    PROGRAM_STATIC,  /* without a loader nobody loads the hook */
    PROGRAM_FOREIGN, /* 32 bits, or for another kind of machine */
    PROGRAM_SCRIPT,
};

struct program {
    enum program_kind kind;
    bool privileged;       /* setuid or setgid: the loader ignores preloads */
    char interpreter[256]; /* of a script */
};

/* From the file's bytes alone.  Never fails: what it cannot tell is unknown. */
void program_parse(struct program *out, struct str file);

/* Of the file that execvp() would start; a script's interpreter instead of the
 * script.  `path` gets where it was found, or "". */
void program_look(struct program *out, const char *name, char *path,
        size_t cap);
