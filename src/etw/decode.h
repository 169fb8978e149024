/* decode.h -- what the payload of a kernel or classic record says, by tables.
 *
 * A layout lists the fields of one event in their order, and from which version
 * of it to which each is there; layouts.c has them all, named as Microsoft's
 * own tools name them.  Pure functions on bytes that nobody vouches for: a
 * payload that ends early has fewer fields. */
#pragma once

#include "base/json.h"
#include "etw/guid.h"
#include "etw/record.h"

enum etw_type {
    ETW_U8,
    ETW_I8,
    ETW_U16,
    ETW_U32,
    ETW_I32,
    ETW_U64,
    ETW_HEX32,
    ETW_HEX64,
    ETW_POINTER, /* 4 or 8 bytes, shown as a hexadecimal number */
    ETW_SIZE,    /* the same, shown as a decimal one */
    ETW_PORT,    /* 16 bits, the higher byte first */
    ETW_IPV4,
    ETW_IPV6,
    ETW_FILETIME, /* 100 ns since 1601 */
    ETW_GUID,
    ETW_ANSI,       /* up to and with its zero */
    ETW_TEXT16,     /* the same, of UTF-16 */
    ETW_TEXT16_FIX, /* `count` characters; the text ends at a zero */
    ETW_SID,        /* a TOKEN_USER and a SID, or 4 bytes of nothing */
    ETW_ADDRESSES,  /* pointers, to the end */
    ETW_PAD,        /* `count` bytes that say nothing */
};

struct etw_field {
    const char *name; /* NULL: the list ends */
    uint8_t type;     /* enum etw_type */
    uint8_t from, to; /* versions; to 0: all later ones, too */
    uint16_t count;
};

/* Classes beyond the kernel's groups, which are below 256. */
enum etw_class {
    ETW_CLASS_EVENT_TRACE = 0x00,
    ETW_CLASS_DISK_IO = 0x01,
    ETW_CLASS_MEMORY = 0x02,
    ETW_CLASS_PROCESS = 0x03,
    ETW_CLASS_FILE_IO = 0x04,
    ETW_CLASS_THREAD = 0x05,
    ETW_CLASS_TCP_IP = 0x06,
    ETW_CLASS_UDP_IP = 0x08,
    ETW_CLASS_REGISTRY = 0x09,
    ETW_CLASS_SYSTEM_CONFIG = 0x0b,
    ETW_CLASS_PERF_INFO = 0x0f,
    ETW_CLASS_IMAGE = 0x14,
    ETW_CLASS_STACK_WALK = 0x18,
    ETW_CLASS_SYS_CONFIG = 0x100, /* what merging adds about the machine */
    ETW_CLASS_IMAGE_ID,           /* and about images */
    ETW_CLASS_UNKNOWN,
};

struct etw_layout {
    uint16_t class; /* enum etw_class */
    uint8_t opcode;
    uint8_t from, to; /* versions; to 0: all later ones, too */
    const char *name; /* "Process/Start" */
    const struct etw_field *fields;
};

/* All of them; the last one's name is NULL. */
extern const struct etw_layout etw_layouts[];

/* Which class the record belongs to, whether it says so by group or GUID. */
enum etw_class etw_class_of(const struct etw_record *r);

/* The other way round: for a record that has the GUID only.  NULL: none. */
const struct guid *etw_class_guid(enum etw_class class);
/* "Process"; NULL: it is not known. */
const char *etw_class_name(enum etw_class class);

/* NULL: no layout is known. */
const struct etw_layout *etw_layout_of(const struct etw_record *r);

struct etw_value {
    const struct etw_field *field;
    uint64_t number;        /* of numbers; signed ones extended */
    const unsigned char *p; /* of texts and others: their bytes, */
    size_t len;             /* without a text's zero */
};

#define ETW_VALUES_MAX 32

struct etw_decoded {
    const struct etw_layout *layout;
    struct etw_value values[ETW_VALUES_MAX];
    size_t count;
    size_t taken; /* bytes of the payload that fields account for */
    uint8_t pointer_bytes;
};

/* False: no layout is known. */
bool etw_decode(struct etw_decoded *out, const struct etw_record *r);

/* The field of that name; NULL: there is none. */
const struct etw_value *etw_value(const struct etw_decoded *d,
        const char *name);
/* Its number, or what to take where there is none. */
uint64_t etw_number(const struct etw_decoded *d, const char *name,
        uint64_t absent);
/* Adds a text field as UTF-8. */
void etw_value_text(struct buf *out, const struct etw_value *v);

/* Writes the fields as members. */
void etw_decoded_json(struct json *j, const struct etw_decoded *d);

/* A FILETIME as nanoseconds since 1970. */
int64_t etw_filetime_ns(uint64_t filetime);
/* Writes one as RFC 3339 does. */
void etw_filetime_json(struct json *j, const char *key, uint64_t filetime);
/* Writes a number as "0x0000002a". */
void etw_hex_json(struct json *j, const char *key, uint64_t value);
