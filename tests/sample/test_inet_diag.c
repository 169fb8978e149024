/* The kernel's own answers about sockets that we open, and broken ones. */
#include "sample/process/inet_diag_linux.h"

#include "puppet.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/stat.h>

struct sought {
    uint64_t inode;
    struct inet_socket found;
    unsigned times;
};

static void seek(void *user, const struct inet_socket *s)
{
    struct sought *x = user;

    if (s->inode == x->inode) {
        x->found = *s;
        x->times++;
    }
}

static uint64_t inode_of(int fd)
{
    struct stat st;

    CHECK(fstat(fd, &st) == 0);
    return st.st_ino;
}

static void listening(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    struct inet_diag d;
    int a = socket(AF_INET, SOCK_STREAM, 0);
    int b = socket(AF_INET, SOCK_STREAM, 0);

    CHECK_INT(inet_diag_open(&d), 0);
    CHECK(bind(a, (struct sockaddr *)&at, len) == 0 && listen(a, 1) == 0);
    CHECK(getsockname(a, (struct sockaddr *)&at, &len) == 0);

    struct sought x = { .inode = inode_of(a) }, y = { .inode = inode_of(b) };

    CHECK_INT(inet_diag_dump(&d, AF_INET, IPPROTO_TCP, seek, &x), 0);
    CHECK_INT(x.times, 1);
    CHECK_INT(x.found.state, TCP_LISTEN);
    CHECK_INT(x.found.protocol, IPPROTO_TCP);
    CHECK_INT(ntohs(x.found.id.idiag_sport), ntohs(at.sin_port));

    CHECK(connect(b, (struct sockaddr *)&at, len) == 0);
    CHECK_INT(inet_diag_dump(&d, AF_INET, IPPROTO_TCP, seek, &y), 0);
    CHECK_INT(y.found.state, TCP_ESTABLISHED);

    struct inet_socket *both[] = { &x.found, &y.found };

    CHECK(shutdown(b, SHUT_WR) == 0);
    CHECK_INT(inet_diag_refresh(&d, both, 2), 0);
    CHECK_INT(x.found.state, TCP_LISTEN);
    CHECK(y.found.state == TCP_FIN_WAIT1 || y.found.state == TCP_FIN_WAIT2);
    (void)close(a);
    CHECK_INT(inet_diag_refresh(&d, both, 1), 0);
    CHECK_INT(x.found.state, 0);
    (void)close(b);
    inet_diag_close(&d);
}

static void datagrams(void)
{
    struct sockaddr_in6 at = { .sin6_family = AF_INET6,
        .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    struct inet_diag d;
    int a = socket(AF_INET6, SOCK_DGRAM, 0);

    CHECK_INT(inet_diag_open(&d), 0);
    if (a < 0 || bind(a, (struct sockaddr *)&at, sizeof(at)) != 0) {
        (void)fprintf(stderr, "no IPv6 here\n");
    } else {
        struct sought x = { .inode = inode_of(a) };

        CHECK_INT(inet_diag_dump(&d, AF_INET6, IPPROTO_UDP, seek, &x), 0);
        CHECK_INT(x.times, 1);
        CHECK_INT(x.found.family, AF_INET6);
    }
    if (a >= 0)
        (void)close(a);
    CHECK(inet_diag_dump(&d, AF_UNSPEC, 255, seek, NULL) < 0);
    inet_diag_close(&d);
}

static void broken(void)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_msg body;
    } m = { { .nlmsg_len = sizeof(m),
                    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                    .nlmsg_seq = 5 },
        { .idiag_inode = 4711, .idiag_state = TCP_LISTEN } };
    struct str rest = { (const char *)&m, sizeof(m) };
    struct inet_answer a = inet_diag_next(&rest);

    CHECK_INT(a.kind, INET_ANSWER_SOCKET);
    CHECK_INT(a.socket.inode, 4711);
    CHECK_INT(a.sequence, 5);
    CHECK_INT(rest.len, 0);
    CHECK_INT(inet_diag_next(&rest).kind, INET_ANSWER_NONE);
    for (size_t len = 0; len < sizeof(m); len++) {
        rest = (struct str){ (const char *)&m, len };
        CHECK_INT(inet_diag_next(&rest).kind, INET_ANSWER_NONE);
    }
    m.head.nlmsg_len = 3;
    rest = (struct str){ (const char *)&m, sizeof(m) };
    CHECK_INT(inet_diag_next(&rest).kind, INET_ANSWER_NONE);
    m.head.nlmsg_len = sizeof(m.head) + 8; /* too short for a socket */
    CHECK_INT(inet_diag_next(&rest).kind, INET_ANSWER_OTHER);
    m.head.nlmsg_type = NLMSG_ERROR;
    rest = (struct str){ (const char *)&m, sizeof(m) };
    CHECK_INT(inet_diag_next(&rest).kind, INET_ANSWER_OTHER);
}

int main(void)
{
    listening();
    datagrams();
    broken();
    return test_result();
}
