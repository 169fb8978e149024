/* targets_linux.c -- see proc(5). */
#include "sample/process/targets.h"

#include "base/alloc.h"
#include "base/map.h"
#include "os/kernel_text.h"
#include "sample/process/target_files_linux.h"
#include "sample/process/target_names_linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A process that was seen in /proc during a look and is no target. */
struct passer_by {
    uint64_t pid, parent;
};

struct targets {
    struct subjects *subjects;
    DIR *proc;
    bool here;
    uint64_t own_pid;
    uint64_t tick_ns;
    int64_t boot_to_mono_ns; /* added to a time since boot */
    struct target_names names;
    bool children;

    struct target *items;
    struct pollfd *polls; /* one for each of them */
    size_t count, cap;
    struct map by_pid; /* to an index of items */
    uint32_t *free_slots;
    size_t free_count, slot_count;
    uint64_t refused;

    struct passer_by *passing; /* of one look */
    size_t passing_count, passing_cap;
};

/* --- coming and going -------------------------------------------------------
 */

static void add_subject(struct targets *t, struct target *x,
        const struct proc_stat *st)
{
    struct buf command = { 0 };

    target_command(&command, x);
    text_copy(x->name, sizeof(x->name), st->name);
    x->subject = subjects_add(t->subjects,
            &(struct subject){ .kind = SUBJECT_PROCESS,
                    .number = x->pid,
                    .start_ns = x->start_ns,
                    .name = x->name,
                    .detail = command.len ? buf_cstr(&command) : NULL,
                    .source = "process" });
    buf_release(&command);
}

/* Its name is another one: after exec, then so is its command line; or its
 * first thread has called itself something, which is no name of the process. */
static void look_again(struct targets *t, struct target *x, struct str name)
{
    const char *before = subjects_get(t->subjects, x->subject)->detail;
    struct buf command = { 0 };

    text_copy(x->name, sizeof(x->name), name);
    target_command(&command, x);
    if (command.len && (!before || strcmp(before, buf_cstr(&command)) != 0))
        subjects_rename(t->subjects, x->subject, x->name, buf_cstr(&command));
    buf_release(&command);
}

/* A machine that slept since counts its sleep as time since boot, too; what
 * began before our clock did is given its first moment. */
static uint64_t start_of(const struct targets *t, uint64_t ticks)
{
    int64_t ns = (int64_t)(ticks * t->tick_ns) + t->boot_to_mono_ns;

    return ns > 0 ? (uint64_t)ns : 1;
}

static uint32_t take_slot(struct targets *t)
{
    if (t->free_count)
        return t->free_slots[--t->free_count];
    t->free_slots = alloc_resize(t->free_slots,
            (t->slot_count + 1) * sizeof(*t->free_slots));
    return (uint32_t)t->slot_count++;
}

struct target *targets_find(struct targets *t, uint64_t pid)
{
    uint64_t *at = map_find(&t->by_pid, pid);

    return at ? &t->items[*at] : NULL;
}

static void drop(struct targets *t, size_t i)
{
    struct target *x = &t->items[i];
    uint64_t *at = map_find(&t->by_pid, x->pid);

    target_close(x);
    t->free_slots[t->free_count++] = x->slot;
    if (at && *at == i) /* else a new process has the pid */
        map_remove(&t->by_pid, x->pid);
    t->count--;
    if (i == t->count)
        return;
    *x = t->items[t->count];
    at = map_find(&t->by_pid, x->pid);
    if (at && *at == t->count)
        *at = i;
}

int targets_add(struct targets *t, uint64_t pid)
{
    const struct target *known = targets_find(t, pid);
    struct target x = { .pid = pid };
    char text[TARGET_STAT_CAP];
    struct proc_stat st;
    int rc;

    /* As long as it can be read, the pid is still its own. */
    if (known && !target_read_stat(known->stat_fd, text, &st))
        return -EEXIST;
    rc = target_open(&x, dirfd(t->proc), t->here, text, &st);
    if (rc) {
        target_close(&x);
        t->refused += rc == -EMFILE;
        return rc;
    }
    x.parent = st.parent;
    x.start_ticks = st.start_ticks;
    x.start_ns = start_of(t, st.start_ticks);
    x.slot = take_slot(t);
    add_subject(t, &x, &st);
    if (!t->items || t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 16;
        t->items = alloc_resize(t->items, t->cap * sizeof(*t->items));
        t->polls = alloc_resize(t->polls, t->cap * sizeof(*t->polls));
    }
    t->items[t->count] = x;
    map_put(&t->by_pid, pid, t->count++);
    return 0;
}

