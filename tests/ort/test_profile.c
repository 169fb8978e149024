#include "ort/profile.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define HEAD(cat, dur, ts)                                       \
    "{\"cat\" : \"" cat "\",\"pid\" :7,\"tid\" :8,\"dur\" :" dur \
    ",\"ts\" :" ts ",\"ph\" : \"X\",\"name\" :\""
#define NODE(name, more) \
    HEAD("Node", "5", "100") name "_kernel_time\",\"args\" : {" more "}}"
#define CONV NODE("c", "\"op_name\" : \"Conv\"")
#define RUN  HEAD("Session", "9", "98") "model_run\",\"args\" : {}}"

/* --- reading texts -------------------------------------------------------- */

struct seen {
    struct profile_event last; /* its texts are gone */
    uint64_t events;
    struct buf names; /* of nodes, a '|' behind each */
    struct buf op_types;
};

static void take(void *to, const struct profile_event *e)
{
    struct seen *s = to;
    struct str name = profile_node_name(e);

    s->last = *e;
    s->events++;
    buf_add(&s->names, name.p, name.len);
    buf_char(&s->names, '|');
    buf_add(&s->op_types, e->op_name.p, e->op_name.len);
    buf_char(&s->op_types, '|');
}

/* The text lies at the heap's end, for ASan's sake, and is fed by `piece`. */
static struct profile_tally read_text(struct seen *s, struct str text,
        size_t piece)
{
    struct profile *p = profile_new(take, s);
    char *copy = alloc_zero(text.len, 1);

    memset(s, 0, sizeof(*s));
    memcpy(copy, text.p, text.len);
    for (size_t at = 0; at < text.len; at += piece)
        profile_feed(p, copy + at,
                piece < text.len - at ? piece : text.len - at);

    struct profile_tally tally = *profile_end(p);

    profile_free(p);
    free(copy);
    return tally;
}

static void release(struct seen *s)
{
    buf_release(&s->names);
    buf_release(&s->op_types);
}

/* --- what the runtime writes, and worse ----------------------------------- */

