/* Processes that come, go, change their names and follow each other. */
#include "sample/process/targets.h"

#include "os/clock.h"
#include "puppet.h"
#include "tree.h"

#include <dirent.h>
#include <pthread.h>

static struct subjects *subjects;
static struct targets *targets;
static struct error error;

static int open_plan(const struct target_plan *plan)
{
    subjects = subjects_new("box");
    return targets_open(&targets, "", plan, subjects, &error);
}

static void close_all(void)
{
    targets_close(targets);
    subjects_free(subjects);
    targets = NULL;
    subjects = NULL;
}

static size_t open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t count = 0;

    CHECK(d != NULL);
    while (d && readdir(d))
        count++;
    if (d)
        (void)closedir(d);
    return count;
}

static int obey(int in, int out)
{
    (void)prctl(PR_SET_NAME, "a) b (c");
    puppet_done(out);
    while (puppet_order(in))
        puppet_done(out);
    return 7;
}

static void by_pid(void)
{
    struct puppet p = puppet_start(obey);
    uint64_t pids[] = { (uint64_t)p.pid, (uint64_t)p.pid };
    struct target_description d = { 0 };

    puppet_await(&p);

    uint64_t before_ns = mono_ns();

    CHECK_INT(open_plan(&(struct target_plan){ .pids = pids, .pid_count = 2 }),
            0);
    CHECK_INT(targets_count(targets), 1);

    struct target *x = targets_at(targets, 0);
    const struct subject *s = subjects_get(subjects, x->subject);

    CHECK_INT(s->number, p.pid);
    CHECK(strcmp(s->name, "a) b (c") == 0);
    CHECK(s->detail && strstr(s->detail, "test_targets"));
    CHECK_INT(x->parent, getpid());
    /* To the kernel's tick of 10 ms. */
    CHECK(x->start_ns <= before_ns && before_ns - x->start_ns < 60000000000);
    CHECK_INT(target_describe(targets, x, &d), 0);
    CHECK(strcmp(d.name, "a) b (c") == 0);
    CHECK_INT(d.parent, getpid());
    CHECK(d.allowed_cpus[0] && d.scheduling_known);
    CHECK(d.start_wall_ns > 0 && d.start_wall_ns < wall_ns());
    CHECK(strstr(buf_cstr(&d.command), "test_targets"));
    target_description_release(&d);
    CHECK_INT(targets_add(targets, (uint64_t)p.pid), -EEXIST);
    close_all();
    puppet_end(&p);

    CHECK_INT(open_plan(&(struct target_plan){ .pids = pids, .pid_count = 1 }),
            -ESRCH);
    CHECK(strstr(error.text, "there is no process "));
    subjects_free(subjects);
}

static void by_name(void)
{
    const char *const globs[] = { "nobody", "a) b*" };
    const char *const program[] = { "test_target?" };
    struct puppet p = puppet_start(obey);

    puppet_await(&p);
    CHECK_INT(
            open_plan(&(struct target_plan){ .names = globs, .name_count = 2 }),
            0);
    CHECK(targets_find(targets, (uint64_t)p.pid) != NULL);
    close_all();

    /* By its program's file, though its name is another; never ourselves. */
    CHECK_INT(open_plan(&(
                      struct target_plan){ .names = program, .name_count = 1 }),
            0);
    CHECK(targets_find(targets, (uint64_t)p.pid) != NULL);
    CHECK(targets_find(targets, (uint64_t)getpid()) == NULL);
    close_all();
    puppet_end(&p);
}

/* A child never reads `in`: it could take an order that is its parent's. */
static int parent_of_one(int in, int out)
{
    while (puppet_order(in)) {
        pid_t child = fork();

        if (child == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            puppet_done(out);
            (void)close(out);
            (void)pause(); /* until its parent ends */
            _exit(0);
        }
    }
    return 0;
}

