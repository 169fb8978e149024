/* channel_linux.c -- takes records to the collector, through a file of shared
 * memory in the folder that ORTMETER_DIR names (record.h).
 *
 * The file is made at the first record of a process, so a program that never
 * meets ONNX Runtime makes no system call for us.  Its memory is reserved
 * before it is used: a full file system then is a refusal here, and not a
 * SIGBUS in the program. */
#include "base/compiler.h"
#include "base/ring.h"
#include "hook/hook.h"
#include "hook/set.h"
#include "hook/text.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_RECORDS (UINT32_C(1) << 16)
#define RING_LEAST   (UINT32_C(1) << 6)
#define RING_MOST    (UINT32_C(1) << 24)
#define SENT_TEXTS   65536 /* a power of 2 */
#define TEXT_MOST    4096
#define TICKS_MOST   100000 /* a microsecond */

enum state { OFF, CLOSED, OPENING, OPEN };

static _Atomic int state;
static char folder[CHANNEL_PATH - 64];
static uint32_t records = RING_RECORDS;
uint32_t channel_ticks_per_us;

static struct ring ring;
static struct channel_header *header;
static size_t mapped;
static uint32_t hook_ns;
static uint32_t parent_pid;
static uint64_t parent_start_ns;

static _Atomic uint64_t early; /* records refused while the file was made */
static _Atomic uint64_t sent[SENT_TEXTS];
static _Thread_local uint32_t thread;

/* Both names may be missing, depending on the C library. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void),
        void (*child)(void), void *dso) __attribute__((weak));
extern int pthread_atfork(void (*prepare)(void), void (*parent)(void),
        void (*child)(void)) __attribute__((weak));

/* --- the folder ----------------------------------------------------------- */

const char *hook_variable(const char *name)
{
    size_t len = text_len(name);

    for (char **e = environ; e && *e; e++)
        if (text_begins(*e, name) && (*e)[len] == '=')
            return *e + len + 1;
    return NULL;
}

/* Of what is no number, 0; of one above `most`, some number above it. */
static uint32_t number_in(const char *name, uint32_t most)
{
    const char *text = hook_variable(name);
    uint32_t n = 0;

    for (; text && *text >= '0' && *text <= '9' && n <= most; text++)
        n = n * 10 + (uint32_t)(*text - '0');
    return n;
}

static uint32_t ring_records(void)
{
    uint32_t n = number_in("ORTMETER_RING", RING_MOST);

    if (n < RING_LEAST || n > RING_MOST || (n & (n - 1)))
        return RING_RECORDS;
    return n;
}

/* The child writes to a ring of its own, from its first record on. */
static void forget_parents_ring(void)
{
    thread = 0;
    hook_in_child();
    if (atomic_load(&state) == OFF)
        return;
    if (header) {
        parent_pid = header->pid;
        parent_start_ns = header->start_ns;
        (void)munmap(header, mapped);
        header = NULL;
    }
    atomic_store(&state, CLOSED);
}

void channel_init(void)
{
    const char *dir = hook_variable("ORTMETER_DIR");
    size_t len = dir ? text_len(dir) : 0;

    if (!len || len >= sizeof(folder) || *dir != '/')
        return;
    for (size_t i = 0; i <= len; i++)
        folder[i] = dir[i];
    records = ring_records();
    channel_ticks_per_us = number_in("ORTMETER_TICKS", TICKS_MOST);
    if (__register_atfork)
        (void)__register_atfork(NULL, NULL, forget_parents_ring, NULL);
    else if (pthread_atfork)
        (void)pthread_atfork(NULL, NULL, forget_parents_ring);
    else
        return;
    atomic_store(&state, CLOSED);
}

/* --- the file ------------------------------------------------------------- */

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

/* "<folder>/<prefix><pid>-<start><suffix>" */
static void file_name(char *to, const char *prefix, uint64_t start_ns,
        const char *suffix)
{
    to = put(put(put(to, folder), "/"), prefix);
    to = put_number(to, (uint64_t)getpid());
    to = put_number(put(to, "-"), start_ns);
    *put(to, suffix) = 0;
}

bool channel_path(char out[CHANNEL_PATH], const char *prefix, uint64_t number)
{
    if (!channel_wanted())
        return false;
    file_name(out, prefix, number, "");
    return true;
}

/* What this process was started as, in words. */
static void read_program(char *to, size_t cap)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, to, cap - 1);

    if (fd >= 0)
        (void)close(fd);
    for (ssize_t i = 0; i + 1 < n; i++)
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

