/* sampling.c -- what it costs to look at processes: sampling PYTHON PEER.
 *
 * Twenty programs are looked at by our samplers and by psutil (PEER is
 * bench/psutil_peer.py), in turns; they have done something before each look of
 * ours.  Then they are watched for some seconds at a rate, as `ortmeter watch`
 * does it, all samplers each at its own rate, while they are quiet and while
 * they work; what that costs is our own CPU time. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/json.h"
#include "bench/crowd.h"
#include "bench/quantile.h"
#include "cmd/watch/watching.h"
#include "os/clock.h"
#include "os/process/pause.h"
#include "sample/process/targets.h"
#include "sample/sampler_table.h"
#include "tests/programs/ort_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

enum {
    ROUNDS = 15, /* of ours and psutil's, in turns */
    SAMPLERS_MAX = 64,
    BATCH_CAP = 65536,
    RATE_ROUNDS = 3, /* of each rate, in turns */
    RATE_SECONDS = 2
};

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
        (void)fprintf(p->to, " %llu", (unsigned long long)crowd_pids[i]);
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
    const struct sampler *sampler[SAMPLERS_MAX];
    void *state[SAMPLERS_MAX];
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
                &(struct target_plan){ .pids = crowd_pids,
                        .pid_count = processes },
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

/* Microseconds a collection: the median.  `stirred` programs have done
 * something before each. */
static double ours_collect(struct ours *o, unsigned times, size_t stirred)
{
    static double took_us[10000];

    for (unsigned n = 0; n < times; n++) {
        crowd_stir(stirred);

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
    ours_add(&o, &sampler_process_io);
    if (sockets)
        ours_add(&o, &sampler_process_sockets);
    (void)ours_collect(&o, 10, processes);
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = ours_collect(&o, 100, processes);
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
    json_fixed(j, "quiet_us", ours_collect(&o, 100, 0), 2);
    json_end(j);
    ours_close(&o);
}

/* --- at a rate ---------------------------------------------------------------
 */

/* A way of watching, and the shares of a core that it took. */
struct pace {
    unsigned hz;
    size_t processes; /* 0: only waking up */
    bool working;     /* are they? */
    double percent[RATE_ROUNDS];
    uint64_t reads, missed; /* of the processes */
};

static void watch_for_a_while(struct watching *w, struct pace *p, int round)
{
    /* What happens once, at the beginning, is no matter of the rate; and what
     * is read once a second is read twice. */
    uint64_t start_ns = w->start_ns + NS_PER_S / 2;
    uint64_t end_ns = start_ns + RATE_SECONDS * NS_PER_S;

    while (mono_ns() < start_ns)
        (void)watching_step(w, start_ns);
    start_ns = mono_ns();

    uint64_t cpu_ns = own_cpu_ns();

    while (mono_ns() < end_ns)
        (void)watching_step(w, end_ns);
    p->percent[round] = 100.0 * (double)(own_cpu_ns() - cpu_ns) /
                        (double)(mono_ns() - start_ns);
    for (size_t i = 0; i < sampling_source_count(w->sampling); i++) {
        const struct sampling_source *x = sampling_source_at(w->sampling, i);

        if (x->sampler == &sampler_process) {
            p->reads += x->reads;
            p->missed += x->missed;
        }
    }
}

static void watch(struct pace *p, int round)
{
    char pids[CROWD][24], rate[24];
    struct watching_settings s = { .rates = { { rate }, 1 } };
    struct watching w;
    struct error e = { 0 };

    (void)snprintf(rate, sizeof(rate), "%u", p->hz);
    for (size_t i = 0; i < p->processes; i++) {
        (void)snprintf(pids[i], sizeof(pids[i]), "%llu",
                (unsigned long long)crowd_pids[i]);
        s.pids.item[s.pids.count++] = pids[i];
    }
    if (watching_open(&w, &s, NULL, &e))
        die("%s", e.text);
    if (p->working)
        crowd_work();
    watch_for_a_while(&w, p, round);
    crowd_rest();
    watching_close(&w);
}

static void wake_only(struct pace *p, int round)
{
    uint64_t start_ns = mono_ns(), cpu_ns = own_cpu_ns();

    for (uint64_t tick = 1; tick <= p->hz * RATE_SECONDS; tick++)
        (void)sleep_until(start_ns + tick * NS_PER_S / p->hz);
    p->percent[round] = 100.0 * (double)(own_cpu_ns() - cpu_ns) /
                        (double)(mono_ns() - start_ns);
}

static void add_pace(struct json *j, struct pace *p)
{
    json_object(j, NULL);
    json_u64(j, "rate_hz", p->hz);
    json_u64(j, "processes", p->processes);
    json_bool(j, "working", p->working);
    json_fixed(j, "core_percent", median(p->percent, RATE_ROUNDS), 3);
    if (p->processes) {
        json_u64(j, "reads", p->reads);
        json_u64(j, "missed", p->missed);
    }
    json_end(j);
}

/* In turns, so that what else the machine does meets all of them. */
static void at_rates(struct json *j)
{
    static struct pace paces[] = {
        { .hz = 100 },
        { .hz = 1000 },
        { .hz = 100, .processes = 1 },
        { .hz = 100, .processes = 1, .working = true },
        { .hz = 100, .processes = CROWD },
        { .hz = 100, .processes = CROWD, .working = true },
        { .hz = 1000, .processes = 1 },
        { .hz = 1000, .processes = 1, .working = true },
    };

    for (int round = 0; round < RATE_ROUNDS; round++)
        for (size_t i = 0; i < LEN(paces); i++)
            if (paces[i].processes)
                watch(&paces[i], round);
            else
                wake_only(&paces[i], round);
    for (size_t i = 0; i < LEN(paces); i++)
        add_pace(j, &paces[i]);
}

/* What one reading of each costs, of one process. */
static void each(struct json *j)
{
    for (const struct sampler *const *s = sampler_table; *s; s++) {
        struct ours o = ours_open(1);

        ours_add(&o, *s);
        if (o.count) {
            (void)ours_collect(&o, 10, 1);
            json_object(j, NULL);
            json_text(j, "sampler", (*s)->name);
            json_fixed(j, "default_hz", (*s)->default_hz, 1);
            json_fixed(j, "read_us", ours_collect(&o, 300, 1), 2);
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
    sleep_sharply();
    crowd_start();

    struct peer peer = peer_start(argv[1], argv[2]);

    json_object(&j, NULL);
    json_object(&j, "collect");
    compare(&j, "one", &peer, 1, false);
    compare(&j, "twenty", &peer, CROWD, false);
    compare(&j, "one_sockets", &peer, 1, true);
    compare(&j, "twenty_sockets", &peer, CROWD, true);
    json_end(&j);
    peer_stop(&peer);
    json_array(&j, "samplers");
    each(&j);
    json_end(&j);
    json_array(&j, "rates");
    at_rates(&j);
    json_end(&j);
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
    crowd_stop();
    return 0;
}
