#include "etw/decode.h"

#include "base/digits.h"
#include "etw/bytes.h"
#include "etw/text16.h"
#include "etw/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SID_HEAD 8 /* revision, count, authority; then 4 bytes each */

/* --- one field -------------------------------------------------------------
 */

struct payload {
    const unsigned char *p;
    size_t left;
    size_t pointer_bytes;
};

static bool is_sid(const unsigned char *p, size_t left)
{
    static const unsigned char authority[5] = { 0 };

    return left >= SID_HEAD && p[0] == 1 && p[1] && p[1] <= 15 &&
           memcmp(p + 2, authority, sizeof(authority)) == 0 &&
           left >= SID_HEAD + (size_t)4 * p[1];
}

/* Either 4 bytes of zeros, or a TOKEN_USER, whose pointer may be zero in what
 * was written by hand, and a SID. */
static bool take_sid(struct etw_value *v, struct payload *x)
{
    size_t token = 2 * x->pointer_bytes;

    if (x->left < 4)
        return false;
    if (x->left > token && is_sid(x->p + token, x->left - token)) {
        v->p = x->p + token;
        v->len = SID_HEAD + (size_t)4 * v->p[1];
        token += v->len;
    } else if (get_u32(x->p) == 0)
        token = 4;
    else
        return false;
    x->p += token;
    x->left -= token;
    return true;
}

static bool take_text(struct etw_value *v, struct payload *x, size_t wide)
{
    size_t len = 0, zero = 0;

    if (wide == 2)
        len = 2 * text16_count(x->p, x->left);
    else
        len = strnlen((const char *)x->p, x->left);
    if (x->left - len >= wide)
        zero = wide;
    v->p = x->p;
    v->len = len;
    x->p += len + zero;
    x->left -= len + zero;
    return true;
}

static size_t bytes_of(const struct etw_field *f, size_t pointer_bytes)
{
    switch ((enum etw_type)f->type) {
    case ETW_U8:
    case ETW_I8: return 1;
    case ETW_U16:
    case ETW_PORT: return 2;
    case ETW_U32:
    case ETW_I32:
    case ETW_HEX32:
    case ETW_IPV4: return 4;
    case ETW_U64:
    case ETW_HEX64:
    case ETW_FILETIME: return 8;
    case ETW_POINTER:
    case ETW_SIZE: return pointer_bytes;
    case ETW_IPV6:
    case ETW_GUID: return 16;
    case ETW_TEXT16_FIX: return (size_t)2 * f->count;
    case ETW_PAD: return f->count;
    default: return 0;
    }
}

static uint64_t number_of(const struct etw_field *f, const unsigned char *p,
        size_t len)
{
    switch ((enum etw_type)f->type) {
    case ETW_I8: return (uint64_t)(int64_t)(int8_t)p[0];
    case ETW_I32: return (uint64_t)(int64_t)(int32_t)get_u32(p);
    case ETW_PORT: return (uint64_t)p[0] << 8 | p[1];
    default: break;
    }
    return len == 1   ? p[0]
           : len == 2 ? get_u16(p)
           : len == 4 ? get_u32(p)
           : len == 8 ? get_u64(p)
                      : 0;
}

/* False: the payload ends before it. */
static bool take(struct etw_value *v, struct payload *x)
{
    const struct etw_field *f = v->field;
    size_t len = bytes_of(f, x->pointer_bytes);

    switch ((enum etw_type)f->type) {
    case ETW_SID: return take_sid(v, x);
    case ETW_ANSI: return take_text(v, x, 1);
    case ETW_TEXT16: return take_text(v, x, 2);
    case ETW_ADDRESSES:
        len = x->left / x->pointer_bytes * x->pointer_bytes;
        break;
    default: break;
    }
    if (len > x->left)
        return false;
    v->p = x->p;
    v->len = f->type == ETW_TEXT16_FIX ? 2 * text16_count(x->p, len) : len;
    v->number = number_of(f, x->p, len);
    x->p += len;
    x->left -= len;
    return true;
}

/* --- a payload -------------------------------------------------------------
 */

static void decode_as(struct etw_decoded *out, const struct etw_layout *layout,
        const struct etw_record *r, uint8_t pointer_bytes)
{
    struct payload x = { r->data, r->len, pointer_bytes };

    out->layout = layout;
    out->count = 0;
    out->pointer_bytes = pointer_bytes;
    for (const struct etw_field *f = layout->fields; f->name; f++) {
        if (r->version < f->from || (f->to && r->version > f->to))
            continue;
        /* Texts may be missing at the end: earlier builds of one version. */
        if (!x.left && (f->type == ETW_TEXT16 || f->type == ETW_FILETIME))
            break;
        if (out->count == ETW_VALUES_MAX)
            break;

        struct etw_value *v = &out->values[out->count];

        *v = (struct etw_value){ .field = f };
        if (!take(v, &x))
            break;
        out->count += f->type != ETW_PAD;
    }
    out->taken = r->len - x.left;
}

const struct etw_layout *etw_layout_of(const struct etw_record *r)
{
    enum etw_class class = etw_class_of(r);

    if (class == ETW_CLASS_UNKNOWN)
        return NULL;
    for (const struct etw_layout *l = etw_layouts; l->name; l++)
        if (l->class == class && l->opcode == r->opcode &&
                r->version >= l->from && (!l->to || r->version <= l->to))
            return l;
    return NULL;
}