/* `path` is left empty where there is no room. */
static void *map_file(const char *path, size_t bytes)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
            0600);
    void *memory = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (may_be_that_large(bytes) && fallocate(fd, 0, 0, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Says that there was something to record, and no room for it. */
static bool refuse(const char *hidden, uint64_t start_ns)
{
    char final[CHANNEL_PATH];

    file_name(final, "", start_ns, ".refused");
    if (truncate(hidden, 0) == 0)
        (void)rename(hidden, final);
    return false;
}

static bool make_file(void)
{
    char hidden[CHANNEL_PATH], final[CHANNEL_PATH];
    uint64_t start_ns = mono_ns();
    size_t bytes = CHANNEL_RING_AT + ring_bytes(sizeof(struct record), records);

    /* Under its final name only when it is whole. */
    file_name(hidden, ".", start_ns, "");
    file_name(final, "", start_ns, ".ring");

    struct channel_header *h = map_file(hidden, bytes);

    if (!h)
        return refuse(hidden, start_ns);
    ring = ring_create((char *)h + CHANNEL_RING_AT, sizeof(struct record),
            records);
    h->version = CHANNEL_VERSION;
    h->pid = (uint32_t)getpid();
    h->start_ns = start_ns;
    h->parent_pid = parent_pid;
    h->parent_start_ns = parent_start_ns;
    h->pid_namespace = pid_namespace();
    h->in_ticks = channel_ticks_per_us != 0;
    h->hook_ns = hook_ns;
    read_program(h->program, sizeof(h->program));
    h->magic = CHANNEL_MAGIC;
    if (rename(hidden, final)) {
        (void)unlink(hidden);
        (void)munmap(h, bytes);
        return false;
    }
    header = h;
    mapped = bytes;
    return true;
}

/* Not open: the first to come here opens it, the others go without. */
static const struct ring *open_ring(void)
{
    int was = CLOSED;
    int saved = errno;

    if (!atomic_compare_exchange_strong(&state, &was, OPENING)) {
        if (was == OPENING)
            atomic_fetch_add(&early, 1);
        return was == OPEN ? &ring : NULL;
    }

    bool made = make_file();

    errno = saved;
    if (made)
        atomic_fetch_add(&header->untimed, atomic_exchange(&early, 0));
    atomic_store_explicit(&state, made ? OPEN : OFF, memory_order_release);
    return made ? &ring : NULL;
}

HOT const struct ring *channel_ring(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);

    if (now == OPEN)
        return &ring;
    return now == OFF ? NULL : open_ring();
}

/* --- records -------------------------------------------------------------- */

bool channel_wanted(void)
{
    return atomic_load_explicit(&state, memory_order_relaxed) != OFF;
}

void channel_send(const struct record *r)
{
    const struct ring *to = channel_ring();

    if (to)
        (void)ring_push(to, r); /* full: it counts the loss, we go on */
}

void channel_send_many(const struct record *r)
{
    const struct ring *to = channel_ring();

    if (to)
        (void)ring_push_spare(to, r, to->count / 4);
}

void channel_untimed(void)
{
    if (channel_ring())
        atomic_fetch_add_explicit(&header->untimed, 1, memory_order_relaxed);
}

void channel_set_hook_ns(uint32_t ns)
{
    hook_ns = ns;
    if (channel_ring())
        header->hook_ns = ns;
}

HOT uint32_t channel_thread(void)
{
    if (!thread)
        thread = (uint32_t)syscall(SYS_gettid);
    return thread;
}

/* --- texts ---------------------------------------------------------------- */

static uint64_t hash(const char *text, size_t len)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    h ^= h >> 32;
    return h ? h : 1; /* 0 is "no text" */
}

static bool send_pieces(const char *text, size_t len, uint64_t name)
{
    const struct ring *to = channel_ring();
    size_t at = 0;

    do {
        struct record r = {
            .kind = RECORD_TEXT,
            .text = { .hash = name, .len = (uint32_t)len, .at = (uint32_t)at }
        };

        for (size_t i = 0; i < RECORD_TEXT_BYTES && at < len; i++)
            r.text.bytes[i] = text[at++];
        if (!to || !ring_push(to, &r))
            return false;
    } while (at < len);
    return true;
}

uint64_t channel_text(const char *text)
{
    if (!text || !channel_wanted())
        return 0;

    size_t len = text_len(text);

    if (len > TEXT_MOST)
        len = TEXT_MOST;

    uint64_t name = hash(text, len);

    /* Remembered only when it is out: whoever finds it there may count on the
     * collector having it.  Two threads may both send it, which is no harm. */
    if (!set_has(sent, SENT_TEXTS, name) && send_pieces(text, len, name))
        set_add(sent, SENT_TEXTS, name);
    return name;
}
