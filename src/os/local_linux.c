#include "os/local.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <threads.h>
#include <unistd.h>

#define FOLDERS     2
#define CLIENTS_MAX 64
#define LINKS_MAX   256
#define FOLDER_MAX  (sizeof(((struct sockaddr_un *)0)->sun_path) - 40)

/* --- places --------------------------------------------------------------- */

/* The first that there is serves; -ENOENT: there is no such one. */
static int folder_name(char out[FOLDER_MAX], size_t i)
{
    const char *given = getenv("XDG_RUNTIME_DIR");
    int len;

    if (i == 0 && (!given || given[0] != '/'))
        return -ENOENT;
    len = i == 0 ? snprintf(out, FOLDER_MAX, "%s/ortmeter", given)
                 : snprintf(out, FOLDER_MAX, "/tmp/ortmeter-%u", geteuid());
    return len < (int)FOLDER_MAX ? 0 : -ENAMETOOLONG;
}

/* It is a folder, ours, and closed to others. */
static int check_folder(const char *path)
{
    struct stat s;

    if (lstat(path, &s))
        return -errno;
    return S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 077)
                   ? 0
                   : -EPERM;
}

static int make_folder(char out[FOLDER_MAX], struct error *e)
{
    int rc = -ENOENT;

    for (size_t i = 0; i < FOLDERS; i++) {
        rc = folder_name(out, i);
        if (rc || (mkdir(out, 0700) && errno != EEXIST))
            continue;
        rc = check_folder(out);
        if (rc == 0)
            return 0;
    }
    return fail(e, rc,
            "there is no folder for sockets: neither XDG_RUNTIME_DIR nor /tmp "
            "has room for one that is ours alone");
}

/* -ENAMETOOLONG, or the address of a name in a folder. */
static int address(struct sockaddr_un *out, const char *folder,
        const char *before, const char *name)
{
    int len;

    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    len = snprintf(out->sun_path, sizeof(out->sun_path), "%s/%s%s", folder,
            before, name);
    return len < (int)sizeof(out->sun_path) ? 0 : -ENAMETOOLONG;
}

static int new_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return fd < 0 ? -errno : fd;
}

/* Whoever is at the other end is the same user, or root. */
static bool is_ours(int fd)
{
    struct ucred c;
    socklen_t len = sizeof(c);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &len) == 0 &&
           (c.uid == geteuid() || c.uid == 0);
}

/* A connection; a name that nobody listens to is removed. */
static int connect_to(const char *folder, const char *name)
{
    struct sockaddr_un a;
    int rc = name[0] == '.' || strchr(name, '/') ? -ENOENT
                                                 : check_folder(folder);
    int fd;

    if (!rc)
        rc = address(&a, folder, "", name);
    if (rc)
        return rc;
    fd = new_socket();
    if (fd < 0)
        return fd;
    if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && is_ours(fd))
        return fd;
    rc = -errno;
    (void)close(fd);
    if (rc == -ECONNREFUSED)
        (void)unlink(a.sun_path);
    return rc == -ECONNREFUSED || !rc ? -ENOENT : rc;
}

static void remove_dead(const char *folder)
{
    struct folder f = { 0 };

    (void)folder_read(&f, "%s", folder);
    for (size_t i = 0; i < f.count; i++) {
        int fd = connect_to(folder, f.name[i]);

        if (fd >= 0)
            (void)close(fd);
    }
    folder_release(&f);
}

