#include "import/qnn_csv.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define HEADING                                                           \
    "Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event " \
    "Level,Event Identifier\n"
#define SPACED_HEADING                                                   \
    "Msg Timestamp, Message, Time, Unit of Measurement, Timing Source, " \
    "Event Level, Event Identifier\n"

/* Each row as "message|identifier|depth|unit|value|timestamp;". */
static void take(void *to, const struct qnn_row *r)
{
    struct buf *b = to;

    buf_add(b, r->message.p, r->message.len);
    buf_char(b, '|');
    buf_add(b, r->identifier.p, r->identifier.len);
    buf_printf(b, "|%u|%d|", r->depth, (int)r->unit);
    if (r->has_value)
        buf_printf(b, "%" PRIu64, r->value);
    buf_char(b, '|');
    if (r->has_timestamp)
        buf_printf(b, "%" PRIu64, r->timestamp_us);
    buf_char(b, ';');
}

static struct qnn_csv_tally read_text(struct buf *out, struct str text,
        size_t piece)
{
    struct qnn_csv *q = qnn_csv_new(take, out);
    char *copy = alloc_zero(text.len, 1);

    memcpy(copy, text.p, text.len);
    for (size_t at = 0; at < text.len; at += piece)
        qnn_csv_feed(q, copy + at,
                piece < text.len - at ? piece : text.len - at);

    struct qnn_csv_tally tally = *qnn_csv_end(q);

    qnn_csv_free(q);
    free(copy);
    return tally;
}

static const struct {
    const char *text;
    const char *rows;
    uint64_t broken, cut;
} cases[] = {
    /* as ONNX Runtime writes it */
    { HEADING "UNKNOWN,EXECUTE,3100,US,BACKEND,ROOT,NULL\n"
              "77,BACKEND,2800,US,BACKEND,SUB-EVENT,Accelerator (execute) "
              "time\n"
              "UNKNOWN,NODE,6000,CYCLES,BACKEND,SUB-EVENT,MatMul_0\n",
            "EXECUTE||0|1|3100|;BACKEND|Accelerator (execute) time|1|1|2800|77;"
            "NODE|MatMul_0|1|2|6000|;",
            0, 0 },
    /* as the viewer does */
    { "input log file location, ./x.log\nBackend version, "
      "v2.47\n" SPACED_HEADING
      "5,EXECUTE,\"HVX, DMA\",CYCLES,BACKEND,SUB-SUB-EVENT,"
      "Resources\n"
      "5,EXECUTE,\"\",CYCLES,BACKEND,SUB-SUB-SUB-EVENT,a:OpId_17 \n"
      "5,EXECUTE,6,COUNT,BACKEND,ROOT,Number of HVX threads used\n"
      "0,INIT,0,BYTES,NETRUN,ROOT,null\r\n\r\n",
            "EXECUTE|Resources|2|2||5;EXECUTE|a:OpId_17|3|2||5;"
            "EXECUTE|Number of HVX threads used|0|3|6|5;INIT||0|4|0|0;",
            0, 0 },
    /* more fields; no heading; heading again; what is no row */
    { HEADING "0,BACKEND,9,OBJECT,BACKEND,ROOT,\"a, b\",Conv\n" HEADING,
            "BACKEND|a, b|0|0|9|0;", 0, 0 },
    { "0,EXECUTE,9,US,BACKEND,ROOT,a\n", "", 0, 0 },
    { HEADING "0,EXECUTE,9,US,BACKEND,ROOT\n0,EXECUTE,9,US,BACKEND,TOP,a\n"
              "0,EXECUTE,\"9,US,BACKEND,ROOT,a\n,,,,,,\n0,,9,US,B,ROOT,a\n",
            "", 5, 0 },
    { HEADING "0,EXECUTE,-9,US,BACKEND,ROOT,a\n", "EXECUTE|a|0|1||0;", 0, 0 },
    /* cut */
    { HEADING "0,EXECUTE,9,US,BACKEND,ROOT,a\n0,EXECUTE,9,US,BACKEND,ROOT,a",
            "EXECUTE|a|0|1|9|0;", 0, 29 },
    { HEADING, "", 0, 0 },
    { "", "", 0, 0 },
};

static void texts(void)
{
    for (size_t i = 0; i < LEN(cases); i++)
        for (size_t piece = 1; piece < 5000; piece *= 17) {
            struct buf rows = { 0 };
            struct qnn_csv_tally t =
                    read_text(&rows, str_of(cases[i].text), piece);
            bool same = strcmp(buf_cstr(&rows), cases[i].rows) == 0;

            CHECK(same);
            if (!same)
                (void)fprintf(stderr, "%zu: %s\n", i, buf_cstr(&rows));
            CHECK_INT(t.broken, cases[i].broken);
            CHECK_INT(t.cut_bytes, cases[i].cut);
            CHECK_INT(t.bytes, strlen(cases[i].text));
            buf_release(&rows);
        }
}

/* A line longer than we keep, and what follows it. */
static void long_line(void)
{
    struct buf text = { 0 }, rows = { 0 };

    buf_text(&text, HEADING "0,EXECUTE,9,US,BACKEND,ROOT,");
    for (size_t i = 0; i < QNN_CSV_LINE_MAX; i++)
        buf_char(&text, 'x');
    buf_text(&text, "\n0,EXECUTE,9,US,BACKEND,ROOT,a\n");

    struct qnn_csv_tally t = read_text(&rows, buf_str(&text), 1000);

    CHECK_INT(t.rows, 1);
    CHECK_INT(t.broken, 1);
    CHECK_INT(t.cut_bytes, 0);
    buf_release(&text);
    buf_release(&rows);
}

static void operators(void)
{
    static const struct {
        const char *message, *identifier;
        uint32_t depth;
        const char *name; /* NULL: it is none */
        int64_t id;       /* -1: it has none */
    } names[] = {
        { "EXECUTE", "model.embed:OpId_17 (cycles)", 1, "model.embed", 17 },
        { "EXECUTE", "Input OpId_2 (cycles)", 1, "Input", 2 },
        { "EXECUTE", "OpId_32 (cycles)", 1, "OpId_32", 32 },
        { "EXECUTE", "Accelerator (execute) time", 1, NULL, 0 },
        { "EXECUTE", "OpId_x", 1, NULL, 0 },
        { "EXECUTE", "OpId_99999999999", 1, NULL, 0 },
        { "EXECUTE", "model.embed:OpId_17", 3, NULL, 0 },
        { "EXECUTE", "", 1, NULL, 0 },
        { "NODE", "MatMul_0", 1, "MatMul_0", -1 },
        { "NODE", "Conv_token_1_2:OpId_7 (cycles)", 1, "Conv_token_1_2", 7 },
        { "NODE", "OpId_x", 1, "OpId_x", -1 },
    };

    for (size_t i = 0; i < LEN(names); i++) {
        struct qnn_row r = {
            .message = str_of(names[i].message),
            .identifier = str_of(names[i].identifier),
            .depth = names[i].depth,
        };
        struct qnn_operator o;
        bool is = qnn_operator(&o, &r);

        CHECK_INT(is, names[i].name != NULL);
        if (is && names[i].name) {
            CHECK(str_is(o.name, names[i].name));
            CHECK_INT(o.has_id ? (int64_t)o.id : -1, names[i].id);
        }
    }
}

int main(void)
{
    texts();
    long_line();
    operators();
    return test_result();
}
