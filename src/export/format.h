/* format.h -- a format that `ortmeter export` knows. */
#pragma once

#include "export/sink.h"
#include "store/store.h"

struct export_format {
    const char *name;
    const char *about; /* one line for `ortmeter export --help` */
    /* Writes the run.  The error is the store's; the sink keeps its own. */
    int (*write)(struct sink *to, struct store *s, int64_t run,
            struct error *e);
};

extern const struct export_format export_chrome;
