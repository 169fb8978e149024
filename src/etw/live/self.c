#include "etw/live/self.h"

#include "etw/bytes.h"
#include "etw/decode.h"
#include "etw/text16.h"

#include <inttypes.h>
#include <string.h>

/* No provider nests deeper or says more; who does is not to be believed. */
#define DEPTH_MAX 8
#define ITEMS_MAX 65536

/* --- the description -------------------------------------------------------
 */

struct field {
    const char *name;
    uint8_t in, out;
    uint16_t count;
};

/* The end of the text behind its zero; NULL: there is none. */
static const unsigned char *text_end(const unsigned char *p, size_t len)
{
    const unsigned char *zero = len ? memchr(p, 0, len) : NULL;

    return zero ? zero + 1 : NULL;
}

/* Tags: bytes whose highest bit says that another follows. */
static const unsigned char *skip_tags(const unsigned char *p,
        const unsigned char *end)
{
    while (p < end && *p & 0x80)
        p++;
    return p < end ? p + 1 : NULL;
}

/* Takes one field off.  False: they end, or are damaged. */
static bool next_field(struct field *f, const unsigned char **at,
        const unsigned char *end)
{
    const unsigned char *p = text_end(*at, (size_t)(end - *at));

    if (!p || p == end)
        return false;
    *f = (struct field){ .name = (const char *)*at, .in = *p++ };
    if (f->in & ETW_IN_MORE) {
        if (p == end)
            return false;
        f->out = *p++;
        if (f->out & 0x80 && !(p = skip_tags(p, end)))
            return false;
        f->out &= 0x7f;
    }
    if (f->in & ETW_IN_CONSTANT) {
        if (end - p < 2)
            return false;
        f->count = get_u16(p);
        p += 2;
        if (f->in & ETW_IN_VARIABLE) { /* both: a type of somebody's own */
            if (end - p < f->count)
                return false;
            p += f->count;
        }
    }
    *at = p;
    return true;
}

bool etw_self_parse(struct etw_self *out, const struct etw_record *r)
{
    const unsigned char *p, *end;
    size_t len;

    if (r->kind != ETW_EVENT || !etw_extended(r, ETW_EXT_SCHEMA, &p, &len) ||
            len < 4 || get_u16(p) < 4 || get_u16(p) > len)
        return false;
    end = p + get_u16(p);
    p = skip_tags(p + 2, end);
    if (!p)
        return false;
    out->name = (const char *)p;
    p = text_end(p, (size_t)(end - p));
    if (!p)
        return false;
    out->fields = p;
    out->len = (size_t)(end - p);
    return true;
}

const char *etw_self_provider(const struct etw_record *r)
{
    const unsigned char *p;
    size_t len;

    if (!etw_extended(r, ETW_EXT_TRAITS, &p, &len) || len < 3 ||
            !text_end(p + 2, len - 2))
        return NULL;
    return (const char *)p + 2;
}

/* --- the payload -----------------------------------------------------------
 */

struct walk {
    const unsigned char *p, *end; /* the payload */
    void (*each)(void *context, const struct etw_item *i);
    void *context;
    int items;
};

static void report(struct walk *w, struct etw_item i)
{
    w->each(w->context, &i);
}

static size_t fixed_bytes(unsigned in)
{
    switch (in) {
    case ETW_IN_I8:
    case ETW_IN_U8: return 1;
    case ETW_IN_I16:
    case ETW_IN_U16: return 2;
    case ETW_IN_I32:
    case ETW_IN_U32:
    case ETW_IN_F32:
    case ETW_IN_BOOL32:
    case ETW_IN_HEX32: return 4;
    case ETW_IN_I64:
    case ETW_IN_U64:
    case ETW_IN_F64:
    case ETW_IN_HEX64:
    case ETW_IN_FILETIME: return 8;
    case ETW_IN_GUID:
    case ETW_IN_SYSTEMTIME: return 16;
    default: return 0;
    }
}

/* Where the value lies and how much it takes.  False: it is not whole, or of a
 * type that nobody knows. */
static bool measure(unsigned in, const unsigned char *p, size_t left,
        size_t *skip, size_t *len, size_t *zero)
{
    *skip = *zero = 0;
    *len = fixed_bytes(in);
    switch (in) {
    case ETW_IN_TEXT16:
        *len = 2 * text16_count(p, left);
        *zero = 2;
        break;
    case ETW_IN_ANSI:
        *len = strnlen((const char *)p, left);
        *zero = 1;
        break;
    case ETW_IN_BINARY:
    case ETW_IN_COUNTED_BINARY:
    case ETW_IN_COUNTED_TEXT16:
    case ETW_IN_COUNTED_ANSI:
        if (left < 2)
            return false;
        *skip = 2;
        *len = get_u16(p);
        break;
    case ETW_IN_SID:
        if (left < 8)
            return false;
        *len = 8 + (size_t)4 * p[1];
        break;
    default:
        if (!*len)
            return false;
    }
    return *skip + *len + *zero <= left;
}

