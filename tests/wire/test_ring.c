#include "base/compiler.h"
#include "test.h"
#include "wire/ring.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 4
#define RECORDS UINT64_C(50021) /* a prime, for each writer */

/* The layout that ring.c documents, for building damage by hand. */
enum {
    AT_HEAD = 0,
    AT_TAIL_SEEN = 16, /* what a writer took for it last */
    AT_TAIL = 64,
    AT_SIZE = 128,
    AT_COUNT = 132,
    AT_SLOTS = 192,
};

struct rec {
    uint32_t stamp;
    uint32_t writer;
    uint64_t number;
    uint64_t check; /* number, turned round: a torn record does not match */
};

static struct rec rec(uint32_t writer, uint64_t number)
{
    return (struct rec){ .writer = writer, .number = number, .check = ~number };
}

/* A page of zeroed memory or more, which children share. */
static void *shared_memory(size_t len)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        perror("mmap");
        abort();
    }
    return p;
}

static void one_thread(void)
{
    size_t len = ring_bytes(sizeof(struct rec), 4);
    void *memory = shared_memory(len);
    struct ring r = ring_create(memory, sizeof(struct rec), 4);
    struct rec got = rec(9, 9);
    struct rec in;

    CHECK_INT(len, AT_SLOTS + 4 * sizeof(struct rec));
    CHECK_INT(ring_pop(&r, &got), 0);
    CHECK_INT(got.number, 9); /* untouched */
    CHECK(!ring_skip(&r));

    /* Five into room for four; then round and round. */
    for (uint64_t i = 0; i < 5; i++) {
        in = rec(0, i);
        CHECK_INT(ring_push(&r, &in), i < 4);
    }
    CHECK_INT(ring_dropped(&r), 1);
    CHECK_INT(ring_begun(&r), 4);
    CHECK_INT(ring_waiting(&r), 4);
    for (uint64_t i = 0; i < 1009; i++) {
        CHECK_INT(ring_pop(&r, &got), 1);
        CHECK_INT(got.number, i < 4 ? i : i + 1);
        CHECK_INT(got.check, ~got.number);
        in = rec(0, i + 5);
        CHECK(ring_push(&r, &in));
    }
    CHECK(!ring_skip(&r)); /* what waits is whole */
    CHECK_INT(ring_begun(&r), 4 + 1009);
    CHECK_INT(ring_waiting(&r), 4);
    CHECK_INT(ring_dropped(&r), 1);
    for (int i = 0; i < 4; i++)
        CHECK_INT(ring_pop(&r, &got), 1);
    CHECK_INT(got.number, 1008 + 5);
    CHECK_INT(ring_pop(&r, &got), 0);
    CHECK_INT(ring_waiting(&r), 0);
    munmap(memory, len);
}

/* After 2^32 records the stamps begin again, and nobody notices. */
static void long_life(void)
{
    size_t len = ring_bytes(sizeof(struct rec), 2);
    unsigned char *memory = shared_memory(len);
    struct ring r = ring_create(memory, sizeof(struct rec), 2);
    uint64_t start = (UINT64_C(1) << 32) - 6;
    struct rec got;

    memcpy(memory + AT_HEAD, &start, sizeof(start));
    memcpy(memory + AT_TAIL, &start, sizeof(start));
    for (uint64_t i = 0; i < 13; i++) {
        struct rec in = rec(0, i);

        CHECK(ring_push(&r, &in));
        CHECK_INT(ring_pop(&r, &got), 1);
        CHECK_INT(got.number, i);
        CHECK_INT(ring_pop(&r, &got), 0);
    }
    munmap(memory, len);
}

struct writer {
    const struct ring *ring;
    uint32_t index;
    uint64_t refused;
    _Atomic uint64_t taken; /* set by the reader */
    bool in_step;           /* wait until each record was taken */
};

static void *write_all(void *arg)
{
    struct writer *w = arg;

    for (uint64_t i = 0; i < RECORDS; i++) {
        struct rec in = rec(w->index, i);

        while (!ring_push(w->ring, &in)) {
            w->refused++;
            sched_yield();
        }
        while (w->in_step && atomic_load(&w->taken) <= i)
            sched_yield();
    }
    return NULL;
}

/* Every writer's records arrive whole, in its order, none lost, none twice,
 * and each refusal was counted once. */
