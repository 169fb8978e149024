/* test_relay.c -- signals that come while a program starts, and one after the
 * other: it gets each of them once, however slow the others are.
 *
 *     test_relay count WHEN    is the program, which counts them */
#include "os/process/relay.h"

#include "os/process/child.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUEUED   (SIGRTMIN + 1) /* two of them are never one */
#define PLAIN    SIGUSR1
#define FENCE    (SIGRTMIN + 2)
#define GATE     9 /* a file that is open in all of them */
#define PATIENCE 200
#define LATE_NS  200000000 /* several times what the canary waits for us */

enum when {
    SLOW_CANARY,  /* the program sends to the group, the canary still sleeps */
    SLOW_METER,   /* the same, and it is we who hear of it late */
    BEFORE_FORK,  /* to the group, and the program is not there yet */
    AFTER_FORK,   /* to the group, when it has just been made */
    ALONE_BEFORE, /* to us */
    ALONE_AFTER,
    /* Two by the same sender: the first to the group, the second to us. */
    EARLY_THEN_ALONE,
    GROUP_THEN_ALONE,
    PLAIN_THEN_ALONE, /* this would be one, if both waited for somebody */
    GROUP_TWICE,
    WHENS,
};

static bool are_two(enum when when)
{
    return when >= EARLY_THEN_ALONE;
}

static int counted(enum when when)
{
    return when == PLAIN_THEN_ALONE ? PLAIN : QUEUED;
}

static void all_of_them(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, QUEUED);
    (void)sigaddset(set, PLAIN);
    (void)sigaddset(set, FENCE);
}

/* --- the program ---------------------------------------------------------- */

/* All are blocked, as they were for whoever started it. */
static int count(enum when when)
{
    sigset_t set;
    int n = 0, number;

    all_of_them(&set);
    if (when == SLOW_CANARY) {
        (void)kill(0, QUEUED);
        if (write(GATE, "", 1) != 1)
            return 99;
    }
    if (when == SLOW_METER) {
        (void)kill(getppid(), SIGSTOP);
        (void)kill(0, QUEUED);
        (void)nanosleep(&(struct timespec){ .tv_nsec = LATE_NS }, NULL);
        (void)kill(getppid(), SIGCONT);
    }
    /* Comes back to us, behind all that came before it. */
    if (!are_two(when))
        (void)kill(getppid(), FENCE);
    for (int fences = when == PLAIN_THEN_ALONE ? 2 : 1; fences;) {
        number = sigwaitinfo(&set, NULL);
        n += number == counted(when);
        if (number == FENCE && --fences && write(GATE, "", 1) != 1)
            return 99;
    }
    return n;
}

/* --- who starts it -------------------------------------------------------- */

static enum when when;
static int forks, gate;

static void before(void)
{
    if (++forks != 2) /* the first is the canary's */
        return;
    if (when == BEFORE_FORK || when == ALONE_BEFORE || when == EARLY_THEN_ALONE)
        (void)kill(when == ALONE_BEFORE ? getpid() : 0, QUEUED);
}

static void after(void)
{
    if (forks == 2 && (when == AFTER_FORK || when == ALONE_AFTER))
        (void)kill(when == AFTER_FORK ? 0 : getpid(), QUEUED);
}

static void in_child(void)
{
    char c;

    if (forks == 1 && when == SLOW_CANARY && read(gate, &c, 1) != 1)
        _exit(1);
}

static void send_two(void)
{
    char c;

    if (when != EARLY_THEN_ALONE)
        (void)kill(0, counted(when));
    if (when == PLAIN_THEN_ALONE) {
        (void)kill(getpid(), FENCE);
        /* When the program has it, the first one has been judged.  Two as far
         * from each other are never one. */
        if (read(gate, &c, 1) != 1)
            return;
        (void)nanosleep(&(struct timespec){ .tv_nsec = LATE_NS }, NULL);
    }
    (void)kill(when == GROUP_TWICE ? 0 : getpid(), counted(when));
    (void)kill(getpid(), FENCE);
}

static int run(enum when w)
{
    char number[2] = { (char)('0' + (int)w), 0 };
    const char *argv[] = { "/proc/self/exe", "count", number, NULL };
    struct child_plan plan = { .argv = (char *const *)argv,
        .relays_signals = true };
    struct child *c = NULL;
    struct child_end end = { .exit_code = -1 };
    int patience = PATIENCE;

    when = w;
    forks = 0;
    CHECK_INT(child_start(&c, &plan, NULL), 0);
    if (are_two(w))
        send_two();
    while (c && !child_wait(c, 100, &end))
        if (!--patience) /* it waits for what never comes */
            (void)kill((pid_t)child_pid(c), SIGKILL);
    child_close(c);
    return end.signal ? -end.signal : end.exit_code;
}

int main(int argc, char **argv)
{
    int ends[2];
    sigset_t set;

    if (argc == 3 && strcmp(argv[1], "count") == 0)
        return count((enum when)(argv[2][0] - '0'));

    (void)setpgid(0, 0); /* some are sent to all of the group */
    all_of_them(&set);
    CHECK_INT(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    CHECK_INT(pipe(ends), 0);
    CHECK_INT(dup2(ends[1], GATE), GATE);
    gate = ends[0];
    CHECK_INT(pthread_atfork(before, after, in_child), 0);
    for (int w = 0; w < WHENS; w++) {
        int got = run((enum when)w), sent = 1 + are_two((enum when)w);

        CHECK_INT(got, sent);
        if (got != sent)
            (void)fprintf(stderr, "case %d\n", w);
    }
    return test_result();
}