static void children(void)
{
    struct puppet p = puppet_start(parent_of_one);
    uint64_t pid = (uint64_t)p.pid;

    CHECK_INT(open_plan(&(struct target_plan){ .pids = &pid,
                      .pid_count = 1,
                      .children = true }),
            0);
    CHECK_INT(targets_count(targets), 1);
    puppet_tell(&p, 'f');
    puppet_tell(&p, 'f');
    targets_look(targets, mono_ns());
    CHECK_INT(targets_count(targets), 3);
    CHECK_INT(targets_at(targets, 1)->parent, p.pid);
    CHECK_INT(targets_slots(targets), 3);
    close_all();

    CHECK_INT(open_plan(&(struct target_plan){ .pids = &pid, .pid_count = 1 }),
            0);
    targets_look(targets, mono_ns());
    CHECK_INT(targets_count(targets), 1); /* nobody asked for children */
    close_all();
    puppet_end(&p);
}

/* An end is seen while the zombie is there, and after somebody buried it. */
static void ending(void)
{
    struct puppet p = puppet_start(obey);
    uint64_t pid = (uint64_t)p.pid;
    size_t files = open_files();

    puppet_await(&p);
    CHECK_INT(open_plan(&(struct target_plan){ .pids = &pid, .pid_count = 1 }),
            0);

    uint32_t subject = targets_at(targets, 0)->subject;

    targets_look(targets, 5);
    CHECK(!targets_at(targets, 0)->ended);
    puppet_drop(&p);
    targets_look(targets, 77);
    CHECK_INT(targets_count(targets), 1);

    struct target x = *targets_at(targets, 0);

    CHECK(x.ended && x.exit_known);
    CHECK_INT(x.ended_ns, 77);
    CHECK_INT(x.exit_code, 7);
    CHECK_INT(x.exit_signal, 0);
    CHECK_INT(subjects_ended_ns(subjects, subject), 77);
    targets_look(targets, 78);
    CHECK_INT(targets_count(targets), 0);
    CHECK(!targets_find(targets, pid));
    (void)puppet_bury(&p, NULL);
    close_all();
    CHECK_INT(open_files() + 2, files); /* the pipes were closed, too */
}

static void killed(void)
{
    struct puppet p = puppet_start(obey);
    uint64_t pid = (uint64_t)p.pid;

    CHECK_INT(open_plan(&(struct target_plan){ .pids = &pid, .pid_count = 1 }),
            0);
    CHECK(kill(p.pid, SIGKILL) == 0);
    puppet_end(&p);
    targets_look(targets, 9);

    struct target *x = targets_at(targets, 0);

    CHECK(x->ended);
    /* Linux 6.15 and later know it after the burial, others do not say. */
    CHECK(!x->exit_known || x->exit_signal == SIGKILL);
    targets_ended(targets, x, 10, SIGKILL); /* but who waited for it does */
    CHECK_INT(x->exit_signal, SIGKILL);
    CHECK_INT(x->ended_ns, 9);
    close_all();
}

/* The same pid, another process: it is neither read nor taken for the one
 * before. */
static void reused(void)
{
    struct puppet p = puppet_start(obey);
    uint64_t pid = (uint64_t)p.pid;
    struct proc_stat st;

    CHECK_INT(open_plan(&(struct target_plan){ .pids = &pid, .pid_count = 1 }),
            0);
    puppet_end(&p);

    pid_t other = puppet_with_pid(p.pid);

    if (other < 0) {
        (void)fprintf(stderr, "pid reuse: not as this user (%s)\n",
                strerror(-other));
        close_all();
        return;
    }
    CHECK_INT(other, p.pid);

    struct target *x = targets_at(targets, 0);
    uint32_t subject = x->subject;

    CHECK_INT(target_stat(targets, x, 5, &st), -ESRCH);
    CHECK(x->ended);
    CHECK_INT(targets_add(targets, pid), 0); /* beside the ended one */
    CHECK_INT(targets_count(targets), 2);
    CHECK(targets_find(targets, pid)->subject != subject);
    targets_look(targets, 6);
    CHECK_INT(targets_count(targets), 1);
    CHECK(targets_find(targets, pid) && !targets_find(targets, pid)->ended);
    CHECK(kill(other, SIGKILL) == 0);
    CHECK(waitpid(other, NULL, 0) == other);
    close_all();
}