static const struct {
    const char *text;
    const char *names;
    const char *op_types;
    uint64_t broken, skipped, cut;
    bool closed;
} cases[] = {
    { "[\n" CONV ",\n" RUN "\n]\n", "c|model_run|", "Conv||", 0, 0, 0, true },
    { "[" CONV "]", "c|", "Conv|", 0, 0, 0, true },
    { "[\r\n" CONV ",\r\n" CONV "\r\n]\r\n", "c|c|", "Conv|Conv|", 0, 0, 0,
            true },
    { "[\n]\n", "", "", 0, 0, 0, true },
    { "", "", "", 0, 0, 0, false },
    { "\xef\xbb\xbf[" CONV "]", "c|", "Conv|", 0, 0, 0, true },
    /* no args, as DirectML's are sometimes shown */
    { "[" HEAD("Node", "5", "1") "DmlFusedNode_0\"}]", "DmlFusedNode_0|", "|",
            0, 0, 0, true },
    { "[" HEAD("Node", "5", "1") "a\"b\"},\n" HEAD("Node", "5", "1") "c\"}]",
            "a\"b|c|", "||", 0, 0, 0, true },
    /* nothing is escaped */
    { "[\n" NODE("a\"b\\c\nd", "\"op_name\" : \"Co\"nv\\\"") "\n]",
            "a\"b\\c\nd|", "Co\"nv\\|", 0, 0, 0, true },
    { "[\n" NODE("\"},{\"", "\"op_name\" : \"A\"") ",\n" CONV "\n]",
            "\"},{\"|c|", "A|Conv|", 0, 0, 0, true },
    { "[\n" NODE("a\",\"b", "\"op_name\" : \"A\"") "\n]", "a\",\"b|", "A|", 0,
            0, 0, true },
    { "[\n" NODE("tab\there", "\"op_name\" : \"A\",\"x\" : \"},{\"") "\n]",
            "tab\there|", "A|", 0, 0, 0, true },
    { "[\n" NODE("", "\"op_name\" : \"A\"") "\n]", "|", "A|", 0, 0, 0, true },
    /* the beginning of an event, in the midst of one */
    { "[\n" NODE("{\"cat\" : \"x", "\"op_name\" : \"A\"") ",\n" CONV "\n]",
            "{\"cat\" : \"x|c|", "A|Conv|", 0, 0, 0, true },
    { "[\n" NODE("a", "\"x\" : {\"cat\" : \"y\"},\"op_name\" : \"A\"") "\n]",
            "a|", "A|", 0, 0, 0, true },
    /* raw values; a quote too many in one of them */
    { "[\n" NODE("a", "\"input_type_shape\" : [{\"float\":[1,2]}],"
                      "\"op_name\" : \"A\"") "\n]",
            "a|", "A|", 0, 0, 0, true },
    { "[\n" NODE("a", "\"s\" : {\"pool\": \"my\"pool\", \"n\": [1]},"
                      "\"op_name\" : \"A\"") "\n]",
            "a|", "A|", 0, 0, 0, true },
    /* not whole in the midst; words in between */
    { "[\n" HEAD("Node", "5", "1") "lost\n" CONV "\n]", "c|", "Conv|", 1,
            sizeof(HEAD("Node", "5", "1") "lost"), 0, true },
    { "[\n" CONV ",\nhm {} {\n" CONV "\n]", "c|c|", "Conv|Conv|", 0, 3, 0,
            true },
    { "[\n" CONV " oops " CONV "\n]", "c|c|", "Conv|Conv|", 0, 4, 0, true },
    /* cut */
    { "[\n" CONV ",\n" HEAD("Node", "5", "1") "lo", "c|", "Conv|", 0, 0,
            sizeof(HEAD("Node", "5", "1") "lo") - 1, false },
    { "[\n" CONV ",\n{\"ca", "c|", "Conv|", 0, 0, 4, false },
    { "[\n" CONV ",\n{", "c|", "Conv|", 0, 0, 1, false },
    { "[\n" CONV ",\n", "c|", "Conv|", 0, 0, 0, false },
    { "[\n" CONV "", "c|", "Conv|", 0, 0, 0, false },
    /* two profiles, one behind the other */
    { "[\n" CONV "\n]\n[\n" CONV "\n]\n", "c|c|", "Conv|Conv|", 0, 0, 0, true },
    /* the same as JSON: spelled by others, and escaped */
    { "[{\"cat\":\"Node\",\"dur\":5,\"ts\":1,\"ph\":\"X\",\"name\":"
      "\"a\\\"b\\\\c\\n\\u00e9\\ud83d\\ude00\\ud800_kernel_time\","
      "\"args\":{\"op_name\":\"A\"}},{\"ph\":\"M\",\"name\":\"x\"}]",
            "a\"b\\c\n\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd|", "A|", 0, 0, 0,
            true },
    { "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n  {\n    \"args\": "
      "{\n      \"op_name\": \"A\"\n    },\n    \"ts\": \"1\",\n    \"dur\": "
      "2.5,\n    \"name\": \"n\",\n    \"cat\": \"Node\"\n  }\n], \"x\": {}}",
            "n|", "A|", 0, 0, 0, true },
    { "{\"cat\":\"Node\",\"dur\":5,\"ts\":1,\"name\":\"a\n"
      "{\"cat\":\"Node\",\"dur\":5,\"ts\":1,\"name\":\"b\"}\n",
            "b|", "|", 1, 39, 0, false },
    { "[{\"cat\":\"Node\",\"dur\":5,\"ts\":1,\"name\":\"a\"},{\"cat\":\"No",
            "a|", "|", 0, 0, 10, false },
};

static void check_case(size_t i, size_t piece)
{
    struct seen s;
    struct profile_tally t = read_text(&s, str_of(cases[i].text), piece);

    CHECK(strcmp(buf_cstr(&s.names), cases[i].names) == 0);
    CHECK(strcmp(buf_cstr(&s.op_types), cases[i].op_types) == 0);
    CHECK_INT(t.broken, cases[i].broken);
    CHECK_INT(t.skipped_bytes, cases[i].skipped);
    CHECK_INT(t.cut_bytes, cases[i].cut);
    CHECK_INT(t.closed, cases[i].closed);
    CHECK_INT(t.bytes, strlen(cases[i].text));
    CHECK_INT(t.events, s.events);
    release(&s);
}

static void forms(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        int before = test_failures;

        for (size_t piece = 1; piece <= 64; piece *= 2)
            check_case(i, piece);
        if (test_failures > before)
            (void)fprintf(stderr, "case %zu: %s\n", i, cases[i].text);
    }
}

/* --- members -------------------------------------------------------------- */

