#include "push/gzip.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* 16: with gzip's head and not zlib's */

void gzip_add(struct buf *out, struct str bytes)
{
    z_stream z = { 0 };
    unsigned char piece[16384];
    int rc = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
            Z_DEFAULT_STRATEGY);

    assert(rc == Z_OK && bytes.len <= UINT_MAX);
    (void)rc;
    z.next_in = (unsigned char *)(uintptr_t)bytes.p;
    z.avail_in = (unsigned)bytes.len;
    do {
        z.next_out = piece;
        z.avail_out = sizeof(piece);
        rc = deflate(&z, Z_FINISH);
        buf_add(out, piece, sizeof(piece) - z.avail_out);
    } while (rc == Z_OK || rc == Z_BUF_ERROR);
    (void)deflateEnd(&z);
}
