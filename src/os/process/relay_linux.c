#include "os/process/relay.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Who sends to each process of a control group takes some time from one to the
 * next: so long after us the canary may still get what we got.  Not counted is
 * how long the sender has to wait for a processor. */
#define GRACE_NS 50000000

/* What came to the canary and not yet to us may still: we may have waited for a
 * disk, and learn of it no sooner. */
#define LATE_NS UINT64_C(5000000000)

/* Two of a kind that wait for a process are one to it, and who sends to a
 * process and at once to its group, as timeout(1) does, means one.  So one that
 * comes to us this long after the canary took its own was perhaps sent before,
 * and is one with it: to pass it on would tell the program of a user who
 * insists. */
#define MERGE_NS 5000000

#define SIGNALS 65 /* by number, from 1 */
#define WAITING 64
#define LOOK_MS 20 /* whether the program that stopped us goes on */
/* In place of a signal's number. */
#define WE_STOP  0
#define IT_BEGAN (-1)
#define PROC_MAX 64

struct relay {
    sigset_t mask;
    pid_t canary; /* or 0 */
    int line;     /* to it, or -1 */
    int gate[2];  /* ours and the child's end, or -1 */
    bool relays;
    struct sigaction before[SIGNALS];
};

/* What the handler tells the canary. */
struct told {
    uint64_t time_ns;
    bool passed_on; /* it is told so that it is not remembered */
    siginfo_t info;
};

/* For the handlers. */
static volatile sig_atomic_t program; /* its number, or 0 */
static volatile sig_atomic_t canary;  /* the same */
static volatile sig_atomic_t line = -1;
static volatile sig_atomic_t asked; /* to end, after the program has */
static sigset_t early; /* came before there was a program: it lacks them */

/* Not those of a fault of ours, nor what tells of our own children; 32 and 33
 * are the C library's own. */
static bool is_relayed(int number)
{
    switch (number) {
    case SIGKILL:
    case SIGSTOP:
    case SIGCHLD:
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGPIPE: return false;
    default: return number < 32 || number >= SIGRTMIN;
    }
}

