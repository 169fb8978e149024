/* assets.h -- the page's files, inside the program.
 *
 * tools/embed.py makes assets.c of the folder web/dist when there is one: each
 * file becomes a row.  index.html is at "/", the others at "/assets/NAME".
 * Where there is no such folder the table is empty, and "/" lists the
 * routes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct asset {
    const char *path; /* "/", "/assets/app.3f2a.js" */
    const char *type; /* "text/javascript; charset=utf-8" */
    const char *etag; /* with its quotes */
    bool immutable;   /* its name has a hash of its content */
    const unsigned char *gzip;
    size_t gzip_len;
};

/* Ends with a path of NULL. */
extern const struct asset assets[];