static void many_threads(uint32_t count, bool in_step)
{
    size_t len = ring_bytes(sizeof(struct rec), count);
    void *memory = shared_memory(len);
    struct ring r = ring_create(memory, sizeof(struct rec), count);
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    uint64_t refused = 0;
    struct rec got;

    for (uint32_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){ &r, i, 0, 0, in_step };
        CHECK(!pthread_create(&threads[i], NULL, write_all, &writers[i]));
    }
    for (uint64_t left = WRITERS * RECORDS; left;) {
        if (ring_pop(&r, &got) != 1) {
            sched_yield();
            continue;
        }

        struct writer *w = &writers[got.writer % WRITERS];

        CHECK_INT(got.number, atomic_load(&w->taken));
        CHECK_INT(got.check, ~got.number);
        atomic_store(&w->taken, got.number + 1);
        left--;
    }
    for (uint32_t i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(writers[i].taken, RECORDS);
        refused += writers[i].refused;
    }
    CHECK_INT(ring_pop(&r, &got), 0);
    CHECK_INT(ring_begun(&r), WRITERS * RECORDS);
    CHECK_INT(ring_dropped(&r), refused);
    if (in_step) /* at most WRITERS records wait: the ring is never full */
        CHECK_INT(refused, 0);
    munmap(memory, len);
}

static int stuck_pipe;

static void stuck(int signal_number)
{
    (void)signal_number;
    (void)!write(stuck_pipe, "!", 1);
    for (;;)
        pause();
}

/* The child: two whole records, and a third that lies in memory which cannot
 * be read.  So ring_push() claims a slot, faults while it copies, and never
 * comes back. */
static void push_and_get_stuck(const struct ring *r)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *unreadable = shared_memory(page);
    struct sigaction action = { .sa_handler = stuck };

    for (uint64_t i = 0; i < 2; i++) {
        struct rec in = rec(1, i);

        (void)ring_push(r, &in);
    }
    (void)sigaction(SIGSEGV, &action, NULL);
    (void)mprotect(unreadable, page, PROT_NONE);
    (void)ring_push(r, unreadable);
}

/* Leaves two records of writer 1, and a hole. */
static void kill_a_writer(const struct ring *r)
{
    int ends[2];
    int status = 0;
    char c;

    CHECK(!pipe(ends));
    stuck_pipe = ends[1];

    pid_t child = fork();

    if (!child) {
        push_and_get_stuck(r);
        _exit(1);
    }
    CHECK(child > 0);
    close(ends[1]); /* a child that ends too early ends the read() too */
    CHECK_INT(read(ends[0], &c, 1), 1);
    CHECK(!kill(child, SIGKILL));
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(ends[0]);
}

static void take(struct ring *r, uint32_t writer, uint64_t number)
{
    struct rec got = rec(0, 0);

    CHECK(!ring_skip(r)); /* a whole record is never stepped over */
    CHECK_INT(ring_pop(r, &got), 1);
    CHECK_INT(got.writer, writer);
    CHECK_INT(got.number, number);
    CHECK_INT(got.check, ~got.number);
}

static void killed_writer(void)
{
    size_t len = ring_bytes(sizeof(struct rec), 8);
    void *memory = shared_memory(len);
    struct ring r = ring_create(memory, sizeof(struct rec), 8);
    struct rec got;

    kill_a_writer(&r);
    for (uint64_t i = 0; i < 2; i++) { /* another goes on behind the hole */
        struct rec in = rec(2, i);

        CHECK(ring_push(&r, &in));
    }
    CHECK_INT(ring_waiting(&r), 5);
    take(&r, 1, 0);
    take(&r, 1, 1);
    CHECK_INT(ring_pop(&r, &got), 0);
    CHECK_INT(ring_pop(&r, &got), 0);
    CHECK_INT(ring_waiting(&r), 3);
    CHECK(ring_skip(&r));
    take(&r, 2, 0);
    take(&r, 2, 1);
    CHECK_INT(ring_pop(&r, &got), 0);
    CHECK(!ring_skip(&r));
    CHECK_INT(ring_waiting(&r), 0);
    munmap(memory, len);
}

