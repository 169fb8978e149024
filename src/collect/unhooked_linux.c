#include "collect/unhooked.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "os/file.h"
#include "os/process/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPECTED_MAX 4096 /* then the oldest are kept, and no more */
#define PATH_BYTES   512
#define FAMILY_MAX   64 /* processes below one that are looked at */

/* A loader on a crowded machine takes this long at the most. */
#define ARRIVING_NS UINT64_C(5000000000)

struct expected {
    uint32_t pid;
    uint64_t time_ns;
    char program[RECORD_TEXT_BYTES + 8];
    char *runtime;    /* or NULL */
    bool unannounced; /* found by search */
};

struct unhooked {
    struct expected *expected;
    size_t count;
    struct map started; /* pid to when its newest ring began */
    struct map hooked; /* pid to the file of its program, with the hook in it */
};

struct unhooked *unhooked_new(void)
{
    return alloc_zero(1, sizeof(struct unhooked));
}

void unhooked_free(struct unhooked *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        free(s->expected[i].runtime);
    free(s->expected);
    map_release(&s->started);
    map_release(&s->hooked);
    free(s);
}

static void forget(struct unhooked *s, size_t i)
{
    free(s->expected[i].runtime);
    memmove(s->expected + i, s->expected + i + 1,
            (--s->count - i) * sizeof(*s->expected));
}

/* What it was to become before, it is no more, or never became. */
static void forget_process(struct unhooked *s, uint32_t pid, uint64_t until_ns)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->expected[i].pid == pid && s->expected[i].time_ns <= until_ns)
            forget(s, i);
}

/* The end of its path, as far as a record has room for it. */
static void set_program(struct expected *x, const char *path, size_t len)
{
    const size_t most = RECORD_TEXT_BYTES - 1;
    size_t cut = len > most ? len - most : 0;

    (void)snprintf(x->program, sizeof(x->program), "%s%.*s",
            len >= most ? "..." : "", (int)(len - cut), path + cut);
}

/* NULL: there are too many. */
static struct expected *add(struct unhooked *s, uint32_t pid, uint64_t time_ns)
{
    struct expected *x;

    if (s->count >= EXPECTED_MAX)
        return NULL;
    s->expected =
            alloc_resize(s->expected, (s->count + 1) * sizeof(*s->expected));
    x = &s->expected[s->count++];
    *x = (struct expected){ .pid = pid, .time_ns = time_ns };
    return x;
}

void unhooked_expect(struct unhooked *s, const struct record *exec)
{
    uint32_t pid = exec->exec.pid;
    uint64_t *started = map_find(&s->started, pid);

    if (exec->exec.failed) {
        forget_process(s, pid, exec->exec.time_ns);
        return;
    }
    if (started && *started >= exec->exec.time_ns)
        return;

    struct expected *x = add(s, pid, exec->exec.time_ns);

    if (x)
        set_program(x, exec->exec.program,
                strnlen(exec->exec.program, RECORD_TEXT_BYTES));
}

void unhooked_arrived(struct unhooked *s, uint32_t pid, uint64_t start_ns)
{
    uint64_t *started = map_find(&s->started, pid);

    if (!started || *started < start_ns)
        map_put(&s->started, pid, start_ns);
    forget_process(s, pid, start_ns);
}

/* Reads the files that a process has mapped, until one is `wanted`: that one,
 * or NULL.  Counts all in `count`. */
static char *find_mapped(uint32_t pid, bool (*wanted)(const char *path),
        size_t *count)
{
    char path[64], line[PATH_BYTES];
    char *found = NULL;
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/%u/maps", pid);
    f = fopen(path, "re");
    *count = 0;
    while (f && !found && fgets(line, sizeof(line), f)) {
        char *name = strchr(line, '/');
        char *end = strchr(line, '\n');

        if (end)
            *end = 0;
        *count += name != NULL;
        if (name && wanted(name))
            found = alloc_text(name);
    }
    if (f)
        (void)fclose(f);
    return found;
}

static bool is_runtime(const char *path)
{
    return strstr(path, "onnxruntime") != NULL;
}

static bool is_hook(const char *path)
{
    return strstr(path, "/libortmeter.so") != NULL;
}

static bool is_library(const char *path)
{
    return strstr(path, ".so") && !strstr(path, "/ld-");
}

/* Processes that are looked at, one after the other. */
struct family {
    uint32_t pid[FAMILY_MAX];
    size_t count;
};

