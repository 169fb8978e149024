/* import_file.h -- a file that another tool wrote, or that was exported, as a
 * run in a store. */
#pragma once

#include "import/import.h"

struct imported {
    struct file *file;
    const struct importer *importer; /* that knows it */
    struct run run;
    struct import_tally tally;
    uint64_t bytes;     /* that were read */
    struct buf command; /* the run's */
};

/* Opens it and finds out what it is; "-" is stdin.  -EINVAL: it is nothing that
 * can be imported.  `path` has to live as long. */
int import_open(struct imported *out, const char *path, struct error *e);

/* Makes a run of it.  `tags`: with commas, or NULL; borrowed.  Where it fails,
 * nothing is added to the store. */
int import_into(struct imported *x, struct store *store, const char *tags,
        struct error *e);

/* Also after one that failed. */
void import_close(struct imported *x);