static void bad_shapes(void)
{
    static const struct {
        uint32_t size, count;
        size_t too_short;
        uint32_t asked;
        int rc;
    } cases[] = {
        { 24, 8, 0, 24, 0 },
        { 24, 8, 0, 32, -EINVAL },
        { 32, 4, 0, 24, -EINVAL },
        { 0, 8, 0, 0, -EINVAL },
        { 12, 8, 0, 12, -EINVAL },
        { 8192, 2, 0, 8192, -EINVAL },
        { 24, 0, 0, 24, -EINVAL },
        { 24, 1, 0, 24, -EINVAL },
        { 24, 3, 0, 24, -EINVAL },
        { 24, 6, 0, 24, -EINVAL },
        { 24, 16, 0, 24, -EINVAL }, /* longer than the memory */
        { 24, UINT32_C(1) << 31, 0, 24, -EINVAL },
        { 24, UINT32_MAX, 0, 24, -EINVAL },
        { 24, 8, 1, 24, -EINVAL },
        { 24, 8, 192, 24, -EINVAL }, /* all the records */
        { 24, 8, 193, 24, -EINVAL }, /* and of what is before them */
        { 24, 8, 192 + AT_SLOTS, 24, -EINVAL },
    };
    size_t len = ring_bytes(24, 8);
    unsigned char *memory = shared_memory(len);

    for (size_t i = 0; i < LEN(cases); i++) {
        struct ring r = { .count = 77 };

        memcpy(memory + AT_SIZE, &cases[i].size, sizeof(uint32_t));
        memcpy(memory + AT_COUNT, &cases[i].count, sizeof(uint32_t));
        CHECK_INT(ring_attach(&r, memory, len - cases[i].too_short,
                          cases[i].asked),
                cases[i].rc);
        CHECK_INT(r.count, cases[i].rc ? 77 : cases[i].count);
    }
    (void)ring_create(memory, 24, 4);
    memmove(memory + 8, memory, AT_SLOTS);

    struct ring r;

    CHECK_INT(ring_attach(&r, memory + 8, len - 8, 24), -EINVAL);
    munmap(memory, len);
}

/* Ends that no ring can have: an error for the reader, a full ring for the
 * writer, and nothing endless for anybody. */
static void bad_ends(void)
{
    static const struct {
        uint64_t head, tail;
    } cases[] = {
        { 9, 0 },
        { UINT64_C(1) << 40, 3 },
        { 0, 1 },
        { 3, UINT64_C(1) << 40 },
        { UINT64_MAX, 0 },
    };
    size_t len = ring_bytes(sizeof(struct rec), 8);
    unsigned char *memory = shared_memory(len);
    struct ring made = ring_create(memory, sizeof(struct rec), 8);
    struct rec got = rec(7, 7);
    struct rec in = rec(0, 0);

    for (int i = 0; i < 3; i++)
        CHECK(ring_push(&made, &in));
    for (size_t i = 0; i < LEN(cases); i++) {
        struct ring r;

        memcpy(memory + AT_HEAD, &cases[i].head, sizeof(uint64_t));
        memcpy(memory + AT_TAIL, &cases[i].tail, sizeof(uint64_t));
        memcpy(memory + AT_TAIL_SEEN, &cases[i].tail, sizeof(uint64_t));
        CHECK_INT(ring_attach(&r, memory, len, sizeof(struct rec)), 0);
        CHECK_INT(ring_pop(&r, &got), -EINVAL);
        CHECK_INT(got.number, 7);
        CHECK(!ring_skip(&r));
        CHECK(!ring_push(&r, &in));
        CHECK_INT(ring_dropped(&r), i + 1);
    }
    munmap(memory, len);
}

/* Several at once are in there all, one behind the other, or not at all. */
static void several(void)
{
    void *memory = shared_memory(ring_bytes(sizeof(struct rec), 8));
    struct ring r = ring_create(memory, sizeof(struct rec), 8);
    struct rec many[9], got;
    uint64_t next = 0;

    for (uint64_t i = 0; i < LEN(many); i++)
        many[i] = rec(1, i);
    CHECK(!ring_push_many(&r, many, 9, 0)); /* more than it ever holds */
    CHECK(!ring_push_many(&r, many, 7, 2));
    CHECK_INT(ring_dropped(&r), 16);
    for (int round = 0; round < 100; round++) {
        CHECK(ring_push_many(&r, many, 5, 2));
        CHECK(!ring_push_many(&r, many, 4, 0));
        CHECK(!ring_push_many(&r, many, 2, 2));
        CHECK(ring_push_many(&r, many + 5, 1, 2));
        for (next = 0; ring_pop(&r, &got) > 0; next++)
            CHECK(got.number == next && got.check == ~next);
        CHECK_INT(next, 6);
    }
}

int main(void)
{
    one_thread();
    several();
    long_life();
    killed_writer(); /* forks: before there are threads */
    many_threads(4, false);
    many_threads(1024, false);
    for (int i = 0; i < 3; i++)
        many_threads(2 * WRITERS, true);
    bad_shapes();
    bad_ends();
    return test_result();
}
