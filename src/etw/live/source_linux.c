#include "etw/live/source.h"

#include "base/alloc.h"
#include "os/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct etw_source {
    int fd;
    uint64_t bytes;
    const unsigned char *memory; /* NULL: it is a file */
};

static int check(int fd, uint64_t *bytes)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    *bytes = (uint64_t)st.st_size;
    return st.st_size ? 0 : -ENODATA;
}

static const char *reason(int rc)
{
    switch (rc) {
    case -ENODATA: return "it is empty";
    case -EISDIR: return "it is a folder";
    case -EINVAL: return "it is not an ordinary file";
    default: return strerror(-rc);
    }
}

int etw_source_open(struct etw_source **out, const char *path, struct error *e)
{
    /* Without O_NONBLOCK a pipe would make us wait for somebody to write. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint64_t bytes = 0;
    int rc = fd < 0 ? -errno : check(fd, &bytes);

    if (rc) {
        if (fd >= 0)
            (void)close(fd);
        return fail(e, rc, "cannot read %.160s: %s", path, reason(rc));
    }
    *out = alloc_zero(1, sizeof(**out));
    (*out)->fd = fd;
    (*out)->bytes = bytes;
    return 0;
}

struct etw_source *etw_source_of(const unsigned char *bytes, size_t len)
{
    struct etw_source *s = alloc_zero(1, sizeof(*s));

    s->fd = -1;
    s->memory = bytes;
    s->bytes = len;
    return s;
}

uint64_t etw_source_bytes(const struct etw_source *s)
{
    return s->bytes;
}

size_t etw_source_read(struct etw_source *s, uint64_t at, unsigned char *to,
        size_t len)
{
    if (at >= s->bytes)
        return 0;
    if (len > s->bytes - at)
        len = (size_t)(s->bytes - at);
    if (s->memory) {
        memcpy(to, s->memory + at, len);
        return len;
    }

    ssize_t got = pread(s->fd, to, len, (off_t)at);

    return got < 0 ? 0 : (size_t)got;
}

int etw_view_map(struct etw_view *v, struct etw_source *s, uint64_t at,
        size_t len)
{
    if (s->memory) {
        *v = (struct etw_view){ .p = s->memory + at };
        return 0;
    }

    size_t before = (size_t)(at % (uint64_t)sysconf(_SC_PAGESIZE));
    void *base = mmap(NULL, before + len, PROT_READ, MAP_PRIVATE | MAP_POPULATE,
            s->fd, (off_t)(at - before));

    if (base == MAP_FAILED)
        return -errno;
    *v = (struct etw_view){ .p = (unsigned char *)base + before,
        .base = base,
        .mapped = before + len,
        .guard = guard_open(base, before + len) };
    return 0;
}

bool etw_view_unmap(struct etw_view *v)
{
    bool real = !guard_hurt(v->guard);

    guard_close(v->guard);
    if (v->base)
        (void)munmap(v->base, v->mapped);
    *v = (struct etw_view){ 0 };
    return real;
}

void etw_source_close(struct etw_source *s)
{
    if (s && s->fd >= 0)
        (void)close(s->fd);
    free(s);
}
