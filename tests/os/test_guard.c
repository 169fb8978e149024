/* test_guard.c -- files that are cut while we look at them. */
#include "os/guard.h"

#include "onnx/mapping.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 4 };

struct mapped {
    char path[32];
    size_t bytes;
    char *memory;
};

static struct mapped make(void)
{
    struct mapped m = { .path = "/tmp/cut-XXXXXX" };
    int fd = mkstemp(m.path);

    m.bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)m.bytes) == 0);
    m.memory = mmap(NULL, m.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(m.memory != MAP_FAILED);
    (void)close(fd);
    memset(m.memory, 'x', m.bytes);
    return m;
}

static void forget(const struct mapped *m)
{
    (void)munmap(m->memory, m->bytes);
    (void)unlink(m->path);
}

static void cut(const struct mapped *m)
{
    CHECK(truncate(m->path, 0) == 0);
}

static char first(const struct mapped *m)
{
    return *(volatile char *)m->memory;
}

static char last(const struct mapped *m)
{
    return *(volatile char *)(m->memory + m->bytes - 1);
}

static void reads_as_zeros(void)
{
    struct mapped m = make();
    struct guard *g = guard_open(m.memory, m.bytes);

    CHECK_INT(last(&m), 'x');
    CHECK(!guard_hurt(g));
    cut(&m);
    CHECK_INT(last(&m), 0);
    CHECK(guard_hurt(g));
    CHECK_INT(first(&m), 0);
    *m.memory = 'y'; /* writing is as harmless */
    guard_close(g);
    forget(&m);
}

static void only_the_one_that_was_cut(void)
{
    struct mapped whole = make(), short_one = make();
    struct guard *a = guard_open(whole.memory, whole.bytes);
    struct guard *b = guard_open(short_one.memory, short_one.bytes);

    cut(&short_one);
    CHECK_INT(last(&short_one), 0);
    CHECK_INT(last(&whole), 'x');
    CHECK(guard_hurt(b) && !guard_hurt(a));
    guard_close(a);
    guard_close(b);
    forget(&whole);
    forget(&short_one);
}

/* One that is closed is as good as new. */
static void used_again(void)
{
    struct mapped m = make();
    struct guard *g = guard_open(m.memory, m.bytes);

    cut(&m);
    CHECK_INT(last(&m), 0);
    guard_close(g);
    forget(&m);
    m = make();
    g = guard_open(m.memory, m.bytes);
    CHECK(!guard_hurt(g));
    guard_close(g);
    forget(&m);
    guard_close(NULL);
    CHECK(!guard_hurt(NULL));
}

/* What nobody guards ends a process as it always did. */
static void unguarded(void)
{
    struct mapped m = make();
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        guard_close(guard_open(m.memory, m.bytes));
        cut(&m);
        _exit(last(&m));
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    forget(&m);
}

static void mapping(void)
{
    struct mapped m = make();
    struct mapping file = { 0 };
    struct error e = { 0 };

    CHECK_INT(mapping_open(&file, m.path, &e), 0);
    CHECK_INT(file.bytes.p[m.bytes - 1], 'x');
    CHECK(!mapping_cut(&file));
    cut(&m);
    CHECK_INT(*(volatile const char *)file.bytes.p, 0);
    CHECK(mapping_cut(&file));
    mapping_close(&file);
    forget(&m);
}

int main(void)
{
    (void)signal(SIGBUS, SIG_DFL); /* a sanitizer would have it */
    unguarded();
    reads_as_zeros();
    only_the_one_that_was_cut();
    used_again();
    mapping();
    return test_result();
}
