/* inet_diag_linux.h -- the sockets of the machine, as the kernel's sock_diag(7)
 * tells of them: all of a kind at once, or again those already known.
 *
 * /proc/net/tcp says the same, ten times as slowly. */
#pragma once

#include "base/str.h"

#include <linux/inet_diag.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inet_socket {
    uint64_t inode;   /* in the name of its link in /proc/PID/fd */
    uint8_t family;   /* AF_INET, AF_INET6 */
    uint8_t protocol; /* IPPROTO_TCP, IPPROTO_UDP */
    uint8_t state;    /* TCP_ESTABLISHED, ...: see netinet/tcp.h */
    struct inet_diag_sockid id;
};

enum inet_answer_kind {
    INET_ANSWER_SOCKET,
    INET_ANSWER_FAILED, /* the answer to one question; `rc` says why */
    INET_ANSWER_END,    /* the last of a dump */
    INET_ANSWER_OTHER,  /* nothing of ours */
    INET_ANSWER_NONE    /* the datagram is at its end, or is broken there */
};

struct inet_answer {
    enum inet_answer_kind kind;
    uint32_t sequence; /* of the question */
    int rc;
    struct inet_socket socket; /* its protocol is not told */
};

/* Takes the next answer off a datagram. */
struct inet_answer inet_diag_next(struct str *rest);

/* The way to the kernel.  0 or a negative errno value, which is also in `fd`;
 * inet_diag_close() in any case is harmless after it. */
struct inet_diag {
    int fd;
    uint32_t sequence; /* of the last list */
};

int inet_diag_open(struct inet_diag *d);
void inet_diag_close(struct inet_diag *d);

/* Hands over each socket of a kind.  0 or a negative errno value. */
int inet_diag_dump(struct inet_diag *d, uint8_t family, uint8_t protocol,
        void (*each)(void *user, const struct inet_socket *s), void *user);

/* Asks again for TCP sockets, and sets `state` of each; 0 of one that is not
 * there any more. */
int inet_diag_refresh(struct inet_diag *d, struct inet_socket *const *sockets,
        size_t count);
