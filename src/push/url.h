/* url.h -- addresses to push to. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

/* Whether it is one for HTTP: "http://" or "https://", and a host.  -EINVAL
 * with a sentence that begins with the option's name. */
int url_check(const char *option, const char *url, struct error *e);

/* Adds it without the user and the password in it, for people. */
void url_add_shown(struct buf *out, const char *url);

/* Adds it with `path` in the place of `instead`, which it may end with, or else
 * behind it; a slash between the two is there once.  What follows a '?' stays
 * at the end. */
void url_add_path(struct buf *out, const char *url, const char *path,
        const char *instead);
