/* The format is written down at protobuf.dev/programming-guides/encoding:
 *
 *     tag     varint: number << 3 | wire type
 *     varint  seven bits a byte, the low ones first, top bit: more follow
 *     fixed   4 or 8 bytes, little-endian
 *     bytes   varint length, then as many bytes */
#include "base/pb.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define VARINT_MAX_LEN 10 /* bytes that 64 bits take */

/* --- writing -------------------------------------------------------------- */

static size_t varint_encode(unsigned char to[VARINT_MAX_LEN], uint64_t value)
{
    size_t len = 0;

    for (; value >= 0x80; value >>= 7)
        to[len++] = (unsigned char)(value | 0x80);
    to[len++] = (unsigned char)value;
    return len;
}

void pb_add_varint(struct buf *out, uint64_t value)
{
    unsigned char bytes[VARINT_MAX_LEN];

    buf_add(out, bytes, varint_encode(bytes, value));
}

static void add_fixed(struct buf *out, uint64_t value, size_t len)
{
    unsigned char bytes[8];

    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    buf_add(out, bytes, len);
}

void pb_add_fixed32(struct buf *out, uint32_t value)
{
    add_fixed(out, value, 4);
}

void pb_add_fixed64(struct buf *out, uint64_t value)
{
    add_fixed(out, value, 8);
}

static void add_tag(struct buf *out, uint32_t number, enum pb_wire wire)
{
    assert(number >= 1 && number <= PB_NUMBER_MAX);
    pb_add_varint(out, (uint64_t)number << 3 | wire);
}

void pb_u64(struct buf *out, uint32_t number, uint64_t value)
{
    add_tag(out, number, PB_WIRE_VARINT);
    pb_add_varint(out, value);
}

void pb_i64(struct buf *out, uint32_t number, int64_t value)
{
    pb_u64(out, number, (uint64_t)value);
}

void pb_fixed32(struct buf *out, uint32_t number, uint32_t value)
{
    add_tag(out, number, PB_WIRE_FIXED32);
    pb_add_fixed32(out, value);
}

void pb_fixed64(struct buf *out, uint32_t number, uint64_t value)
{
    add_tag(out, number, PB_WIRE_FIXED64);
    pb_add_fixed64(out, value);
}

void pb_float(struct buf *out, uint32_t number, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    pb_fixed32(out, number, bits);
}

void pb_double(struct buf *out, uint32_t number, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    pb_fixed64(out, number, bits);
}

void pb_bytes(struct buf *out, uint32_t number, const void *bytes, size_t len)
{
    add_tag(out, number, PB_WIRE_BYTES);
    pb_add_varint(out, len);
    buf_add(out, bytes, len);
}

void pb_text(struct buf *out, uint32_t number, const char *terminated)
{
    pb_bytes(out, number, terminated, strlen(terminated));
}

void pb_str(struct buf *out, uint32_t number, struct str s)
{
    pb_bytes(out, number, s.p, s.len);
}

/* The length goes in front of bytes that are not there yet: one byte is kept
 * for it, and pb_end() shifts what lies inside when it takes more. */
size_t pb_begin(struct buf *out, uint32_t number)
{
    add_tag(out, number, PB_WIRE_BYTES);
    buf_char(out, 0);
    return out->len;
}

void pb_end(struct buf *out, size_t begun)
{
    assert(begun && begun <= out->len);

    unsigned char length[VARINT_MAX_LEN];
    size_t inside = out->len - begun;
    size_t taken = varint_encode(length, inside);

    buf_add(out, length, taken - 1); /* room; what it holds is moved over */
    memmove(out->p + begun + taken - 1, out->p + begun, inside);
    memcpy(out->p + begun - 1, length, taken);
}

/* --- reading -------------------------------------------------------------- */

/* The caller knows that `rest` holds as many. */
static struct str take(struct str *rest, size_t len)
{
    struct str taken = { rest->p, len };

    *rest = (struct str){ rest->p + len, rest->len - len };
    return taken;
}

int pb_next_varint(uint64_t *out, struct str *rest)
{
    uint64_t value = 0;

    if (!rest->len)
        return 0;
    for (size_t i = 0; i < rest->len && i < VARINT_MAX_LEN; i++) {
        unsigned char byte = (unsigned char)rest->p[i];

        /* Nine bytes hold 63 bits: the tenth has room for one. */
        if (i == VARINT_MAX_LEN - 1 && byte > 1)
            return -EINVAL;
        value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            (void)take(rest, i + 1);
            *out = value;
            return 1;
        }
    }
    return -EINVAL;
}

static int next_fixed(uint64_t *out, struct str *rest, size_t len)
{
    uint64_t value = 0;

    if (!rest->len)
        return 0;
    if (rest->len < len)
        return -EINVAL;
    for (size_t i = 0; i < len; i++)
        value |= (uint64_t)(unsigned char)rest->p[i] << 8 * i;
    (void)take(rest, len);
    *out = value;
    return 1;
}

int pb_next_fixed32(uint32_t *out, struct str *rest)
{
    uint64_t value;
    int rc = next_fixed(&value, rest, 4);

    if (rc == 1)
        *out = (uint32_t)value;
    return rc;
}

int pb_next_fixed64(uint64_t *out, struct str *rest)
{
    return next_fixed(out, rest, 8);
}

static int next_payload(struct pb_field *out, struct str *rest)
{
    switch (out->wire) {
    case PB_WIRE_VARINT: return pb_next_varint(&out->value, rest);
    case PB_WIRE_FIXED64: return next_fixed(&out->value, rest, 8);
    case PB_WIRE_FIXED32: return next_fixed(&out->value, rest, 4);
    case PB_WIRE_BYTES: break;
    default: return -EINVAL; /* a group, or no wire type at all */
    }

    uint64_t len;

    if (pb_next_varint(&len, rest) != 1 || len > rest->len)
        return -EINVAL;
    out->bytes = take(rest, (size_t)len);
    return 1;
}

int pb_next(struct pb_field *out, struct str *rest)
{
    struct str after = *rest;
    uint64_t tag;
    int rc = pb_next_varint(&tag, &after);

    if (rc != 1)
        return rc;
    if (tag >> 3 == 0 || tag >> 3 > PB_NUMBER_MAX)
        return -EINVAL;

    struct pb_field field = { .number = (uint32_t)(tag >> 3),
        .wire = (enum pb_wire)(tag & 7) };

    /* A tag with nothing behind it is cut short, not at its end. */
    if (next_payload(&field, &after) != 1)
        return -EINVAL;
    *out = field;
    *rest = after;
    return 1;
}

float pb_as_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

double pb_as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}
