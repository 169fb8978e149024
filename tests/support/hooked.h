/* hooked.h -- for tests of the hook: a process with a fake ONNX Runtime in it,
 * that is patched, and whose records are read.
 *
 * The hook belongs to a process and begins once: so each test that wants its
 * own beginning is a process of its own, HOOKED(test). */
#pragma once

#include "collect/rings.h"
#include "collect/texts.h"
#include "fake_ort.h"
#include "hook/ops/ops.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOOKED_RECORDS (1 << 17)

struct hooked {
    struct rings *rings; /* NULL: nobody listens */
    const struct ort_api *api;
    struct texts texts;
    struct record *records; /* all but the texts, in their order */
    size_t count;
    size_t pieces;             /* of texts */
    size_t owners;             /* processes that left a ring */
    struct ring_owner gone[8]; /* as they were told at the end */
    size_t gone_count;
};

static struct hooked hooked;

static inline void hooked_came(void *context, const struct ring_owner *o)
{
    (void)context;
    (void)o;
    hooked.owners++;
}

static inline void hooked_record(void *context, uint32_t owner,
        const struct record *r, const struct tick_line *clock)
{
    (void)clock;
    (void)context;
    (void)owner;
    if (r->kind == RECORD_TEXT) {
        hooked.pieces++;
        CHECK(texts_take(&hooked.texts, r));
        return;
    }
    if (hooked.count == HOOKED_RECORDS)
        abort();
    hooked.records[hooked.count++] = *r;
}

static inline void hooked_gone(void *context, const struct ring_owner *o)
{
    (void)context;
    if (hooked.gone_count < sizeof(hooked.gone) / sizeof(hooked.gone[0]))
        hooked.gone[hooked.gone_count++] = *o;
}

/* Begins to listen; what the environment says is set before. */
static inline void hooked_listen(void)
{
    CHECK_INT(rings_open(&hooked.rings, NULL,
                      &(struct rings_sink){ NULL, hooked_came, hooked_record,
                              hooked_gone },
                      NULL),
            0);
    hooked.records = calloc(HOOKED_RECORDS, sizeof(*hooked.records));
    if (!hooked.rings || !hooked.records)
        abort();
    CHECK(setenv("ORTMETER_DIR", rings_folder(hooked.rings), 1) == 0);
}

/* Takes the fake runtime of that version. */
static inline void hooked_enter(const char *version)
{
    struct candidate c = fake_candidate(0);

    channel_init();
    channel_reserve(1 << 16);
    hooked.api = fake_runtime(0, version);
    CHECK_INT(patch(&c), channel_wanted());
}

/* Both. */
static inline void hooked_begin(const char *version)
{
    hooked_listen();
    hooked_enter(version);
}

/* Reads what has come; returns how many records there are now. */
static inline size_t hooked_read(void)
{
    rings_look(hooked.rings);
    (void)rings_poll(hooked.rings);
    return hooked.count;
}

/* Until so many are known to be gone, or something hangs. */
static inline void hooked_await_gone(size_t count)
{
    uint64_t start_ns = mono_ns();

    while (hooked.gone_count < count &&
            mono_ns() - start_ns < UINT64_C(20000000000))
        (void)hooked_read();
    CHECK(hooked.gone_count >= count);
}

/* The newest record of that kind; a test failure and zeros: there is none. */
static inline const struct record *hooked_last(enum record_kind kind)
{
    static const struct record none;

    (void)hooked_read();
    for (size_t i = hooked.count; i-- > 0;)
        if (hooked.records[i].kind == kind)
            return &hooked.records[i];
    CHECK(kind == RECORD_KINDS); /* there is none */
    return &none;
}

/* How many there are of that kind. */
static inline size_t hooked_count(enum record_kind kind)
{
    size_t n = 0;

    (void)hooked_read();
    for (size_t i = 0; i < hooked.count; i++)
        n += hooked.records[i].kind == kind;
    return n;
}

/* Is that the text? */
static inline bool hooked_text(uint64_t name, const char *text)
{
    const char *there = texts_find(&hooked.texts, name);

    if (there && text && strcmp(there, text) == 0)
        return true;
    if (!name && !text)
        return true;
    (void)fprintf(stderr, "the text is %s\n", there ? there : "not there");
    return false;
}

/* Ends the listening: all owners are told. */
static inline void hooked_end(void)
{
    if (hooked.rings)
        rings_close(hooked.rings);
    texts_release(&hooked.texts);
    free(hooked.records);
    hooked = (struct hooked){ .gone_count = hooked.gone_count,
        .owners = hooked.owners,
        .gone = { hooked.gone[0], hooked.gone[1] } };
}

/* Runs the test in a process of its own; its failures are ours. */
static inline void hooked_process(void (*test)(void), const char *name)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        test_failures = 0;
        test();
        hooked_end();
        exit(test_result()); /* and not _exit(): lines are counted at exit */
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    if (status == 0)
        return;
    test_failures++;
    (void)fprintf(stderr, "%s: status %x\n", name, (unsigned)status);
}

#define HOOKED(test) hooked_process(test, #test)

/* Calls through the patched table. */
#define CALL(name) ORT(hooked.api, name)