static bool is_asking(int number)
{
    return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

/* A limit or a clock of ours: none of the program's business. */
static bool is_our_own(const siginfo_t *i)
{
    switch (i->si_signo) {
    case SIGXCPU:
    case SIGXFSZ:
    case SIGALRM:
    case SIGVTALRM:
    case SIGPROF:
    case SIGIO: return i->si_code > 0 || i->si_code == SI_TIMER;
    default: return false;
    }
}

static void pass_on(pid_t pid, const siginfo_t *i)
{
    siginfo_t copy = *i;

    /* With what was sent along, where something was. */
    if (i->si_code != SI_QUEUE ||
            syscall(SYS_rt_sigqueueinfo, pid, i->si_signo, &copy))
        (void)kill(pid, i->si_signo);
}

/* --- the canary ----------------------------------------------------------- */

struct watch {
    pid_t program, meter;
    struct seen {
        uint64_t time_ns;
        int code;
        pid_t sender;
        unsigned untold;  /* of these, so many have not come to us yet */
        uint64_t told_ns; /* when the last that has did */
    } seen[SIGNALS];      /* what came here last */
    struct waiting {
        struct told told;
        uint64_t time_ns, waited_ns; /* when it came here */
    } waiting[WAITING];
    size_t count;
    bool looks; /* we stopped because the program did */
    int awake;  /* looks at which both were running */
};

static size_t read_text(char *to, size_t cap, pid_t pid, const char *name)
{
    char path[PROC_MAX];
    ssize_t n = -1;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, to, cap - 1);
        (void)close(fd);
    }
    to[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

/* How long a process has been ready to run and did not: the second number of
 * schedstat.  0: nobody knows. */
static uint64_t waited_ns(pid_t pid)
{
    char text[128];
    const char *space;

    if (pid <= 0 || !read_text(text, sizeof(text), pid, "schedstat"))
        return 0;
    space = strchr(text, ' ');
    return space ? strtoull(space + 1, NULL, 10) : 0;
}

/* The grace that a sender has from then on. */
static uint64_t grace_ns(pid_t sender, uint64_t then_waited_ns)
{
    uint64_t now_waited_ns = waited_ns(sender);

    return GRACE_NS + (now_waited_ns > then_waited_ns
                                      ? now_waited_ns - then_waited_ns
                                      : 0);
}

static void note_own(struct watch *w, int fd)
{
    struct signalfd_siginfo i;

    while (read(fd, &i, sizeof(i)) == (ssize_t)sizeof(i)) {
        struct seen *s = &w->seen[i.ssi_signo % SIGNALS];
        uint64_t now_ns = mono_ns();

        if (s->sender != (pid_t)i.ssi_pid || s->time_ns + LATE_NS < now_ns)
            s->untold = 0;
        s->untold++;
        s->time_ns = now_ns;
        s->code = i.ssi_code;
        s->sender = (pid_t)i.ssi_pid;
    }
}

static bool is_stop(int number)
{
    return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* Each of them comes by itself, however many wait. */
static bool is_queued(int number)
{
    return number >= SIGRTMIN;
}

static bool came_here_too(struct watch *w, const struct told *t)
{
    struct seen *s = &w->seen[t->info.si_signo];

    /* SIGCONT takes away a stop that still waits here.  Whoever it was for, it
     * is over. */
    if (is_stop(t->info.si_signo) && w->seen[SIGCONT].time_ns >= t->time_ns)
        return true;

    if (s->code != t->info.si_code || s->sender != t->info.si_pid)
        return false;
    if (s->untold && t->time_ns <= s->time_ns + LATE_NS) {
        s->untold = is_queued(t->info.si_signo) ? s->untold - 1 : 0;
        s->told_ns = t->time_ns;
        return true;
    }
    /* Had we taken ours after the canary did, this one would have come to it
     * as well. */
    return !is_queued(t->info.si_signo) && s->told_ns < s->time_ns &&
           t->time_ns <= s->time_ns + MERGE_NS;
}

/* In the order in which they came.  Returns how long to wait for the next, in
 * milliseconds, or -1. */
static int settle(struct watch *w)
{
    while (w->count) {
        const struct waiting *x = &w->waiting[0];
        const struct told *t = &x->told;
        uint64_t now_ns = mono_ns();

        if (!came_here_too(w, t)) {
            uint64_t until_ns =
                    x->time_ns + grace_ns(t->info.si_pid, x->waited_ns);

            if (now_ns < until_ns)
                return (int)((until_ns - now_ns) / 1000000) + 1;
            if (!t->passed_on)
                pass_on(w->program, &t->info);
        }
        memmove(w->waiting, w->waiting + 1, --w->count * sizeof(*w->waiting));
    }
    return -1;
}

static bool is_stopped(pid_t pid)
{
    char text[512];
    const char *end;

    (void)read_text(text, sizeof(text), pid, "stat");
    end = strrchr(text, ')');
    return end && strncmp(end, ") T", 3) == 0;
}

/* The program may be continued without us. */
static void wake_the_meter(struct watch *w)
{
    if (is_stopped(w->program)) {
        w->awake = 0;
    } else if (is_stopped(w->meter)) {
        w->awake = 0;
        (void)kill(w->meter, SIGCONT);
    } else if (++w->awake > 2) {
        w->looks = false;
    }
}

/* False: the meter is gone, or the program. */
static bool note_told(struct watch *w, int fd)
{
    struct told t;
    ssize_t n = recv(fd, &t, sizeof(t), MSG_DONTWAIT);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    if (n != (ssize_t)sizeof(t))
        return false;
    if (t.info.si_signo == IT_BEGAN) {
        w->program = t.info.si_pid;
    } else if (t.info.si_signo == WE_STOP) {
        w->looks = true;
        w->awake = 0;
    } else if (w->count < WAITING) {
        w->waiting[w->count++] = (struct waiting){ .told = t,
            .time_ns = mono_ns(),
            .waited_ns = waited_ns(t.info.si_pid) };
    } else if (!t.passed_on) {
        pass_on(w->program, &t.info);
    }
    return true;
}

static void keep_watch(int fd, pid_t meter)
{
    struct watch w = { .meter = meter };
    sigset_t set;

    /* Not ours: who looks for all of that name, as pkill does, means the meter,
     * and would seem to have reached the program. */
    (void)prctl(PR_SET_NAME, "signal-relay");
    (void)sigfillset(&set);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);

    int own = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    struct pollfd p[] = { { fd, POLLIN, 0 }, { own, POLLIN, 0 } };

    for (;;) {
        /* What came here before it came to us is seen before it is judged. */
        note_own(&w, own);

        int wait_ms = settle(&w);

        if (w.looks && (wait_ms < 0 || wait_ms > LOOK_MS))
            wait_ms = LOOK_MS;
        (void)poll(p, 2, wait_ms);
        if (p[0].revents && !note_told(&w, fd))
            return;
        if (w.looks)
            wake_the_meter(&w);
    }
}

/* It keeps nothing of ours open but the line. */
static void close_all_but(int fd)
{
    if (syscall(SYS_close_range, 0, fd - 1, 0) == 0 &&
            syscall(SYS_close_range, fd + 1, ~0U, 0) == 0)
        return;
    for (int i = 0; i < 1024; i++)
        if (i != fd)
            (void)close(i);
}

/* --- the handlers --------------------------------------------------------- */

static void tell(const siginfo_t *i, bool passed_on)
{
    struct told t = { .time_ns = mono_ns(),
        .passed_on = passed_on,
        .info = *i };

    if (line < 0 || send(line, &t, sizeof(t), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        if (i->si_signo != WE_STOP && !passed_on)
            pass_on(program, i);
}

static void on_signal(int number, siginfo_t *i, void *context)
{
    int saved = errno;

    (void)context;
    if (i->si_code == SI_TKILL && number == SIGABRT) {
        (void)signal(number, SIG_DFL); /* abort() of our own */
        (void)raise(number);
    } else if (!program) {
        if (is_asking(number) && asked++)
            (void)signal(number, SIG_DFL);
    } else if (!is_our_own(i) && !(canary && i->si_pid == canary)) {
        if (sigismember(&early, number) == 1) {
            (void)sigdelset(&early, number);
            pass_on(program, i);
            tell(i, true);
        } else {
            tell(i, false);
        }
    }
    errno = saved;
}

static void stop_likewise(int number)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL }, ours;
    siginfo_t note = { .si_signo = WE_STOP };

    tell(&note, false);
    (void)sigaction(number, &by_default, &ours);
    (void)kill(getpid(), number); /* here we stand still, until SIGCONT */
    (void)sigaction(number, &ours, NULL);
}

static void on_child(int number, siginfo_t *i, void *context)
{
    int saved = errno;
    siginfo_t how = { 0 };

    (void)number;
    (void)i;
    (void)context;
    if (program &&
            waitid(P_PID, (id_t)program, &how, WSTOPPED | WNOHANG) == 0 &&
            how.si_pid == program && is_stop(how.si_status))
        stop_likewise(how.si_status);
    errno = saved;
}

/* --- opening and closing -------------------------------------------------- */

static void make_canary(struct relay *r)
{
    int ends[2];
    pid_t meter = getpid();

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return;
    r->canary = fork();
    if (r->canary == 0) {
        close_all_but(ends[1]);
        keep_watch(ends[1], meter);
        _exit(0); /* of a copy of us that had this one task */
    }
    (void)close(ends[1]);
    if (r->canary > 0) {
        r->line = ends[0];
    } else {
        r->canary = 0;
        (void)close(ends[0]);
    }
}

struct relay *relay_hold(bool relays)
{
    struct relay *r = alloc_zero(1, sizeof(*r));
    sigset_t set;

    (void)sigfillset(&set);
    (void)sigprocmask(SIG_BLOCK, &set, &r->mask);
    r->line = r->gate[0] = r->gate[1] = -1;
    r->relays = relays;
    if (relays) {
        make_canary(r);
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, r->gate))
            r->gate[0] = r->gate[1] = -1;
    }
    return r;
}

