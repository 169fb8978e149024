#include "os/process/child.h"

#include "os/clock.h"
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#define PATIENCE_NS UINT64_C(20000000000) /* then something hangs */

static const struct child_variable no_variables[] = { { 0 } };

#define ARGV(...) ((char *const *)(const char *const[]){ __VA_ARGS__, NULL })

static struct child *start(char *const *argv, const struct child_variable *v)
{
    struct child *c = NULL;
    struct error e = { 0 };

    CHECK_INT(child_start(&c,
                      &(struct child_plan){ .argv = argv,
                              .variables = v,
                              .relays_signals = true },
                      &e),
            0);
    if (!c)
        (void)fprintf(stderr, "%s\n", e.text);
    return c;
}

static struct child_end wait_for(struct child *c)
{
    struct child_end end = { .exit_code = -1 };
    uint64_t start_ns = mono_ns();

    while (c && !child_wait(c, 100, &end))
        if (mono_ns() - start_ns > PATIENCE_NS) {
            CHECK(mono_ns() == 0); /* it never ended */
            (void)kill((pid_t)child_pid(c), SIGKILL);
        }
    return end;
}

/* What a shell makes of the script. */
static struct child_end run(const char *script, const struct child_variable *v)
{
    struct child *c = start(ARGV("sh", "-c", script), v);
    struct child_end end = wait_for(c);

    child_close(c);
    return end;
}

static void ends(void)
{
    CHECK_INT(run("exit 0", no_variables).exit_code, 0);
    CHECK_INT(run("exit 255", no_variables).exit_code, 255);

    struct child_end end = run("exit 7", no_variables);

    CHECK_INT(end.exit_code, 7);
    CHECK_INT(end.signal, 0);
    CHECK(end.peak_rss_bytes > 4096);
    CHECK(end.user_cpu_ns + end.system_cpu_ns > 0);

    end = run("kill -KILL $$", no_variables);
    CHECK_INT(end.signal, SIGKILL);
    CHECK_INT(end.exit_code, 0);
}

/* It has ended once and for all. */
static void told_again(void)
{
    struct child *c = start(ARGV("sh", "-c", "exit 3"), no_variables);
    struct child_end end = wait_for(c);

    CHECK_INT(end.exit_code, 3);
    end = (struct child_end){ 0 };
    CHECK(child_wait(c, 0, &end));
    CHECK_INT(end.exit_code, 3);
    child_close(c);
    child_close(NULL);
}

static void not_started(void)
{
    struct tree t = tree_open();
    struct child *c = NULL;
    struct error e;

    tree_put(&t, "plain", "text\n");
    CHECK_INT(child_start(&c,
                      &(struct child_plan){ .argv = ARGV("no-such-program") },
                      &e),
            -ENOENT);
    CHECK(strstr(e.text, "cannot start no-such-program: there is no such"));
    CHECK_INT(child_start(&c,
                      &(struct child_plan){
                              .argv = ARGV(tree_path(&t, "plain")) },
                      &e),
            -EACCES);
    CHECK(strstr(e.text, "it may not be executed"));
    CHECK_INT(child_start(&c, &(struct child_plan){ .argv = ARGV(t.root) }, &e),
            -EACCES);
    CHECK_INT(child_start(&c,
                      &(struct child_plan){ .argv = ARGV("/dev/null/x") }, &e),
            -ENOTDIR);
    CHECK(c == NULL);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    tree_close(&t);
}

static void environment(void)
{
    static const struct child_variable v[] = { { "GIVEN", "a b=c" },
        { "TAKEN", NULL }, { "CHANGED", "new" }, { "EMPTY", "" },
        { "NEVER_THERE", NULL }, { 0 } };

    CHECK(setenv("TAKEN", "x", 1) == 0 && setenv("CHANGED", "old", 1) == 0);
    CHECK(setenv("LEFT", "alone", 1) == 0);
    CHECK_INT(run("test \"$GIVEN\" = 'a b=c' && test -z \"${TAKEN+x}\" &&"
                  "test \"$CHANGED\" = new && test -z \"$EMPTY\" &&"
                  "test \"${EMPTY+x}\" = x && test -z \"${NEVER_THERE+x}\" &&"
                  "test \"$LEFT\" = alone",
                      v)
                      .exit_code,
            0);
    /* Ours is as it was. */
    CHECK(getenv("TAKEN") && strcmp(getenv("CHANGED"), "old") == 0);
    CHECK(getenv("GIVEN") == NULL);
}

static void standard_input(void)
{
    int ends_of[2], before = dup(0);

    CHECK(pipe(ends_of) == 0);
    CHECK(write(ends_of[1], "hello\n", 6) == 6);
    CHECK(dup2(ends_of[0], 0) == 0);
    CHECK_INT(
            run("read line && test \"$line\" = hello", no_variables).exit_code,
            0);
    CHECK(dup2(before, 0) == 0);
    (void)close(ends_of[0]);
    (void)close(ends_of[1]);
    (void)close(before);
}

static void count_signal(int number)
{
    (void)number;
}

