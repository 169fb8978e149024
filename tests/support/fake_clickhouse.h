/* fake_clickhouse.h -- for tests: a server that gives the answers it was told,
 * one after another, and keeps what it was asked; or one that makes them. */
#pragma once

#include "base/buf.h"
#include "test.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct fake_answer {
    int status; /* 0: hangs up instead */
    const char *text;
    const char *when; /* of a rule: this is part of what is asked */
};

/* Whatever is asked. */
#define FAKE(status, text) \
    {                      \
        status, text, NULL \
    }

struct fake {
    const struct fake_answer *answers; /* end with a text of NULL */
    bool rules; /* not one after another: the first that fits, each time */
    /* Instead of answers: makes the body of one, whatever its bytes. */
    void (*make)(void *context, const char *asked, struct buf *body);
    void *context;
    int listener;
    unsigned port;
    pthread_t thread;
    struct buf asked; /* everything, one request after another */
};

/* Reads one request.  False: the other side has hung up. */
static bool fake_read(struct fake *f, int fd)
{
    size_t start = f->asked.len, want = SIZE_MAX;
    char bytes[4096];

    while (f->asked.len - start < want) {
        ssize_t n = read(fd, bytes, sizeof(bytes));

        if (n <= 0)
            return false;
        buf_add(&f->asked, bytes, (size_t)n);

        const char *end = strstr(f->asked.p + start, "\r\n\r\n");
        const char *len = strstr(f->asked.p + start, "Content-Length: ");

        if (end && len)
            want = (size_t)(end + 4 - (f->asked.p + start)) +
                   strtoul(len + 16, NULL, 10);
    }
    return true;
}

/* What to answer to what was asked last, from `start` on; NULL: no more. */
static const struct fake_answer *fake_choose(struct fake *f, size_t start)
{
    const struct fake_answer *a = f->answers;

    if (!f->rules)
        return a->text ? f->answers++ : NULL;
    while (a->text && a->when &&
            !memmem(f->asked.p + start, f->asked.len - start, a->when,
                    strlen(a->when)))
        a++;
    return a->text ? a : NULL;
}

static bool fake_send(int fd, int status, struct str body)
{
    struct buf b = { 0 };
    size_t sent = 0;
    ssize_t n = 1;

    buf_printf(&b, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n", status,
            body.len);
    buf_add(&b, body.p, body.len);
    for (; sent < b.len && n > 0; sent += n > 0 ? (size_t)n : 0)
        n = send(fd, b.p + sent, b.len - sent, MSG_NOSIGNAL);
    buf_release(&b);
    return n > 0; /* else who asked has heard enough */
}

/* Answers what was asked last, from `start` on.  False: hangs up. */
static bool fake_answer(struct fake *f, int fd, size_t start)
{
    const struct fake_answer *a;
    struct buf body = { 0 };
    bool sent;

    if (!f->make) {
        a = fake_choose(f, start);
        return a && a->status && fake_send(fd, a->status, str_of(a->text));
    }
    f->make(f->context, buf_cstr(&f->asked) + start, &body);
    sent = fake_send(fd, 200, buf_str(&body));
    buf_release(&body);
    return sent;
}

static bool fake_goes_on(const struct fake *f)
{
    return f->make || f->answers->text;
}

static void *fake_serve(void *to)
{
    struct fake *f = to;

    while (fake_goes_on(f)) {
        size_t start = f->asked.len;
        int fd = accept(f->listener, NULL, NULL);

        if (fd < 0)
            break;
        while (fake_goes_on(f) && fake_read(f, fd) && fake_answer(f, fd, start))
            start = f->asked.len;
        (void)close(fd);
    }
    return NULL;
}

static inline void fake_listen(struct fake *f)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t len = sizeof(at);

    f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(f->listener, (struct sockaddr *)&at, len), 0);
    CHECK_INT(listen(f->listener, 8), 0);
    CHECK_INT(getsockname(f->listener, (struct sockaddr *)&at, &len), 0);
    f->port = ntohs(at.sin_port);
    CHECK_INT(pthread_create(&f->thread, NULL, fake_serve, f), 0);
}

static inline void fake_start_as(struct fake *f,
        const struct fake_answer *answers, bool rules)
{
    *f = (struct fake){ .answers = answers, .rules = rules };
    fake_listen(f);
}

static inline void fake_start(struct fake *f, const struct fake_answer *answers)
{
    fake_start_as(f, answers, false);
}

/* All answers were given, or nobody will ask any more. */
static inline void fake_stop(struct fake *f)
{
    (void)shutdown(f->listener, SHUT_RDWR);
    (void)pthread_join(f->thread, NULL);
    (void)close(f->listener);
    buf_release(&f->asked);
}
