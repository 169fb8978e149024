/* source.h -- the bytes of a trace: a file, of which only what is being looked
 * at is mapped, or memory. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct etw_source;
struct guard;

/* -ENODATA: it is empty.  -EISDIR: it is a folder.  -EINVAL: a pipe or a
 * device.  Else what opening it says. */
int etw_source_open(struct etw_source **out, const char *path, struct error *e);

/* Borrowed until it is closed. */
struct etw_source *etw_source_of(const unsigned char *bytes, size_t len);

uint64_t etw_source_bytes(const struct etw_source *s);

/* Copies a little; fewer than `len` at the end of the file. */
size_t etw_source_read(struct etw_source *s, uint64_t at, unsigned char *to,
        size_t len);

struct etw_view {
    const unsigned char *p; /* NULL: nothing is mapped */
    void *base;
    size_t mapped;
    struct guard *guard;
};

/* Shows `len` bytes, all within the file.  A negative errno value: they cannot
 * be mapped. */
int etw_view_map(struct etw_view *v, struct etw_source *s, uint64_t at,
        size_t len);

/* False: the file became shorter meanwhile, and what was seen is not real. */
bool etw_view_unmap(struct etw_view *v);

/* NULL is welcome. */
void etw_source_close(struct etw_source *s);