/* The shell is our child, so $PPID is us: we are asked to end, and it ends. */
static void signals(void)
{
    static const struct {
        const char *script;
        int exit_code, signal;
    } cases[] = {
        { "trap 'exit 42' TERM; kill -TERM $PPID; while :; do :; done", 42, 0 },
        { "trap 'exit 43' HUP; kill -HUP $PPID; while :; do :; done", 43, 0 },
        { "kill -TERM $PPID; while :; do :; done", 0, SIGTERM },
        { "trap 'exit 44' INT; kill -INT $PPID; while :; do :; done", 44, 0 },
        { "trap 'exit 45' USR1; kill -USR1 $PPID; while :; do :; done", 45, 0 },
        /* To the whole group: it has got it already, and once. */
        { "n=0; trap 'n=$((n + 1))' INT; trap 'exit $n' USR2; kill -INT 0; "
          "kill -USR2 $PPID; while :; do :; done",
                1, 0 },
        /* For itself, all is as it was for us. */
        { "kill -INT $$; exit 6", 0, SIGINT },
    };
    struct sigaction mine = { .sa_handler = count_signal }, now;

    CHECK(sigaction(SIGTERM, &mine, NULL) == 0);
    for (size_t i = 0; i < LEN(cases); i++) {
        struct child_end end = run(cases[i].script, no_variables);

        CHECK_INT(end.exit_code, cases[i].exit_code);
        CHECK_INT(end.signal, cases[i].signal);
    }
    CHECK(sigaction(SIGTERM, NULL, &now) == 0);
    CHECK(now.sa_handler == count_signal);
    CHECK(raise(SIGINT) == 0); /* late: it is for nobody */
    CHECK_INT(run("kill -TERM $$; exit 8", no_variables).signal, SIGTERM);
    mine.sa_handler = SIG_DFL;
    CHECK(sigaction(SIGTERM, &mine, NULL) == 0);
}

/* What was blocked before is blocked after, for us and for the child. */
static void blocked(void)
{
    sigset_t set, now;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK_INT(run("kill -TERM $$; exit 9", no_variables).exit_code, 9);
    CHECK_INT(run("kill -HUP $$; exit 9", no_variables).signal, SIGHUP);
    CHECK(sigprocmask(SIG_UNBLOCK, &set, &now) == 0);
    CHECK(sigismember(&now, SIGTERM) == 1);
    CHECK(sigismember(&now, SIGHUP) == 0);
}

static size_t open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;

    while (d && readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

/* --- processes that are not ours ------------------------------------------ */

static void watching(void)
{
    int ends_of[2];
    char c;

    CHECK(pipe(ends_of) == 0);

    pid_t pid = fork();

    if (pid == 0) {
        (void)close(ends_of[1]);
        _exit(read(ends_of[0], &c, 1) != 0);
    }

    struct watched *w = watch_process((uint32_t)pid);

    CHECK(!watched_is_gone(w));
    CHECK(process_is_there((uint32_t)pid));
    (void)close(ends_of[1]);

    uint64_t start_ns = mono_ns();

    while (!watched_is_gone(w) && mono_ns() - start_ns < PATIENCE_NS)
        (void)sched_yield();
    CHECK(watched_is_gone(w)); /* also before its parent has asked */
    CHECK(waitpid(pid, NULL, 0) == pid);
    CHECK(watched_is_gone(w));
    CHECK(!process_is_there((uint32_t)pid));
    watched_free(w);
    watched_free(NULL);
    (void)close(ends_of[0]);
}

/* One that is not ours ends when it is gone, or when somebody says so. */
static void following(void)
{
    struct child_end end = { 0 };
    struct child *c = NULL;
    struct error e = { 0 };
    int ends_of[2];

    CHECK_INT(child_follow(&c, INT32_MAX, -1, &e), -ESRCH);

    struct child *program = start(ARGV("cat"), no_variables);

    CHECK_INT(child_follow(&c, child_pid(program), -1, &e), 0);
    CHECK_INT(child_pid(c), child_pid(program));
    CHECK(!child_ends_by(c, 0));
    CHECK(!child_wait(c, 0, &end));
    child_ask_to_end(program, &end);
    end = wait_for(c);
    CHECK(!end.told);
    child_close(c);
    child_close(program);

    CHECK(pipe(ends_of) == 0);
    CHECK_INT(child_follow(&c, own_pid(), ends_of[0], &e), 0);
    CHECK(write(ends_of[1], "words", 5) == 5);
    CHECK(!child_wait(c, 0, &end));
    (void)close(ends_of[1]);
    CHECK(child_ends_by(c, UINT64_MAX / 2));
    CHECK(child_wait(c, 0, &end));
    child_close(c);

    CHECK_INT(child_follow(&c, own_pid(), -1, &e), 0);
    child_signal_end(c, true); /* which is us, and we go on */
    CHECK(child_wait(c, 0, &end));
    child_close(c);
    (void)close(ends_of[0]);
}

/* No process has such a number; kill() would ask whole groups. */
static void strange_numbers(void)
{
    static const uint32_t numbers[] = { 0, UINT32_MAX, UINT32_C(1) << 31,
        INT32_MAX };

    for (size_t i = 0; i < LEN(numbers); i++) {
        struct watched *w = watch_process(numbers[i]);

        CHECK(!process_is_there(numbers[i]));
        CHECK(watched_is_gone(w));
        watched_free(w);
    }
    CHECK(process_is_there(1));
    CHECK(process_is_there(own_pid()));
    CHECK_INT(own_pid(), getpid());
    CHECK(own_peak_rss_bytes() > 100000);
}

int main(void)
{
    size_t files = open_files();

    (void)signal(SIGHUP, SIG_DFL); /* nohup(1) leaves it ignored */
    (void)setpgid(0, 0);           /* some are sent to all of the group */

    ends();
    told_again();
    not_started();
    environment();
    standard_input();
    signals();
    blocked();
    watching();
    following();
    strange_numbers();
    CHECK_INT(open_files(), files);
    return test_result();
}
