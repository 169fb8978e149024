/* Threads, files, sockets and shared memory of a process that is led by the
 * hand. */
#include "sampled.h"

#include "puppet.h"
#include "puppet_roles.h"

#include <string.h>
#include <sys/stat.h>

enum { MANY = PUPPET_MANY, FEW = PUPPET_FEW };
enum { SWITCHES = PUPPET_SWITCHES, PAGES = PUPPET_PAGES };

static const char *program; /* tests/programs/puppet.c */
static struct puppet puppet;
static uint32_t subject;

static void start(struct sampled *s, const struct sampler *sampler,
        const char *role, bool costly)
{
    uint64_t pid;

    puppet = puppet_program(program, role, NULL, NULL);
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

static double all_states(const struct sampled *s)
{
    return sampled_value(s, METRIC_process_running_threads, subject) +
           sampled_value(s, METRIC_process_sleeping_threads, subject) +
           sampled_value(s, METRIC_process_blocked_threads, subject) +
           sampled_value(s, METRIC_process_other_threads, subject);
}

/* Who waits for a thread is woken a moment before the kernel lets it go. */
static void join_all(struct sampled *s)
{
    puppet_tell(&puppet, 'j');
    do
        sampled_read(s);
    while (all_states(s) > 1);
    CHECK(all_states(s) == 1);
}

/* Threads that sleep, end, and are still in the sum. */
static void few_threads(void)
{
    struct sampled s;
    double before, then;

    start(&s, &sampler_process_threads, "threads", false);
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
    join_all(&s);
    CHECK(sampled_value(&s, METRIC_process_voluntary_switches_total, subject) >=
            then);
    CHECK_INT(subjects_count(s.subjects), 2); /* no thread by itself */
    stop(&s);
}

/* A process with one thread left tells of that one: no total any more. */
static void once_threaded(void)
{
    struct sampled s;

    start(&s, &sampler_process_status, "threads", false);
    sampled_read(&s);
    CHECK(sampled_find(&s, METRIC_process_voluntary_switches_total, subject));
    puppet_tell(&puppet, 'f');
    sampled_read(&s);
    CHECK(!sampled_find(&s, METRIC_process_voluntary_switches_total, subject));
    puppet_tell(&puppet, 'j');
    sampled_read(&s);
    CHECK(!sampled_find(&s, METRIC_process_voluntary_switches_total, subject));
    CHECK(sampled_find(&s, METRIC_process_peak_resident_bytes, subject));
    stop(&s);
}

/* 2,003 of them are counted and told one by one, but only when asked for. */
static void many_threads(void)
{
    struct sampled s;
    size_t one_by_one = 0;

    start(&s, &sampler_process_threads, "threads", true);
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
    join_all(&s);
    CHECK_INT(subjects_count(s.subjects), MANY + 3);
    stop(&s);

    start(&s, &sampler_process_threads, "threads", false);
    puppet_tell(&puppet, 'm');
    sampled_read(&s);
    CHECK_INT(s.batch.count, 0);
    CHECK(strstr(sampled_reason(&s, METRIC_process_running_threads, subject),
            "more than 100 threads"));
    stop(&s);
}

/* --- files, sockets, memory -------------------------------------------------
 */

static void files(void)
{
    struct sampled s;
    double before;

    start(&s, &sampler_process_files, "files", false);
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

    start(&s, &sampler_process_sockets, "files", false);
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

/* Pages of its file are private only while nobody else runs it. */
static void memory(void)
{
    struct sampled s;
    struct stat file;
    double private, proportional;

    start(&s, &sampler_process_memory, "work", true);
    puppet_await(&puppet);
    sampled_read(&s);
    private = sampled_value(&s, METRIC_process_private_bytes, subject);
    proportional =
            sampled_value(&s, METRIC_process_proportional_bytes, subject);
    CHECK(private <= proportional);
    puppet_tell(&puppet, 'm');
    sampled_read(&s);
    private =
            sampled_value(&s, METRIC_process_private_bytes, subject) - private;
    CHECK(stat(program, &file) == 0);
    CHECK(private >= PAGES * 4096.0 - (double)file.st_size);
    CHECK(private < (PAGES + 64) * 4096.0);
    stop(&s);

    sampled_open(&s, &sampler_process_memory, "", &(struct target_plan){ 0 },
            false);
    CHECK_INT(s.rc, -ENODEV);
    CHECK(strstr(sampled_reason(&s, METRIC_process_private_bytes, 0),
            "not asked for"));
    sampled_close(&s);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    program = argv[1];

    few_threads();
    once_threaded();
    many_threads();
    files();
    sockets();
    memory();
    return test_result();
}
