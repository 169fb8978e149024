/* puppet.c -- somebody's program, led by a test: puppet ROLE [THREADS SHARE].
 *
 * Each byte on stdin is an order; a byte on stdout says that it is done.  It
 * ends with stdin.  A program of its own, so that no sanitizer is in it: the
 * tests know exactly what it does.  The numbers are those of the tests. */
#include "tests/support/puppet_roles.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MANY = PUPPET_MANY, FEW = PUPPET_FEW, PAGES = PUPPET_PAGES };
enum { SWITCHES = PUPPET_SWITCHES };

/* The next order; 0: there are no more. */
static char puppet_order(int in)
{
    char order = 0;

    return read(in, &order, 1) == 1 ? order : 0;
}

static void puppet_done(int out)
{
    if (write(out, "", 1) != 1)
        _exit(99);
}

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;

    (void)clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t time_ns)
{
    struct timespec t = { (time_t)(time_ns / 1000000000),
        (long)(time_ns % 1000000000) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* --- CPU ---------------------------------------------------------------------
 */

struct burner {
    unsigned threads;
    double share; /* of a core, each */
};

static struct burner burner;
static volatile bool burning;

static void *burn(void *unused)
{
    const uint64_t period_ns = 10000000;
    uint64_t next_ns = clock_ns(CLOCK_MONOTONIC);

    (void)unused;
    while (burning) {
        uint64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) +
                            (uint64_t)((double)period_ns * burner.share);

        while (burning && clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
            ;
        next_ns += period_ns;
        if (burner.share < 1)
            sleep_until(next_ns);
    }
    return NULL;
}

/* Burns from its first order to its second, and then ends. */
static int burn_body(int in, int out)
{
    pthread_t threads[8];

    (void)puppet_order(in);
    burning = true;
    for (unsigned i = 0; i < burner.threads; i++)
        if (pthread_create(&threads[i], NULL, burn, NULL) != 0)
            return 98;
    puppet_done(out);
    (void)puppet_order(in);
    burning = false;
    for (unsigned i = 0; i < burner.threads; i++)
        (void)pthread_join(threads[i], NULL);
    puppet_done(out);
    (void)puppet_order(in);
    return 0;
}

/* --- memory, faults, switches, I/O -------------------------------------------
 */

static int work_body(int in, int out)
{
    char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char bytes[1009];
    int file = open("/dev/zero", O_RDWR | O_CLOEXEC);

    (void)madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
    puppet_done(out);
    for (char order; (order = puppet_order(in)) != 0; puppet_done(out)) {
        for (size_t i = 0; order == 'm' && i < PAGES; i++)
            memory[i * 4096] = 1;
        for (int i = 0; order == 'i' && i < 7; i++)
            if (read(file, bytes, sizeof(bytes)) < 0 ||
                    write(file, bytes, 11) < 0)
                return 97;
        for (int i = 0; order == 's' && i < SWITCHES; i++)
            (void)usleep(100);
    }
    return 0;
}

/* --- threads -----------------------------------------------------------------
 */

static pthread_mutex_t closed = PTHREAD_MUTEX_INITIALIZER;

static void *wait_there(void *naps)
{
    for (int i = 0; naps && i < SWITCHES; i++)
        (void)usleep(100);
    (void)pthread_mutex_lock(&closed);
    (void)pthread_mutex_unlock(&closed);
    return NULL;
}

static int threads_body(int in, int out)
{
    static pthread_t threads[MANY];
    pthread_attr_t small;
    unsigned count = 0;

    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, 65536);
    (void)pthread_mutex_lock(&closed);
    for (char order; (order = puppet_order(in)) != 0; puppet_done(out)) {
        unsigned want = order == 'm' ? MANY : order == 'f' ? FEW : 0;

        while (count < want)
            if (pthread_create(&threads[count++], &small, wait_there,
                        want == FEW ? &small : NULL))
                return 98;
        if (want)
            continue;
        (void)pthread_mutex_unlock(&closed);
        while (count)
            (void)pthread_join(threads[--count], NULL);
        (void)pthread_mutex_lock(&closed);
    }
    return 0;
}

/* --- files and sockets -------------------------------------------------------
 */

static int listener(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 1) != 0)
        return -1;
    return fd;
}

static int connected_to(int server)
{
    struct sockaddr_in at;
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (getsockname(server, (struct sockaddr *)&at, &len) != 0 ||
            connect(fd, (struct sockaddr *)&at, len) != 0)
        return -1;
    return fd;
}

static int files_body(int in, int out)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    int server = -1, client = -1, unix_pair[2], datagram;

    for (char order; (order = puppet_order(in)) != 0; puppet_done(out)) {
        if (order == 'l')
            server = listener();
        if (order == 'c')
            client = connected_to(server);
        if (order == 'x')
            (void)shutdown(client, SHUT_WR);
        if (order == 'u' && socketpair(AF_UNIX, SOCK_STREAM, 0, unix_pair) != 0)
            return 97;
        if (order == 'd') {
            datagram = socket(AF_INET, SOCK_DGRAM, 0);
            (void)bind(datagram, (struct sockaddr *)&at, sizeof(at));
        }
        if (order == 'q') {
            (void)close(server);
            (void)close(client);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc == 4 && !strcmp(argv[1], "burn")) {
        burner.threads = (unsigned)strtoul(argv[2], NULL, 10);
        burner.share = strtod(argv[3], NULL);
        return burn_body(0, 1);
    }
    if (argc == 2 && !strcmp(argv[1], "work"))
        return work_body(0, 1);
    if (argc == 2 && !strcmp(argv[1], "threads"))
        return threads_body(0, 1);
    if (argc == 2 && !strcmp(argv[1], "files"))
        return files_body(0, 1);
    return 2;
}