static bool take_value(struct walk *w, const struct field *f, const char *name,
        int depth)
{
    size_t skip, len, zero;
    unsigned in = f->in & ETW_IN_MASK;

    if (++w->items > ITEMS_MAX ||
            !measure(in, w->p, (size_t)(w->end - w->p), &skip, &len, &zero))
        return false;
    report(w, (struct etw_item){ ETW_VALUE, name, depth, (uint8_t)in, f->out,
                      w->p + skip, len });
    w->p += skip + len + zero;
    return true;
}

static bool take_fields(struct walk *w, const unsigned char **at,
        const unsigned char *end, size_t count, int depth);

/* A struct's fields follow it in the description, and are taken again for each
 * element of an array.  `after` is where the description goes on. */
static bool take_struct(struct walk *w, const struct field *f, const char *name,
        const unsigned char *at, const unsigned char *end, int depth,
        const unsigned char **after)
{
    if (++w->items > ITEMS_MAX || depth >= DEPTH_MAX)
        return false;
    report(w, (struct etw_item){ .step = ETW_BEGIN_STRUCT,
                      .name = name,
                      .depth = depth });
    *after = at;

    bool whole = take_fields(w, after, end, f->out, depth + 1);

    report(w, (struct etw_item){ .step = ETW_ENDED, .depth = depth });
    return whole;
}

/* Passes over the fields of a struct of which there is none. */
static bool skip_fields(const unsigned char **at, const unsigned char *end,
        size_t count)
{
    struct field f;

    while (count--) {
        if (!next_field(&f, at, end))
            return false;
        if ((f.in & ETW_IN_MASK) == ETW_IN_STRUCT)
            count += f.out;
    }
    return true;
}

static bool take_array(struct walk *w, const struct field *f,
        const unsigned char **at, const unsigned char *end, int depth)
{
    bool is_struct = (f->in & ETW_IN_MASK) == ETW_IN_STRUCT, whole = true;
    size_t count = f->count;
    const unsigned char *after = *at;

    if (f->in & ETW_IN_VARIABLE) {
        if (w->end - w->p < 2)
            return false;
        count = get_u16(w->p);
        w->p += 2;
    }
    report(w, (struct etw_item){ .step = ETW_BEGIN_ARRAY,
                      .name = f->name,
                      .depth = depth });
    if (is_struct && !count)
        whole = skip_fields(&after, end, f->out);
    for (; count && whole; count--)
        whole = is_struct ? take_struct(w, f, NULL, *at, end, depth + 1, &after)
                          : take_value(w, f, NULL, depth + 1);
    report(w, (struct etw_item){ .step = ETW_ENDED, .depth = depth });
    *at = after;
    return whole;
}

static bool take_fields(struct walk *w, const unsigned char **at,
        const unsigned char *end, size_t count, int depth)
{
    struct field f;

    for (; count && *at < end; count--) {
        unsigned many;
        bool whole;

        if (!next_field(&f, at, end))
            return false;
        many = f.in & (ETW_IN_CONSTANT | ETW_IN_VARIABLE);
        if (many == (ETW_IN_CONSTANT | ETW_IN_VARIABLE))
            return false; /* a type of the provider's own: no size is known */
        if (many)
            whole = depth < DEPTH_MAX && take_array(w, &f, at, end, depth);
        else if ((f.in & ETW_IN_MASK) == ETW_IN_STRUCT)
            whole = take_struct(w, &f, f.name, *at, end, depth, at);
        else
            whole = take_value(w, &f, f.name, depth);
        if (!whole)
            return false;
    }
    return true;
}

bool etw_self_walk(const struct etw_self *s, const struct etw_record *r,
        void (*each)(void *context, const struct etw_item *i), void *context)
{
    struct walk w = { r->data, r->data + r->len, each, context, 0 };
    const unsigned char *at = s->fields;

    return take_fields(&w, &at, s->fields + s->len, SIZE_MAX, 0);
}

/* --- values ----------------------------------------------------------------
 */

