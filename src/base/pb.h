/* pb.h -- protobuf's wire format: messages are written into a buf, and read
 * from bytes that nobody vouches for.
 *
 * A message is a row of fields; a field is a tag (number and wire type) and a
 * payload.  What a number means, and whether bytes are text, a message or
 * packed numbers, only the message's .proto says.
 *
 *     pb_u64(&out, 1, 8);                 message Model {
 *     size_t graph = pb_begin(&out, 7);       int64 ir_version = 1;
 *     pb_text(&out, 2, "mlp");                Graph graph = 7;
 *     pb_end(&out, graph);                }
 *
 * Reading is the same walk: pb_next() takes one field after another off a
 * slice, and a field of bytes is the slice of the message inside.  Nothing is
 * copied: what a field borrows lives as long as the bytes do, and bytes that
 * are stepped over are never touched. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

#define PB_NUMBER_MAX ((1u << 29) - 1) /* field numbers are 1 to this */

/* Groups (3 and 4) are long out of use and count as damage. */
enum pb_wire {
    PB_WIRE_VARINT = 0,  /* integers, booleans, enums */
    PB_WIRE_FIXED64 = 1, /* fixed64, double */
    PB_WIRE_BYTES = 2,   /* text, bytes, messages, packed numbers */
    PB_WIRE_FIXED32 = 5, /* fixed32, float */
};

/* --- writing: a field each ------------------------------------------------ */

void pb_u64(struct buf *out, uint32_t number, uint64_t value);
/* int32, int64 and enums; a negative one takes ten bytes. */
void pb_i64(struct buf *out, uint32_t number, int64_t value);
void pb_fixed32(struct buf *out, uint32_t number, uint32_t value);
void pb_fixed64(struct buf *out, uint32_t number, uint64_t value);
void pb_float(struct buf *out, uint32_t number, float value);
void pb_double(struct buf *out, uint32_t number, double value);
void pb_bytes(struct buf *out, uint32_t number, const void *bytes, size_t len);
void pb_text(struct buf *out, uint32_t number, const char *terminated);
void pb_str(struct buf *out, uint32_t number, struct str s);

/* Opens a field of bytes: what is added until pb_end() lies inside it, fields
 * and bare numbers alike.  pb_end() is given what pb_begin() returned, the
 * innermost first. */
size_t pb_begin(struct buf *out, uint32_t number);
void pb_end(struct buf *out, size_t begun);

/* Bare numbers, for packed fields. */
void pb_add_varint(struct buf *out, uint64_t value);
void pb_add_fixed32(struct buf *out, uint32_t value);
void pb_add_fixed64(struct buf *out, uint64_t value);

/* --- reading -------------------------------------------------------------- */

struct pb_field {
    uint32_t number;
    enum pb_wire wire;
    uint64_t value;   /* all but PB_WIRE_BYTES: the bits; see pb_as_float() */
    struct str bytes; /* PB_WIRE_BYTES only: borrowed */
};

/* Takes the next field off `rest`.  1: `out` is filled.  0: the message has
 * ended.  -EINVAL: damaged or cut short, a group, or a number out of range;
 * then `out` and `rest` are untouched. */
int pb_next(struct pb_field *out, struct str *rest);

/* The same for the numbers of a packed field, whose slice is `rest`.  A parser
 * must take a repeated number both ways: packed, and as a field each. */
int pb_next_varint(uint64_t *out, struct str *rest);
int pb_next_fixed32(uint32_t *out, struct str *rest);
int pb_next_fixed64(uint64_t *out, struct str *rest);

/* The bits of a fixed field as the number they stand for. */
float pb_as_float(uint32_t bits);
double pb_as_double(uint64_t bits);
