/* transport.c -- how many records of 64 bytes a second go from one process to
 * another: through base/ring in shared memory, through a pipe, and through a
 * Unix datagram socket, with 1, 2 and 4 threads that write.
 *
 *     transport ROUNDS
 *
 * The ways take turns, so that all meet the same machine.  Each gets the reader
 * that suits it: the ring is looked into as the collector does, with a pause
 * when it is empty; pipe and socket are emptied by as few system calls as
 * possible.  The reader adds up what it finds in the records, so one that is
 * lost, doubled or damaged shows. */
#include "base/json.h"
#include "bench/quantile.h"
#include "os/clock.h"
#include "tests/programs/ort_host.h"
#include "wire/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_ROUNDS = 100,
    MOST_WRITERS = 4,
    RING_RECORDS = 1 << 16, /* as in the hook */
    BURST = 256,            /* a writer looks for room once in so many */
    AT_ONCE = 64,           /* records that a reader asks for */
    FULL_PAUSE_US = 50,
    EMPTY_PAUSE_US = 1000, /* as the collector's */
};

struct event {
    uint64_t stamp; /* the ring's */
    uint64_t number;
    unsigned char rest[48];
};

_Static_assert(sizeof(struct event) == 64, "as the hook's records");

/* What both processes see. */
struct shared {
    _Atomic bool written; /* all, by all writers */
    uint64_t end_ns;
    uint64_t received;
    uint64_t sum;
};

struct line {
    int fd[2]; /* read, write */
    struct ring ring;
    void *memory;
    unsigned writers;
};

struct way {
    const char *name;
    uint64_t events; /* in a round */
    void (*open)(struct line *l);
    /* Waits while there is no room. */
    void (*send)(const struct line *l, const struct event *e, size_t count);
    /* Up to AT_ONCE.  0: there is nothing just now. */
    size_t (*receive)(struct line *l, struct event *e);
    void (*close)(struct line *l);
};

/* --- the ring ------------------------------------------------------------- */

static void ring_way_open(struct line *l)
{
    size_t bytes = ring_bytes(sizeof(struct event), RING_RECORDS);

    l->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (l->memory == MAP_FAILED)
        die("no shared memory");
    l->ring = ring_create(l->memory, sizeof(struct event), RING_RECORDS);
}

static void ring_way_close(struct line *l)
{
    (void)munmap(l->memory, ring_bytes(sizeof(struct event), RING_RECORDS));
}

/* The ring itself never waits.  Here nothing may be lost, so a writer begins a
 * burst only where there is room for one of each writer's. */
static void ring_way_send(const struct line *l, const struct event *e,
        size_t count)
{
    while (ring_waiting(&l->ring) + (uint64_t)l->writers * BURST > RING_RECORDS)
        (void)usleep(FULL_PAUSE_US);
    for (size_t i = 0; i < count; i++)
        (void)ring_push(&l->ring, &e[i]);
}

static size_t ring_way_receive(struct line *l, struct event *e)
{
    size_t count = 0;

    while (count < AT_ONCE && ring_pop(&l->ring, &e[count]) > 0)
        count++;
    if (!count)
        (void)usleep(EMPTY_PAUSE_US);
    return count;
}

/* --- the pipe ------------------------------------------------------------- */

static void pipe_open(struct line *l)
{
    if (pipe(l->fd))
        die("no pipe");
}

static void fd_close(struct line *l)
{
    (void)close(l->fd[0]);
    (void)close(l->fd[1]);
}

static void fd_send(const struct line *l, const struct event *e, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (write(l->fd[1], &e[i], sizeof(e[i])) != sizeof(e[i]))
            die("cannot write: %s", strerror(errno));
}

/* Records are written whole, and a read of a multiple of their size returns
 * whole ones. */
static size_t pipe_receive(struct line *l, struct event *e)
{
    ssize_t n = read(l->fd[0], e, AT_ONCE * sizeof(*e));

    if (n <= 0)
        die("cannot read: %s", strerror(errno));
    return (size_t)n / sizeof(*e);
}

/* --- the socket ----------------------------------------------------------- */

static void socket_open(struct line *l)
{
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, l->fd))
        die("no socket");
}

static size_t socket_receive(struct line *l, struct event *e)
{
    struct iovec at[AT_ONCE];
    struct mmsghdr message[AT_ONCE];

    memset(message, 0, sizeof(message));
    for (size_t i = 0; i < AT_ONCE; i++) {
        at[i] = (struct iovec){ &e[i], sizeof(e[i]) };
        message[i].msg_hdr.msg_iov = &at[i];
        message[i].msg_hdr.msg_iovlen = 1;
    }

    int n = recvmmsg(l->fd[0], message, AT_ONCE, MSG_WAITFORONE, NULL);

    if (n <= 0)
        die("cannot receive: %s", strerror(errno));
    return (size_t)n;
}