static bool say(int fd, const char *message, size_t len)
{
    return send(fd, message, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}

/* A length; -EAGAIN: nothing is there; -EPIPE: it is over. */
static int hear(int fd, char out[LOCAL_MESSAGE_MAX])
{
    ssize_t n = recv(fd, out, LOCAL_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return -EAGAIN;
    return n > 0 && n <= LOCAL_MESSAGE_MAX ? (int)n : -EPIPE;
}

static int wait_for(struct pollfd *p, size_t count, uint64_t until_ns)
{
    uint64_t now = mono_ns();
    uint64_t left = until_ns > now ? until_ns - now : 0;
    struct timespec t = { (time_t)(left / 1000000000),
        (long)(left % 1000000000) };

    return ppoll(p, (nfds_t)count, until_ns == UINT64_MAX ? NULL : &t, NULL);
}

/* --- who listens ---------------------------------------------------------- */

struct local_hub {
    int listener, wakes;
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    mtx_t mutex; /* of what follows */
    struct client {
        int fd;
        uint64_t number; /* never used again; 0: a free place */
        bool subscribed;
    } client[CLIENTS_MAX];
    uint64_t numbers;
    size_t subscribers;
};

/* Under its name only when it listens: before, it would look dead. */
static int listen_as(struct local_hub *h, const char *folder, const char *name,
        struct error *e)
{
    struct sockaddr_un hidden, shown;
    int rc = address(&hidden, folder, ".", name);

    if (!rc)
        rc = address(&shown, folder, "", name);
    if (!rc && (h->listener = new_socket()) < 0)
        rc = h->listener;
    if (!rc && (bind(h->listener, (struct sockaddr *)&hidden, sizeof(hidden)) ||
                       listen(h->listener, CLIENTS_MAX) ||
                       rename(hidden.sun_path, shown.sun_path)))
        rc = -errno;
    if (rc) {
        (void)unlink(hidden.sun_path);
        return fail(e, rc, "cannot listen in %s: %s", folder, strerror(-rc));
    }
    memcpy(h->path, shown.sun_path, sizeof(h->path));
    return 0;
}

int local_hub_open(struct local_hub **out, const char *name, struct error *e)
{
    struct local_hub *h = alloc_zero(1, sizeof(*h));
    char folder[FOLDER_MAX];
    int rc = make_folder(folder, e);

    h->listener = -1;
    (void)mtx_init(&h->mutex, mtx_plain);
    h->wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!rc && h->wakes < 0)
        rc = fail(e, -errno, "no event could be made");
    if (!rc) {
        remove_dead(folder);
        rc = listen_as(h, folder, name, e);
    }
    if (rc) {
        local_hub_close(h);
        return rc;
    }
    *out = h;
    return 0;
}

void local_hub_close(struct local_hub *h)
{
    if (!h)
        return;
    if (h->path[0])
        (void)unlink(h->path);
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        if (h->client[i].number)
            (void)close(h->client[i].fd);
    if (h->listener >= 0)
        (void)close(h->listener);
    if (h->wakes >= 0)
        (void)close(h->wakes);
    mtx_destroy(&h->mutex);
    free(h);
}

void local_hub_wake(struct local_hub *h)
{
    uint64_t one = 1;

    if (write(h->wakes, &one, sizeof(one)) < 0)
        return; /* it is full, and so it wakes already */
}

static void let_in(struct local_hub *h)
{
    int fd = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    size_t i = 0;

    if (fd < 0)
        return;
    (void)mtx_lock(&h->mutex);
    while (i < CLIENTS_MAX && h->client[i].number)
        i++;
    if (i < CLIENTS_MAX && is_ours(fd))
        h->client[i] = (struct client){ fd, ++h->numbers, false };
    else
        (void)close(fd);
    (void)mtx_unlock(&h->mutex);
}

static void put_out(struct local_hub *h, struct client *c)
{
    (void)mtx_lock(&h->mutex);
    (void)close(c->fd);
    h->subscribers -= c->subscribed;
    *c = (struct client){ 0 };
    (void)mtx_unlock(&h->mutex);
}

int local_hub_take(struct local_hub *h, char out[LOCAL_MESSAGE_MAX],
        uint64_t *from)
{
    for (;;) {
        struct pollfd p[CLIENTS_MAX + 2] = { { h->wakes, POLLIN, 0 },
            { h->listener, POLLIN, 0 } };

        /* Only this thread lets in and puts out. */
        for (size_t i = 0; i < CLIENTS_MAX; i++)
            p[i + 2] =
                    (struct pollfd){ h->client[i].number ? h->client[i].fd : -1,
                        POLLIN, 0 };
        if (wait_for(p, CLIENTS_MAX + 2, UINT64_MAX) <= 0)
            continue;
        if (p[0].revents)
            return -ECANCELED;
        if (p[1].revents)
            let_in(h);
        for (size_t i = 0; i < CLIENTS_MAX; i++) {
            int n = p[i + 2].revents ? hear(p[i + 2].fd, out) : -EAGAIN;

            /* Who has hung up waits for no answer. */
            if (p[i + 2].revents & POLLHUP)
                n = -EPIPE;
            *from = h->client[i].number;
            if (n > 0)
                return n;
            if (n == -EPIPE)
                put_out(h, &h->client[i]);
        }
    }
}

static struct client *client_of(struct local_hub *h, uint64_t number)
{
    for (size_t i = 0; number && i < CLIENTS_MAX; i++)
        if (h->client[i].number == number)
            return &h->client[i];
    return NULL;
}

void local_hub_answer(struct local_hub *h, uint64_t to, const char *message,
        size_t len)
{
    struct client *c;

    (void)mtx_lock(&h->mutex);
    c = client_of(h, to);
    if (c)
        (void)say(c->fd, message, len);
    (void)mtx_unlock(&h->mutex);
}

void local_hub_subscribe(struct local_hub *h, uint64_t who)
{
    struct client *c;

    (void)mtx_lock(&h->mutex);
    c = client_of(h, who);
    if (c && !c->subscribed) {
        c->subscribed = true;
        h->subscribers++;
    }
    (void)mtx_unlock(&h->mutex);
}

bool local_hub_has_subscribers(struct local_hub *h)
{
    bool any;

    (void)mtx_lock(&h->mutex);
    any = h->subscribers > 0;
    (void)mtx_unlock(&h->mutex);
    return any;
}

void local_hub_tell(struct local_hub *h, const char *message, size_t len)
{
    (void)mtx_lock(&h->mutex);
    for (size_t i = 0; h->subscribers && i < CLIENTS_MAX; i++)
        if (h->client[i].number && h->client[i].subscribed)
            (void)say(h->client[i].fd, message, len);
    (void)mtx_unlock(&h->mutex);
}

/* --- who asks ------------------------------------------------------------- */

static int connect_anywhere(const char *name)
{
    int fd = -ENOENT;

    for (size_t i = 0; i < FOLDERS && fd < 0; i++) {
        char folder[FOLDER_MAX];

        if (folder_name(folder, i) == 0)
            fd = connect_to(folder, name);
    }
    return fd;
}

int local_ask(const char *name, const char *message, size_t len,
        char out[LOCAL_MESSAGE_MAX], uint64_t until_mono_ns)
{
    int fd = connect_anywhere(name);
    int n = -EAGAIN;

    if (fd < 0)
        return -ENOENT;
    if (!say(fd, message, len))
        n = -EPIPE;
    while (n == -EAGAIN && mono_ns() < until_mono_ns) {
        struct pollfd p = { fd, POLLIN, 0 };

        if (wait_for(&p, 1, until_mono_ns) > 0)
            n = hear(fd, out);
    }
    (void)close(fd);
    return n == -EAGAIN ? -ETIMEDOUT : n == -EPIPE ? -ENOENT : n;
}

struct local_links {
    struct link {
        int fd;
        char name[LOCAL_NAME_MAX];
    } item[LINKS_MAX];
    size_t count;
};

struct local_links *local_links_new(void)
{
    return alloc_zero(1, sizeof(struct local_links));
}

void local_links_drop(struct local_links *l)
{
    for (size_t i = 0; i < l->count; i++)
        (void)close(l->item[i].fd);
    l->count = 0;
}

void local_links_free(struct local_links *l)
{
    if (!l)
        return;
    local_links_drop(l);
    free(l);
}

static bool has(const struct local_links *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->item[i].name, name) == 0)
            return true;
    return false;
}

