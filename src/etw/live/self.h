/* self.h -- events that describe themselves (TraceLogging): an item beside the
 * payload has the event's name, and name and type of each field.
 *
 *     u16 bytes, tag (1 byte or more), name 0, then for each field
 *     name 0, type, [how to show it, [tags]], [u16 count], [u16 bytes, ...]
 *
 * Pure functions on bytes that nobody vouches for. */
#pragma once

#include "base/json.h"
#include "etw/record.h"

/* Types; the upper bits say array and "more follows". */
enum etw_in {
    ETW_IN_TEXT16 = 1,
    ETW_IN_ANSI = 2,
    ETW_IN_I8 = 3,
    ETW_IN_U8 = 4,
    ETW_IN_I16 = 5,
    ETW_IN_U16 = 6,
    ETW_IN_I32 = 7,
    ETW_IN_U32 = 8,
    ETW_IN_I64 = 9,
    ETW_IN_U64 = 10,
    ETW_IN_F32 = 11,
    ETW_IN_F64 = 12,
    ETW_IN_BOOL32 = 13,
    ETW_IN_BINARY = 14,
    ETW_IN_GUID = 15,
    ETW_IN_FILETIME = 17,
    ETW_IN_SYSTEMTIME = 18,
    ETW_IN_SID = 19,
    ETW_IN_HEX32 = 20,
    ETW_IN_HEX64 = 21,
    ETW_IN_COUNTED_TEXT16 = 22,
    ETW_IN_COUNTED_ANSI = 23,
    ETW_IN_STRUCT = 24, /* of the next so many fields */
    ETW_IN_COUNTED_BINARY = 25,
};

#define ETW_IN_MASK     0x1f
#define ETW_IN_CONSTANT 0x20 /* as many as the description says */
#define ETW_IN_VARIABLE 0x40 /* as many as stand before them */
#define ETW_IN_MORE     0x80

#define ETW_OUT_BOOLEAN 3
#define ETW_OUT_HEX     4
#define ETW_OUT_UTF8    35

struct etw_self {
    const char *name; /* ends with a zero, lies in the record */
    const unsigned char *fields;
    size_t len;
};

/* False: the record does not describe itself, or not soundly. */
bool etw_self_parse(struct etw_self *out, const struct etw_record *r);

/* The provider's name as the record tells it; NULL: it does not. */
const char *etw_self_provider(const struct etw_record *r);

enum etw_step { ETW_VALUE, ETW_BEGIN_STRUCT, ETW_BEGIN_ARRAY, ETW_ENDED };

struct etw_item {
    enum etw_step step;
    const char *name; /* NULL: an element of an array */
    int depth;        /* 0: a field of the event itself */
    uint8_t in;       /* enum etw_in, without the upper bits */
    uint8_t out;
    const unsigned char *p; /* a value's bytes; a text's without its zero */
    size_t len;
};

/* Calls `each` for every field, in their order.  False: the payload ends early,
 * or the description is damaged; what was whole has been reported, and all that
 * was begun has ended. */
bool etw_self_walk(const struct etw_self *s, const struct etw_record *r,
        void (*each)(void *context, const struct etw_item *i), void *context);

/* A whole number or truth value; false: it is neither. */
bool etw_item_number(const struct etw_item *i, int64_t *out);
bool etw_item_real(const struct etw_item *i, double *out);
/* Adds a text; false: it is none. */
bool etw_item_text(struct buf *out, const struct etw_item *i);

/* Writes the fields as members. */
bool etw_self_json(struct json *j, const struct etw_self *s,
        const struct etw_record *r);