static void members(void)
{
    struct seen s;

    (void)read_text(&s,
            str_of("[\n" NODE("a", "\"node_index\" : \"3\","
                                   "\"activation_size\" : "
                                   "\"16\",\"mem_in_use_delta\" : \"-256\"")),
            4096);
    CHECK_INT(s.events, 1);
    CHECK_INT(s.last.pid, 7);
    CHECK_INT(s.last.tid, 8);
    CHECK_INT(s.last.start_ns, 100000);
    CHECK_INT(s.last.duration_ns, 5000);
    CHECK_INT(s.last.node_index, 3);
    CHECK_INT(s.last.activation_size, 16);
    CHECK_INT(s.last.mem_in_use_delta, -256);
    CHECK(s.last.parameter_size == PROFILE_ABSENT);
    CHECK_INT(s.last.provider.len, 0);
    release(&s);
    (void)read_text(&s, str_of(NODE("a", "\"graph_index\" : \"15\"")), 4096);
    CHECK_INT(s.last.node_index, 15);
    release(&s);
    (void)read_text(&s,
            str_of("{\"name\":\"a\",\"ts\":-1.0005,\"dur\":1e3,"
                   "\"cat\":\"x\"}"),
            4096);
    CHECK_INT(s.last.start_ns, -1001);
    CHECK_INT(s.last.duration_ns, 1000000);
    CHECK_INT(s.last.tid, -1);
    release(&s);
}

static void kinds(void)
{
    static const struct {
        const char *category, *name;
        enum profile_kind kind;
        const char *node;
    } kind[] = {
        { "Session", "model_loading_uri", PROFILE_LOADING, NULL },
        { "Session", "model_loading_from_saved_proto", PROFILE_LOADING, NULL },
        { "Session", "session_initialization", PROFILE_INITIALIZATION, NULL },
        { "Session", "model_run", PROFILE_RUN, NULL },
        { "Session", "SequentialExecutor::Execute", PROFILE_EXECUTOR, NULL },
        { "Session", "batch", PROFILE_OTHER, NULL },
        { "Node", "c_kernel_time", PROFILE_KERNEL, "c" },
        { "Node", "c_fence_before", PROFILE_FENCE, "c" },
        { "Node", "c_fence_after", PROFILE_FENCE, "c" },
        { "Node", "c", PROFILE_KERNEL, "c" },
        { "Node", "_kernel_time", PROFILE_KERNEL, "" },
        { "Kernel", "void gemm<float>()", PROFILE_DEVICE, NULL },
        { "Api", "MatMul", PROFILE_OTHER, NULL },
    };

    for (size_t i = 0; i < LEN(kind); i++) {
        struct profile_event e = {
            .category = str_of(kind[i].category),
            .name = str_of(kind[i].name),
        };

        CHECK_INT(profile_kind(&e), kind[i].kind);
        if (kind[i].node)
            CHECK(str_is(profile_node_name(&e), kind[i].node));
    }
}

/* --- bounds --------------------------------------------------------------- */

static void repeat(struct buf *b, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_text(b, text);
}

/* Events longer than we keep, in both spellings, and one just as long. */
static void too_long(void)
{
    static const char *const beginnings[] = {
        HEAD("Node", "5", "1"),
        "{\"cat\":\"Node\",\"dur\":5,\"ts\":1,\"name\":\"",
    };

    for (size_t i = 0; i < LEN(beginnings); i++) {
        struct buf b = { 0 };
        struct seen s;

        buf_printf(&b, "[\n" CONV ",\n%s", beginnings[i]);
        repeat(&b, "0123456789abcdef", PROFILE_EVENT_MAX / 8);
        buf_text(&b, "\",\"args\" : {}},\n" CONV "\n]\n");

        struct profile_tally t = read_text(&s, buf_str(&b), 8192);

        CHECK_INT(t.events, 2);
        CHECK_INT(t.too_long, 1);
        CHECK_INT(t.cut_bytes, 0);
        CHECK(t.skipped_bytes > 2 * PROFILE_EVENT_MAX);
        CHECK(t.skipped_bytes < 2 * PROFILE_EVENT_MAX + 200);
        CHECK(t.closed);
        release(&s);
        buf_release(&b);
    }

    struct buf b = { 0 };
    struct seen s;

    buf_text(&b, "[\n" HEAD("Node", "5", "1"));
    repeat(&b, "x", PROFILE_EVENT_MAX - 1000);
    buf_text(&b, "\",\"args\" : {}},\n" CONV "\n]\n");
    CHECK_INT(read_text(&s, buf_str(&b), 1 << 20).events, 2);
    release(&s);
    buf_release(&b);
}

/* NUL bytes: in a name, and between events. */
static void nul_bytes(void)
{
    static const char text[] =
            "[\n" NODE("a\0b", "\"op_name\" : \"A\"") ",\n\0\0" CONV "\n]";
    struct seen s;
    struct profile_tally t =
            read_text(&s, (struct str){ text, sizeof(text) - 1 }, 7);

    CHECK_INT(t.events, 2);
    CHECK_INT(t.skipped_bytes, 2);
    CHECK(s.names.len == 6 && !memcmp(s.names.p, "a\0b|c|", 6));
    release(&s);
}

int main(void)
{
    forms();
    members();
    kinds();
    too_long();
    nul_bytes();
    return test_result();
}
