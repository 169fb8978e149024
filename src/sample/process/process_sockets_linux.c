/* process_sockets_linux.c -- the sockets of processes.
 *
 * A process's sockets are the links of its folder fd that name one, by inode.
 * What kind of socket an inode is, the kernel says in a list of all there are:
 * that is asked for when an inode is new, or was of no kind we know, and not
 * more than once in a second.  TCP sockets that are known are asked for one by
 * one, to see their state. */
#include "base/alloc.h"
#include "base/map.h"
#include "sample/process/attached.h"
#include "sample/process/inet_diag_linux.h"
#include "sample/sampler_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIST_PERIOD_NS = 1000000000, ASKED_AT_ONCE = 16, TEXT_CAP = 64 };

/* A socket that one of the targets had at the last reading. */
struct known_socket {
    struct inet_socket socket; /* family 0: of no kind we know */
    uint32_t round;
};

struct sockets_state {
    struct targets *targets;
    struct subjects *subjects;
    struct attached attached;
    struct inet_diag diag;
    bool opened;
    char own_net[TEXT_CAP];

    struct map by_inode; /* to an index of known */
    struct known_socket *known;
    size_t count, cap;
    uint64_t listed_ns;
    uint32_t round;
};

struct process_sockets {
    DIR *fds;
    bool tried, elsewhere;
    uint64_t *inodes; /* of this reading */
    size_t count, cap;
};

enum { LISTENING, CONNECTED, CLOSING, DATAGRAM, KINDS };

static const enum metric_id kind_metrics[KINDS] = {
    [LISTENING] = METRIC_process_listening_sockets,
    [CONNECTED] = METRIC_process_connected_sockets,
    [CLOSING] = METRIC_process_closing_sockets,
    [DATAGRAM] = METRIC_process_datagram_sockets,
};

static void release_sockets(void *item)
{
    struct process_sockets *p = item;

    if (p->fds)
        (void)closedir(p->fds);
    free(p->inodes);
}

static int sockets_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct sockets_state *s = state;

    if (!c->targets)
        return fail(e, -ENODEV, "no process is looked at");
    s->targets = c->targets;
    s->subjects = c->subjects;
    s->attached.size = sizeof(struct process_sockets);
    s->attached.release = release_sockets;
    s->diag.fd = -ENODEV;
    if (targets_are_here(c->targets))
        (void)inet_diag_open(&s->diag);
    s->opened = true;
    for (size_t i = 0; s->diag.fd < 0 && i < KINDS; i++)
        subjects_missing(c->subjects, kind_metrics[i], 0,
                "the kernel's list of sockets: %s", strerror(-s->diag.fd));

    ssize_t len = readlink("/proc/self/ns/net", s->own_net, TEXT_CAP - 1);

    s->own_net[len > 0 ? len : 0] = 0;
    return 0;
}

/* --- what sockets a process has --------------------------------------------
 */

static void meet(struct sockets_state *s, struct process_sockets *p,
        const struct target *x)
{
    char net[TEXT_CAP];
    int fd = openat(x->dir_fd, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = errno;

    p->tried = true;
    p->fds = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !p->fds)
        (void)close(fd);
    if (!p->fds && rc != ESRCH && rc != ENOENT)
        subjects_missing(s->subjects, METRIC_process_sockets, x->subject,
                "/proc/%llu/fd: %s", (unsigned long long)x->pid, strerror(rc));

    ssize_t len = readlinkat(x->dir_fd, "ns/net", net, sizeof(net) - 1);

    net[len > 0 ? len : 0] = 0;
    p->elsewhere = net[0] && strcmp(net, s->own_net) != 0;
    for (size_t i = 0; p->elsewhere && i < KINDS; i++)
        subjects_missing(s->subjects, kind_metrics[i], x->subject,
                "the process is in a network namespace of its own");
}

/* The number in "socket:[4711]". */
static bool parse_link(uint64_t *inode, struct str link)
{
    return str_starts(link, "socket:[") &&
           str_u64(inode, str_before(str_after(link, '['), ']')) == 0;
}

static void note_inode(struct process_sockets *p, uint64_t inode)
{
    if (p->count == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 16;
        p->inodes = alloc_resize(p->inodes, p->cap * sizeof(*p->inodes));
    }
    p->inodes[p->count++] = inode;
}

static struct known_socket *know(struct sockets_state *s, uint64_t inode)
{
    uint64_t *at = map_find(&s->by_inode, inode);

    if (at)
        return &s->known[*at];
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->known = alloc_resize(s->known, s->cap * sizeof(*s->known));
    }
    s->known[s->count] = (struct known_socket){ .socket.inode = inode };
    map_put(&s->by_inode, inode, s->count);
    return &s->known[s->count++];
}

