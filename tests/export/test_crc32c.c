/* test_crc32c.c -- vectors that others computed. */
#include "export/metrics/crc32c.h"

#include "base/compiler.h"
#include "test.h"

int main(void)
{
    static const char zeros[32];
    static const struct {
        const char *bytes;
        size_t len;
        uint32_t crc;
    } known[] = {
        { "", 0, 0 }, { "123456789", 9, 0xe3069283 },
        { zeros, 32, 0x8a9136aa }, /* RFC 3720, B.4 */
    };

    for (size_t i = 0; i < LEN(known); i++)
        CHECK_INT(crc32c((struct str){ known[i].bytes, known[i].len }),
                known[i].crc);

    /* A record that TensorFlow wrote, and its length. */
    CHECK_INT(crc32c_masked(str_of("\x1a\x11"
                                   "CRC test, one two")),
            0x5794d08a);
    CHECK_INT(crc32c_masked((struct str){ "\x13\0\0\0\0\0\0\0", 8 }),
            0x1b32910c);
    return test_result();
}
