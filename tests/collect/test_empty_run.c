#include "collect/empty_run.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

/* What is known, and a piece of what is said of it. */
static const struct {
    struct empty_run known;
    const char *said;
} cases[] = {
    { { .kind = PROGRAM_STATIC }, "prog is statically linked" },
    { { .kind = PROGRAM_FOREIGN }, "prog is a 32-bit program" },
    { { .kind = PROGRAM_DYNAMIC, .privileged = true }, "prog is set-user-id" },
    { { .kind = PROGRAM_DYNAMIC, .unreadable = true },
            "records of another version of ortmeter" },
    { { .kind = PROGRAM_DYNAMIC }, "Neither prog nor a program that it" },
    { { .kind = PROGRAM_UNKNOWN }, "Neither prog nor a program that it" },
    { { .kind = PROGRAM_DYNAMIC, .failed = true },
            "library. It ended with an error, which may be why. Either" },
    { { .kind = PROGRAM_DYNAMIC, .refused = 1 },
            "could not leave its records" },
    /* A program that it started left these. */
    { { .kind = PROGRAM_STATIC, .refused = 1 }, "could not leave its records" },
    { { .kind = PROGRAM_FOREIGN, .unreadable = true },
            "records of another version of ortmeter" },
    { { .kind = PROGRAM_DYNAMIC, .static_libraries = 1 },
            "measured where it lies: it is one that the hook does not know." },
    { { .kind = PROGRAM_DYNAMIC,
              .static_libraries = 1,
              .static_reason = (char[]){ "it is too new" } },
            "measured where it lies: it is too new. What" },
    { { .kind = PROGRAM_DYNAMIC }, "onnxruntime-web" },
    { { .kind = PROGRAM_DYNAMIC, .web = "/a/node_modules/onnxruntime-web" },
            "has onnxruntime-web (/a/node_modules/onnxruntime-web)" },
    /* What helps where the hook cannot come. */
    { { .kind = PROGRAM_STATIC }, "enable_profiling" },
    { { .kind = PROGRAM_DYNAMIC }, "ortmeter bench MODEL --ort" },
    { { .kind = PROGRAM_DYNAMIC, .static_libraries = 1 }, "ortmeter import" },
    /* Another was entered, so that one is not the reason. */
    { { .kind = PROGRAM_DYNAMIC, .static_libraries = 1, .libraries = 1 },
            "the program made no session" },
    /* The kind of the program does not matter when a child was seen. */
    { { .kind = PROGRAM_STATIC, .libraries = 1 },
            "the program made no session" },
    { { .libraries = 1, .sessions = 2, .sessions_failed = 2 },
            "no session could be made" },
    { { .libraries = 1, .sessions = 2, .sessions_failed = 1 },
            "ran no inference" },
    { { .libraries = 1, .sessions = 2 }, "ran no inference" },
    /* That is not known, when somebody could not be heard. */
    { { .libraries = 1, .sessions = 2, .unhooked = 1 }, "may not be all" },
    { { .libraries = 1, .sessions = 2, .refused = 1 }, "may not be all" },
};

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        struct empty_run known = cases[i].known;
        struct buf b = { 0 };

        known.name = "prog";
        empty_run_explain(&b, &known);
        CHECK(strstr(buf_cstr(&b), cases[i].said));
        CHECK(b.len && b.p[b.len - 1] == '.');
        /* It is offered where nothing can be seen, and only there. */
        CHECK(!strstr(buf_cstr(&b), "--ort") == (known.libraries > 0));
        if (!strstr(buf_cstr(&b), cases[i].said))
            (void)fprintf(stderr, "case %zu: %s\n", i, buf_cstr(&b));
        buf_release(&b);
    }
    return test_result();
}
