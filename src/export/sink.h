/* sink.h -- where an export goes, piece by piece: a file or stdout, as it is or
 * compressed.
 *
 * The first failure is kept and told by sink_close(); after it nothing more is
 * written, so that who writes need not look. */
#pragma once

#include "base/error.h"
#include "base/str.h"

struct sink;

/* `path` NULL or "-": stdout.  Compressed is in gzip's format.  -ENOENT,
 * -EACCES, ...: the file cannot be made. */
int sink_open(struct sink **out, const char *path, bool compressed,
        struct error *e);

void sink_write(struct sink *s, struct str bytes);

/* Whether writing on is in vain. */
bool sink_failed(const struct sink *s);

/* Writes the rest and frees.  `keep` false: it was all for nothing, and the
 * file is removed, as it is when this fails; but never a device, a pipe or a
 * link. */
int sink_close(struct sink *s, bool keep, struct error *e);
