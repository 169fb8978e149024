/* Events of a process that is led by the hand: as many as there were.
 *
 * How often a thread that sleeps leaves its CPU depends on the machine's load:
 * a sleep may be over before it begins, and others may push it off.  So the
 * events are compared with what the kernel itself has counted. */
#include "sample/perf/events.h"

#include "os/clock.h"
#include "puppet.h"
#include "tree.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>

enum { PAGES = 503, NAPS = 211, MANY = 20011, CAP = 65536, BLOCK = 65536 };

/* What a thread of the puppet knows of itself, in memory of both. */
struct own_count {
    uint32_t tid;
    uint64_t before_ns, after_ns; /* mono_ns() around the asking */
    uint64_t switches;            /* since the thread began */
};

static struct event seen[CAP];
static size_t count;
static char *memory; /* mapped before the puppet is made, so in both */
static char file_name[512];

static struct own_count *own;

static uint64_t own_switches(void)
{
    struct rusage usage = { 0 };

    (void)getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* Until it has left its CPU that many times. */
static void switch_often(uint64_t times)
{
    uint64_t end = own_switches() + times;

    while (own_switches() < end)
        (void)usleep(1);
}

static void *nap(void *unused)
{
    switch_often(NAPS);
    own->tid = (uint32_t)syscall(SYS_gettid);
    own->before_ns = mono_ns();
    own->switches = own_switches();
    own->after_ns = mono_ns();
    return unused;
}

/* All on one CPU, where the ring has no room for so many. */
static void stay_here(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    (void)sched_setaffinity(0, sizeof(one), &one);
}

static void write_block(void)
{
    static _Alignas(4096) char block[BLOCK];
    int fd = open(file_name, O_WRONLY | O_CREAT | O_DIRECT | O_SYNC, 0600);

    if (fd < 0 || write(fd, block, BLOCK) != BLOCK)
        (void)fprintf(stderr, "%s: %s\n", file_name, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
}

static int busy(int in, int out)
{
    pthread_t thread;

    for (char order; (order = puppet_order(in)) != 0; puppet_done(out)) {
        if (order == 'f')
            for (size_t i = 0; i < PAGES; i++)
                memory[i * 4096] = 1;
        if (order == 'n' && pthread_create(&thread, NULL, nap, NULL) == 0)
            (void)pthread_join(thread, NULL);
        if (order == 'l') {
            stay_here();
            switch_often(MANY);
        }
        if (order == 'e')
            switch_often(3);
        if (order == 'b')
            write_block();
    }
    return 0;
}

/* Reads all there is, behind what was read before. */
static void read_all(struct events *s)
{
    size_t n;

    while ((n = events_read(s, seen + count, CAP - count)) > 0)
        count += n;
}

static size_t of_kind(enum event_kind kind, pid_t pid)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += seen[i].kind == kind && seen[i].pid == (uint32_t)pid;
    return n;
}

static bool in_memory(uint64_t address)
{
    return address >= (uint64_t)(uintptr_t)memory &&
           address < (uint64_t)(uintptr_t)memory + PAGES * 4096;
}

static bool open_or_say(struct events **s, const char *root,
        const struct puppet *p, unsigned wanted)
{
    struct error e = { 0 };
    int rc = events_open(s, root, (uint64_t)p->pid, wanted, &e);

    count = 0;
    if (!rc)
        return true;
    CHECK(rc == -EACCES || rc == -ENODEV || rc == -ENOENT || rc == -ENOSYS);
    CHECK(strlen(e.text) > 0);
    (void)fprintf(stderr, "%s\n", e.text);
    return false;
}

static void faults(void)
{
    struct puppet p;
    struct events *s = NULL;
    bool touched[PAGES] = { false };

    memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    (void)madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
    p = puppet_start(busy);
    if (open_or_say(&s, "", &p, EVENTS_FAULTS)) {
        uint64_t before_ns = mono_ns();

        puppet_tell(&p, 'f');

        uint64_t after_ns = mono_ns();

        read_all(s);
        for (size_t i = 0; i < count; i++) {
            if (!in_memory(seen[i].value))
                continue;
            CHECK_INT(seen[i].kind, EVENT_PAGE_FAULT);
            CHECK_INT(seen[i].pid, p.pid);
            CHECK(seen[i].time_ns >= before_ns && seen[i].time_ns <= after_ns);
            touched[(seen[i].value - (uint64_t)(uintptr_t)memory) / 4096] =
                    true;
        }
        for (size_t i = 0; i < PAGES; i++)
            CHECK(touched[i]);
        CHECK_INT(events_lost(s), 0);
        events_close(s);
    }
    puppet_end(&p);
    (void)munmap(memory, PAGES * 4096);
}

/* Times until then that the napping thread left its CPU; there may be others,
 * a sanitizer's own. */
static size_t left_until(uint64_t time_ns)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += (seen[i].kind == EVENT_WAITED ||
                     seen[i].kind == EVENT_PREEMPTED) &&
             seen[i].tid == own->tid && seen[i].time_ns <= time_ns;
    return n;
}

