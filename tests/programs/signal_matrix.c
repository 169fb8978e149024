/* signal_matrix.c -- a supervisor and its service, for one signal.
 *
 *     signal_matrix send TARGET SIGNAL STATE -- COMMAND...
 *     signal_matrix serve STATE catch|default
 *
 * The supervisor starts the command, in which a service runs at last, sends the
 * signal to the process that it started ("first"), to the service ("service"),
 * to the process group ("group"), to one process after the other, as those of a
 * control group are sent to ("each"), or to the group and, when nobody waits
 * for it any more, to the first ("both"), and prints what came of it: how often
 * the service got the signal, and how the first process stopped, went on and
 * ended.  Two fences end the counting: SIGRTMIN, sent to the first process
 * after the signal, comes to the service after it. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct state {
    _Atomic int pid; /* of the service, when it is ready */
    _Atomic int arrived[65];
};

static struct state *state;

static struct state *open_state(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);

    if (fd < 0 || ftruncate(fd, sizeof(struct state)))
        exit(90);

    void *memory = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE,
            MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        exit(91);
    (void)close(fd);
    return memory;
}

/* --- the service ---------------------------------------------------------- */

static void count(int number)
{
    atomic_fetch_add(&state->arrived[number], 1);
}

/* One after the other: the fence comes when what was before it is counted. */
static void count_arrivals(int number)
{
    struct sigaction a = { .sa_handler = count };

    (void)sigfillset(&a.sa_mask);
    (void)sigaction(number, &a, NULL);
}

static int serve(const char *how)
{
    static const int all[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1,
        SIGUSR2, SIGALRM, SIGTSTP, SIGCONT, SIGWINCH };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(how, "catch") == 0)
            count_arrivals(all[i]);
    count_arrivals(SIGRTMIN);
    atomic_store(&state->pid, getpid());
    while (atomic_load(&state->arrived[SIGRTMIN]) < 2)
        (void)usleep(1000);
    return 7;
}

/* --- the supervisor ------------------------------------------------------- */

static void read_text(char *to, size_t cap, pid_t pid, const char *name)
{
    char path[64];
    size_t n = 0;
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    f = fopen(path, "r");
    if (f) {
        n = fread(to, 1, cap - 1, f);
        (void)fclose(f);
    }
    to[n] = 0;
}

static pid_t parent_of(pid_t pid)
{
    char text[512];
    const char *end;

    read_text(text, sizeof(text), pid, "stat");
    end = strrchr(text, ')'); /* ") S PARENT" */
    return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

static int is_below(pid_t pid, pid_t top)
{
    for (int i = 0; pid > 1 && i < 64; i++, pid = parent_of(pid))
        if (pid == top)
            return 1;
    return 0;
}

#define FOUND_MAX 256

static size_t find_below(pid_t top, pid_t found[FOUND_MAX])
{
    size_t count_found = 0;
    const struct dirent *e;
    DIR *d = opendir("/proc");

    while (d && (e = readdir(d)) && count_found < FOUND_MAX)
        if (is_below((pid_t)strtol(e->d_name, NULL, 10), top))
            found[count_found++] = (pid_t)strtol(e->d_name, NULL, 10);
    (void)closedir(d);
    return count_found;
}

static void send_each(pid_t top, int number)
{
    pid_t found[FOUND_MAX];
    size_t count_found = find_below(top, found);

    for (size_t i = 0; i < count_found; i++) {
        (void)kill(found[i], number);
        (void)usleep(1000); /* somebody else's turn */
    }
}

static int waits_for(pid_t pid, int number)
{
    char text[4096];
    const char *line;

    read_text(text, sizeof(text), pid, "status");
    line = strstr(text, "ShdPnd:");
    return line && strtoull(line + 7, NULL, 16) >> (number - 1) & 1;
}

/* A tenth of a second after the last of them took it: they are two. */
static void send_both(pid_t top, int number)
{
    pid_t found[FOUND_MAX];
    size_t count_found = find_below(top, found);

    (void)kill(-top, number);
    for (size_t i = 0; i < count_found; i++)
        while (waits_for(found[i], number))
            (void)usleep(1000);
    (void)usleep(100000);
    (void)kill(top, number);
}

static void send_to(const char *target, pid_t first, int number)
{
    if (strcmp(target, "first") == 0)
        (void)kill(first, number);
    else if (strcmp(target, "service") == 0)
        (void)kill(atomic_load(&state->pid), number);
    else if (strcmp(target, "group") == 0)
        (void)kill(-first, number);
    else if (strcmp(target, "both") == 0)
        send_both(first, number);
    else
        send_each(first, number);
}

static int wait_and_print(pid_t first, int options)
{
    int status;

    if (waitpid(first, &status, options) != first)
        return 0;
    if (WIFSTOPPED(status))
        (void)printf("stopped by %d\n", WSTOPSIG(status));
    else if (WIFCONTINUED(status))
        (void)printf("continued\n");
    else if (WIFSIGNALED(status))
        (void)printf("ended by %d\n", WTERMSIG(status));
    else
        (void)printf("exit code %d\n", WEXITSTATUS(status));
    return WIFSIGNALED(status) || WIFEXITED(status);
}

/* True: it has ended. */
static int fence(pid_t first, int which)
{
    (void)kill(first, SIGRTMIN);
    while (atomic_load(&state->arrived[SIGRTMIN]) < which) {
        siginfo_t i = { 0 };

        if (waitid(P_PID, (id_t)first, &i, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                i.si_pid == first)
            return 1;
        (void)usleep(1000);
    }
    return 0;
}

static int supervise(const char *target, int number, char **command)
{
    pid_t first = fork();
    int caught;

    if (first == 0) {
        (void)setpgid(0, 0);
        (void)execvp(command[0], command);
        _exit(92);
    }
    (void)setpgid(first, first);
    while (!atomic_load(&state->pid))
        (void)usleep(1000);

    caught = strcmp(getenv("HOW"), "catch") == 0;
    send_to(target, first, number);
    if (number == SIGTSTP && !caught) {
        (void)wait_and_print(first, WUNTRACED);
        send_to(target, first, SIGCONT);
        (void)wait_and_print(first, WCONTINUED);
    }
    if (!fence(first, 1))
        (void)printf("arrived %d\n", atomic_load(&state->arrived[number]));
    (void)fence(first, 2);
    while (!wait_and_print(first, 0))
        ;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "serve") == 0) {
        state = open_state(argv[2]);
        return serve(argv[3]);
    }
    if (argc < 7 || strcmp(argv[1], "send") != 0 || !getenv("HOW"))
        return 93;
    state = open_state(argv[4]);
    return supervise(argv[2], (int)strtol(argv[3], NULL, 10), argv + 6);
}
