#include "collect/trace.h"

#include "told.h"

static void libraries(void)
{
    struct trace *t = begin();

    text(t, 10, "/lib/ort.so");
    text(t, 11, "1.23.2");
    TAKE(t, 1, .kind = RECORD_LIBRARY, .place = record_place(PHASE_OTHER, 2),
            .library_found = { .path = 10, .version = 11, .slots = 47 });
    TAKE(t, 1, .kind = RECORD_STATIC_LIBRARY,
            .library_found = { .path = 10, .version = 11 });
    TOLD("library 1 of 1: /lib/ort.so 1.23.2 47\n"
         "library 2 of 1: /lib/ort.so - 0\n");
    TAKE(t, 1, .kind = RECORD_LANGUAGE, .place = record_place(PHASE_OTHER, 2),
            .option = { .number = 6 });
    TOLD("language of 1: Node.js\n");
    TAKE(t, 1, .kind = RECORD_LANGUAGE, .place = record_place(PHASE_OTHER, 2),
            .option = { .number = 8 });
    TAKE(t, 1, .kind = RECORD_LANGUAGE, .place = record_place(PHASE_OTHER, 2),
            .option = { .number = -1 });
    TAKE(t, 1, .kind = RECORD_LANGUAGE,
            .place = record_place(PHASE_OTHER, 3)); /* of none that we know */
    TOLD("");
    trace_free(t);
    trace_free(NULL);
}

static void sessions(void)
{
    struct trace *t = begin();

    text(t, 10, "a.onnx");
    text(t, 11, "no such file");
    TAKE(t, 1, .kind = RECORD_SESSION,
            .session = { START + 5, START + 12, 0x100, 0, 10, 0, 77 });
    TAKE(t, 1, .kind = RECORD_SESSION,
            .session = { START - 1, START - 2, 0x200, 0, 0, 4096, 77 });
    TOLD("session 1 of 1 in 0: a.onnx 5+7 [\"CPUExecutionProvider\"] {}\n"
         "session 2 of 1 in 0: - 4096 bytes 0+0 [\"CPUExecutionProvider\"] "
         "{}\n");

    /* Why comes before what, and is said once. */
    TAKE(t, 1, .kind = RECORD_ERROR, .error = { 11, 77, 3 });
    TAKE(t, 1, .kind = RECORD_SESSION, .flags = FLAG_FAILED,
            .session = { START, START + 1, 0, 0, 10, 0, 78 });
    TAKE(t, 1, .kind = RECORD_SESSION, .flags = FLAG_FAILED,
            .session = { START, START + 1, 0, 0, 10, 0, 77 });
    TAKE(t, 1, .kind = RECORD_SESSION, .flags = FLAG_FAILED,
            .session = { START, START + 1, 0, 0, 10, 0, 77 });
    TOLD("session 3 of 1 in 0: a.onnx 0+1 [\"CPUExecutionProvider\"] {} "
         "the reason was lost\n"
         "session 4 of 1 in 0: a.onnx 0+1 [\"CPUExecutionProvider\"] {} "
         "no such file\n"
         "session 5 of 1 in 0: a.onnx 0+1 [\"CPUExecutionProvider\"] {} "
         "the reason was lost\n");

    TAKE(t, 1, .kind = RECORD_SESSION_END,
            .session = { .session = 0x100, .end = START + 90 });
    TAKE(t, 1, .kind = RECORD_SESSION_END, .session = { .session = 0x100 });
    TOLD("end of 1 at 90\n");

    /* The same address again is another session. */
    TAKE(t, 1, .kind = RECORD_SESSION,
            .session = { START, START, 0x100, 0, 10, 0, 77 });
    TAKE(t, 1, .kind = RECORD_RUN,
            .run = { .session = 0x100, .start = START, .end = START });
    CHECK_INT(last.session, 6);
    CHECK_INT(trace_malformed(t), 0);
    trace_free(t);
}

static void runs(void)
{
    struct trace *t = begin();

    text(t, 10, "bad shape");
    TAKE(t, 1, .kind = RECORD_RUN, .place = record_place(PHASE_DECODE, 0),
            .flags = FLAG_SHAPE | FLAG_PAST,
            .run = { START + 3, START + 10, 0x100, 11, 12, 77, 2, 3, 4 });
    /* Its session was made before anybody looked. */
    TOLD("session 1 of 1 in 0: - late - -\n");
    CHECK_INT(inferences, 1);
    CHECK_INT(last.session, 1);
    CHECK_INT(last.process, 1);
    CHECK_INT(last.thread, 77);
    CHECK_INT(last.phase, PHASE_DECODE);
    CHECK_INT(last.flags, FLAG_SHAPE | FLAG_PAST);
    CHECK_INT(last.start_ns, 3);
    CHECK_INT(last.duration_ns, 7);
    CHECK_INT(last.in_bytes, 11);
    CHECK_INT(last.out_bytes, 12);
    CHECK_INT(last.batch, 2);
    CHECK_INT(last.sequence, 3);
    CHECK_INT(last.past, 4);
    CHECK(!last.has_context && !last.error);

    TAKE(t, 1, .kind = RECORD_ERROR, .error = { 10, 77, 2 });
    TAKE(t, 1, .kind = RECORD_RUN, .place = record_place(PHASES, 0),
            .flags = FLAG_FAILED,
            .run = { .session = 0x100, .thread = 77, .start = START + 9 });
    CHECK(last.error && strcmp(last.error, "bad shape") == 0);
    CHECK_INT(last.phase, PHASE_OTHER);
    CHECK_INT(last.duration_ns, 0); /* it cannot end before it began */
    CHECK_INT(last.session, 1);
    TOLD("");
    trace_free(t);
}

