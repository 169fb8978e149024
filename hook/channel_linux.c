/* channel_linux.c -- takes records to the collector, through a ring in a file
 * of shared memory in the folder that ORTMETER_DIR names (record.h).
 *
 * System calls are made for that only where the program itself loads something:
 * when it starts, which makes a small ring, and when ONNX Runtime comes, which
 * makes a larger one.  A ring that is still too small is followed by one that
 * is larger when the collector gives leave, which it does only where it sees
 * that the process may call what it likes.  Writers move over by one pointer.
 */
#include "base/compiler.h"
#include "hook/memory.h"
#include "hook/ops/ops.h"
#include "hook/ring_file.h"
#include "hook/set.h"
#include "hook/text.h"
#include "os/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_FIRST   (UINT32_C(1) << 8)  /* of a process that just started */
#define RING_RUNTIME (UINT32_C(1) << 11) /* of one that has ONNX Runtime */
#define RING_OPS     (UINT32_C(1) << 15) /* and who is to trace so many */
#define RING_LEAST   (UINT32_C(1) << 6)
#define RING_MAX     (UINT32_C(1) << 24)
#define YOUNG_NS     UINT64_C(1000000000)
#define FILES        24    /* more often than twice as large it cannot grow */
#define SENT_TEXTS   65536 /* a power of 2 */
#define TEXT_MAX     4096
#define TICKS_MAX    100000 /* a microsecond */
#define EVERY_MAX    100000000

static char folder[RING_FILE_PATH - 64]; /* "": nobody listens */
static char settings[1024];              /* lines, each ended by 0 */
static uint32_t asked_records;           /* for a ring; 0: nobody asked */
uint32_t channel_ticks_per_us;

/* Of the collector now; a thread may still be at those of one before. */
static struct ring_file first_files[FILES];
static struct ring_file *files = first_files;
static uint32_t file_count;
static _Atomic(const struct ring_file *) current; /* NULL: off */
static _Atomic bool growing;                      /* a thread is at it */
static uint32_t own_pid;
static uint64_t start_ns;
static uint32_t parent_pid; /* that it was forked from, or 0 */
static uint64_t parent_start_ns;

static _Atomic uint64_t *_Atomic sent; /* SENT_TEXTS of them */
_Thread_local uintptr_t hook_thread;

/* Both names may be missing, depending on the C library. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void),
        void (*child)(void), void *dso) __attribute__((weak));
extern int pthread_atfork(void (*prepare)(void), void (*parent)(void),
        void (*child)(void)) __attribute__((weak));

/* --- settings ------------------------------------------------------------- */

/* The value, if the line is of that name. */
static const char *value_in(const char *line, const char *name)
{
    size_t len = text_len(name);

    return text_begins(line, name) && line[len] == '=' ? line + len + 1 : NULL;
}

const char *hook_variable(const char *name)
{
    const char *value = NULL;

    for (const char *s = settings; *s && !value; s += text_len(s) + 1)
        value = value_in(s, name);
    for (char **e = environ; e && *e && !value; e++)
        value = value_in(*e, name);
    return value;
}

/* False: there are none, so nobody listens any more. */
static bool read_settings(void)
{
    size_t len = ring_file_read(folder, CHANNEL_SETTINGS, settings,
            sizeof(settings) - 1);

    for (size_t i = 0; i < len; i++)
        if (settings[i] == '\n')
            settings[i] = 0;
    return len > 0;
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
    uint32_t n = number_in("ORTMETER_RING", RING_MAX);

    return n < RING_LEAST || n > RING_MAX || (n & (n - 1)) ? 0 : n;
}

const char *channel_folder(void)
{
    return *folder ? folder : NULL;
}

/* --- rings ---------------------------------------------------------------- */

/* Which inferences are traced: "off" or nothing, "auto", "all", or a number. */
static uint32_t asked_ops(void)
{
    const char *asked = hook_variable("ORTMETER_OPS");

    if (asked && text_is(asked, "auto"))
        return OPS_AUTO;
    if (asked && text_is(asked, "all"))
        return OPS_ALL;
    return number_in("ORTMETER_OPS", EVERY_MAX);
}

/* Makes the next one, and moves over.  0, or why not. */
static int make_ring(uint32_t records)
{
    const struct ring_file *now = atomic_load(&current);
    struct ring_file_plan plan = {
        .folder = folder,
        .pid = own_pid,
        .start_ns = start_ns,
        .parent_pid = parent_pid,
        .parent_start_ns = parent_start_ns,
        .part = file_count,
        .records = records,
        .in_ticks = channel_ticks_per_us != 0,
        .like = now ? now->header : NULL,
        .ops = now ? 0 : asked_ops(),
        .stats = now ? 0 : number_in("ORTMETER_STATS", EVERY_MAX),
    };
    int saved = errno;
    int why = file_count < FILES ? ring_file_make(&files[file_count], &plan)
                                 : ENFILE;

    errno = saved;
    if (!why)
        atomic_store_explicit(&current, &files[file_count++],
                memory_order_release);
    return why;
}

