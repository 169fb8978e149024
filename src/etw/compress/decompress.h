/* decompress.h -- the three formats in which Windows compresses buffers.
 *
 * [MS-XCA] describes the first two; the third is that of NTFS.  Pure functions
 * on bytes that nobody vouches for: they read and write nothing beyond what
 * they are given. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum etw_compression {
    ETW_PLAIN = 0,
    ETW_LZNT1 = 2,
    ETW_XPRESS = 3,         /* LZ77 */
    ETW_XPRESS_HUFFMAN = 4, /* LZ77, and codes of its own for each 64 KB */
};

/* Each fills `to` from the beginning and returns how many bytes it wrote: `cap`
 * when there was enough, less when the input ends, -EINVAL when it is damaged.
 * More input than `cap` needs is not looked at. */
int64_t xpress_decompress(unsigned char *to, size_t cap,
        const unsigned char *from, size_t len);
int64_t xpress_huffman_decompress(unsigned char *to, size_t cap,
        const unsigned char *from, size_t len);
int64_t lznt1_decompress(unsigned char *to, size_t cap,
        const unsigned char *from, size_t len);

/* By its number.  -ENOTSUP: there is no such format. */
int64_t etw_decompress(enum etw_compression format, unsigned char *to,
        size_t cap, const unsigned char *from, size_t len);