bool etw_decode(struct etw_decoded *out, const struct etw_record *r)
{
    const struct etw_layout *layout = etw_layout_of(r);

    if (!layout)
        return false;
    decode_as(out, layout, r, r->pointer_bytes);
    /* A classic record of a 32-bit writer may tell of a 64-bit kernel: the
     * size that accounts for more of the payload is the right one. */
    if (r->kind == ETW_CLASSIC && out->taken < r->len) {
        struct etw_decoded other;

        decode_as(&other, layout, r, r->pointer_bytes == 4 ? 8 : 4);
        if (other.taken > out->taken)
            *out = other;
    }
    return true;
}

const struct etw_value *etw_value(const struct etw_decoded *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->values[i].field->name, name) == 0)
            return &d->values[i];
    return NULL;
}

uint64_t etw_number(const struct etw_decoded *d, const char *name,
        uint64_t absent)
{
    const struct etw_value *v = etw_value(d, name);

    return v ? v->number : absent;
}

void etw_value_text(struct buf *out, const struct etw_value *v)
{
    if (v->field->type == ETW_ANSI)
        buf_add(out, v->p, v->len);
    else
        text16_add(out, v->p, v->len / 2);
}

/* --- as JSON ---------------------------------------------------------------
 */

int64_t etw_filetime_ns(uint64_t filetime)
{
    /* 64 bits of nanoseconds reach from 1677 to 2262. */
    int64_t ticks = (int64_t)(filetime - (uint64_t)ETW_FILETIME_1970);

    if (ticks > INT64_MAX / 100 || filetime > INT64_MAX)
        return INT64_MAX;
    return ticks < INT64_MIN / 100 ? INT64_MIN : ticks * 100;
}

void etw_filetime_json(struct json *j, const char *key, uint64_t filetime)
{
    char text[DIGITS_TIME_LEN];
    int64_t ns = etw_filetime_ns(filetime);

    if (ns == INT64_MAX || ns == INT64_MIN)
        json_u64(j, key, filetime);
    else
        json_str(j, key, (struct str){ text, digits_time(text, ns) });
}

void etw_hex_json(struct json *j, const char *key, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "0x%08" PRIx64, value);
    json_text(j, key, text);
}

static void ipv4_json(struct json *j, const char *key, const unsigned char *p)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%u.%u.%u.%u", p[0], p[1], p[2], p[3]);
    json_text(j, key, text);
}

/* As RFC 5952 says: the longest row of zeros is left out. */
static void ipv6_json(struct json *j, const char *key, const unsigned char *p)
{
    struct buf text = { 0 };
    size_t best = 8, best_len = 1;

    for (size_t i = 0; i < 8; i++) {
        size_t len = 0;

        while (i + len < 8 && !p[2 * (i + len)] && !p[2 * (i + len) + 1])
            len++;
        if (len > best_len) {
            best = i;
            best_len = len;
        }
    }
    for (size_t i = 0; i < 8; i++) {
        if (i == best) {
            buf_text(&text, "::");
            i += best_len - 1;
            continue;
        }
        buf_printf(&text, "%s%x", i && i != best + best_len ? ":" : "",
                p[2 * i] << 8 | p[2 * i + 1]);
    }
    json_str(j, key, buf_str(&text));
    buf_release(&text);
}

static void sid_json(struct json *j, const char *key, const struct etw_value *v)
{
    struct buf text = { 0 };

    if (!v->len)
        return;
    buf_printf(&text, "S-%u-%u", v->p[0], v->p[7]);
    for (size_t i = 0; i < v->p[1]; i++)
        buf_printf(&text, "-%" PRIu32, get_u32(v->p + SID_HEAD + 4 * i));
    json_str(j, key, buf_str(&text));
    buf_release(&text);
}

static void addresses_json(struct json *j, const char *key,
        const struct etw_value *v, size_t pointer_bytes)
{
    json_array(j, key);
    for (size_t at = 0; at + pointer_bytes <= v->len; at += pointer_bytes)
        etw_hex_json(j, NULL,
                pointer_bytes == 4 ? get_u32(v->p + at) : get_u64(v->p + at));
    json_end(j);
}

static void text_json(struct json *j, const char *key,
        const struct etw_value *v)
{
    struct buf text = { 0 };

    etw_value_text(&text, v);
    json_str(j, key, buf_str(&text));
    buf_release(&text);
}

static void value_json(struct json *j, const struct etw_decoded *d,
        const struct etw_value *v)
{
    const char *key = v->field->name;
    char guid[GUID_TEXT_LEN + 1];

    switch ((enum etw_type)v->field->type) {
    case ETW_U8:
    case ETW_U16:
    case ETW_U32:
    case ETW_U64:
    case ETW_SIZE:
    case ETW_PORT: json_u64(j, key, v->number); break;
    case ETW_I8:
    case ETW_I32: json_int(j, key, (int64_t)v->number); break;
    case ETW_HEX32:
    case ETW_HEX64:
    case ETW_POINTER: etw_hex_json(j, key, v->number); break;
    case ETW_IPV4: ipv4_json(j, key, v->p); break;
    case ETW_IPV6: ipv6_json(j, key, v->p); break;
    case ETW_FILETIME: etw_filetime_json(j, key, v->number); break;
    case ETW_GUID:
        guid_text(guid, v->p);
        json_text(j, key, guid);
        break;
    case ETW_ANSI:
    case ETW_TEXT16:
    case ETW_TEXT16_FIX: text_json(j, key, v); break;
    case ETW_SID: sid_json(j, key, v); break;
    case ETW_ADDRESSES: addresses_json(j, key, v, d->pointer_bytes); break;
    case ETW_PAD: break;
    }
}

void etw_decoded_json(struct json *j, const struct etw_decoded *d)
{
    for (size_t i = 0; i < d->count; i++)
        value_json(j, d, &d->values[i]);
}