/* One thread does it, the others go on with what there is. */
static void grow(uint32_t records)
{
    const struct ring_file *now = atomic_load(&current);

    if (asked_records && records > asked_records)
        records = asked_records;
    if (atomic_exchange(&growing, true))
        return;
    while (now && records > now->ring.count && make_ring(records)) {
        atomic_fetch_add(&now->header->cramped, 1);
        records /= 2;
    }
    if (now)
        atomic_store(&now->header->grow_to, 0);
    atomic_store(&growing, false);
}

void channel_reserve(uint32_t records)
{
    if (asked_records)
        records = asked_records;
    if (atomic_load(&current))
        grow(records);
}

void channel_reserve_for_runtime(void)
{
    /* `auto` begins with one inference; the ring grows with what follows. */
    uint32_t ops = channel_ops();
    bool many = (ops != OPS_OFF && ops != OPS_AUTO) || channel_stats();

    channel_reserve(many ? RING_OPS : RING_RUNTIME);
}

/* The place of this process among the writers of its parent's ring. */
static uint32_t take_place(struct channel_header *h, uint32_t parent)
{
    for (uint32_t i = 0; i < CHANNEL_WRITERS; i++) {
        struct channel_writer *w = &h->writers[i];
        uint32_t nobody = 0;

        if (!atomic_compare_exchange_strong(&w->pid, &nobody, UINT32_MAX))
            continue;
        w->parent = parent;
        w->start_ns = start_ns;
        /* Without a parent in sight, its number is of another namespace. */
        atomic_store(&w->pid, getppid() ? own_pid : CHANNEL_ELSEWHERE);
        return i + 1;
    }
    return CHANNEL_UNKNOWN;
}

/* The child of fork() goes on in its parent's ring, under a number of its own.
 * Its own memory says so: no file is touched. */
static void go_on_in_child(void)
{
    const struct ring_file *now = atomic_load(&current);

    parent_pid = own_pid;
    parent_start_ns = start_ns;
    own_pid = (uint32_t)getpid();
    start_ns = mono_ns();
    atomic_store(&growing, false);
    hook_in_child();
    if (!hook_thread || hook_thread & 1)
        hook_thread = (uintptr_t)own_pid << 1 | 1;
    if (!now)
        return;

    struct ring_file *own = &files[now - files];

    own->ring.writer = take_place(own->header, own->ring.writer);
}

static bool watch_forks(void)
{
    if (__register_atfork)
        return __register_atfork(NULL, NULL, go_on_in_child, NULL) == 0;
    return pthread_atfork && pthread_atfork(NULL, NULL, go_on_in_child) == 0;
}

/* 0, or why there is no ring. */
static int begin(const char *dir)
{
    static bool watches;
    size_t len = dir ? text_len(dir) : 0;

    if (!len || len >= sizeof(folder) || *dir != '/')
        return EINVAL;
    if (!watches && !(watches = watch_forks()))
        return ENOMEM;
    for (size_t i = 0; i <= len; i++)
        folder[i] = dir[i];
    if (!read_settings()) {
        *folder = 0;
        return ENOENT;
    }
    asked_records = ring_records();
    channel_ticks_per_us = number_in("ORTMETER_TICKS", TICKS_MAX);
    own_pid = (uint32_t)getpid();
    start_ns = mono_ns();

    int why = make_ring(asked_records && asked_records < RING_FIRST
                                ? asked_records
                                : RING_FIRST);

    if (why)
        ring_file_refused(folder, own_pid, why);
    return why;
}

void channel_init(void)
{
    int saved = errno;

    (void)begin(hook_variable("ORTMETER_DIR"));
    errno = saved;
}

/* The rings of a collector that is gone take no memory any more, and stay where
 * they are: a thread may come back to one from a long inference. */
static bool start_anew(void)
{
    struct ring_file *fresh =
            file_count ? memory_pages(sizeof(first_files)) : files;

    if (!fresh)
        return false;
    for (uint32_t i = 0; i < file_count; i++)
        memory_forget(files[i].header,
                CHANNEL_RING_AT +
                        ring_bytes(sizeof(struct record), files[i].ring.count));
    files = fresh;
    file_count = 0;
    return true;
}

/* What was told to another is not known to this one. */
static void forget_texts(void)
{
    _Atomic uint64_t *set = atomic_load(&sent);

    for (size_t i = 0; set && i < SENT_TEXTS; i++)
        atomic_store_explicit(&set[i], 0, memory_order_relaxed);
}

int channel_listen(const char *dir)
{
    int saved = errno, why;

    if (channel_wanted() || *folder)
        return EBUSY;
    if (!start_anew())
        return ENOMEM;
    forget_texts();
    why = begin(dir);
    if (why)
        *folder = 0; /* the next one may have more luck */
    errno = saved;
    return why;
}

void channel_stop(void)
{
    atomic_store(&current, NULL);
    *folder = 0;
}

/* The leave was given when this process was not there, or before it could
 * confine itself, which workers do soon after fork(). */
