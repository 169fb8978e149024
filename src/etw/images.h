/* images.h -- which program or library an address belongs to. */
#pragma once

#include "base/buf.h"
#include "etw/record.h"

struct etw_images;

struct etw_images *etw_images_new(void);

/* Any record; those that tell of images are kept. */
void etw_images_take(struct etw_images *x, const struct etw_record *r);

/* Adds "ntdll.dll+0x1a2b", or "0x7ff812345678" where no image is known.  The
 * kernel's images are those of process 0.  Where one took another's place, the
 * one that was told of first. */
void etw_images_name(struct buf *out, struct etw_images *x, uint32_t pid,
        uint64_t address);

/* NULL is welcome. */
void etw_images_free(struct etw_images *x);
