/* What sampler.h promises, of every sampler in the table, on this machine. */
#include "sampled.h"

#include "puppet.h"

#include <dirent.h>
#include <malloc.h>
#include <string.h>

enum { READS = 50, PROCESSES = 101, SAMPLERS_MAX = 64 };

static int obey(int in, int out)
{
    while (puppet_order(in))
        puppet_done(out);
    return 0;
}

static size_t open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t count = 0;

    CHECK(d != NULL);
    while (d && readdir(d))
        count++;
    if (d)
        (void)closedir(d);
    return count;
}

static void check_words(const struct sampler *s)
{
    CHECK(s->name[0] && s->about[0] && s->state_size);
    CHECK(s->default_hz > 0 && s->default_hz <= s->most_hz);
    for (const struct sampler *const *p = sampler_table; *p; p++)
        CHECK(*p == s || strcmp((*p)->name, s->name) != 0);
}

static void check_readings(const struct sampled *s)
{
    for (size_t i = 0; i < s->batch.count; i++) {
        const struct reading *r = &s->batch.items[i];

        CHECK(r->metric < METRIC_IDS);
        CHECK(r->subject < subjects_count(s->subjects));
        CHECK(r->method < READING_METHODS);
        CHECK(isfinite(r->value));
        for (size_t k = 0; k < i; k++) /* said once */
            CHECK(s->batch.items[k].metric != r->metric ||
                    s->batch.items[k].subject != r->subject);
        CHECK(strcmp(sampled_reason(s, (enum metric_id)r->metric, r->subject),
                      "") == 0); /* not there and missing at once */
    }
}

/* Opened or refused for a reason; read again and again without memory. */
static void check_one(const struct sampler *sampler, uint64_t pid)
{
    struct sampled s;
    size_t files = open_files();

    sampled_open(&s, sampler, "",
            &(struct target_plan){ .pids = &pid, .pid_count = 1 }, true);
    if (s.rc) {
        CHECK(s.rc == -ENODEV || s.rc == -EACCES);
        CHECK(s.error.text[0] != 0);
        sampled_close(&s);
        CHECK_INT(open_files(), files);
        return;
    }
    sampled_read(&s);
    check_readings(&s);
    sampled_read(&s);

    size_t in_use = mallinfo2().uordblks;
    size_t subjects = subjects_count(s.subjects);

    for (int i = 0; i < READS; i++)
        sampled_read(&s);
    CHECK_INT(mallinfo2().uordblks, in_use);
    CHECK_INT(subjects_count(s.subjects), subjects);
    check_readings(&s);
    sampled_close(&s);
    CHECK_INT(open_files(), files);
}

/* Processes come and go under all samplers at once, faster than anybody looks;
 * nothing of them is left in the end. */
static void churn(void)
{
    static const char *const name[] = { "churn" };
    struct sampled s[SAMPLERS_MAX];
    size_t count = 0, files = open_files();

    for (; sampler_table[count] && count < SAMPLERS_MAX; count++)
        sampled_open(&s[count], sampler_table[count], "",
                &(struct target_plan){ .names = name, .name_count = 1 }, true);
    for (int i = 0; i < PROCESSES; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            (void)prctl(PR_SET_NAME, "churn");
            _exit(i % 3 ? pause() : 0);
        }
        for (size_t k = 0; i % 5 == 0 && k < count; k++) {
            targets_look(s[k].targets, mono_ns());
            if (s[k].rc == 0)
                sampled_read(&s[k]);
        }
        (void)kill(pid, SIGKILL);
        if (i % 4)
            CHECK(waitpid(pid, NULL, 0) == pid);
    }
    while (waitpid(-1, NULL, 0) > 0)
        ;
    for (size_t k = 0; k < count; k++) {
        targets_look(s[k].targets, mono_ns());
        targets_look(s[k].targets, mono_ns());
        CHECK_INT(targets_count(s[k].targets), 0);
        sampled_close(&s[k]);
    }
    CHECK_INT(open_files(), files);
}

int main(void)
{
    struct puppet p = puppet_start(obey);

    puppet_tell(&p, '-');
    for (const struct sampler *const *s = sampler_table; *s; s++) {
        int before = test_failures;

        check_words(*s);
        check_one(*s, (uint64_t)p.pid);
        if (test_failures != before)
            (void)fprintf(stderr, "  %s\n", (*s)->name);
    }
    puppet_end(&p);
    churn();
    return test_result();
}