/* --- what came before there was a program --------------------------------- */

/* Who sends to a group reaches us, and the program only if it is there.  So the
 * child waits until we have looked at what we have, and then says what it has:
 * what only we have, it lacks.  All of it still waits on both sides. */
void relay_in_child(const struct relay *r)
{
    char go;
    sigset_t has;

    if (r->gate[1] >= 0) {
        (void)close(r->gate[0]);
        if (recv(r->gate[1], &go, 1, 0) == 1) {
            (void)sigpending(&has);
            (void)send(r->gate[1], &has, sizeof(has), MSG_NOSIGNAL);
        }
        (void)close(r->gate[1]);
    }
    (void)sigprocmask(SIG_SETMASK, &r->mask, NULL);
}

static void close_gate(struct relay *r)
{
    for (int i = 0; i < 2; i++)
        if (r->gate[i] >= 0)
            (void)close(r->gate[i]);
    r->gate[0] = r->gate[1] = -1;
}

static void find_early(struct relay *r)
{
    sigset_t has;
    bool some = false;

    (void)sigpending(&early);
    if (r->gate[0] < 0)
        return;
    (void)close(r->gate[1]); /* so that we hear when the child is gone */
    r->gate[1] = -1;
    for (int n = 1; n < SIGNALS; n++)
        some = some || (is_relayed(n) && sigismember(&early, n) == 1);
    (void)send(r->gate[0], "", 1, MSG_NOSIGNAL);
    if (some && recv(r->gate[0], &has, sizeof(has), 0) == (ssize_t)sizeof(has))
        for (int n = 1; n < SIGNALS; n++)
            if (sigismember(&has, n) == 1)
                (void)sigdelset(&early, n);
}

