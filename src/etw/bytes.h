/* bytes.h -- numbers as Windows writes them: little-endian, anywhere. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint16_t get_u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t get_u32(const unsigned char *p)
{
    return get_u16(p) | (uint32_t)get_u16(p + 2) << 16;
}

static inline uint64_t get_u64(const unsigned char *p)
{
    return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

static inline void put_u16(unsigned char *p, uint16_t x)
{
    p[0] = (unsigned char)x;
    p[1] = (unsigned char)(x >> 8);
}

static inline void put_u32(unsigned char *p, uint32_t x)
{
    put_u16(p, (uint16_t)x);
    put_u16(p + 2, (uint16_t)(x >> 16));
}

static inline void put_u64(unsigned char *p, uint64_t x)
{
    put_u32(p, (uint32_t)x);
    put_u32(p + 4, (uint32_t)(x >> 32));
}
