#include "onnx/mapping.h"

#include "onnx/quote.h"
#include "os/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel maps up to 16 pages around one that is touched, and a walker may
 * touch as little as one in 64 KB: what it passes is what may be resident. */
#define DROP_BYTES ((size_t)16 << 20)

static int map_fd(struct mapping *out, int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    if (!st.st_size)
        return -ENODATA;

    size_t len = (size_t)st.st_size;
    void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);

    if (p == MAP_FAILED)
        return -errno;
    /* Reading ahead would fetch weights. */
    (void)madvise(p, len, MADV_RANDOM);
    *out = (struct mapping){ .bytes = { p, len },
        .dropped = p,
        .guard = guard_open(p, len) };
    return 0;
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

int mapping_open(struct mapping *out, const char *path, struct error *e)
{
    /* Without O_NONBLOCK a pipe would make us wait for somebody to write. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int rc = fd < 0 ? -errno : map_fd(out, fd);
    char name[QUOTE_PATH];

    if (fd >= 0)
        (void)close(fd);
    if (rc)
        return fail(e, rc, "cannot read %s: %s", quote_path(name, path),
                reason(rc));
    return 0;
}

void mapping_passed(struct mapping *m, const char *at)
{
    size_t passed = (size_t)(at - m->dropped);
    size_t whole = passed / DROP_BYTES * DROP_BYTES;

    if (at < m->dropped || !whole)
        return;
    (void)madvise((void *)(uintptr_t)m->dropped, whole, MADV_DONTNEED);
    m->dropped += whole;
}

bool mapping_cut(const struct mapping *m)
{
    return guard_hurt(m->guard);
}

void mapping_close(struct mapping *m)
{
    guard_close(m->guard);
    if (m->bytes.p)
        (void)munmap((void *)(uintptr_t)m->bytes.p, m->bytes.len);
    *m = (struct mapping){ 0 };
}

int mapping_file_bytes(uint64_t *out, const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    *out = (uint64_t)st.st_size;
    return 0;
}
