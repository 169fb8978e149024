#include "os/inflow.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct inflow {
    int fd;
    bool connected; /* TCP: its end is an end */
    bool borrowed;  /* the standard input */
};

static int connect_first(const struct addrinfo *list)
{
    int rc = -ENOENT;

    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC,
                a->ai_protocol);

        if (fd < 0) {
            rc = -errno;
            continue;
        }
        if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
            return fd;
        rc = -errno;
        (void)close(fd);
    }
    return rc;
}

/* "HOST:PORT"; the host may have colons of its own in brackets. */
static int connect_to(const char *place, struct error *e)
{
    const char *colon = strrchr(place, ':');
    char host[256];
    size_t len = colon ? (size_t)(colon - place) : 0;
    struct addrinfo *list = NULL;
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };

    if (!colon || !len || len >= sizeof(host))
        return fail(e, -EINVAL, "a meter's address is tcp:HOST:PORT, not %s",
                place);
    if (place[0] == '[' && place[len - 1] == ']') {
        place++;
        len -= 2;
    }
    memcpy(host, place, len);
    host[len] = 0;

    int rc = getaddrinfo(host, colon + 1, &wanted, &list);

    if (rc)
        return fail(e, -ENOENT, "cannot find %s: %s", place, gai_strerror(rc));

    int fd = connect_first(list);

    freeaddrinfo(list);
    if (fd < 0)
        return fail(e, fd, "cannot connect to %s: %s", place, strerror(-fd));
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

int inflow_open(struct inflow **out, const char *name, struct error *e)
{
    struct inflow *s = alloc_zero(1, sizeof(*s));

    if (strcmp(name, "-") == 0) {
        s->fd = STDIN_FILENO;
        s->borrowed = true;
        (void)fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) | O_NONBLOCK);
    } else if (str_starts(str_of(name), "tcp:")) {
        s->fd = connect_to(name + 4, e);
        s->connected = true;
    } else {
        /* A pipe without a writer opens at once, too. */
        s->fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (s->fd < 0)
            s->fd = fail(e, -errno, "cannot open %s: %s", name,
                    strerror(errno));
    }
    if (s->fd < 0) {
        int rc = s->fd;

        free(s);
        return rc;
    }
    *out = s;
    return 0;
}

int inflow_read(struct inflow *s, void *bytes, size_t cap)
{
    ssize_t n = read(s->fd, bytes, cap);

    if (n > 0)
        return (int)n;
    if (n == 0)
        return s->connected ? -EPIPE : 0;
    return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

void inflow_close(struct inflow *s)
{
    if (!s)
        return;
    if (!s->borrowed)
        (void)close(s->fd);
    free(s);
}