bool etw_item_number(const struct etw_item *i, int64_t *out)
{
    if (i->step != ETW_VALUE)
        return false;
    switch (i->in) {
    case ETW_IN_I8: *out = i->p[0] < 128 ? i->p[0] : i->p[0] - 256; return true;
    case ETW_IN_U8: *out = i->p[0]; return true;
    case ETW_IN_I16: *out = (int16_t)get_u16(i->p); return true;
    case ETW_IN_U16: *out = get_u16(i->p); return true;
    case ETW_IN_I32: *out = (int32_t)get_u32(i->p); return true;
    case ETW_IN_U32:
    case ETW_IN_BOOL32:
    case ETW_IN_HEX32: *out = get_u32(i->p); return true;
    case ETW_IN_I64:
    case ETW_IN_U64:
    case ETW_IN_HEX64:
    case ETW_IN_FILETIME: *out = (int64_t)get_u64(i->p); return true;
    default: return false;
    }
}

bool etw_item_real(const struct etw_item *i, double *out)
{
    int64_t number;

    if (i->step == ETW_VALUE && i->in == ETW_IN_F32) {
        uint32_t bits = get_u32(i->p);
        float f;

        memcpy(&f, &bits, sizeof(f));
        *out = f;
        return true;
    }
    if (i->step == ETW_VALUE && i->in == ETW_IN_F64) {
        uint64_t bits = get_u64(i->p);

        memcpy(out, &bits, sizeof(*out));
        return true;
    }
    if (!etw_item_number(i, &number))
        return false;
    *out = i->in == ETW_IN_U64 ? (double)(uint64_t)number : (double)number;
    return true;
}

bool etw_item_text(struct buf *out, const struct etw_item *i)
{
    if (i->step != ETW_VALUE)
        return false;
    switch (i->in) {
    case ETW_IN_TEXT16:
    case ETW_IN_COUNTED_TEXT16: text16_add(out, i->p, i->len / 2); return true;
    case ETW_IN_ANSI:
    case ETW_IN_COUNTED_ANSI: buf_add(out, i->p, i->len); return true;
    default: return false;
    }
}

static void systemtime_json(struct json *j, const char *key,
        const unsigned char *p)
{
    struct buf text = { 0 };

    buf_printf(&text, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", get_u16(p),
            get_u16(p + 2), get_u16(p + 6), get_u16(p + 8), get_u16(p + 10),
            get_u16(p + 12), get_u16(p + 14));
    json_str(j, key, buf_str(&text));
    buf_release(&text);
}

static void bytes_json(struct json *j, const char *key,
        const struct etw_item *i)
{
    struct buf text = { 0 };

    for (size_t n = 0; n < i->len; n++)
        buf_printf(&text, "%02x", i->p[n]);
    json_str(j, key, buf_str(&text));
    buf_release(&text);
}

static void number_json(struct json *j, const char *key,
        const struct etw_item *i)
{
    int64_t number;
    double real;

    if (i->in == ETW_IN_F32 || i->in == ETW_IN_F64) {
        (void)etw_item_real(i, &real);
        json_real(j, key, real);
        return;
    }
    if (!etw_item_number(i, &number)) {
        bytes_json(j, key, i);
        return;
    }
    if (i->in == ETW_IN_BOOL32 || (i->out == ETW_OUT_BOOLEAN && i->len <= 4))
        json_bool(j, key, number != 0);
    else if (i->in == ETW_IN_FILETIME)
        etw_filetime_json(j, key, (uint64_t)number);
    else if (i->in == ETW_IN_HEX32 || i->in == ETW_IN_HEX64 ||
             i->out == ETW_OUT_HEX)
        etw_hex_json(j, key,
                (uint64_t)number & (i->len < 8 ? (UINT64_C(1) << 8 * i->len) - 1
                                               : UINT64_MAX));
    else if (i->in == ETW_IN_U64)
        json_u64(j, key, (uint64_t)number);
    else
        json_int(j, key, number);
}

static void item_json(void *context, const struct etw_item *i)
{
    struct json *j = context;
    struct buf text = { 0 };
    char guid[GUID_TEXT_LEN + 1];

    switch (i->step) {
    case ETW_BEGIN_STRUCT: json_object(j, i->name); return;
    case ETW_BEGIN_ARRAY: json_array(j, i->name); return;
    case ETW_ENDED: json_end(j); return;
    case ETW_VALUE: break;
    }
    if (etw_item_text(&text, i))
        json_str(j, i->name, buf_str(&text));
    else if (i->in == ETW_IN_GUID) {
        guid_text(guid, i->p);
        json_text(j, i->name, guid);
    } else if (i->in == ETW_IN_SYSTEMTIME)
        systemtime_json(j, i->name, i->p);
    else
        number_json(j, i->name, i);
    buf_release(&text);
}

bool etw_self_json(struct json *j, const struct etw_self *s,
        const struct etw_record *r)
{
    return etw_self_walk(s, r, item_json, j);
}