void targets_ended(struct targets *t, struct target *x, uint64_t now_ns,
        int status)
{
    if (!x->ended) {
        x->ended = true;
        x->ended_ns = now_ns;
        subjects_end(t->subjects, x->subject, now_ns);
    }
    if (x->exit_known || (status < 0 && target_exit_status(&status, x)))
        return;
    x->exit_known = true;
    x->exit_signal = status & 0x7f;
    x->exit_code = x->exit_signal ? 0 : status >> 8 & 0xff;
}

int target_stat(struct targets *t, struct target *x, uint64_t now_ns,
        struct proc_stat *out)
{
    char text[TARGET_STAT_CAP];
    int rc = target_read_stat(x->stat_fd, text, out);

    if (rc) {
        targets_ended(t, x, now_ns, -1);
        return -ESRCH;
    }
    if (!x->ended && !str_is(str_trim(out->name), x->name))
        look_again(t, x, out->name);
    out->name = (struct str){ 0 };
    x->threaded |= out->threads > 1;
    /* The first thread of a process may end before the others do: then it
     * waits for them as a zombie, and the process goes on. */
    if ((out->state == 'Z' || out->state == 'X') && out->threads <= 1 &&
            t->here)
        targets_ended(t, x, now_ns, target_wait_status(x, out));
    return 0;
}

/* --- looking ----------------------------------------------------------------
 */

static void pass_by(struct targets *t, uint64_t pid, uint64_t parent)
{
    if (t->passing_count == t->passing_cap) {
        t->passing_cap = t->passing_cap ? 2 * t->passing_cap : 256;
        t->passing =
                alloc_resize(t->passing, t->passing_cap * sizeof(*t->passing));
    }
    t->passing[t->passing_count++] = (struct passer_by){ pid, parent };
}

static void examine(struct targets *t, uint64_t pid)
{
    const struct target *known = targets_find(t, pid);
    char name[32], text[TARGET_STAT_CAP];
    struct proc_stat st;

    if ((known && !known->ended) || (t->here && pid == t->own_pid))
        return;
    (void)snprintf(name, sizeof(name), "%llu/stat", (unsigned long long)pid);

    int fd = openat(dirfd(t->proc), name, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        t->refused += errno == EMFILE;
        return;
    }

    int rc = target_read_stat(fd, text, &st);

    (void)close(fd);
    if (rc || st.state == 'Z' || st.state == 'X')
        return;
    if (target_names_fit(&t->names, dirfd(t->proc), pid, st.name))
        (void)targets_add(t, pid);
    else if (t->children)
        pass_by(t, pid, st.parent);
}

/* A child may have been seen before its parent was. */
static void add_children(struct targets *t)
{
    size_t before;

    do {
        before = t->count;
        for (size_t i = 0; i < t->passing_count; i++) {
            struct passer_by *p = &t->passing[i];

            if (!p->pid || !targets_find(t, p->parent))
                continue;
            (void)targets_add(t, p->pid);
            p->pid = 0;
        }
    } while (t->count != before);
}

static void find_new(struct targets *t)
{
    const struct dirent *entry;
    uint64_t pid;

    t->passing_count = 0;
    rewinddir(t->proc);
    while ((entry = readdir(t->proc)) != NULL)
        if (str_u64(&pid, str_of(entry->d_name)) == 0)
            examine(t, pid);
    if (t->children)
        add_children(t);
}

