/* thrift.h -- writes Thrift's compact protocol, which Parquet's headers and
 * footer are in.
 *
 *     struct thrift t = thrift_into(&out);      struct Page {
 *     thrift_i32(&t, 1, 0);                         1: i32 type
 *     thrift_struct(&t, 5);                         5: struct data {
 *     thrift_i32(&t, 1, 20000);                         1: i32 count
 *     thrift_end(&t);                               }
 *     thrift_end(&t);                           }
 *
 * Fields come in the order of their ids.  The struct at the top is open from
 * the beginning, and thrift_end() closes the innermost one. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define THRIFT_DEPTH 12

enum thrift_type {
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_I8 = 3,
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_DOUBLE = 7,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12,
};

struct thrift {
    struct buf *out;
    int last[THRIFT_DEPTH]; /* the id of the field before, of each open struct
                             */
    int depth;
};

struct thrift thrift_into(struct buf *out);

void thrift_bool(struct thrift *t, int id, bool value);
void thrift_i8(struct thrift *t, int id, int8_t value);
void thrift_i16(struct thrift *t, int id, int16_t value);
void thrift_i32(struct thrift *t, int id, int32_t value);
void thrift_i64(struct thrift *t, int id, int64_t value);
void thrift_bytes(struct thrift *t, int id, struct str bytes);
void thrift_text(struct thrift *t, int id, const char *terminated);

/* Opens a struct that is a field. */
void thrift_struct(struct thrift *t, int id);
void thrift_end(struct thrift *t);

/* A list that is a field; its `count` elements of one type follow. */
void thrift_list(struct thrift *t, int id, enum thrift_type type, size_t count);
/* Elements: a struct to be closed by thrift_end(), and bare values. */
void thrift_element(struct thrift *t);
void thrift_element_i32(struct thrift *t, int32_t value);
void thrift_element_text(struct thrift *t, const char *terminated);
