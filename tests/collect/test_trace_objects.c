/* test_trace_objects.c -- the same trace: whose options, sessions and operators
 * are whose. */
#include "told.h"

static void session_with(struct trace *t, uint32_t process, uint64_t options)
{
    TAKE(t, process, .kind = RECORD_SESSION,
            .session = { START, START, 0x9000, options, 0, 0, 7 });
}

static void option(struct trace *t, uint32_t process, uint64_t options,
        int64_t number)
{
    TAKE(t, process, .kind = RECORD_OPTION,
            .option = { .options = options, .key = 10, .number = number });
}

static void options(void)
{
    struct trace *t = begin();

    text(t, 10, "n");
    text(t, 11, "CUDA");
    text(t, 12, "yes");
    TAKE(t, 1, .kind = RECORD_OPTIONS, .option = { .options = 0x1 });
    option(t, 1, 0x1, 4);
    TAKE(t, 1, .kind = RECORD_PROVIDER,
            .option = { .options = 0x1, .key = 11 });
    session_with(t, 1, 0x1);
    TAKE(t, 1, .kind = RECORD_OPTIONS_CLONE,
            .option = { .options = 0x2, .from = 0x1 });
    option(t, 1, 0x1, 5);
    TAKE(t, 1, .kind = RECORD_OPTION,
            .option = { .options = 0x2, .key = 10, .value = 12 });
    session_with(t, 1, 0x1);
    session_with(t, 1, 0x2);
    TOLD("session 1 of 1 in 0: - 0+0 [\"CUDA\",\"CPUExecutionProvider\"] "
         "{\"n\":4}\n"
         "session 2 of 1 in 0: - 0+0 [\"CUDA\",\"CPUExecutionProvider\"] "
         "{\"n\":5}\n"
         "session 3 of 1 in 0: - 0+0 [\"CUDA\",\"CPUExecutionProvider\"] "
         "{\"n\":\"yes\"}\n");

    /* Made anew at the same address; cloned from itself; from nothing. */
    TAKE(t, 1, .kind = RECORD_OPTIONS, .option = { .options = 0x1 });
    TAKE(t, 1, .kind = RECORD_OPTIONS_CLONE,
            .option = { .options = 0x2, .from = 0x2 });
    TAKE(t, 1, .kind = RECORD_OPTIONS_CLONE,
            .option = { .options = 0x3, .from = 0x77 });
    session_with(t, 1, 0x1);
    session_with(t, 1, 0x2);
    session_with(t, 1, 0x3);
    TOLD("session 4 of 1 in 0: - 0+0 [\"CPUExecutionProvider\"] {}\n"
         "session 5 of 1 in 0: - 0+0 [\"CUDA\",\"CPUExecutionProvider\"] "
         "{\"n\":\"yes\"}\n"
         "session 6 of 1 in 0: - 0+0 [\"CPUExecutionProvider\"] {}\n");

    /* Of options that nobody saw, nothing is claimed. */
    TAKE(t, 1, .kind = RECORD_OPTIONS_END, .option = { .options = 0x1 });
    session_with(t, 1, 0x1);
    TOLD("session 7 of 1 in 0: - 0+0 - -\n");
    option(t, 1, 0x1, 6); /* made before the meter came */
    session_with(t, 1, 0x1);
    TOLD("session 8 of 1 in 0: - 0+0 [\"CPUExecutionProvider\"] {\"n\":6}\n");
    CHECK_INT(trace_malformed(t), 0);

    /* A name or a value that was lost sets nothing. */
    TAKE(t, 1, .kind = RECORD_OPTION,
            .option = { .options = 0x1, .key = 10, .value = 99 });
    TAKE(t, 1, .kind = RECORD_OPTION, .option = { .options = 0x1, .key = 99 });
    TAKE(t, 1, .kind = RECORD_PROVIDER,
            .option = { .options = 0x1, .key = 99 });
    CHECK_INT(trace_malformed(t), 3);
    session_with(t, 1, 0x1);
    TOLD("session 9 of 1 in 0: - 0+0 [\"CPUExecutionProvider\"] {\"n\":6}\n");
    trace_free(t);
}

/* A child of fork() has what its parent had, and changes its own only. */
static void children(void)
{
    struct trace *t = begin();

    text(t, 10, "n");
    text(t, 11, "1.23.2");
    TAKE(t, 1, .kind = RECORD_LIBRARY, .library_found = { .version = 11 });
    TAKE(t, 1, .kind = RECORD_OPTIONS, .option = { .options = 0x1 });
    option(t, 1, 0x1, 4);
    session_with(t, 1, 0x1);
    TOLD("library 1 of 1: - 1.23.2 0\n"
         "session 1 of 1 in 1: - 0+0 [\"CPUExecutionProvider\"] {\"n\":4}\n");

    uint32_t child = trace_process(t, 1, START + 10);
    uint32_t grandchild = trace_process(t, child, START + 20);
    uint32_t stranger = trace_process(t, 0, START + 30);

    CHECK_INT(stranger, 4);
    TAKE(t, grandchild, .kind = RECORD_RUN, .run = { .session = 0x9000 });
    CHECK_INT(last.session, 1);
    CHECK_INT(last.process, grandchild);
    option(t, child, 0x1, 5);
    session_with(t, child, 0x1);
    session_with(t, grandchild, 0x1);
    session_with(t, 1, 0x1);
    TOLD("session 2 of 2 in 1: - 0+0 [\"CPUExecutionProvider\"] {\"n\":5}\n"
         "session 3 of 3 in 1: - 0+0 [\"CPUExecutionProvider\"] {\"n\":5}\n"
         "session 4 of 1 in 1: - 0+0 [\"CPUExecutionProvider\"] {\"n\":4}\n");

    /* The end of the child's is not the end of the parent's. */
    TAKE(t, child, .kind = RECORD_SESSION_END,
            .session = { .session = 0x9000 });
    TOLD("end of 2 at 0\n");
    TAKE(t, child, .kind = RECORD_RUN, .run = { .session = 0x9000 });
    CHECK_INT(last.session, 4);
    TAKE(t, stranger, .kind = RECORD_RUN, .run = { .session = 0x9000 });
    CHECK_INT(last.session, 5);
    TOLD("session 5 of 4 in 0: - late - -\n");
    trace_free(t);
}