static void run_on(struct trace *t, uint32_t thread)
{
    TAKE(t, 1, .kind = RECORD_RUN, .run = { .session = 1, .thread = thread });
}

static void batch_on(struct trace *t, uint32_t thread, uint32_t size)
{
    TAKE(t, 1, .kind = RECORD_BATCH,
            .batch = { thread, size, size / 2, size / 3 });
}

/* Or of all that follow, until it says otherwise. */
static void lasting_contexts(void)
{
    struct trace *t = begin();

    TAKE(t, 1, .kind = RECORD_BATCH, .flags = BATCH_LASTS,
            .batch = { 1, 32, 2, 1 });
    for (int i = 0; i < 3; i++) {
        run_on(t, 1);
        CHECK(last.has_context && last.batch_size == 32 && last.padding == 2);
        run_on(t, 2);
        CHECK(!last.has_context);
    }
    TAKE(t, 1, .kind = RECORD_BATCH, .flags = BATCH_LASTS,
            .batch = { .thread = 1 });
    run_on(t, 1);
    CHECK(!last.has_context);
    TAKE(t, 1, .kind = RECORD_BATCH, .flags = BATCH_LASTS,
            .batch = { .thread = 1 });
    trace_free(t);
}

/* What the program says of its next inference is for that thread and once. */
static void contexts(void)
{
    struct trace *t = begin();

    for (uint32_t i = 1; i <= 5; i++)
        batch_on(t, i, 6 * i);
    batch_on(t, 2, 60); /* the last word counts */
    run_on(t, 9);
    CHECK(!last.has_context);
    for (uint32_t i = 1; i <= 5; i += 2) {
        run_on(t, i);
        CHECK(last.has_context && last.batch_size == 6 * i &&
                last.padding == 3 * i && last.queue_depth == 2 * i);
        run_on(t, i);
        CHECK(!last.has_context);
    }
    run_on(t, 4);
    CHECK_INT(last.batch_size, 24);
    run_on(t, 2);
    CHECK_INT(last.batch_size, 60);

    /* One goes, another comes: a third keeps what is its own. */
    for (uint32_t i = 1; i <= 3; i++)
        batch_on(t, i, 6 * i);
    run_on(t, 1);
    batch_on(t, 4, 24);
    for (uint32_t i = 2; i <= 4; i++) {
        run_on(t, i);
        CHECK_INT(last.batch_size, 6 * i);
    }

    /* One that waits does not use up the places of those that work. */
    batch_on(t, 1, 7);
    for (uint32_t i = 0; i < 1100009; i++) {
        batch_on(t, 2, i);
        run_on(t, 2);
        if (!last.has_context || last.batch_size != i)
            break;
    }
    CHECK(last.has_context && last.batch_size == 1100008);
    run_on(t, 1);
    CHECK_INT(last.batch_size, 7);
    CHECK_INT(trace_malformed(t), 0);
    trace_free(t);
}

static void what_programs_tell(void)
{
    struct trace *t = begin();

    text(t, 10, "tokenise");
    TAKE(t, 1, .kind = RECORD_SECTION, .place = record_place(PHASE_PRE, 0),
            .section = { START + 1, START + 4, 10, 7 });
    TAKE(t, 1, .kind = RECORD_SECTION, .place = record_place(PHASES, 0),
            .section = { START + 4, START + 1, 99, 7 });
    TAKE(t, 1, .kind = RECORD_TOKEN,
            .token = { START + 8, 10, -5, 3, 7, 0, 0 });
    TAKE(t, 1, .kind = RECORD_TOKEN, .token = { .time = 3 });
    TAKE(t, 1, .kind = RECORD_MARK, .mark = { START + 9, 10, 7 });
    TAKE(t, 1, .kind = RECORD_THREAD, .mark = { START + 9, 10, 8 });
    TOLD("section of 1/7: tokenise phase 1 1+3\n"
         "section of 1/7: - phase 0 4+0\n"
         "token of 1/7: 3 is -5 tokenise at 8\n"
         "token of 1/0: 0 is 0 - at 0\n"
         "mark of 1/7: tokenise at 9\n"
         "thread 1/8: tokenise\n");
    CHECK_INT(trace_malformed(t), 0);
    trace_free(t);
}

static void nonsense(void)
{
    struct trace *t = begin();

    TAKE(t, 1, .kind = RECORD_NONE);
    TAKE(t, 1, .kind = RECORD_KINDS);
    TAKE(t, 1, .kind = 255);
    CHECK_INT(trace_malformed(t), 3);
    TAKE(t, 1, .kind = RECORD_TEXT); /* without a name */
    CHECK_INT(trace_malformed(t), 4);
    TOLD("");
    trace_free(t);
}

int main(void)
{
    libraries();
    sessions();
    runs();
    contexts();
    lasting_contexts();
    what_programs_tell();
    nonsense();
    buf_release(&told);
    return test_result();
}
