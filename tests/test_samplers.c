/* What sampler.h promises, of every sampler in the table, on this machine. */
#include "sampled.h"

#include "puppet.h"

#include <dirent.h>
#include <malloc.h>
#include <string.h>

enum { READS = 50 };

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
    return test_result();
}