/* What a parent ends after the fork lives on in the child. */
static void inherited(void)
{
    static const struct {
        uint64_t end_ns;
        uint32_t childs;
    } cases[] = {
        { START + 9, 2 },  /* ended before: the child has the second */
        { START + 10, 1 }, /* just then, or after */
        { START + 99, 1 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct trace *t = begin();
        uint32_t child = trace_process(t, 1, START + 10);

        session_with(t, 1, 0);
        TAKE(t, 1, .kind = RECORD_SESSION_END,
                .session = { .session = 0x9000, .end = cases[i].end_ns });
        session_with(t, 1, 0); /* at the same address */
        TAKE(t, child, .kind = RECORD_RUN, .run = { .session = 0x9000 });
        CHECK_INT(last.session, cases[i].childs);
        TAKE(t, 1, .kind = RECORD_RUN, .run = { .session = 0x9000 });
        CHECK_INT(last.session, 2);
        trace_free(t);
    }
    buf_clear(&told);
}

/* Operators are told of when the inference is over that they ran in, and their
 * sums when somebody asks. */
static void operators(void)
{
    struct trace *t = begin();

    text(t, 10, "/conv");
    text(t, 11, "Conv");
    session_with(t, 1, 0);
    buf_clear(&told);
    TAKE(t, 1, .kind = RECORD_KERNEL,
            .kernel = { .kernel = 0x40, .name = 10, .op_type = 11 });
    TAKE(t, 1, .kind = RECORD_LINES, .flags = 2,
            .lines = { .trace = 70,
                    .thread = 8,
                    .line = { { LINE_CLOCK, START + 3, 0 }, { 0x40, 4, 4 } } });
    TAKE(t, 1, .kind = RECORD_RUN, .run = { .session = 0x9000, .thread = 7 });
    CHECK(!(last.flags & FLAG_TRACED));
    TAKE(t, 1, .kind = RECORD_TRACED,
            .traced = { .trace = 70, .thread = 7, .kernels = 1 });
    TOLD("");
    TAKE(t, 1, .kind = RECORD_RUN, .flags = FLAG_TRACED,
            .run = { .session = 0x9000,
                    .thread = 7,
                    .start = START + 1,
                    .end = START + 11 });
    CHECK(last.flags & FLAG_TRACED);
    TOLD("operators of 1: those of 1\n"
         "operator 1 of 1: /conv Conv\n"
         "operator 1 ran in 2 on 8: 3+4\n");

    /* Once only. */
    TAKE(t, 1, .kind = RECORD_RUN, .flags = FLAG_TRACED,
            .run = { .session = 0x9000, .thread = 7 });
    CHECK(!(last.flags & FLAG_TRACED));
    TOLD("");
    trace_tell(t);
    TOLD("table of 1 in phase 0: 1 inferences of 10, lost 1\n"
         "operator 1 in phase 0: 1 times 4\n");
    trace_end(t);
    TOLD("");
    CHECK_INT(trace_malformed(t), 0);
    trace_free(t);
}

/* A library comes again when it is known that it cannot be traced. */
static void untraced(void)
{
    struct trace *t = begin();

    text(t, 10, "/lib/ort.so");
    text(t, 11, "1.10.0");
    TAKE(t, 1, .kind = RECORD_LIBRARY,
            .library_found = { .path = 10, .version = 11, .slots = 4 });
    TOLD("library 1 of 1: /lib/ort.so 1.10.0 4\n");
    TAKE(t, 1, .kind = RECORD_LIBRARY, .flags = TRACING_ON,
            .library_found = { .path = 10, .version = 11, .slots = 4 });
    TOLD("");
    TAKE(t, 1, .kind = RECORD_LIBRARY, .flags = TRACING_TOO_OLD,
            .library_found = { .path = 10, .version = 11, .slots = 4 });
    TOLD("1 is not traced: it is older than 1.15, whose operators do not say "
         "who they are\n");
    TAKE(t, 1, .kind = RECORD_LIBRARY, .flags = 999,
            .library_found = { .path = 10, .version = 11, .slots = 4 });
    TOLD("");
    trace_free(t);
}

/* More than any honest program has: not kept, and said. */
static void ceilings(void)
{
    struct trace *t = begin();

    for (uint64_t i = 1; i <= 70001; i++)
        TAKE(t, 1, .kind = RECORD_OPTIONS, .option = { .options = i });
    CHECK_INT(trace_malformed(t), 70001 - 65536);
    TAKE(t, 1, .kind = RECORD_OPTIONS_END, .option = { .options = 1 });
    TAKE(t, 1, .kind = RECORD_OPTIONS, .option = { .options = 70001 });
    CHECK_INT(trace_malformed(t), 70001 - 65536);
    session_with(t, 1, 70001);
    session_with(t, 1, 70000);
    TOLD("session 1 of 1 in 0: - 0+0 [\"CPUExecutionProvider\"] {}\n"
         "session 2 of 1 in 0: - 0+0 - -\n");
    trace_free(t);
}

int main(void)
{
    options();
    children();
    inherited();
    operators();
    untraced();
    ceilings();
    buf_release(&told);
    return test_result();
}
