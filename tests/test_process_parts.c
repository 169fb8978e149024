/* Threads, files, sockets and shared memory of a process that is led by the
 * hand. */
#include "sampled.h"

#include "puppet.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { MANY = 2003, FEW = 5, SWITCHES = 101, PAGES = 1031 };

static struct puppet puppet;
static uint32_t subject;

static void start(struct sampled *s, const struct sampler *sampler,
        int (*body)(int in, int out), bool costly)
{
    uint64_t pid;

    puppet = puppet_start(body);
    pid = (uint64_t)puppet.pid;
    sampled_open(s, sampler, "",
            &(struct target_plan){ .pids = &pid, .pid_count = 1 }, costly);
    CHECK_INT(s->rc, 0);
    subject = targets_at(s->targets, 0)->subject;
}

static void stop(struct sampled *s)
{
    puppet_end(&puppet);
    targets_look(s->targets, mono_ns());
    sampled_read(s);
    CHECK_INT(s->batch.count, 0); /* nothing of who has ended */
    sampled_close(s);
}

/* --- threads ----------------------------------------------------------------
 */

static pthread_mutex_t closed = PTHREAD_MUTEX_INITIALIZER;

static void *wait_there(void *unused)
{
    (void)unused;
    for (int i = 0; i < SWITCHES; i++)
        (void)usleep(1);
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
            if (pthread_create(&threads[count++], &small, wait_there, NULL))
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

static double all_states(const struct sampled *s)
{
    return sampled_value(s, METRIC_process_running_threads, subject) +
           sampled_value(s, METRIC_process_sleeping_threads, subject) +
           sampled_value(s, METRIC_process_blocked_threads, subject) +
           sampled_value(s, METRIC_process_other_threads, subject);
}

/* Threads that sleep, end, and are still in the sum. */
static void few_threads(void)
{
    struct sampled s;
    double before, then;

    start(&s, &sampler_process_threads, threads_body, false);
    sampled_read(&s);
    CHECK(all_states(&s) == 1);
    before =
            sampled_value(&s, METRIC_process_voluntary_switches_total, subject);
    puppet_tell(&puppet, 'f');
    do {
        sampled_read(&s);
        then = sampled_value(&s, METRIC_process_voluntary_switches_total,
                subject);
        CHECK(all_states(&s) == FEW + 1);
    } while (then - before < FEW * SWITCHES);
    puppet_tell(&puppet, 'j');
    sampled_read(&s);
    CHECK(all_states(&s) == 1);
    CHECK(sampled_value(&s, METRIC_process_voluntary_switches_total, subject) >=
            then);
    CHECK_INT(subjects_count(s.subjects), 2); /* no thread by itself */
    stop(&s);
}

/* 2,003 of them are counted and told one by one, but only when asked for. */
static void many_threads(void)
{
    struct sampled s;
    size_t one_by_one = 0;

    start(&s, &sampler_process_threads, threads_body, true);
    puppet_tell(&puppet, 'm');
    sampled_read(&s);
    CHECK(all_states(&s) == MANY + 1);
    for (size_t i = 0; i < s.batch.count; i++) {
        const struct reading *r = &s.batch.items[i];

        if (r->metric != METRIC_thread_cpu_seconds_total)
            continue;
        CHECK_INT(subjects_get(s.subjects, r->subject)->parent, subject);
        CHECK(r->value >= 0 && r->value < 60);
        one_by_one++;
    }
    CHECK_INT(one_by_one, MANY + 1);
    puppet_tell(&puppet, 'j');
    sampled_read(&s);
    CHECK(all_states(&s) == 1);
    CHECK_INT(subjects_count(s.subjects), MANY + 3);
    stop(&s);

    start(&s, &sampler_process_threads, threads_body, false);
    puppet_tell(&puppet, 'm');
    sampled_read(&s);
    CHECK_INT(s.batch.count, 0);
    CHECK(strstr(sampled_reason(&s, METRIC_process_running_threads, subject),
            "more than 100 threads"));
    stop(&s);
}

/* --- files, sockets, memory -------------------------------------------------
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

static void files(void)
{
    struct sampled s;
    double before;

    start(&s, &sampler_process_files, files_body, false);
    puppet_tell(&puppet, '-'); /* it has closed what it got from us */
    sampled_read(&s);
    before = sampled_value(&s, METRIC_process_open_files, subject);
    CHECK(before >= 2);
    puppet_tell(&puppet, 'l');
    puppet_tell(&puppet, 'u');
    sampled_read(&s);
    CHECK_VALUE(&s, process_open_files, subject, before + 3);
    stop(&s);
}

/* A second, by the clock that the sampler is given, passes before each. */
static void read_later(struct sampled *s)
{
    static uint64_t later_ns;

    later_ns += 2000000000;
    s->batch.count = 0;
    s->batch.time_ns = mono_ns() + later_ns;
    s->sampler->read(s->state, &s->batch);
}

static void sockets(void)
{
    struct sampled s;
    double before;

    start(&s, &sampler_process_sockets, files_body, false);
    read_later(&s);
    before = sampled_value(&s, METRIC_process_sockets, subject);
    CHECK_VALUE(&s, process_listening_sockets, subject, 0);
    puppet_tell(&puppet, 'l');
    puppet_tell(&puppet, 'u');
    puppet_tell(&puppet, 'd');
    read_later(&s);
    CHECK_VALUE(&s, process_sockets, subject, before + 4);
    CHECK_VALUE(&s, process_listening_sockets, subject, 1);
    CHECK_VALUE(&s, process_connected_sockets, subject, 0);
    CHECK_VALUE(&s, process_datagram_sockets, subject, 1);
    puppet_tell(&puppet, 'c');
    read_later(&s);
    CHECK_VALUE(&s, process_connected_sockets, subject, 1);
    puppet_tell(&puppet, 'x');
    sampled_read(&s); /* at once: it is asked for by itself */
    CHECK_VALUE(&s, process_connected_sockets, subject, 0);
    CHECK_VALUE(&s, process_closing_sockets, subject, 1);
    CHECK_VALUE(&s, process_listening_sockets, subject, 1);
    puppet_tell(&puppet, 'q');
    sampled_read(&s);
    CHECK_VALUE(&s, process_sockets, subject, before + 3);
    CHECK_VALUE(&s, process_listening_sockets, subject, 0);
    stop(&s);
}

static int memory_body(int in, int out)
{
    char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
    while (puppet_order(in)) {
        for (size_t i = 0; i < PAGES; i++)
            memory[i * 4096] = 1;
        puppet_done(out);
    }
    return 0;
}

static void memory(void)
{
    struct sampled s;
    double private, proportional;

    start(&s, &sampler_process_memory, memory_body, true);
    sampled_read(&s);
    private = sampled_value(&s, METRIC_process_private_bytes, subject);
    proportional =
            sampled_value(&s, METRIC_process_proportional_bytes, subject);
    CHECK(private <= proportional);
    puppet_tell(&puppet, 'm');
    sampled_read(&s);
    private =
            sampled_value(&s, METRIC_process_private_bytes, subject) - private;
    CHECK(private >= PAGES * 4096.0 && private < (PAGES + 64) * 4096.0);
    stop(&s);

    sampled_open(&s, &sampler_process_memory, "", &(struct target_plan){ 0 },
            false);
    CHECK_INT(s.rc, -ENODEV);
    CHECK(strstr(sampled_reason(&s, METRIC_process_private_bytes, 0),
            "not asked for"));
    sampled_close(&s);
}

int main(void)
{
    few_threads();
    many_threads();
    files();
    sockets();
    memory();
    return test_result();
}
