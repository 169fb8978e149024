/* otlp_json.c -- messages of opentelemetry-proto 1.9, field by field, and how
 * each is written in JSON: names in lowerCamelCase, 64 bits as text, ids of
 * traces and spans in hexadecimal. */
#include "export/otlp/otlp_json.h"

#include "base/json.h"
#include "base/pb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define DEPTH_MAX 16 /* our deepest is 8 */

enum as {
    AS_MESSAGE,
    AS_TEXT,
    AS_HEX,
    AS_NUMBER, /* 32 bits, enums */
    AS_BOOL,
    AS_U64, /* a text, like the next */
    AS_I64,
    AS_DOUBLE,
    AS_U64S, /* packed: an array */
    AS_DOUBLES,
};

struct field {
    uint32_t number;
    enum as as;
    bool repeated;
    const char *name;
    const struct field *message; /* of AS_MESSAGE; ends with number 0 */
};

static const struct field any_value[] = {
    { 1, AS_TEXT, false, "stringValue", NULL },
    { 2, AS_BOOL, false, "boolValue", NULL },
    { 3, AS_I64, false, "intValue", NULL },
    { 4, AS_DOUBLE, false, "doubleValue", NULL },
    { 0 },
};
static const struct field key_value[] = {
    { 1, AS_TEXT, false, "key", NULL },
    { 2, AS_MESSAGE, false, "value", any_value },
    { 0 },
};
static const struct field resource[] = {
    { 1, AS_MESSAGE, true, "attributes", key_value },
    { 0 },
};
static const struct field scope[] = {
    { 1, AS_TEXT, false, "name", NULL },
    { 2, AS_TEXT, false, "version", NULL },
    { 0 },
};

/* --- metrics --- */

static const struct field number_point[] = {
    { 7, AS_MESSAGE, true, "attributes", key_value },
    { 2, AS_U64, false, "startTimeUnixNano", NULL },
    { 3, AS_U64, false, "timeUnixNano", NULL },
    { 4, AS_DOUBLE, false, "asDouble", NULL },
    { 0 },
};
static const struct field histogram_point[] = {
    { 9, AS_MESSAGE, true, "attributes", key_value },
    { 2, AS_U64, false, "startTimeUnixNano", NULL },
    { 3, AS_U64, false, "timeUnixNano", NULL },
    { 4, AS_U64, false, "count", NULL },
    { 5, AS_DOUBLE, false, "sum", NULL },
    { 6, AS_U64S, false, "bucketCounts", NULL },
    { 7, AS_DOUBLES, false, "explicitBounds", NULL },
    { 11, AS_DOUBLE, false, "min", NULL },
    { 12, AS_DOUBLE, false, "max", NULL },
    { 0 },
};
static const struct field gauge[] = {
    { 1, AS_MESSAGE, true, "dataPoints", number_point },
    { 0 },
};
static const struct field sum[] = {
    { 1, AS_MESSAGE, true, "dataPoints", number_point },
    { 2, AS_NUMBER, false, "aggregationTemporality", NULL },
    { 3, AS_BOOL, false, "isMonotonic", NULL },
    { 0 },
};
static const struct field histogram[] = {
    { 1, AS_MESSAGE, true, "dataPoints", histogram_point },
    { 2, AS_NUMBER, false, "aggregationTemporality", NULL },
    { 0 },
};
static const struct field metric[] = {
    { 1, AS_TEXT, false, "name", NULL },
    { 2, AS_TEXT, false, "description", NULL },
    { 3, AS_TEXT, false, "unit", NULL },
    { 5, AS_MESSAGE, false, "gauge", gauge },
    { 7, AS_MESSAGE, false, "sum", sum },
    { 9, AS_MESSAGE, false, "histogram", histogram },
    { 0 },
};
static const struct field scope_metrics[] = {
    { 1, AS_MESSAGE, false, "scope", scope },
    { 2, AS_MESSAGE, true, "metrics", metric },
    { 0 },
};
static const struct field resource_metrics[] = {
    { 1, AS_MESSAGE, false, "resource", resource },
    { 2, AS_MESSAGE, true, "scopeMetrics", scope_metrics },
    { 0 },
};
static const struct field metrics_request[] = {
    { 1, AS_MESSAGE, true, "resourceMetrics", resource_metrics },
    { 0 },
};

/* --- traces --- */

