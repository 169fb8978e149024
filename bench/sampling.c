/* sampling.c -- what it costs to look at processes: sampling PYTHON PEER.
 *
 * Twenty quiet programs with four threads, 64 MiB and a TCP connection are
 * looked at by our samplers and by psutil (PEER is bench/psutil_peer.py), in
 * turns.  Then ours are read for some seconds at a rate, all of them, each at
 * its own; what that costs is our own CPU time. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/json.h"
#include "bench/quantile.h"
#include "os/clock.h"
#include "sample/sampler_table.h"
#include "sample/targets.h"
#include "tests/programs/ort_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PROGRAMS = 20,
    THREADS = 4,
    MEMORY = 64 << 20,
    ROUNDS = 15, /* of ours and psutil's, in turns */
    SAMPLERS_MOST = 64,
    BATCH_CAP = 65536,
    RATE_SECONDS = 4
};

static uint64_t pids[PROGRAMS];

/* --- the programs that are looked at -----------------------------------------
 */

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

static void program(int ready)
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
    if (write(ready, "", 1) != 1)
        die("nobody waits for us");
    (void)pause();
}

static void start_programs(void)
{
    int ready[2];
    char byte;

    if (pipe(ready))
        die("no pipe");
    for (int i = 0; i < PROGRAMS; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            program(ready[1]);
            _exit(0);
        }
        pids[i] = (uint64_t)pid;
        if (read(ready[0], &byte, 1) != 1)
            die("a program did not start");
    }
}

static void stop_programs(void)
{
    for (int i = 0; i < PROGRAMS; i++) {
        (void)kill((pid_t)pids[i], SIGKILL);
        (void)waitpid((pid_t)pids[i], NULL, 0);
    }
}

/* --- psutil ------------------------------------------------------------------
 */

struct peer {
    pid_t pid;
    FILE *to, *from;
};

static struct peer peer_start(char *python, char *script)
{
    struct peer p = { 0 };
    int in[2], out[2];

    if (pipe(in) || pipe(out))
        die("no pipe");
    p.pid = fork();
    if (p.pid == 0) {
        char *argv[] = { python, script, NULL };

        (void)dup2(in[0], 0);
        (void)dup2(out[1], 1);
        (void)close(in[1]);
        (void)execv(python, argv);
        die("cannot start %s: %s", python, strerror(errno));
    }
    (void)close(in[0]);
    (void)close(out[1]);
    p.to = fdopen(in[1], "w");
    p.from = fdopen(out[0], "r");
    if (!p.to || !p.from)
        die("no stream");
    return p;
}

/* Microseconds a collection. */
static double peer_collect(struct peer *p, const char *kind, unsigned times,
        size_t count)
{
    char line[64];

    (void)fprintf(p->to, "%s %u", kind, times);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(p->to, " %llu", (unsigned long long)pids[i]);
    (void)fputc('\n', p->to);
    if (fflush(p->to) || !fgets(line, sizeof(line), p->from))
        die("psutil does not answer");
    return strtod(line, NULL);
}

static void peer_stop(struct peer *p)
{
    (void)fclose(p->to);
    (void)fclose(p->from);
    (void)waitpid(p->pid, NULL, 0);
}

/* --- ours --------------------------------------------------------------------
 */

struct ours {
    struct subjects *subjects;
    struct targets *targets;
    const struct sampler *sampler[SAMPLERS_MOST];
    void *state[SAMPLERS_MOST];
    size_t count;
    struct batch batch;
};

static void ours_add(struct ours *o, const struct sampler *s)
{
    struct sample_context context = { .root = "",
        .subjects = o->subjects,
        .targets = o->targets };
    void *state = alloc_zero(1, s->state_size);

    if (s->open(state, &context, NULL)) {
        s->close(state);
        free(state);
        return;
    }
    o->sampler[o->count] = s;
    o->state[o->count++] = state;
}

static struct ours ours_open(size_t processes)
{
    struct ours o = { .subjects = subjects_new("host") };
    struct error e;

    if (targets_open(&o.targets, "",
                &(struct target_plan){ .pids = pids, .pid_count = processes },
                o.subjects, &e))
        die("%s", e.text);
    o.batch.items = alloc_zero(BATCH_CAP, sizeof(*o.batch.items));
    o.batch.cap = BATCH_CAP;
    return o;
}

static void ours_read(struct ours *o, size_t i)
{
    o->batch.count = 0;
    o->batch.time_ns = mono_ns();
    o->sampler[i]->read(o->state[i], &o->batch);
}

static void ours_close(struct ours *o)
{
    for (size_t i = 0; i < o->count; i++) {
        o->sampler[i]->close(o->state[i]);
        free(o->state[i]);
    }
    free(o->batch.items);
    targets_close(o->targets);
    subjects_free(o->subjects);
}

/* Microseconds a collection: the median. */
static double ours_collect(struct ours *o, unsigned times)
{
    static double took_us[10000];

    for (unsigned n = 0; n < times; n++) {
        uint64_t start_ns = mono_ns();

        for (size_t i = 0; i < o->count; i++)
            ours_read(o, i);
        took_us[n] = (double)(mono_ns() - start_ns) / 1e3;
    }
    return median(took_us, times);
}

