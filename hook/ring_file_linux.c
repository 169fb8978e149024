#include "hook/ring_file.h"

#include "hook/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- names ---------------------------------------------------------------- */

static char *put(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *put_number(char *to, uint64_t n)
{
    char digits[20];
    size_t count = 0;

    do
        digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count)
        *to++ = digits[--count];
    return to;
}

/* "<folder>/<prefix><pid>-<start>[.<part>]<suffix>" */
static void name_of(char *to, const struct ring_file_plan *p,
        const char *prefix, const char *suffix)
{
    to = put(put(put(to, p->folder), "/"), prefix);
    to = put_number(to, p->pid);
    to = put_number(put(to, "-"), p->start_ns);
    if (p->part)
        to = put_number(put(to, "."), p->part);
    *put(to, suffix) = 0;
}

static void in_folder(char *to, const char *folder, const char *name)
{
    *put(put(put(to, folder), "/"), name) = 0;
}

/* --- system calls --------------------------------------------------------- */

static int open_file(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path,
            flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static void close_file(int fd)
{
    (void)syscall(SYS_close, fd);
}

static size_t read_file(const char *path, char *to, size_t cap)
{
    int fd = open_file(path, O_RDONLY);
    long n = fd < 0 ? 0 : syscall(SYS_read, fd, to, cap - 1);

    if (fd >= 0)
        close_file(fd);
    to[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

size_t ring_file_read(const char *folder, const char *name, char *to,
        size_t cap)
{
    char path[RING_FILE_PATH];

    in_folder(path, folder, name);
    return read_file(path, to, cap);
}

/* What this process was started as, in words. */
static void read_program(char *to, size_t cap)
{
    size_t n = read_file("/proc/self/cmdline", to, cap);

    for (size_t i = 0; i + 1 < n; i++)
        if (!to[i])
            to[i] = ' ';
}

/* "pid:[4026531836]" as a number; 0: not told. */
static uint64_t pid_namespace(void)
{
    char link[32];
    ssize_t n = readlink("/proc/self/ns/pid", link, sizeof(link));
    uint64_t number = 0;

    for (ssize_t i = 0; i < n; i++)
        if (link[i] >= '0' && link[i] <= '9')
            number = number * 10 + (uint64_t)(link[i] - '0');
    return number;
}

/* A file beyond the program's own limit would not be refused: it would be a
 * signal. */
static bool may_be_that_large(size_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

static void *map_file(const char *path, size_t bytes, int *why)
{
    int fd = open_file(path, O_RDWR | O_CREAT | O_EXCL);
    void *memory = MAP_FAILED;

    if (fd < 0) {
        *why = errno;
        return NULL;
    }
    *why = EFBIG;
    if (may_be_that_large(bytes)) {
        if (syscall(SYS_fallocate, fd, 0, 0L, (long)bytes) == 0)
            memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                    0);
        *why = errno;
    }
    close_file(fd);
    if (memory == MAP_FAILED)
        (void)unlink(path);
    return memory == MAP_FAILED ? NULL : memory;
}

/* --- the files ------------------------------------------------------------ */

static void fill(struct channel_header *h, const struct ring_file_plan *p)
{
    h->version = CHANNEL_VERSION;
    h->pid = p->pid;
    h->start_ns = p->start_ns;
    h->parent_pid = p->parent_pid;
    h->parent_start_ns = p->parent_start_ns;
    h->part = p->part;
    h->in_ticks = p->in_ticks;
    h->ops = p->ops;
    h->stats = p->stats;
    if (p->like) {
        h->hook_ns = p->like->hook_ns;
        h->ops = p->like->ops;
        h->stats = p->like->stats;
        h->paused = p->like->paused;
    }
    h->pid_namespace = pid_namespace();
    read_program(h->program, sizeof(h->program));
    h->magic = CHANNEL_MAGIC;
}

int ring_file_make(struct ring_file *out, const struct ring_file_plan *p)
{
    size_t bytes =
            CHANNEL_RING_AT + ring_bytes(sizeof(struct record), p->records);
    char hidden[RING_FILE_PATH], final[RING_FILE_PATH];
    int why = 0;

    /* Under its final name only when it is whole. */
    name_of(hidden, p, ".", "");
    name_of(final, p, "", ".ring");

    struct channel_header *h = map_file(hidden, bytes, &why);

    if (!h)
        return why ? why : EIO;

    struct ring ring = ring_create((char *)h + CHANNEL_RING_AT,
            sizeof(struct record), p->records);

    fill(h, p);
    if (rename(hidden, final)) {
        why = errno;
        (void)unlink(hidden);
        (void)munmap(h, bytes);
        return why;
    }
    *out = (struct ring_file){ ring, h };
    return 0;
}

void ring_file_refused(const char *folder, uint32_t pid, int why)
{
    struct channel_refusal r = { .pid = pid, .uid = getuid(), .why = why };
    size_t at = pid % CHANNEL_REFUSAL_PLACES * sizeof(r);
    char path[RING_FILE_PATH];
    int fd;

    if (!may_be_that_large(at + sizeof(r)))
        return;

    read_program(r.program, sizeof(r.program));
    in_folder(path, folder, CHANNEL_REFUSALS);
    fd = open_file(path, O_WRONLY);
    if (fd < 0)
        return;
    (void)syscall(SYS_pwrite64, fd, &r, sizeof(r), (long)at);
    close_file(fd);
}
