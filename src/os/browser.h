/* browser.h -- shows an address in the user's browser. */
#pragma once

#include "base/error.h"

/* By a page in `folder`, which is the user's alone, that leads there: what
 * stands in an address may be secret, and others can read what a program was
 * started with.  -ENOTSUP: there is no display, or no browser. */
int browser_open(const char *url, const char *folder, struct error *e);
