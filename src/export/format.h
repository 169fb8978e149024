/* format.h -- a format that `ortmeter export` knows.
 *
 * Formats are listed in export/formats.c, a line each. */
#pragma once

#include "export/sink.h"
#include "store/store.h"

struct table;

/* How the pages within a file are packed, where a format has pages. */
enum export_codec { EXPORT_ZSTD, EXPORT_GZIP, EXPORT_PLAIN };

/* Writes the run.  The error is the store's; the sink keeps its own. */
#define EXPORT_WRITE(name) \
    int name(struct sink *to, struct store *s, int64_t run, struct error *e)

/* Another content or encoding of the same format, chosen by --shape. */
struct export_shape {
    const char *name;
    EXPORT_WRITE((*write));
};

struct export_format {
    const char *name;
    const char *about;  /* one line for `ortmeter export --help` */
    const char *ending; /* of a file of this format: ".json" */
    bool binary;        /* nothing for a terminal */
    /* The whole run in one file.  NULL: the format holds one table a file. */
    EXPORT_WRITE((*write));
    /* Ends with a shape without a name.  NULL: there are none. */
    const struct export_shape *shapes;
    /* One table of the run in a file of its own.  NULL: the format has no
     * tables. */
    int (*write_table)(struct sink *to, const struct table *t, struct store *s,
            int64_t run, enum export_codec codec, struct error *e);
    /* Its pages are packed by a codec, and the file is never gzipped as a
     * whole: readers want to jump about in it. */
    bool has_pages;
};
