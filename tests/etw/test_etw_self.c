/* Events that describe themselves: all types, arrays, structs, and what does
 * not fit. */
#include "base/json.h"
#include "etw/bytes.h"
#include "etw/event.h"
#include "etw/live/self.h"
#include "made_trace.h"
#include "test.h"

static const struct etw_provider own = { &etw_own_provider, "Somebody" };

/* The event's fields as JSON, through writer and reader. */
static const char *written(struct etw_draft *d)
{
    static struct buf text;
    struct buf file = { 0 };
    struct etw_writer *w = made_writer(&file, 1);
    const struct etw_stamp s = { 0, 1, 2, 3 };

    etw_draft_write(w, &s, &own, d, 4, 0, 0);
    (void)etw_writer_end(w);

    struct etw_trace *t = made_open(&file, file.len);
    const struct etw_record *r;
    struct etw_self self;

    buf_clear(&text);
    while (t && (r = etw_trace_next(t)))
        if (etw_self_parse(&self, r)) {
            struct json j = json_line_into(&text);

            CHECK(strcmp(etw_self_provider(r), "Somebody") == 0);
            json_object(&j, NULL);
            (void)etw_self_json(&j, &self, r);
            json_end(&j);
        }
    etw_trace_close(t);
    buf_release(&file);
    return buf_cstr(&text);
}

static void check(struct etw_draft *d, const char *want)
{
    const char *got = written(d);

    if (strcmp(got, want) != 0) {
        (void)fprintf(stderr, "got  %s\nwant %s\n", got, want);
        CHECK(0);
    }
}

static void field(struct etw_draft *d, const char *name, const void *type,
        size_t type_len, const void *data, size_t len)
{
    buf_add(&d->schema, name, strlen(name) + 1);
    buf_add(&d->schema, type, type_len);
    buf_add(&d->data, data, len);
}

static void values(void)
{
    struct etw_draft d = { 0 };

    etw_draft_begin(&d, "Values");
    etw_draft_u8(&d, "u8", 200);
    etw_draft_u32(&d, "u32", 4000000000);
    etw_draft_u64(&d, "u64", UINT64_MAX);
    etw_draft_i64(&d, "i64", -5);
    etw_draft_bool(&d, "bool", true);
    etw_draft_real(&d, "real", 0.25);
    etw_draft_text(&d, "text", "caf\xc3\xa9 \xff");
    field(&d, "i8", "\x03", 1, "\xff", 1);
    field(&d, "i16", "\x05", 1, "\xfe\xff", 2);
    field(&d, "i32", "\x07", 1, "\xfd\xff\xff\xff", 4);
    field(&d, "hex", "\x14", 1, "\x2a\0\0\0", 4);
    field(&d, "boolean", "\x84\x03", 2, "\x01", 1);
    field(&d, "wide", "\x01", 1, "h\0i\0\0\0", 6);
    field(&d, "counted", "\x16", 1, "\x04\0o\0k\0", 6);
    field(&d, "binary", "\x0e", 1, "\x02\0\x12\x34", 4);
    field(&d, "float", "\x0b", 1, "\0\0\xc0\x3f", 4);
    check(&d, "{\"u8\":200,\"u32\":4000000000,\"u64\":18446744073709551615,"
              "\"i64\":-5,\"bool\":true,\"real\":0.25,"
              "\"text\":\"caf\xc3\xa9 \xef\xbf\xbd\",\"i8\":-1,\"i16\":-2,"
              "\"i32\":-3,\"hex\":\"0x0000002a\",\"boolean\":true,"
              "\"wide\":\"hi\",\"counted\":\"ok\",\"binary\":\"1234\","
              "\"float\":1.5}");
    etw_draft_release(&d);
}

static void nested(void)
{
    struct etw_draft d = { 0 };

    etw_draft_begin(&d, "Nested");
    field(&d, "constant", "\x24\x03\0", 3, "\x01\x02\x03", 3);
    field(&d, "variable", "\x46", 1, "\x02\0\x0a\0\x0b\0", 6);
    field(&d, "struct", "\x98\x02", 2, "", 0);
    field(&d, "a", "\x04", 1, "\x07", 1);
    field(&d, "b", "\x02", 1, "x\0", 2);
    field(&d, "structs", "\xd8\x01", 2, "\x02\0", 2);
    field(&d, "c", "\x04", 1, "\x08\x09", 2);
    field(&d, "none", "\xd8\x01", 2, "\0\0", 2);
    field(&d, "d", "\x04", 1, "", 0);
    field(&d, "last", "\x84\x80\x05", 3, "\x05", 1); /* with tags */
    check(&d, "{\"constant\":[1,2,3],\"variable\":[10,11],"
              "\"struct\":{\"a\":7,\"b\":\"x\"},"
              "\"structs\":[{\"c\":8},{\"c\":9}],\"none\":[],\"last\":5}");
    etw_draft_release(&d);
}

/* What is whole is reported, and the JSON stays sound. */
static void damaged(void)
{
    struct etw_draft d = { 0 };

    etw_draft_begin(&d, "Damaged");
    etw_draft_u8(&d, "good", 1);
    field(&d, "array", "\x46", 1, "\x05\0\x0a\0", 4); /* 5 promised, 1 there */
    check(&d, "{\"good\":1,\"array\":[10]}");
    etw_draft_begin(&d, "Unknown");
    etw_draft_u8(&d, "good", 1);
    field(&d, "strange", "\x1f", 1, "\x05", 1);
    check(&d, "{\"good\":1}");
    etw_draft_begin(&d, "Deep");
    for (int i = 0; i < 20; i++)
        field(&d, "s", "\x98\x01", 2, "", 0);
    CHECK(written(&d)[0] == '{');
    etw_draft_begin(&d, "Many"); /* empty structs, 65535 times 65535 */
    field(&d, "s", "\xf8\x01\xff\xff", 4, "", 0);
    CHECK(written(&d)[0] == '{');
    etw_draft_release(&d);
}

int main(void)
{
    values();
    nested();
    damaged();
    return test_result();
}
