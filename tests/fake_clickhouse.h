/* fake_clickhouse.h -- for tests: a server that gives the answers it was told,
 * one after another, and keeps what it was asked. */
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

static bool fake_answer(int fd, const struct fake_answer *a)
{
    struct buf b = { 0 };

    if (!a || !a->status)
        return false;
    buf_printf(&b, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n%s", a->status,
            strlen(a->text), a->text);
    CHECK_INT(write(fd, b.p, b.len), b.len);
    buf_release(&b);
    return true;
}

static void *fake_serve(void *to)
{
    struct fake *f = to;

    while (f->answers->text) {
        size_t start = f->asked.len;
        int fd = accept(f->listener, NULL, NULL);

        if (fd < 0)
            break;
        while (f->answers->text && fake_read(f, fd) &&
                fake_answer(fd, fake_choose(f, start)))
            start = f->asked.len;
        (void)close(fd);
    }
    return NULL;
}

static inline void fake_start_as(struct fake *f,
        const struct fake_answer *answers, bool rules)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t len = sizeof(at);

    *f = (struct fake){ .answers = answers, .rules = rules };
    f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(f->listener, (struct sockaddr *)&at, len), 0);
    CHECK_INT(listen(f->listener, 8), 0);
    CHECK_INT(getsockname(f->listener, (struct sockaddr *)&at, &len), 0);
    f->port = ntohs(at.sin_port);
    CHECK_INT(pthread_create(&f->thread, NULL, fake_serve, f), 0);
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
