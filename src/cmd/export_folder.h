/* export_folder.h -- the tables of a run, a file each.  Only for export.c. */
#pragma once

#include "export/format.h"

struct export_to {
    struct store *store;
    int64_t run;
    enum export_codec codec;
    bool gzip;
    void (*watch)(void *context, uint64_t bytes); /* as sink_watch() has it */
    void *context;
};

/* Whether `path`, which may be NULL, is meant to be a folder: it is one, its
 * name ends with a slash, or the format knows nothing but tables and the name
 * has no ending. */
bool export_is_folder(const struct export_format *f, const char *path);

/* Makes the folder if need be and writes the tables into it, each under its
 * name; `only` is the name of the one that is wanted, or NULL. */
int export_folder(const struct export_format *f, const struct export_to *to,
        const char *path, const char *only, struct error *e);