bool local_links_add(struct local_links *l, const char *name,
        const char *greeting, size_t len)
{
    int fd;

    if (has(l, name))
        return true;
    if (l->count == LINKS_MAX || strlen(name) >= LOCAL_NAME_MAX)
        return false;
    fd = connect_anywhere(name);
    if (fd < 0)
        return false;
    if (!say(fd, greeting, len)) {
        (void)close(fd);
        return false;
    }
    l->item[l->count].fd = fd;
    (void)snprintf(l->item[l->count].name, LOCAL_NAME_MAX, "%s", name);
    l->count++;
    return true;
}

int local_links_take(struct local_links *l, char out[LOCAL_MESSAGE_MAX],
        char name[LOCAL_NAME_MAX], uint64_t until_mono_ns)
{
    struct pollfd p[LINKS_MAX];

    for (size_t i = 0; i < l->count; i++)
        p[i] = (struct pollfd){ l->item[i].fd, POLLIN, 0 };
    if (wait_for(p, l->count, until_mono_ns) <= 0)
        return -ETIMEDOUT;
    for (size_t i = 0; i < l->count; i++) {
        int n = p[i].revents ? hear(p[i].fd, out) : -EAGAIN;

        if (n == -EAGAIN)
            continue;
        memcpy(name, l->item[i].name, LOCAL_NAME_MAX);
        if (n == -EPIPE) {
            (void)close(l->item[i].fd);
            l->item[i] = l->item[--l->count];
        }
        return n;
    }
    return -ETIMEDOUT;
}
