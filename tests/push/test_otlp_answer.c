/* test_otlp_answer.c -- what receivers say, and what they should not. */
#include "push/otlp_answer.h"

#include "base/compiler.h"
#include "base/pb.h"
#include "test.h"

#include <string.h>

static uint64_t refused(const char *text, size_t len, struct error *why)
{
    *why = (struct error){ 0 };
    return otlp_answer_refused((struct str){ text, len }, why);
}

static void protobuf(int64_t rejected, const char *message, uint64_t want)
{
    struct buf b = { 0 };
    struct error why;
    size_t partial = pb_begin(&b, 1);

    if (rejected)
        pb_i64(&b, 1, rejected);
    if (message)
        pb_text(&b, 2, message);
    pb_end(&b, partial);
    CHECK_INT(refused(b.p, b.len, &why), want);
    CHECK(message ? strstr(why.text, message) != NULL : !want == !*why.text);
    /* Cut short, it is no answer: all was taken, as its status says. */
    for (size_t len = 0; len < b.len; len++)
        CHECK_INT(refused(b.p, len, &why), 0);
    buf_release(&b);
}

static void json(const char *text, uint64_t want, const char *message)
{
    struct error why;

    CHECK_INT(refused(text, strlen(text), &why), want);
    CHECK(message ? strstr(why.text, message) != NULL : !want == !*why.text);
}

int main(void)
{
    static const char *const noise[] = { "<html>no</html>", "{", "[1,2]",
        "{\"partialSuccess\":3}", "{\"partialSuccess\":{\"rejectedSpans\":-1}}",
        "{\"partialSuccess\":{\"rejectedSpans\":\"x\"}}", "\xff\xff\xff\xff" };
    struct error why;

    protobuf(0, NULL, 0);
    protobuf(7, NULL, 7);
    protobuf(7, "too old", 7);
    protobuf(0, "only a warning", 0);
    protobuf(-1, NULL, 0);
    json("{}", 0, NULL);
    json("{\"partialSuccess\":{}}", 0, NULL);
    json("{\"partialSuccess\":{\"rejectedDataPoints\":\"12\"}}", 12, NULL);
    json("{\"partialSuccess\":{\"rejectedSpans\":3,"
         "\"errorMessage\":\"no \\\"room\\\"\"}}",
            3, "no \"room\"");
    for (size_t i = 0; i < LEN(noise); i++)
        CHECK_INT(refused(noise[i], strlen(noise[i]), &why), 0);
    CHECK_INT(refused(NULL, 0, &why), 0);
    return test_result();
}
