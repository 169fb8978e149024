/* guid.h -- GUIDs, kept as the 16 bytes that lie in a trace. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GUID_TEXT_LEN 36

struct guid {
    unsigned char bytes[16];
};

/* As it is written in C: GUID(0x3a26b1ff, 0x7484, 0x7484, 0x74, 0x84, ...). */
#define GUID(a, b, c, ...)                                                     \
    {                                                                          \
        {                                                                      \
            (unsigned char)(a), (unsigned char)((a) >> 8),                     \
                    (unsigned char)((a) >> 16), (unsigned char)((a) >> 24),    \
                    (unsigned char)(b), (unsigned char)((b) >> 8),             \
                    (unsigned char)(c), (unsigned char)((c) >> 8), __VA_ARGS__ \
        }                                                                      \
    }

/* "3a26b1ff-7484-7484-7484-15261f42614d", and a zero. */
void guid_text(char out[GUID_TEXT_LEN + 1], const unsigned char *bytes);

/* The same read back, in either case, with braces or without. */
bool guid_read(struct guid *out, const char *text);

bool guid_is(const unsigned char *bytes, const struct guid *g);