/* --- one against the other ---------------------------------------------------
 */

static void compare(struct json *j, const char *key, struct peer *peer,
        size_t processes, bool sockets)
{
    struct ours o = ours_open(processes);
    double ours[ROUNDS], other[ROUNDS], ratio[ROUNDS];
    unsigned peer_times = sockets ? 3 : processes > 1 ? 10 : 100;

    ours_add(&o, &sampler_process);
    if (sockets)
        ours_add(&o, &sampler_process_sockets);
    (void)ours_collect(&o, 10);
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = ours_collect(&o, processes > 1 ? 100 : 1000);
        other[i] = peer_collect(peer, sockets ? "five" : "four", peer_times,
                processes);
        ratio[i] = other[i] / ours[i];
    }
    json_object(j, key);
    json_u64(j, "processes", processes);
    json_bool(j, "sockets", sockets);
    json_fixed(j, "ours_us", median(ours, ROUNDS), 2);
    json_fixed(j, "psutil_us", median(other, ROUNDS), 2);
    json_fixed(j, "times_cheaper", median(ratio, ROUNDS), 1);
    json_u64(j, "readings", o.batch.count);
    json_end(j);
    ours_close(&o);
}

/* --- at a rate ---------------------------------------------------------------
 */

static void sleep_until(uint64_t time_ns)
{
    struct timespec t = { (time_t)(time_ns / 1000000000),
        (long)(time_ns % 1000000000) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* The sampler of processes at the rate, all others at their own; of no process
 * none at all, which is what waking up costs. */
static void at_rate(struct json *j, unsigned rate_hz, size_t processes)
{
    struct ours o = ours_open(processes);
    uint64_t due_ns[SAMPLERS_MOST] = { 0 }, period_ns[SAMPLERS_MOST];
    uint64_t ticks = (uint64_t)rate_hz * RATE_SECONDS, late = 0;

    for (const struct sampler *const *s = sampler_table; *s; s++)
        if (processes && o.count < SAMPLERS_MOST)
            ours_add(&o, *s);
    for (size_t i = 0; i < o.count; i++)
        period_ns[i] =
                (uint64_t)(1e9 / (o.sampler[i] == &sampler_process
                                                 ? rate_hz
                                                 : o.sampler[i]->default_hz));

    uint64_t start_ns = mono_ns(), cpu_ns = own_cpu_ns();

    for (uint64_t tick = 1; tick <= ticks; tick++) {
        uint64_t now_ns = start_ns + tick * 1000000000 / rate_hz;

        late += mono_ns() > now_ns;
        sleep_until(now_ns);
        for (size_t i = 0; i < o.count; i++)
            if (now_ns >= due_ns[i]) {
                ours_read(&o, i);
                due_ns[i] = now_ns + period_ns[i] - period_ns[i] / 100;
            }
    }
    cpu_ns = own_cpu_ns() - cpu_ns;
    json_object(j, NULL);
    json_u64(j, "rate_hz", rate_hz);
    json_u64(j, "processes", processes);
    json_fixed(j, "core_percent",
            100.0 * (double)cpu_ns / (double)(mono_ns() - start_ns), 3);
    json_u64(j, "ticks", ticks);
    json_u64(j, "late", late);
    json_end(j);
    ours_close(&o);
}

/* What one reading of each costs, of one process. */
static void each(struct json *j)
{
    for (const struct sampler *const *s = sampler_table; *s; s++) {
        struct ours o = ours_open(1);

        ours_add(&o, *s);
        if (o.count) {
            (void)ours_collect(&o, 10);
            json_object(j, NULL);
            json_text(j, "sampler", (*s)->name);
            json_fixed(j, "default_hz", (*s)->default_hz, 1);
            json_fixed(j, "read_us", ours_collect(&o, 300), 2);
            json_end(j);
        }
        ours_close(&o);
    }
}

int main(int argc, char **argv)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    if (argc != 3)
        die("use: %s PYTHON PEER", argv[0]);
    (void)prctl(PR_SET_TIMERSLACK, 1);
    start_programs();

    struct peer peer = peer_start(argv[1], argv[2]);

    json_object(&j, NULL);
    json_object(&j, "collect");
    compare(&j, "one", &peer, 1, false);
    compare(&j, "twenty", &peer, PROGRAMS, false);
    compare(&j, "one_sockets", &peer, 1, true);
    compare(&j, "twenty_sockets", &peer, PROGRAMS, true);
    json_end(&j);
    peer_stop(&peer);
    json_array(&j, "samplers");
    each(&j);
    json_end(&j);
    json_array(&j, "rates");
    at_rate(&j, 100, 0);
    at_rate(&j, 1000, 0);
    at_rate(&j, 100, 1);
    at_rate(&j, 100, PROGRAMS);
    at_rate(&j, 1000, 1);
    json_end(&j);
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
    stop_programs();
    return 0;
}
