#include "bench/crowd.h"

#include "tests/programs/ort_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, MEMORY = 64 << 20, WORK_MS = 5 };

uint64_t crowd_pids[CROWD];
static int orders[CROWD]; /* to each of them */
static int answers;       /* from all */

static void *idle(void *unused)
{
    (void)unused;
    (void)pause();
    return NULL;
}

static void connect_to_itself(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    int server = socket(AF_INET, SOCK_STREAM, 0);
    int client = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(server, (struct sockaddr *)&at, len) || listen(server, 1) ||
            getsockname(server, (struct sockaddr *)&at, &len) ||
            connect(client, (struct sockaddr *)&at, len))
        die("cannot connect: %s", strerror(errno));
}

static void live(int in, int out)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct pollfd p = { .fd = in, .events = POLLIN };
    bool works = false;
    char order = 0;

    while (poll(&p, 1, works ? WORK_MS : -1) >= 0) {
        if (write(nowhere, "work", 4) != 4)
            die("cannot write to /dev/null");
        if (!p.revents)
            continue;
        if (read(in, &order, 1) != 1)
            return;
        works = order == 'w';
        if (write(out, "", 1) != 1)
            die("nobody waits for us");
    }
}

static void program(int in, int out)
{
    char *memory = malloc(MEMORY);
    pthread_t thread;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    connect_to_itself();
    if (!memory)
        die("no memory");
    memset(memory, 1, MEMORY);
    for (int i = 1; i < THREADS; i++)
        if (pthread_create(&thread, NULL, idle, NULL))
            die("no thread");
    if (write(out, "", 1) != 1)
        die("nobody waits for us");
    live(in, out);
}

static void await(size_t count)
{
    char byte;

    for (size_t i = 0; i < count; i++)
        if (read(answers, &byte, 1) != 1)
            die("a program does not answer");
}

void crowd_start(void)
{
    int in[2], out[2];

    if (pipe(out))
        die("no pipe");
    answers = out[0];
    for (int i = 0; i < CROWD; i++) {
        if (pipe(in))
            die("no pipe");

        pid_t pid = fork();

        if (pid == 0) {
            /* No more files than its own, for they are looked at, too. */
            for (int k = 0; k < i; k++)
                (void)close(orders[k]);
            (void)close(in[1]);
            (void)close(answers);
            program(in[0], out[1]);
            _exit(0);
        }
        (void)close(in[0]);
        orders[i] = in[1];
        crowd_pids[i] = (uint64_t)pid;
        await(1);
    }
    (void)close(out[1]);
}

void crowd_stop(void)
{
    for (int i = 0; i < CROWD; i++) {
        (void)kill((pid_t)crowd_pids[i], SIGKILL);
        (void)waitpid((pid_t)crowd_pids[i], NULL, 0);
        (void)close(orders[i]);
    }
}

static void tell(size_t count, const char *order)
{
    for (size_t i = 0; i < count; i++)
        if (write(orders[i], order, 1) != 1)
            die("a program has gone");
    await(count);
}

void crowd_stir(size_t count)
{
    tell(count, "s");
}

void crowd_work(void)
{
    tell(CROWD, "w");
}

void crowd_rest(void)
{
    tell(CROWD, "r");
}
