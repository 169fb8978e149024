#include "import/qnn_csv.h"

#include "base/alloc.h"
#include "base/compiler.h"

#include <stdlib.h>
#include <string.h>

enum { TIMESTAMP, MESSAGE, VALUE, UNIT, SOURCE, LEVEL, IDENTIFIER, FIELDS };

struct qnn_csv {
    void (*each)(void *context, const struct qnn_row *r);
    void *context;
    char line[QNN_CSV_LINE_MAX];
    size_t len;
    bool too_long; /* the line, so far */
    struct qnn_csv_tally tally;
};

struct qnn_csv *qnn_csv_new(
        void (*each)(void *context, const struct qnn_row *r), void *context)
{
    struct qnn_csv *q = alloc_zero(1, sizeof(*q));

    q->each = each;
    q->context = context;
    return q;
}

void qnn_csv_free(struct qnn_csv *q)
{
    free(q);
}

/* --- a line --------------------------------------------------------------- */

/* Takes a field off the line.  Quotes around it go; a doubled quote within
 * them is left double, which no field of QNN's needs. */
static bool take_field(struct str *out, struct str *rest, bool *last)
{
    struct str s = *rest;

    if (*last)
        return false;
    while (s.len && (*s.p == ' ' || *s.p == '\t'))
        s = (struct str){ s.p + 1, s.len - 1 };
    if (s.len && *s.p == '"') {
        const char *quote = memchr(s.p + 1, '"', s.len - 1);

        if (!quote)
            return false;
        *out = (struct str){ s.p + 1, (size_t)(quote - s.p) - 1 };
        s.len -= (size_t)(quote + 1 - s.p);
        s.p = quote + 1;
        *last = !memchr(s.p, ',', s.len);
        *rest = str_after(s, ',');
        return true;
    }
    *out = str_trim(str_before(s, ','));
    *last = !memchr(s.p, ',', s.len);
    *rest = str_after(s, ',');
    return true;
}

static size_t split(struct str field[FIELDS], struct str line)
{
    size_t count = 0;
    bool last = false;

    while (count < FIELDS && take_field(&field[count], &line, &last))
        count++;
    return count;
}

bool qnn_csv_is_heading(struct str line)
{
    static const char *const names[FIELDS] = { "Msg Timestamp", "Message",
        "Time", "Unit of Measurement", "Timing Source", "Event Level",
        "Event Identifier" };
    struct str field[FIELDS];

    if (split(field, line) < FIELDS)
        return false;
    for (size_t i = 0; i < FIELDS; i++)
        if (!str_is(field[i], names[i]))
            return false;
    return true;
}

static enum qnn_unit unit_of(struct str name)
{
    static const char *const names[] = {
        [QNN_UNIT_US] = "US",
        [QNN_UNIT_CYCLES] = "CYCLES",
        [QNN_UNIT_COUNT] = "COUNT",
        [QNN_UNIT_BYTES] = "BYTES",
    };

    for (size_t i = 1; i < LEN(names); i++)
        if (str_is(name, names[i]))
            return (enum qnn_unit)i;
    return QNN_UNIT_OTHER;
}

/* ROOT, or SUB- so many times and EVENT. */
static bool depth_of(uint32_t *out, struct str level)
{
    static const char sub[] = "SUB-";

    *out = 0;
    if (str_is(level, "ROOT"))
        return true;
    while (str_starts(level, sub)) {
        level.p += strlen(sub);
        level.len -= strlen(sub);
        ++*out;
    }
    return *out && str_is(level, "EVENT");
}

static bool parse(struct qnn_row *out, struct str line)
{
    struct str field[FIELDS];

    if (split(field, line) < FIELDS)
        return false;
    *out = (struct qnn_row){
        .message = field[MESSAGE],
        .source = field[SOURCE],
        .identifier = str_trim(field[IDENTIFIER]),
        .unit = unit_of(field[UNIT]),
    };
    if (!out->message.len || !depth_of(&out->depth, field[LEVEL]))
        return false;
    /* What is not told is written so, or as "UNKNOWN". */
    if (str_is(out->identifier, "null") || str_is(out->identifier, "NULL"))
        out->identifier.len = 0;
    out->has_timestamp = !str_u64(&out->timestamp_us, field[TIMESTAMP]);
    out->has_value = !str_u64(&out->value, field[VALUE]);
    return true;
}

/* --- the stream ----------------------------------------------------------- */

static void take_line(struct qnn_csv *q)
{
    struct str line = str_trim((struct str){ q->line, q->len });
    struct qnn_row row;

    q->len = 0;
    if (q->too_long) {
        q->too_long = false;
        q->tally.broken += q->tally.heading;
        return;
    }
    if (!line.len)
        return;
    if (qnn_csv_is_heading(line)) { /* again, where files were put together */
        q->tally.heading = true;
        return;
    }
    if (!q->tally.heading)
        return;
    if (!parse(&row, line)) {
        q->tally.broken++;
        return;
    }
    q->tally.rows++;
    q->each(q->context, &row);
}

static void add(struct qnn_csv *q, const char *bytes, size_t len)
{
    if (len > sizeof(q->line) - q->len) {
        q->too_long = true;
        return;
    }
    memcpy(q->line + q->len, bytes, len);
    q->len += len;
}

void qnn_csv_feed(struct qnn_csv *q, const void *bytes, size_t len)
{
    const char *at = bytes, *end = at + len;

    q->tally.bytes += len;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));

        add(q, at, (size_t)((newline ? newline : end) - at));
        if (!newline) {
            q->tally.cut_bytes += (size_t)(end - at);
            return;
        }
        take_line(q);
        q->tally.cut_bytes = 0;
        at = newline + 1;
    }
}

const struct qnn_csv_tally *qnn_csv_end(struct qnn_csv *q)
{
    return &q->tally;
}

/* --- operators ------------------------------------------------------------ */

/* "name:OpId_17 (cycles)", "Input OpId_2 (cycles)", "OpId_32"; or, in the
 * messages about nodes, any name. */
bool qnn_operator(struct qnn_operator *out, const struct qnn_row *r)
{
    static const char cycles[] = " (cycles)", id[] = "OpId_";
    struct str name = r->identifier;

    if (r->depth != 1 || !name.len)
        return false;
    if (name.len > strlen(cycles) &&
            !memcmp(name.p + name.len - strlen(cycles), cycles, strlen(cycles)))
        name.len -= strlen(cycles);

    const char *at = str_find(name, id);
    uint64_t number = 0;

    if (!at && !str_is(r->message, "NODE"))
        return false;
    *out = (struct qnn_operator){ .name = name };
    if (!at)
        return true;

    struct str before = { name.p, (size_t)(at - name.p) };
    struct str digits = { at + strlen(id), name.len - before.len - strlen(id) };

    if (str_u64(&number, digits) || number > UINT32_MAX)
        return str_is(r->message, "NODE");
    out->has_id = true;
    out->id = (uint32_t)number;
    while (before.len && (before.p[before.len - 1] == ':' ||
                                 before.p[before.len - 1] == ' '))
        before.len--;
    if (before.len)
        out->name = before;
    return true;
}