static void add_children(struct family *f, uint32_t pid)
{
    char text[4096];
    uint64_t child = 0;
    int n = file_read(text, sizeof(text), "/proc/%u/task/%u/children", pid,
            pid);
    struct str rest = { text, n > 0 ? (size_t)n : 0 };

    for (; rest.len && f->count < FAMILY_MAX; rest = str_after(rest, ' '))
        if (!str_u64(&child, str_before(rest, ' ')) && child <= INT32_MAX)
            f->pid[f->count++] = (uint32_t)child;
}

/* Its own, or that of a process below it: sudo starts what it was asked to as a
 * child, of which we hear as little. */
static char *runtime_of(uint32_t pid)
{
    struct family f = { .pid = { pid }, .count = 1 };
    size_t mapped;
    char *found = NULL;

    for (size_t i = 0; i < f.count && !found; i++) {
        found = find_mapped(f.pid[i], is_runtime, &mapped);
        add_children(&f, f.pid[i]);
    }
    return found;
}

void unhooked_look(struct unhooked *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->expected[i].runtime)
            s->expected[i].runtime = runtime_of(s->expected[i].pid);
}

static bool is_expected(const struct unhooked *s, uint32_t pid)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->expected[i].pid == pid)
            return true;
    return false;
}

/* Looked up once for each program that a process is: a map of its memory is
 * long.  A process that is over counts as hooked: nothing is there to name. */
static bool has_hook(struct unhooked *s, uint32_t pid)
{
    char path[64];
    struct stat program;
    const uint64_t *known = map_find(&s->hooked, pid);
    size_t mapped;
    char *hook;

    (void)snprintf(path, sizeof(path), "/proc/%u/exe", pid);
    if (stat(path, &program))
        return true;
    if (known && *known == program.st_ino)
        return true;
    hook = find_mapped(pid, is_hook, &mapped);
    if (hook)
        map_put(&s->hooked, pid, program.st_ino);
    free(hook);
    return hook != NULL;
}

static void name_unannounced(struct unhooked *s, uint32_t pid)
{
    char path[64], program[PATH_BYTES];
    size_t mapped;
    char *runtime = find_mapped(pid, is_runtime, &mapped);
    struct expected *x = runtime ? add(s, pid, 0) : NULL;

    if (!x) {
        free(runtime);
        return;
    }
    (void)snprintf(path, sizeof(path), "/proc/%u/exe", pid);

    ssize_t len = readlink(path, program, sizeof(program));

    set_program(x, program, len > 0 ? (size_t)len : 0);
    x->runtime = runtime;
    x->unannounced = true;
}

void unhooked_search(struct unhooked *s, uint32_t pid)
{
    struct family f = { .pid = { pid }, .count = 1 };

    for (size_t i = 0; i < f.count; i++) {
        bool hooked = has_hook(s, f.pid[i]);

        /* Those below a hooked child are found from there, and those below an
         * expected one belong to it. */
        if ((i && hooked) || is_expected(s, f.pid[i]))
            continue;
        add_children(&f, f.pid[i]);
        if (!hooked)
            name_unannounced(s, f.pid[i]);
    }
}

/* The loader maps the hook before any other library: who has others and not the
 * hook will not come.  A process that is over has nothing mapped. */
static bool is_arriving(const struct expected *x)
{
    struct program p;
    char path[PATH_BYTES];
    size_t mapped, all;
    char *hook = find_mapped(x->pid, is_hook, &all);
    char *library = find_mapped(x->pid, is_library, &mapped);
    bool loads = all && !library;

    if (loads) {
        program_look(&p, x->program, path, sizeof(path));
        loads = p.kind != PROGRAM_STATIC;
    }
    bool arriving = hook || loads;

    free(hook);
    free(library);
    return arriving;
}

size_t unhooked_arriving(const struct unhooked *s, uint64_t now_ns)
{
    size_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += now_ns < s->expected[i].time_ns + ARRIVING_NS &&
             is_arriving(&s->expected[i]);
    return n;
}

void unhooked_each(const struct unhooked *s,
        void (*each)(void *context, const struct ring_unhooked *s),
        void *context)
{
    for (size_t i = 0; i < s->count; i++)
        each(context, &(struct ring_unhooked){
                              .pid = s->expected[i].pid,
                              .program = s->expected[i].program,
                              .runtime = s->expected[i].runtime,
                              .unannounced = s->expected[i].unannounced,
                      });
}