static const struct way ways[] = {
    { "ring", 4 << 20, ring_way_open, ring_way_send, ring_way_receive,
            ring_way_close },
    { "pipe", 1 << 17, pipe_open, fd_send, pipe_receive, fd_close },
    { "datagram", 1 << 16, socket_open, fd_send, socket_receive, fd_close },
};

/* --- a round -------------------------------------------------------------- */

struct writer {
    const struct way *way;
    const struct line *line;
    pthread_barrier_t *start;
    uint64_t first, count;
};

static void *write_all(void *arg)
{
    const struct writer *w = arg;
    struct event burst[BURST];

    memset(burst, 0, sizeof(burst));
    (void)pthread_barrier_wait(w->start);
    for (uint64_t done = 0; done < w->count; done += BURST) {
        for (uint64_t i = 0; i < BURST; i++)
            burst[i].number = w->first + done + i;
        w->way->send(w->line, burst, BURST);
    }
    return NULL;
}

static void read_all(const struct way *way, struct line *l, struct shared *out)
{
    struct event event[AT_ONCE];

    while (out->received < way->events) {
        bool was_written = atomic_load(&out->written);
        size_t count = way->receive(l, event);

        if (!count && was_written)
            break; /* the rest is lost */
        for (size_t i = 0; i < count; i++)
            out->sum += event[i].number;
        out->received += count;
    }
    out->end_ns = mono_ns();
}

/* Returns when the first could start. */
static uint64_t write_by_threads(const struct way *way, const struct line *l)
{
    pthread_t thread[MOST_WRITERS];
    struct writer writer[MOST_WRITERS];
    pthread_barrier_t start;
    uint64_t share = way->events / l->writers;

    (void)pthread_barrier_init(&start, NULL, l->writers + 1);
    for (unsigned i = 0; i < l->writers; i++) {
        writer[i] = (struct writer){ way, l, &start, i * share, share };
        if (pthread_create(&thread[i], NULL, write_all, &writer[i]))
            die("no thread");
    }

    uint64_t start_ns = mono_ns();

    (void)pthread_barrier_wait(&start);
    for (unsigned i = 0; i < l->writers; i++)
        (void)pthread_join(thread[i], NULL);
    (void)pthread_barrier_destroy(&start);
    return start_ns;
}

/* Events a second. */
static double take_round(const struct way *way, unsigned writers,
        struct shared *shared, uint64_t *lost)
{
    struct line l = { .writers = writers };

    memset(shared, 0, sizeof(*shared));
    way->open(&l);

    pid_t reader = fork();

    if (reader < 0)
        die("no process");
    if (reader == 0) {
        read_all(way, &l, shared);
        _exit(0);
    }

    uint64_t start_ns = write_by_threads(way, &l);
    int status = 0;

    atomic_store(&shared->written, true);
    (void)waitpid(reader, &status, 0);
    way->close(&l);
    if (status || (shared->received == way->events &&
                          shared->sum != way->events * (way->events - 1) / 2))
        die("%s: the records that came are not those that went", way->name);
    *lost += way->events - shared->received;
    return (double)shared->received * 1e9 / (double)(shared->end_ns - start_ns);
}

static void measure(struct json *j, unsigned writers, uint64_t rounds,
        struct shared *shared)
{
    double rate[LEN(ways)][MOST_ROUNDS];
    uint64_t lost[LEN(ways)] = { 0 };

    for (uint64_t i = 0; i < rounds; i++)
        for (size_t w = 0; w < LEN(ways); w++)
            rate[w][i] = take_round(&ways[w], writers, shared, &lost[w]);

    json_object(j, NULL);
    json_u64(j, "writers", writers);
    for (size_t w = 0; w < LEN(ways); w++) {
        json_object(j, ways[w].name);
        json_fixed(j, "median_per_s", median(rate[w], rounds), 0);
        json_fixed(j, "min_per_s", quantile(rate[w], rounds, 0), 0);
        json_fixed(j, "max_per_s", quantile(rate[w], rounds, 1), 0);
        json_u64(j, "lost", lost[w]);
        json_end(j);
    }
    json_end(j);
}

int main(int argc, char **argv)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    uint64_t rounds = argc == 2 ? number(argv[1]) : 0;

    if (!rounds || rounds > MOST_ROUNDS)
        die("use: %s ROUNDS, 1 to %d", argv[0], MOST_ROUNDS);

    struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED)
        die("no shared memory");
    json_array(&j, NULL);
    for (unsigned writers = 1; writers <= MOST_WRITERS; writers *= 2)
        measure(&j, writers, rounds, shared);
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
    return 0;
}
