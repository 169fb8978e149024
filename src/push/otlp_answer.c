/* otlp_answer.c -- Export*ServiceResponse { 1 partial_success { 1 rejected,
 * 2 error_message } }; in JSON { "partialSuccess": { "rejectedSpans": "3",
 * "errorMessage": "..." } }. */
#include "push/otlp_answer.h"

#include "base/json_read.h"
#include "base/pb.h"
#include "base/utf8.h"

#include <errno.h>

struct partial {
    uint64_t rejected;
    struct buf message;
};

static int from_protobuf(struct partial *out, struct str bytes)
{
    struct str inside = { 0 };
    struct pb_field f;
    int rc;

    while ((rc = pb_next(&f, &bytes)) > 0)
        if (f.number == 1 && f.wire == PB_WIRE_BYTES)
            inside = f.bytes;
    while (!rc && (rc = pb_next(&f, &inside)) > 0) {
        if (f.number == 1 && f.wire == PB_WIRE_VARINT)
            out->rejected = f.value <= INT64_MAX ? f.value : 0;
        if (f.number == 2 && f.wire == PB_WIRE_BYTES) {
            buf_clear(&out->message);
            utf8_add(&out->message, f.bytes);
        }
        rc = 0;
    }
    return rc;
}

/* 64 bits are a text in OTLP's JSON, or a number with some. */
static void take_number(uint64_t *out, struct str value)
{
    struct buf text = { 0 };

    if (json_kind(value) == '"')
        (void)json_read_text(&text, value);
    else
        buf_add(&text, value.p, value.len);
    (void)str_u64(out, buf_str(&text));
    buf_release(&text);
}

static int from_json(struct partial *out, struct str text)
{
    struct str key, value, inside = { "{}", 2 };
    int rc;

    while ((rc = json_next_member(&text, &key, &value)) > 0)
        if (str_is(key, "partialSuccess"))
            inside = value;
    while (!rc && (rc = json_next_member(&inside, &key, &value)) > 0) {
        if (str_is(key, "rejectedDataPoints") || str_is(key, "rejectedSpans"))
            take_number(&out->rejected, value);
        else if (str_is(key, "errorMessage"))
            (void)json_read_text(&out->message, value);
        rc = 0;
    }
    return rc;
}

uint64_t otlp_answer_refused(struct str answer, struct error *why)
{
    struct partial p = { 0 };
    struct str text = str_trim(answer);
    int rc = text.len && text.p[0] == '{' ? from_json(&p, text)
                                          : from_protobuf(&p, answer);
    uint64_t rejected = rc ? 0 : p.rejected;

    if (!rc && p.message.len)
        (void)fail(why, -EIO, "it says: %.200s", buf_cstr(&p.message));
    else if (rejected)
        (void)fail(why, -EIO, "it refused a part and did not say why");
    buf_release(&p.message);
    return rejected;
}