static bool is_young(const struct ring_file *f)
{
    return f->ring.writer && mono_ns() - start_ns < YOUNG_NS;
}

static inline HOT const struct ring_file *file_now(void)
{
    const struct ring_file *f =
            atomic_load_explicit(&current, memory_order_acquire);
    uint32_t leave;

    if (!f)
        return NULL;
    leave = atomic_load_explicit(&f->header->grow_to, memory_order_relaxed);
    if (leave <= f->ring.count || is_young(f))
        return f;
    grow(leave);
    return atomic_load(&current);
}

HOT const struct ring *channel_ring(void)
{
    const struct ring_file *f = file_now();

    return f ? &f->ring : NULL;
}

/* --- records -------------------------------------------------------------- */

bool channel_wanted(void)
{
    return atomic_load_explicit(&current, memory_order_relaxed) != NULL;
}

HOT bool channel_takes_runs(void)
{
    const struct ring_file *f =
            atomic_load_explicit(&current, memory_order_acquire);

    return f && !atomic_load_explicit(&f->header->paused, memory_order_relaxed);
}

void channel_send(const struct record *r)
{
    const struct ring *to = channel_ring();

    if (to)
        (void)ring_push(to, r); /* full: it counts the loss, we go on */
}

bool channel_try(const struct record *r)
{
    const struct ring *to = channel_ring();

    return to && ring_push(to, r);
}

void channel_untimed(void)
{
    const struct ring_file *f = file_now();

    if (f)
        atomic_fetch_add_explicit(&f->header->untimed, 1, memory_order_relaxed);
}

void channel_set_hook_ns(uint32_t ns)
{
    const struct ring_file *f = file_now();

    if (f)
        f->header->hook_ns = ns;
}

void channel_exec(const char *program, uint32_t pid, uint64_t time_ns,
        bool failed)
{
    struct record r = {
        .kind = RECORD_EXEC,
        .exec = { .time_ns = time_ns, .pid = pid, .failed = failed },
    };
    const struct ring_file *f = file_now();
    size_t len = text_len(program);

    if (len >= RECORD_TEXT_BYTES)
        program += len - RECORD_TEXT_BYTES + 1;
    for (size_t i = 0; program[i]; i++)
        r.exec.program[i] = program[i];
    if (f && !ring_offer(&f->ring, &r))
        atomic_fetch_add(&f->header->unnoted, 1);
}

HOT uint32_t channel_ops(void)
{
    const struct ring_file *f =
            atomic_load_explicit(&current, memory_order_acquire);

    return f ? atomic_load_explicit(&f->header->ops, memory_order_relaxed)
             : OPS_OFF;
}

static _Atomic bool looks_again;

void channel_look_again(bool on)
{
    atomic_store(&looks_again, on);
    channel_reserve_for_runtime();
}

bool channel_looks_again(void)
{
    return atomic_load_explicit(&looks_again, memory_order_relaxed);
}

HOT uint32_t channel_stats(void)
{
    const struct ring_file *f =
            atomic_load_explicit(&current, memory_order_acquire);

    if (f && channel_looks_again())
        return 1;
    return f ? atomic_load_explicit(&f->header->stats, memory_order_relaxed)
             : 0;
}

HOT bool channel_traces(void)
{
    const struct ring_file *f =
            atomic_load_explicit(&current, memory_order_acquire);

    return f && (atomic_load_explicit(&f->header->ops, memory_order_relaxed) |
                        atomic_load_explicit(&f->header->stats,
                                memory_order_relaxed)) != OPS_OFF;
}

HOT uint32_t channel_thread(void)
{
    if (hook_thread & 1)
        return (uint32_t)(hook_thread >> 1);
    if (hook_thread)
        return atomic_load_explicit(&((struct thread *)hook_thread)->id,
                memory_order_relaxed);

    uint32_t id = (uint32_t)syscall(SYS_gettid);

    hook_thread = (uintptr_t)id << 1 | 1;
    return id;
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

/* What was sent; NULL: there is no memory, so all is sent again. */
static _Atomic uint64_t *sent_texts(void)
{
    _Atomic uint64_t *there = atomic_load_explicit(&sent, memory_order_acquire);
    _Atomic uint64_t *made;

    if (there)
        return there;
    made = memory_pages(SENT_TEXTS * sizeof(*made));
    if (made && !atomic_compare_exchange_strong(&sent, &there, made)) {
        memory_give_back((void *)made, SENT_TEXTS * sizeof(*made));
        made = there;
    }
    return made;
}

uint64_t channel_text(const char *text)
{
    if (!text || !channel_wanted())
        return 0;

    size_t len = text_len(text);

    if (len > TEXT_MAX)
        len = TEXT_MAX;

    uint64_t name = hash(text, len);

    /* Remembered only when it is out: whoever finds it there may count on the
     * collector having it.  Two threads may both send it, which is no harm. */
    _Atomic uint64_t *set = sent_texts();

    if (set && set_has(set, SENT_TEXTS, name))
        return name;
    if (send_pieces(text, len, name) && set)
        set_add(set, SENT_TEXTS, name);
    return name;
}