static void *stay(void *in)
{
    (void)puppet_order(*(int *)in);
    _exit(3);
}

static int leave_thread(int in, int out)
{
    static int order; /* the stack is gone when the first thread has left */
    pthread_t thread;

    order = in;
    if (pthread_create(&thread, NULL, stay, &order) != 0)
        return 98;
    puppet_done(out);
    pthread_exit(NULL);
}

/* The first thread ends, and looks like a zombie; the process goes on. */
static void headless(void)
{
    struct puppet p = puppet_start(leave_thread);
    uint64_t pid = (uint64_t)p.pid;
    struct proc_stat st = { 0 };

    puppet_await(&p);
    CHECK_INT(open_plan(&(struct target_plan){ .pids = &pid, .pid_count = 1 }),
            0);
    while (st.state != 'Z' &&
            target_stat(targets, targets_at(targets, 0), 1, &st) == 0)
        ;
    CHECK_INT(st.state, 'Z');
    CHECK(!targets_at(targets, 0)->ended);
    puppet_drop(&p);
    targets_look(targets, 2);
    CHECK(targets_at(targets, 0)->ended);
    CHECK_INT(targets_at(targets, 0)->exit_code, 3);
    (void)puppet_bury(&p, NULL);
    close_all();
}

/* Many that live a moment: whoever is seen is seen off, too. */
static void swarm(void)
{
    const char *const globs[] = { "swarm" };
    size_t files = open_files(), seen;

    CHECK_INT(
            open_plan(&(struct target_plan){ .names = globs, .name_count = 1 }),
            0);
    for (int i = 0; i < 503; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            (void)prctl(PR_SET_NAME, "swarm");
            _exit(i % 2 ? 0 : pause());
        }
        CHECK(pid > 0);
        if (i % 10 == 0)
            targets_look(targets, mono_ns());
        if (i % 2 == 0)
            CHECK(kill(pid, SIGKILL) == 0);
        if (i % 7) /* some stay zombies for a while */
            CHECK(waitpid(pid, NULL, 0) == pid);
    }
    while (waitpid(-1, NULL, 0) > 0)
        ;
    targets_look(targets, mono_ns());
    targets_look(targets, mono_ns());
    CHECK_INT(targets_count(targets), 0);
    seen = subjects_count(subjects);
    for (size_t i = 1; i < seen; i++)
        CHECK(subjects_ended_ns(subjects, (uint32_t)i) != 0);
    CHECK_INT(targets_refused(targets), 0);
    close_all();
    CHECK_INT(open_files(), files);
}

static void out_of_files(void)
{
    struct puppet p = puppet_start(obey);
    uint64_t pid = (uint64_t)p.pid;
    struct rlimit before;
    int rc = -EMFILE;
    rlim_t most = 4;
    uint64_t refused = 0;

    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK_INT(open_plan(&(struct target_plan){ 0 }), 0);
    for (; rc == -EMFILE && most < 256; most++) {
        struct rlimit limit = { most, before.rlim_max };
        size_t files = open_files();

        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        rc = targets_add(targets, pid);
        CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
        refused += rc == -EMFILE;
        CHECK_INT(open_files(), files + (rc ? 0 : 7)); /* all or nothing */
    }
    CHECK_INT(rc, 0);
    CHECK_INT(targets_refused(targets), refused);
    CHECK(refused >= 7);
    close_all();
    puppet_end(&p);
}

static void no_proc(void)
{
    struct tree t = tree_open();

    subjects = subjects_new("box");
    CHECK_INT(targets_open(&targets, t.root, &(struct target_plan){ 0 },
                      subjects, &error),
            -ENOENT);
    CHECK(strstr(error.text, "/proc: No such file"));
    subjects_free(subjects);
    tree_close(&t);
}

int main(void)
{
    by_pid();
    by_name();
    children();
    ending();
    killed();
    reused();
    headless();
    swarm();
    out_of_files();
    no_proc();
    return test_result();
}