static void find_sockets(struct sockets_state *s, struct process_sockets *p)
{
    const struct dirent *entry;
    char text[TEXT_CAP];
    uint64_t inode;

    p->count = 0;
    rewinddir(p->fds);
    while ((entry = readdir(p->fds)) != NULL) {
        ssize_t len = entry->d_name[0] == '.'
                              ? -1
                              : readlinkat(dirfd(p->fds), entry->d_name, text,
                                        sizeof(text));

        if (len <= 0 || !parse_link(&inode, (struct str){ text, (size_t)len }))
            continue;
        note_inode(p, inode);
        if (!p->elsewhere)
            know(s, inode)->round = s->round;
    }
}

/* --- what they are ----------------------------------------------------------
 */

static void forget_gone(struct sockets_state *s)
{
    for (size_t i = s->count; i-- > 0;) {
        if (s->known[i].round == s->round)
            continue;
        map_remove(&s->by_inode, s->known[i].socket.inode);
        s->count--;
        if (i == s->count)
            continue;
        s->known[i] = s->known[s->count];
        map_put(&s->by_inode, s->known[i].socket.inode, i);
    }
}

static void learn(void *user, const struct inet_socket *socket)
{
    struct sockets_state *s = user;
    const uint64_t *at = map_find(&s->by_inode, socket->inode);

    if (at)
        s->known[*at].socket = *socket;
}

static void list_all(struct sockets_state *s)
{
    static const uint8_t families[] = { AF_INET, AF_INET6 };
    static const uint8_t protocols[] = { IPPROTO_TCP, IPPROTO_UDP };

    for (size_t i = 0; i < 4; i++)
        (void)inet_diag_dump(&s->diag, families[i / 2], protocols[i % 2], learn,
                s);
}

/* A state of 0 is of a socket that was closed or connected anew: it is to be
 * found in the list again. */
static void ask_again(struct sockets_state *s, struct inet_socket *const *tcp,
        size_t count)
{
    (void)inet_diag_refresh(&s->diag, tcp, count);
    for (size_t i = 0; i < count; i++)
        if (!tcp[i]->state)
            tcp[i]->family = 0;
}

static void learn_states(struct sockets_state *s, uint64_t now_ns)
{
    struct inet_socket *tcp[ASKED_AT_ONCE];
    size_t count = 0, unknown = 0;

    for (size_t i = 0; i < s->count; i++) {
        struct inet_socket *k = &s->known[i].socket;

        if (k->family && k->protocol == IPPROTO_TCP)
            tcp[count++] = k;
        if (count == ASKED_AT_ONCE || (count && i + 1 == s->count)) {
            ask_again(s, tcp, count);
            count = 0;
        }
    }
    for (size_t i = 0; i < s->count; i++)
        unknown += !s->known[i].socket.family;
    if (!unknown || (s->listed_ns && now_ns - s->listed_ns < LIST_PERIOD_NS))
        return;
    s->listed_ns = now_ns;
    list_all(s);
}

static int kind_of(const struct inet_socket *k)
{
    if (!k->family)
        return -1;
    if (k->protocol == IPPROTO_UDP)
        return DATAGRAM;
    if (k->state == TCP_LISTEN)
        return LISTENING;
    return k->state == TCP_ESTABLISHED ? CONNECTED : CLOSING;
}

static void add_kinds(struct sockets_state *s, const struct process_sockets *p,
        uint32_t subject, struct batch *out)
{
    unsigned counts[KINDS] = { 0 };

    for (size_t i = 0; i < p->count; i++) {
        const uint64_t *at = map_find(&s->by_inode, p->inodes[i]);
        int kind = at ? kind_of(&s->known[*at].socket) : -1;

        if (kind >= 0)
            counts[kind]++;
    }
    for (size_t i = 0; i < KINDS; i++)
        batch_add(out, kind_metrics[i], subject, counts[i]);
}

static void sockets_read(void *state, struct batch *out)
{
    struct sockets_state *s = state;

    s->round++;
    for (size_t i = 0; i < targets_count(s->targets); i++) {
        const struct target *x = targets_at(s->targets, i);
        struct process_sockets *p = attached_to(&s->attached, s->targets, x);

        if (!p->tried)
            meet(s, p, x);
        if (p->fds && !x->ended)
            find_sockets(s, p);
    }
    forget_gone(s);
    if (s->diag.fd >= 0)
        learn_states(s, out->time_ns);
    for (size_t i = 0; i < targets_count(s->targets); i++) {
        const struct target *x = targets_at(s->targets, i);
        const struct process_sockets *p =
                attached_to(&s->attached, s->targets, x);

        if (!p->fds || x->ended)
            continue;
        batch_add(out, METRIC_process_sockets, x->subject, (double)p->count);
        if (s->diag.fd >= 0 && !p->elsewhere)
            add_kinds(s, p, x->subject, out);
    }
}

static void sockets_close(void *state)
{
    struct sockets_state *s = state;

    attached_release(&s->attached);
    map_release(&s->by_inode);
    free(s->known);
    if (s->opened)
        inet_diag_close(&s->diag);
}

const struct sampler sampler_process_sockets = {
    .name = "process-sockets",
    .about = "sockets of a process, by their state",
    .state_size = sizeof(struct sockets_state),
    .default_hz = 1,
    .most_hz = 100,
    .open = sockets_open,
    .read = sockets_read,
    .close = sockets_close,
};
