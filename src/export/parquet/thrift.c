#include "export/parquet/thrift.h"

#include "base/pb.h"

#include <assert.h>

struct thrift thrift_into(struct buf *out)
{
    return (struct thrift){ .out = out };
}

/* Small numbers of either sign in few bytes. */
static void zigzag(struct thrift *t, int64_t value)
{
    pb_add_varint(t->out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void field(struct thrift *t, int id, enum thrift_type type)
{
    int step = id - t->last[t->depth];

    assert(step > 0);
    if (step <= 15) {
        buf_char(t->out, (char)(step << 4 | (int)type));
    } else {
        buf_char(t->out, (char)type);
        zigzag(t, id);
    }
    t->last[t->depth] = id;
}

void thrift_bool(struct thrift *t, int id, bool value)
{
    field(t, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i8(struct thrift *t, int id, int8_t value)
{
    field(t, id, THRIFT_I8);
    buf_char(t->out, (char)value);
}

void thrift_i16(struct thrift *t, int id, int16_t value)
{
    field(t, id, THRIFT_I16);
    zigzag(t, value);
}

void thrift_i32(struct thrift *t, int id, int32_t value)
{
    field(t, id, THRIFT_I32);
    zigzag(t, value);
}

void thrift_i64(struct thrift *t, int id, int64_t value)
{
    field(t, id, THRIFT_I64);
    zigzag(t, value);
}

static void bytes_of(struct thrift *t, struct str bytes)
{
    pb_add_varint(t->out, bytes.len);
    buf_add(t->out, bytes.p, bytes.len);
}

void thrift_bytes(struct thrift *t, int id, struct str bytes)
{
    field(t, id, THRIFT_BINARY);
    bytes_of(t, bytes);
}

void thrift_text(struct thrift *t, int id, const char *terminated)
{
    thrift_bytes(t, id, str_of(terminated));
}

void thrift_struct(struct thrift *t, int id)
{
    field(t, id, THRIFT_STRUCT);
    thrift_element(t);
}

void thrift_end(struct thrift *t)
{
    buf_char(t->out, 0);
    if (t->depth)
        t->depth--;
}

void thrift_list(struct thrift *t, int id, enum thrift_type type, size_t count)
{
    field(t, id, THRIFT_LIST);
    if (count <= 14) {
        buf_char(t->out, (char)(count << 4 | type));
    } else {
        buf_char(t->out, (char)(0xf0 | type));
        pb_add_varint(t->out, count);
    }
}

void thrift_element(struct thrift *t)
{
    assert(t->depth + 1 < THRIFT_DEPTH);
    t->last[++t->depth] = 0;
}

void thrift_element_i32(struct thrift *t, int32_t value)
{
    zigzag(t, value);
}

void thrift_element_text(struct thrift *t, const char *terminated)
{
    bytes_of(t, str_of(terminated));
}