/* Of a thread that did not exist when we began. */
static void switches(void)
{
    struct events *s = NULL;

    own = mmap(NULL, sizeof(*own), PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(own != MAP_FAILED);

    struct puppet p = puppet_start(busy);

    if (open_or_say(&s, "", &p, EVENTS_SWITCHES)) {
        puppet_tell(&p, 'n');
        read_all(s);
        CHECK(own->switches >= NAPS);
        CHECK(left_until(own->before_ns) <= own->switches);
        CHECK(left_until(own->after_ns) >= own->switches);
        CHECK(of_kind(EVENT_WAITED, p.pid) > 0);
        CHECK(of_kind(EVENT_SWITCHED_IN, p.pid) >= own->switches);
        CHECK_INT(events_lost(s), 0);

        /* More than there is room for.  How many found none is told with the
         * next that does, on the same CPU. */
        count = 0;
        puppet_tell(&p, 'l');
        read_all(s);
        puppet_tell(&p, 'e');
        read_all(s);
        CHECK(events_lost(s) > 0);
        CHECK(count + events_lost(s) >= 2 * MANY); /* out, and in again */
        events_close(s);
    }
    puppet_end(&p);
    (void)munmap(own, sizeof(*own));
}

/* In a mount namespace of our own, with tracefs below a root. */
static void storage(void)
{
    struct tree t = tree_open();
    const char *tracing = tree_path(&t, "sys/kernel/tracing/x");
    char folder[512];
    struct events *s = NULL;

    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(strlen(tracing) - 2),
            tracing);
    (void)snprintf(file_name, sizeof(file_name), "%s/file", t.root);

    struct puppet p = puppet_start(busy);

    CHECK(!open_or_say(&s, t.root, &p, EVENTS_STORAGE)); /* nothing there */
    if (unshare(CLONE_NEWNS) != 0 ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("tracefs", folder, "tracefs", 0, NULL) != 0) {
        (void)fprintf(stderr, "storage: tracefs: %s\n", strerror(errno));
    } else {
        if (open_or_say(&s, t.root, &p, EVENTS_STORAGE)) {
            uint64_t bytes = 0;

            puppet_tell(&p, 'b');
            read_all(s);
            for (size_t i = 0; i < count; i++)
                bytes +=
                        seen[i].kind == EVENT_STORAGE_ASKED ? seen[i].value : 0;
            CHECK(bytes >= BLOCK);
            events_close(s);
        }
        CHECK(umount(folder) == 0);
    }
    puppet_end(&p);
    tree_close(&t);
}

static void nobody(void)
{
    struct puppet p = puppet_start(busy);
    struct events *s = NULL;
    struct error e;

    puppet_end(&p);
    CHECK_INT(events_open(&s, "", (uint64_t)p.pid, EVENTS_SWITCHES, &e),
            -ESRCH);
    CHECK(strstr(e.text, "No such process"));
    for (int i = 0; i < EVENT_KINDS; i++)
        CHECK(event_kind_name((enum event_kind)i));
}

int main(void)
{
    faults();
    switches();
    nobody();
    storage();
    return test_result();
}