static const struct field span_event[] = {
    { 1, AS_U64, false, "timeUnixNano", NULL },
    { 2, AS_TEXT, false, "name", NULL },
    { 3, AS_MESSAGE, true, "attributes", key_value },
    { 0 },
};
static const struct field status[] = {
    { 2, AS_TEXT, false, "message", NULL },
    { 3, AS_NUMBER, false, "code", NULL },
    { 0 },
};
static const struct field span[] = {
    { 1, AS_HEX, false, "traceId", NULL },
    { 2, AS_HEX, false, "spanId", NULL },
    { 4, AS_HEX, false, "parentSpanId", NULL },
    { 5, AS_TEXT, false, "name", NULL },
    { 6, AS_NUMBER, false, "kind", NULL },
    { 7, AS_U64, false, "startTimeUnixNano", NULL },
    { 8, AS_U64, false, "endTimeUnixNano", NULL },
    { 9, AS_MESSAGE, true, "attributes", key_value },
    { 11, AS_MESSAGE, true, "events", span_event },
    { 15, AS_MESSAGE, false, "status", status },
    { 0 },
};
static const struct field scope_spans[] = {
    { 1, AS_MESSAGE, false, "scope", scope },
    { 2, AS_MESSAGE, true, "spans", span },
    { 0 },
};
static const struct field resource_spans[] = {
    { 1, AS_MESSAGE, false, "resource", resource },
    { 2, AS_MESSAGE, true, "scopeSpans", scope_spans },
    { 0 },
};
static const struct field traces_request[] = {
    { 1, AS_MESSAGE, true, "resourceSpans", resource_spans },
    { 0 },
};

/* --- from one to the other ------------------------------------------------ */

static int message(struct json *j, const char *key, const struct field *fields,
        struct str bytes);

static void hex(struct json *j, const char *key, struct str bytes)
{
    static const char digits[] = "0123456789abcdef";
    char text[33];
    size_t n = 0;

    for (size_t i = 0; i < bytes.len && n + 2 < sizeof(text); i++) {
        text[n++] = digits[(unsigned char)bytes.p[i] >> 4];
        text[n++] = digits[(unsigned char)bytes.p[i] & 15];
    }
    json_str(j, key, (struct str){ text, n });
}

static void u64(struct json *j, const char *key, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    json_text(j, key, text);
}

static void i64(struct json *j, const char *key, int64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    json_text(j, key, text);
}

static int numbers(struct json *j, const struct field *f, struct str bytes)
{
    uint64_t bits;
    int rc;

    json_array(j, f->name);
    while ((rc = pb_next_fixed64(&bits, &bytes)) > 0) {
        if (f->as == AS_U64S)
            u64(j, NULL, bits);
        else
            json_real(j, NULL, pb_as_double(bits));
    }
    json_end(j);
    return rc;
}

static int value(struct json *j, const struct field *f,
        const struct pb_field *in)
{
    const char *key = f->repeated ? NULL : f->name;
    bool bytes = f->as == AS_MESSAGE || f->as == AS_TEXT || f->as == AS_HEX ||
                 f->as == AS_U64S || f->as == AS_DOUBLES;

    if (bytes != (in->wire == PB_WIRE_BYTES))
        return -EINVAL;
    switch (f->as) {
    case AS_MESSAGE: return message(j, key, f->message, in->bytes);
    case AS_TEXT: json_str(j, key, in->bytes); break;
    case AS_HEX: hex(j, key, in->bytes); break;
    case AS_NUMBER: json_u64(j, key, in->value); break;
    case AS_BOOL: json_bool(j, key, in->value != 0); break;
    case AS_U64: u64(j, key, in->value); break;
    case AS_I64: i64(j, key, (int64_t)in->value); break;
    case AS_DOUBLE: json_real(j, key, pb_as_double(in->value)); break;
    case AS_U64S:
    case AS_DOUBLES: return numbers(j, f, in->bytes);
    }
    return 0;
}

static const struct field *find(const struct field *fields, uint32_t number)
{
    while (fields->number && fields->number != number)
        fields++;
    return fields->number ? fields : NULL;
}

/* Those of a repeated field lie together, as we write them. */
static int members(struct json *j, const struct field *fields, struct str bytes)
{
    const struct field *open = NULL;
    struct pb_field in;
    int rc;

    while ((rc = pb_next(&in, &bytes)) > 0) {
        const struct field *f = find(fields, in.number);

        if (open && open != f) {
            json_end(j);
            open = NULL;
        }
        if (f && f->repeated && !open) {
            json_array(j, f->name);
            open = f;
        }
        if (f && (rc = value(j, f, &in)) < 0)
            return rc;
    }
    if (open)
        json_end(j);
    return rc;
}

static int message(struct json *j, const char *key, const struct field *fields,
        struct str bytes)
{
    if (j->depth > DEPTH_MAX)
        return -EINVAL;
    json_object(j, key);

    int rc = members(j, fields, bytes);

    if (!rc)
        json_end(j);
    return rc;
}

int otlp_json(struct buf *out, enum otlp_request kind, struct str request)
{
    struct json j = json_line_into(out);

    return message(&j, NULL,
            kind == OTLP_METRICS ? metrics_request : traces_request, request);
}
