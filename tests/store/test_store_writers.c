/* test_store_writers.c -- several processes at one file, those that are killed,
 * and disks that are full. */
#include "stored.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define OTHERS 4 /* processes at once */

/* Starts a process that ends with what `work` returns. */
static pid_t start(int (*work)(const struct tree *t, int argument),
        const struct tree *t, int argument)
{
    pid_t pid = fork();

    if (pid == 0) {
        test_failures = 0;
        _exit(work(t, argument));
    }
    CHECK(pid > 0);
    return pid;
}

static int end_of(pid_t pid)
{
    int status = -1;

    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

/* Where those that are started together wait for each other. */
static int gate[2];

static void wait_for_the_others(void)
{
    char c;

    (void)close(gate[1]);
    CHECK(read(gate[0], &c, 1) == 0);
}

static void all_of(int (*work)(const struct tree *t, int argument),
        const struct tree *t)
{
    pid_t pids[OTHERS];

    CHECK(pipe(gate) == 0);
    for (int i = 0; i < OTHERS; i++)
        pids[i] = start(work, t, i);
    (void)close(gate[0]);
    (void)close(gate[1]); /* it opens */
    for (int i = 0; i < OTHERS; i++)
        CHECK_INT(end_of(pids[i]), 0);
}

/* --- at the same time ----------------------------------------------------- */

static int open_and_close(const struct tree *t, int argument)
{
    (void)argument;
    wait_for_the_others();
    store_close(stored_open(t, STORE_WRITE));
    return test_result();
}

/* The file is not there yet, and all want to make it. */
static void made_by_many(void)
{
    for (int i = 0; i < 7; i++) {
        struct tree t = tree_open();

        all_of(open_and_close, &t);
        CHECK_INT(stored_is_whole(&t), 1);
        CHECK_INT(stored_number(&t, "SELECT count(*) FROM profiling_runs"), 0);
        tree_close(&t);
    }
}

#define NAMES      1009
#define INFERENCES 1009

static void name_of(char out[32], int n)
{
    (void)snprintf(out, 32, "the same name %d", n);
}

/* All use the same texts, each for the first time. */
static int write_run(const struct tree *t, int argument)
{
    struct store *s = stored_open(t, STORE_WRITE);
    struct run r = stored_run(s, (uint64_t)argument + 1);
    char name[32];

    wait_for_the_others();
    for (int i = 0; i < NAMES; i++) {
        name_of(name, i);
        store_add_section(s, &(struct section){ .name = name,
                                     .thread = (uint32_t)i,
                                     .process = (uint32_t)argument });
    }
    for (int i = 0; i < INFERENCES; i++) {
        name_of(name, NAMES + i / 100);
        (void)store_add_inference(s,
                &(struct inference){ .thread = (uint32_t)i, .error = name });
        if (i % 97 == 0)
            stored_flush(s);
    }
    stored_flush(s);
    r.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    store_close(s);
    return test_result();
}

static uint64_t sections_read, inferences_read;

static void take_section(void *context, const struct section *x)
{
    char name[32];

    name_of(name, (int)x->thread);
    CHECK_INT(x->process, *(uint32_t *)context);
    CHECK(x->name && strcmp(x->name, name) == 0);
    sections_read++;
}

static void take_inference(void *context, const struct inference *i)
{
    char name[32];

    (void)context;
    name_of(name, NAMES + (int)inferences_read / 100);
    CHECK_INT(i->thread, inferences_read++);
    CHECK(i->error && strcmp(i->error, name) == 0);
}

static uint32_t writer;

static void take_run(void *context, const struct run *r)
{
    (void)context;
    CHECK_INT(r->status, RUN_COMPLETE);
    writer = (uint32_t)r->started_wall_ns - 1;
}

static void written_by_many(void)
{
    struct tree t = tree_open();

    all_of(write_run, &t);
    CHECK_INT(stored_is_whole(&t), 1);

    struct store *s = stored_open(&t, STORE_READ);

    for (int64_t row = 1; row <= OTHERS; row++) {
        sections_read = inferences_read = 0;
        CHECK_INT(store_read_run(s, row, take_run, NULL, NULL), 0);
        CHECK_INT(store_each_section(s, row, take_section, &writer, NULL), 0);
        CHECK_INT(store_each_inference(s, row, take_inference, NULL, NULL), 0);
        CHECK_INT(sections_read, NAMES);
        CHECK_INT(inferences_read, INFERENCES);
    }
    store_close(s);
    tree_close(&t);
}

/* --- killed --------------------------------------------------------------- */

/* What it has written is on its way to the disk; how much, it says. */
static int write_for_ever(const struct tree *t, int told)
{
    struct store *s = stored_open(t, STORE_WRITE);

    (void)stored_run(s, 1);
    for (uint32_t i = 0;; i++) {
        (void)store_add_inference(s, &(struct inference){ .thread = i });
        store_add_section(s, &(struct section){ .thread = i, .name = "x" });
        if (i % 7 == 0) {
            stored_flush(s);
            if (write(told, &i, sizeof(i)) != sizeof(i))
                return 1;
        }
    }
}

static void take_status(void *context, const struct run *r)
{
    *(enum run_status *)context = r->status;
}

/* After so many words of the writer's, it is killed. */
static void killed_after(const struct tree *t, int words)
{
    int ends[2];
    uint32_t last = 0;
    enum run_status status = RUN_FAILED;
    char sql[128];

    CHECK(pipe(ends) == 0);

    pid_t pid = start(write_for_ever, t, ends[1]);

    (void)close(ends[1]);
    for (int i = 0; i < words; i++)
        CHECK(read(ends[0], &last, sizeof(last)) == sizeof(last));
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK_INT(end_of(pid), SIGKILL);
    while (read(ends[0], &last, sizeof(last)) == sizeof(last))
        continue; /* what it said last */
    (void)close(ends[0]);

    struct store *s = stored_open(t, STORE_READ);
    int64_t row = 0;

    CHECK_INT(store_find_run(s, "last", &row, NULL), 0);
    CHECK_INT(store_read_run(s, row, take_status, &status, NULL), 0);
    CHECK_INT(status, RUN_INTERRUPTED);
    store_close(s);
    CHECK_INT(stored_is_whole(t), 1);
    /* All that it said is there, and no hole. */
    (void)snprintf(sql, sizeof(sql),
            "SELECT count(*) > %u AND max(thread) = count(*) - 1"
            " FROM inferences WHERE run = %d",
            last, (int)row);
    CHECK_INT(stored_number(t, sql), 1);
    (void)snprintf(sql, sizeof(sql),
            "SELECT count(*) > %u FROM pipeline_sections WHERE run = %d", last,
            (int)row);
    CHECK_INT(stored_number(t, sql), 1);
}

static void killed(void)
{
    struct tree t = tree_open();

    for (int words = 1; words <= 31; words += 6)
        killed_after(&t, words);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM profiling_runs"), 6);
    tree_close(&t);
}

/* --- full ----------------------------------------------------------------- */

/* Writes until it fails: that is told once, and nothing is half there.  Then
 * somebody makes room: that the run failed can be said. */
static void fill(const struct tree *t, int rc, void (*make_room)(void))
{
    struct store *s = stored_open(t, STORE_WRITE);
    struct run r = stored_run(s, 1);
    struct error e = { 0 };
    uint32_t flushed = 0;
    int got = 0;

    for (uint32_t i = 0; i < 1000 && !got; i++) {
        char text[200];

        (void)snprintf(text, sizeof(text), "%0199u", i);
        for (int n = 0; n < 50; n++)
            (void)store_add_inference(s, &(struct inference){ .thread = i });
        (void)store_add_inference(s, &(struct inference){ .error = text });
        got = store_flush(s, &e);
        flushed += got == 0;
    }
    CHECK_INT(got, rc);
    CHECK(flushed > 0 && strstr(e.text, "cannot store the run: "));
    if (rc == -ENOSPC)
        CHECK(strstr(e.text, "is full"));
    /* The same is told again, and nothing more is written. */
    store_add_section(s, &(struct section){ .name = "late" });
    (void)store_add_inference(s, &(struct inference){ 0 });
    store_add_operator(s, &(struct operator){ .id = 1 });
    CHECK_INT(store_flush(s, NULL), rc);
    make_room();
    r.status = RUN_FAILED;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    store_close(s);
    s = stored_open(t, STORE_READ);
    r.status = RUN_RUNNING;
    CHECK_INT(store_read_run(s, r.row, take_status, &r.status, NULL), 0);
    CHECK_INT(r.status, RUN_FAILED);
    store_close(s);
    CHECK_INT(stored_number(t, "SELECT count(*) FROM inferences"),
            flushed * 51);
    CHECK_INT(stored_number(t, "SELECT count(*) FROM pipeline_sections"), 0);
    CHECK_INT(stored_is_whole(t), 1);
}

static void no_limit(void)
{
    const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
}

/* No file may be longer than 1 MB. */
static int fill_limited(const struct tree *t, int argument)
{
    const struct rlimit most = { 1024 * 1024, RLIM_INFINITY };

    (void)argument;
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    CHECK(setrlimit(RLIMIT_FSIZE, &most) == 0);
    fill(t, -EIO, no_limit);
    return test_result();
}

static struct tree small;

static void grow_small(void)
{
    CHECK(mount("tmpfs", small.root, "tmpfs", MS_REMOUNT, "size=16m") == 0);
}

/* A small file system of its own, where one may be made. */
static int fill_small(const struct tree *t, int argument)
{
    (void)argument;
    (void)snprintf(small.root, sizeof(small.root), "%.40s/small", t->root);
    CHECK(mkdir(small.root, 0700) == 0);
    if ((unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
            mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
            mount("tmpfs", small.root, "tmpfs", 0, "size=1m"))
        return 77;
    fill(&small, -ENOSPC, grow_small);
    CHECK(umount2(small.root, MNT_DETACH) == 0);
    return test_result();
}

static void full(void)
{
    struct tree t = tree_open();
    int status;

    CHECK_INT(end_of(start(fill_limited, &t, 0)), 0);
    status = end_of(start(fill_small, &t, 0));
    CHECK(status == 0 || WEXITSTATUS(status) == 77);
    if (WEXITSTATUS(status) == 77)
        (void)fprintf(stderr, "no small file system can be made here\n");
    tree_close(&t);
}

int main(void)
{
    made_by_many();
    written_by_many();
    killed();
    full();
    return test_result();
}
