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

/* Into memory: what is written is added to `out`, which is the caller's. */
struct buf;
struct sink *sink_into(struct buf *out);

void sink_write(struct sink *s, struct str bytes);

/* Tells somebody now and then how many bytes were written, before they were
 * compressed.  `watch` NULL: nobody. */
void sink_watch(struct sink *s, void (*watch)(void *context, uint64_t bytes),
        void *context);

/* Whether writing on is in vain. */
bool sink_failed(const struct sink *s);

/* Writes the rest and frees.  Only now does the file have its name: until then
 * it is called "<path>.part", and what had the name before is untouched. `keep`
 * false: it was all for nothing, and what was written is removed, as it is when
 * this fails; but never a device, a pipe or a link, which are written to as
 * they stand. */
int sink_close(struct sink *s, bool keep, struct error *e);