/* One call tells who ended; where it cannot, each is looked at. */
static void find_ended(struct targets *t, uint64_t now_ns)
{
    struct proc_stat st;

    for (size_t i = 0; i < t->count; i++)
        t->polls[i] =
                (struct pollfd){ .fd = t->items[i].pid_fd, .events = POLLIN };

    bool told = poll(t->polls, t->count, 0) >= 0;

    for (size_t i = 0; i < t->count; i++)
        if (!told || t->items[i].pid_fd < 0 || t->polls[i].revents)
            (void)target_stat(t, &t->items[i], now_ns, &st);
}

void targets_look(struct targets *t, uint64_t now_ns)
{
    for (size_t i = t->count; i-- > 0;)
        if (t->items[i].ended)
            drop(t, i);
    find_ended(t, now_ns);
    if (t->names.count || t->children)
        find_new(t);
}

/* --- the whole --------------------------------------------------------------
 */

static int64_t clock_difference(clockid_t a, clockid_t b)
{
    struct timespec x, y;

    if (clock_gettime(a, &x) != 0 || clock_gettime(b, &y) != 0)
        return 0;
    return (int64_t)(x.tv_sec - y.tv_sec) * 1000000000 +
           (x.tv_nsec - y.tv_nsec);
}

/* In a container with the /proc of another set of processes, a pid means two
 * different ones. */
static bool proc_is_ours(const char *root, DIR *proc, uint64_t own_pid)
{
    char text[24];
    ssize_t len = readlinkat(dirfd(proc), "self", text, sizeof(text));
    uint64_t pid;

    return !root[0] && len > 0 &&
           str_u64(&pid, (struct str){ text, (size_t)len }) == 0 &&
           pid == own_pid;
}

static int add_pids(struct targets *t, const struct target_plan *plan,
        struct error *e)
{
    for (size_t i = 0; i < plan->pid_count; i++) {
        int rc = targets_add(t, plan->pids[i]);

        if (rc == -ESRCH)
            return fail(e, rc, "there is no process %llu",
                    (unsigned long long)plan->pids[i]);
        if (rc && rc != -EEXIST)
            return fail(e, rc, "cannot read process %llu: %s",
                    (unsigned long long)plan->pids[i], strerror(-rc));
    }
    return 0;
}

int targets_open(struct targets **out, const char *root,
        const struct target_plan *plan, struct subjects *subjects,
        struct error *e)
{
    struct targets *t = alloc_zero(1, sizeof(*t));
    char path[4096];
    int rc;

    (void)snprintf(path, sizeof(path), "%s/proc", root);
    t->proc = opendir(path);
    if (!t->proc) {
        rc = fail(e, -errno, "cannot read %s: %s", path, strerror(errno));
        targets_close(t);
        return rc;
    }
    t->subjects = subjects;
    t->own_pid = (uint64_t)getpid();
    t->here = proc_is_ours(root, t->proc, t->own_pid);
    t->tick_ns = 1000000000U / (uint64_t)sysconf(_SC_CLK_TCK);
    if (t->here)
        t->boot_to_mono_ns = clock_difference(CLOCK_MONOTONIC, CLOCK_BOOTTIME);
    t->children = plan->children;
    target_names_init(&t->names, plan->names, plan->name_count);
    rc = add_pids(t, plan, e);
    if (rc) {
        targets_close(t);
        return rc;
    }
    /* One that has ended already is noticed by the first look, and can be read
     * until the second. */
    if (t->names.count || t->children)
        find_new(t);
    *out = t;
    return 0;
}

void targets_close(struct targets *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++)
        target_close(&t->items[i]);
    target_names_release(&t->names);
    free(t->items);
    free(t->polls);
    free(t->free_slots);
    free(t->passing);
    map_release(&t->by_pid);
    if (t->proc)
        (void)closedir(t->proc);
    free(t);
}

size_t targets_count(const struct targets *t)
{
    return t->count;
}

struct target *targets_at(struct targets *t, size_t i)
{
    return &t->items[i];
}

size_t targets_slots(const struct targets *t)
{
    return t->slot_count;
}

bool targets_are_here(const struct targets *t)
{
    return t->here;
}

uint64_t targets_refused(const struct targets *t)
{
    return t->refused;
}
