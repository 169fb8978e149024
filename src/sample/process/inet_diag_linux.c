/* inet_diag_linux.c -- see sock_diag(7), netlink(7).
 *
 * The kernel answers within the call that asks, so nothing is waited for. */
#include "sample/process/inet_diag_linux.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_CAP = 32768, BATCH = 16 };

/* Questions about one socket are numbered below it. */
#define LISTS_FROM (1U << 31)

struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
};

static void read_socket(struct inet_answer *a, struct str body)
{
    struct inet_diag_msg m;

    a->kind = INET_ANSWER_OTHER;
    if (body.len < sizeof(m))
        return;
    memcpy(&m, body.p, sizeof(m));
    a->kind = INET_ANSWER_SOCKET;
    a->socket = (struct inet_socket){
        .inode = m.idiag_inode,
        .family = m.idiag_family,
        .state = m.idiag_state,
        .id = m.id,
    };
}

static void read_error(struct inet_answer *a, struct str body)
{
    struct nlmsgerr m;

    a->kind = INET_ANSWER_OTHER;
    if (body.len < sizeof(m))
        return;
    memcpy(&m, body.p, sizeof(m));
    a->kind = INET_ANSWER_FAILED;
    a->rc = m.error;
}

struct inet_answer inet_diag_next(struct str *rest)
{
    struct inet_answer a = { .kind = INET_ANSWER_NONE };
    struct nlmsghdr head;

    if (rest->len < sizeof(head))
        return a;
    memcpy(&head, rest->p, sizeof(head));
    if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > rest->len)
        return a;

    struct str body = { rest->p + sizeof(head), head.nlmsg_len - sizeof(head) };
    size_t step = NLMSG_ALIGN((size_t)head.nlmsg_len);

    if (step > rest->len)
        step = rest->len;
    *rest = (struct str){ rest->p + step, rest->len - step };
    a.sequence = head.nlmsg_seq;
    switch (head.nlmsg_type) {
    case SOCK_DIAG_BY_FAMILY: read_socket(&a, body); break;
    case NLMSG_ERROR: read_error(&a, body); break;
    case NLMSG_DONE: a.kind = INET_ANSWER_END; break;
    default: a.kind = INET_ANSWER_OTHER;
    }
    return a;
}

int inet_diag_open(struct inet_diag *d)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

    d->sequence = LISTS_FROM;
    d->fd = fd < 0 ? -errno : fd;
    return fd < 0 ? d->fd : 0;
}

void inet_diag_close(struct inet_diag *d)
{
    if (d->fd >= 0)
        (void)close(d->fd);
}

static struct question ask(uint8_t family, uint8_t protocol, uint16_t flags,
        uint32_t sequence)
{
    return (struct question){
        .head = { .nlmsg_len = sizeof(struct question),
                .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                .nlmsg_flags = NLM_F_REQUEST | flags,
                .nlmsg_seq = sequence },
        .body = { .sdiag_family = family,
                .sdiag_protocol = protocol,
                .idiag_states = UINT32_MAX },
    };
}

/* The next datagram; -EAGAIN: there is none. */
static ssize_t receive(int fd, char *bytes)
{
    ssize_t len = recv(fd, bytes, ANSWER_CAP, MSG_DONTWAIT);

    return len < 0 ? -errno : len;
}

int inet_diag_dump(struct inet_diag *d, uint8_t family, uint8_t protocol,
        void (*each)(void *user, const struct inet_socket *s), void *user)
{
    struct question q = ask(family, protocol, NLM_F_DUMP, ++d->sequence);
    _Alignas(struct nlmsghdr) char bytes[ANSWER_CAP];
    ssize_t len;

    if (send(d->fd, &q, sizeof(q), 0) < 0)
        return -errno;
    while ((len = receive(d->fd, bytes)) >= 0) {
        struct str rest = { bytes, (size_t)len };
        struct inet_answer a;

        while ((a = inet_diag_next(&rest)).kind != INET_ANSWER_NONE) {
            if (a.sequence != q.head.nlmsg_seq)
                continue;
            if (a.kind == INET_ANSWER_END)
                return 0;
            if (a.kind == INET_ANSWER_FAILED)
                return a.rc;
            a.socket.protocol = protocol;
            if (a.kind == INET_ANSWER_SOCKET)
                each(user, &a.socket);
        }
    }
    return (int)len;
}

static void take_answers(int fd, struct inet_socket *const *sockets,
        size_t count)
{
    _Alignas(struct nlmsghdr) char bytes[ANSWER_CAP];
    ssize_t len;

    for (size_t left = count; left && (len = receive(fd, bytes)) >= 0;) {
        struct str rest = { bytes, (size_t)len };
        struct inet_answer a;

        while ((a = inet_diag_next(&rest)).kind != INET_ANSWER_NONE) {
            if (a.sequence >= count || !left)
                continue;
            left--;
            if (a.kind == INET_ANSWER_SOCKET &&
                    a.socket.inode == sockets[a.sequence]->inode)
                sockets[a.sequence]->state = a.socket.state;
        }
    }
}

int inet_diag_refresh(struct inet_diag *d, struct inet_socket *const *sockets,
        size_t count)
{
    while (count) {
        size_t n = count < BATCH ? count : BATCH;
        struct question q[BATCH];

        for (size_t i = 0; i < n; i++) {
            q[i] = ask(sockets[i]->family, sockets[i]->protocol, 0,
                    (uint32_t)i);
            q[i].body.id = sockets[i]->id;
            sockets[i]->state = 0;
        }
        if (send(d->fd, q, n * sizeof(q[0]), 0) < 0)
            return -errno;
        take_answers(d->fd, sockets, n);
        sockets += n;
        count -= n;
    }
    return 0;
}
