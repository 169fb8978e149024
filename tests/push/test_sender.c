/* test_sender.c -- a receiver of our own, in a thread: what is put in arrives
 * in order, what fails is tried again or counted.  What receivers do wrong is
 * in e2e/push.sh. */
#include "push/sender.h"

#include "base/compiler.h"
#include "os/clock.h"
#include "test.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Answers with these, one a request. */
struct receiver {
    int fd;
    char url[64];
    pthread_t thread;
    const char *const *answers; /* ends with NULL */
    struct buf got;             /* bodies, a line each */
};

static void take_request(struct receiver *r, int fd, const char *answer)
{
    struct buf in = { 0 };
    char piece[4096];
    const char *body = NULL;
    size_t want = 0;
    ssize_t n;

    while ((n = read(fd, piece, sizeof(piece))) > 0) {
        buf_add(&in, piece, (size_t)n);
        if (!body && (body = strstr(buf_cstr(&in), "\r\n\r\n"))) {
            struct str len = str_of(strstr(in.p, "Content-Length: ") + 16);
            uint64_t number = 0;

            CHECK_INT(str_u64(&number, str_before(len, '\r')), 0);
            want = (size_t)(body + 4 - in.p) + number;
        }
        if (body && in.len >= want)
            break;
    }
    if (body)
        buf_printf(&r->got, "%s\n", strstr(in.p, "\r\n\r\n") + 4);
    CHECK_INT(write(fd, answer, strlen(answer)), (int)strlen(answer));
    buf_release(&in);
}

static void *receive(void *to)
{
    struct receiver *r = to;

    for (const char *const *a = r->answers; *a; a++) {
        int fd = accept(r->fd, NULL, NULL);

        take_request(r, fd, *a);
        (void)close(fd);
    }
    return NULL;
}

/* A socket that listens on a port of its own. */
static int listening(char url[64])
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_INT(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    CHECK_INT(listen(fd, 8), 0);
    CHECK_INT(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    (void)snprintf(url, 64, "http://127.0.0.1:%u/x", ntohs(at.sin_port));
    return fd;
}

static void as_it_is(void *context, struct buf *out, struct str body)
{
    (void)context;
    buf_add(out, body.p, body.len);
}

static bool again(int status)
{
    return status == 503;
}

static struct sender *start(const char *url, unsigned drain_ms)
{
    struct sender *s = NULL;
    struct error e = { 0 };

    CHECK_INT(sender_start(&s,
                      &(struct sender_plan){
                              .url = url,
                              .spool_bytes = 100,
                              .timeout_ms = 10000,
                              .drain_ms = drain_ms,
                              .pack = as_it_is,
                              .again = again,
                      },
                      &e),
            0);
    return s;
}

static void put(struct sender *s, const char *text, uint64_t items)
{
    struct buf b = { 0 };

    buf_text(&b, text);
    sender_put(s, &b, items);
}

#define ANSWER(status) \
    "HTTP/1.1 " status " X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

static void check_answers(void)
{
    static const char *const answers[] = { ANSWER("200"), ANSWER("503"),
        ANSWER("200"), ANSWER("404"), ANSWER("204"), NULL };
    struct sender_outcome o = { 0 };
    struct receiver r;

    r = (struct receiver){ .answers = answers };
    r.fd = listening(r.url);
    CHECK_INT(pthread_create(&r.thread, NULL, receive, &r), 0);

    struct sender *s = start(r.url, 60000);

    put(s, "one", 1);
    put(s, "two", 2);
    put(s, "four", 4);
    put(s, "eight", 8);
    sender_stop(s, &o);
    (void)pthread_join(r.thread, NULL);
    CHECK(str_is(buf_str(&r.got), "one\ntwo\ntwo\nfour\neight\n"));
    CHECK_INT(o.requests, 3);
    CHECK_INT(o.items, 11);
    CHECK_INT(o.dropped, 4);
    CHECK_INT(o.attempts, 2);
    CHECK(strstr(o.why.text, "404"));
    (void)close(r.fd);
    buf_release(&r.got);
}

/* Nobody listens: everything is counted, and stopping ends. */
static void check_nobody(void)
{
    struct sender_outcome o = { 0 };
    struct sender *s = start("http://127.0.0.1:1/", 20);

    for (int i = 0; i < 100; i++)
        put(s, "0123456789", 1);
    sender_stop(s, &o);
    CHECK_INT(o.dropped, 100);
    CHECK_INT(o.items, 0);
    CHECK(*o.why.text);
    sender_stop(NULL, &o);
}

/* It takes the request and says nothing: time is up, whatever it does. */
static void check_silence(void)
{
    struct sender_outcome o = { 0 };
    char url[64];
    int fd = listening(url);
    struct sender *s = start(url, 20);

    put(s, "x", 5);
    put(s, "y", 6);
    sender_stop(s, &o);
    CHECK_INT(o.dropped, 11);
    (void)close(fd);
}

/* Two that are finished together share the time: the second does not wait anew.
 * If it did, it would never take less than DRAIN_MS; a machine that stands
 * still gets more than one chance. */
#define DRAIN_MS 500

static bool second_waits(const char *url)
{
    struct sender *one = start(url, DRAIN_MS), *two = start(url, DRAIN_MS);
    struct sender_outcome o = { 0 };
    uint64_t begun_ns;

    put(one, "x", 1);
    put(two, "y", 1);
    sender_finish(one);
    sender_finish(two);
    sender_stop(one, &o);
    CHECK_INT(o.dropped, 1);
    begun_ns = mono_ns();
    sender_stop(two, &o);
    CHECK_INT(o.dropped, 1);
    return mono_ns() - begun_ns >= DRAIN_MS * UINT64_C(1000000);
}

static void check_shared(void)
{
    char url[64];
    int fd = listening(url), tries = 20;

    while (tries && second_waits(url))
        tries--;
    CHECK(tries);
    (void)close(fd);
}

int main(void)
{
    check_answers();
    check_nobody();
    check_silence();
    check_shared();
    return test_result();
}
