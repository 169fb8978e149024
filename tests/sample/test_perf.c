/* perf counters: arithmetic, those of the kernel against wait4(2), and those
 * of the CPU against what `doctor` says of them. */
#include "sampled.h"

#include "puppet.h"
#include "sample/perf/perf_count.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 3, SWITCHES = 307 };

static void scaling(void)
{
    struct perf_count sum = { 0 };
    double whole = -1;

    CHECK(perf_count_whole(&whole, &sum) && whole == 0); /* nothing to count */
    CHECK(perf_count_share(&sum) == 1);
    perf_count_add(&sum, &(struct perf_count){ 100, 1000, 1000 });
    CHECK(perf_count_whole(&whole, &sum) && whole == 100);
    perf_count_add(&sum, &(struct perf_count){ 50, 1000, 0 });
    CHECK(perf_count_whole(&whole, &sum) && whole == 300);
    CHECK(perf_count_share(&sum) == 0.5);
    /* Never had its turn: no number. */
    CHECK(!perf_count_whole(&whole, &(struct perf_count){ 0, 1000, 0 }));
}

static void terms(void)
{
    uint64_t config = 9;

    CHECK_INT(perf_terms_parse(&config, str_of("event=0x04,umask=0x03\n")), 0);
    CHECK_INT(config, 0x0304);
    CHECK_INT(perf_terms_parse(&config, str_of("event=0xff")), 0);
    CHECK_INT(config, 0xff);
    CHECK(perf_terms_parse(&config, str_of("event=4")) < 0);
    CHECK(perf_terms_parse(&config, str_of("event=0x")) < 0);
    CHECK(perf_terms_parse(&config, str_of("event=0x100")) < 0);
    CHECK(perf_terms_parse(&config, str_of("event=0x1,edge=0x1")) < 0);
    CHECK(perf_terms_parse(&config, str_of("")) < 0);
    CHECK_INT(config, 0xff);
}

static void *nap(void *unused)
{
    (void)unused;
    for (int i = 0; i < SWITCHES; i++)
        (void)usleep(100);
    return NULL;
}

static int napping(int in, int out)
{
    pthread_t threads[THREADS];

    while (puppet_order(in)) {
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, nap, NULL) != 0)
                return 98;
        for (int i = 0; i < THREADS; i++)
            (void)pthread_join(threads[i], NULL);
        puppet_done(out);
    }
    return 0;
}

/* Threads that came and went are in the count, as they are in the kernel's. */
static void software(void)
{
    struct puppet p = puppet_start(napping);
    uint64_t pid = (uint64_t)p.pid;
    struct sampled s;
    struct rusage usage;

    sampled_open(&s, &sampler_perf_software, "",
            &(struct target_plan){ .pids = &pid, .pid_count = 1 }, false);
    if (s.rc) {
        (void)fprintf(stderr, "software counters: %s\n", s.error.text);
        CHECK(strlen(sampled_reason(&s, METRIC_process_switches_total, 0)) > 0);
        puppet_end(&p);
        sampled_close(&s);
        return;
    }

    uint32_t subject = targets_at(s.targets, 0)->subject;

    sampled_read(&s);

    double first = sampled_value(&s, METRIC_process_switches_total, subject);

    puppet_tell(&p, 'n');
    puppet_tell(&p, 'n');
    sampled_read(&s);

    double later = sampled_value(&s, METRIC_process_switches_total, subject);

    CHECK(later - first >= 2 * THREADS * SWITCHES);
    CHECK(sampled_value(&s, METRIC_process_migrations_total, subject) >= 0);
    puppet_drop(&p);
    sampled_read(&s);
    later = sampled_value(&s, METRIC_process_switches_total, subject);
    (void)puppet_bury(&p, &usage);

    /* What it did before we met it is not ours, and each thread's way out is
     * not perf's; how often it is pushed aside meanwhile is the machine's
     * affair, so those that it asked for are the lower bound. */
    double asked = (double)usage.ru_nvcsw;

    CHECK(later <= asked + (double)usage.ru_nivcsw);
    CHECK(later >= asked - 4 * (2 * THREADS + 1));
    sampled_close(&s);
}

/* There are numbers, or one reason for all that is missing. */
static void hardware(void)
{
    struct puppet p = puppet_start(napping);
    uint64_t pid = (uint64_t)p.pid;
    struct sampled s;

    sampled_open(&s, &sampler_perf_hardware, "",
            &(struct target_plan){ .pids = &pid, .pid_count = 1 }, false);
    if (s.rc == 0) {
        uint32_t subject = targets_at(s.targets, 0)->subject;

        sampled_read(&s);
        puppet_tell(&p, 'n');
        sampled_read(&s);
        CHECK(sampled_value(&s, METRIC_process_instructions_total, subject) >
                1000);
        CHECK(sampled_value(&s, METRIC_process_counted_ratio, subject) > 0);
    } else {
        CHECK(strlen(s.error.text) > 0);
        CHECK(strcmp(sampled_reason(&s, METRIC_process_cycles_total, 0),
                      s.error.text) == 0);
        CHECK(strcmp(sampled_reason(&s, METRIC_process_counted_ratio, 0),
                      s.error.text) == 0);
        CHECK_INT(s.batch.count, 0);
    }
    puppet_end(&p);
    sampled_close(&s);
}

static void bandwidth(void)
{
    struct sampled s;

    sampled_open(&s, &sampler_memory_bandwidth, "", NULL, false);
    if (s.rc == 0) {
        sampled_read(&s);
        CHECK(sampled_value(&s, METRIC_host_memory_read_bytes_total, 0) >= 0);
    } else {
        CHECK(strlen(s.error.text) > 0);
        CHECK(strcmp(sampled_reason(&s, METRIC_host_memory_read_bytes_total, 0),
                      s.error.text) == 0);
    }
    sampled_close(&s);
}

int main(void)
{
    scaling();
    terms();
    software();
    hardware();
    bandwidth();
    return test_result();
}