/* --- from then on --------------------------------------------------------- */

static void take_signals(struct relay *r)
{
    struct sigaction a = { .sa_sigaction = on_signal,
        .sa_flags = SA_SIGINFO | SA_RESTART };
    struct sigaction c = { .sa_sigaction = on_child,
        .sa_flags = SA_SIGINFO | SA_RESTART };

    /* One after the other, in the order in which they came. */
    (void)sigfillset(&a.sa_mask);
    for (int n = 1; n < SIGNALS; n++)
        if (is_relayed(n))
            (void)sigaction(n, &a, &r->before[n]);
    (void)sigaction(SIGCHLD, &c, &r->before[SIGCHLD]);
}

/* Also what was blocked for us: whether it is for the program is its mask's
 * business. */
static void let_through(sigset_t *mask)
{
    for (int n = 1; n < SIGNALS; n++)
        if (is_relayed(n) || n == SIGCHLD)
            (void)sigdelset(mask, n);
}

void relay_began(struct relay *r, pid_t pid)
{
    struct told t = { .info = { .si_signo = IT_BEGAN } };
    sigset_t mask = r->mask;

    if (r->relays && pid > 0) {
        find_early(r);
        t.info.si_pid = pid;
        if (r->line >= 0)
            (void)send(r->line, &t, sizeof(t), MSG_NOSIGNAL);
        program = pid;
        canary = r->canary;
        line = r->line;
        asked = 0;
        take_signals(r);
        let_through(&mask);
    }
    close_gate(r);
    (void)sigprocmask(SIG_SETMASK, &mask, NULL);
}

void relay_ended(struct relay *r)
{
    if (!r)
        return;
    program = canary = 0;
    line = -1;
    if (r->line >= 0)
        (void)close(r->line);
    if (r->canary)
        (void)waitpid(r->canary, NULL, 0);
    r->line = -1;
    r->canary = 0;
}

bool relay_asked_to_end(void)
{
    return asked;
}

void relay_close(struct relay *r)
{
    if (!r)
        return;
    relay_ended(r);
    for (int n = 1; r->relays && n < SIGNALS; n++)
        if ((is_relayed(n) && r->before[n].sa_handler != SIG_DFL) ||
                n == SIGCHLD)
            (void)sigaction(n, &r->before[n], NULL);
    (void)sigprocmask(SIG_SETMASK, &r->mask, NULL);
    free(r);
}
