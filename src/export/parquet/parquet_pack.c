/* parquet_pack.c -- zstd and gzip: speed first, for the values were packed
 * before. */
#include "export/parquet/parquet_pack.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define ZSTD_LEVEL 1
#define GZIP_LEVEL 1
#define GZIP_HEADER                                           \
    (15 + 16) /* zlib's word for it, with the greatest window \
               */

struct parquet_pack {
    enum export_codec codec;
    ZSTD_CCtx *zstd;
    z_stream gzip;
    unsigned char *out;
    size_t cap;
};

struct parquet_pack *parquet_pack_new(enum export_codec codec)
{
    struct parquet_pack *p = alloc_zero(1, sizeof(*p));

    p->codec = codec;
    if (codec == EXPORT_ZSTD)
        p->zstd = ZSTD_createCCtx();
    if (codec == EXPORT_GZIP &&
            deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_HEADER, 8,
                    Z_DEFAULT_STRATEGY) != Z_OK)
        p->codec = EXPORT_PLAIN; /* no memory: as it is, then */
    if (codec == EXPORT_ZSTD && !p->zstd)
        p->codec = EXPORT_PLAIN;
    return p;
}

void parquet_pack_free(struct parquet_pack *p)
{
    if (!p)
        return;
    if (p->codec == EXPORT_GZIP)
        (void)deflateEnd(&p->gzip);
    (void)ZSTD_freeCCtx(p->zstd);
    free(p->out);
    free(p);
}

int parquet_pack_number(const struct parquet_pack *p)
{
    static const int numbers[] = {
        [EXPORT_PLAIN] = 0,
        [EXPORT_GZIP] = 2,
        [EXPORT_ZSTD] = 6,
    };

    return numbers[p->codec];
}

static void reserve(struct parquet_pack *p, size_t cap)
{
    if (cap <= p->cap)
        return;
    p->out = alloc_resize(p->out, cap);
    p->cap = cap;
}

struct str parquet_pack_page(struct parquet_pack *p, struct str page)
{
    size_t len = 0;

    if (p->codec == EXPORT_PLAIN)
        return page;
    if (p->codec == EXPORT_ZSTD) {
        reserve(p, ZSTD_compressBound(page.len));
        len = ZSTD_compressCCtx(p->zstd, p->out, p->cap, page.p, page.len,
                ZSTD_LEVEL);
        assert(!ZSTD_isError(len)); /* there is room for the worst */
    } else {
        (void)deflateReset(&p->gzip);
        reserve(p, deflateBound(&p->gzip, page.len));
        p->gzip.next_in = (unsigned char *)(uintptr_t)page.p;
        p->gzip.avail_in = (unsigned)page.len;
        p->gzip.next_out = p->out;
        p->gzip.avail_out = (unsigned)p->cap;

        int rc = deflate(&p->gzip, Z_FINISH);

        assert(rc == Z_STREAM_END);
        (void)rc;
        len = p->gzip.total_out;
    }
    return (struct str){ (const char *)p->out, len };
}
