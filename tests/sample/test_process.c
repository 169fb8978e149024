/* What the samplers say of a process, against what the kernel tells whoever
 * waits for it. */
#include "sampled.h"

#include "base/compiler.h"
#include "puppet.h"
#include "puppet_roles.h"

#include <dirent.h>
#include <sched.h>
#include <string.h>
#include <time.h>

enum { RATE_HZ = 100, TICKS = 60 };
enum { SWITCHES = PUPPET_SWITCHES, PAGES = PUPPET_PAGES };

static const char *program; /* tests/programs/puppet.c */

static double seconds(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void sleep_until(uint64_t time_ns)
{
    struct timespec t = { (time_t)(time_ns / 1000000000),
        (long)(time_ns % 1000000000) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* --- CPU --------------------------------------------------------------------
 */

/* CPU time of all threads of a process, by another way than the sampler's. */
static double scheduled_s(pid_t pid)
{
    char path[64], text[128];
    double sum = 0;
    struct dirent *entry;
    DIR *d;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    d = opendir(path);
    CHECK(d != NULL);
    while (d && (entry = readdir(d)) != NULL) {
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat",
                (int)pid, entry->d_name);

        FILE *f = fopen(path, "r");

        if (f && fgets(text, sizeof(text), f))
            sum += strtod(text, NULL) / 1e9;
        if (f)
            (void)fclose(f);
    }
    if (d)
        (void)closedir(d);
    return sum;
}

/* The mean of what is read at 100 Hz is what the kernel counted meanwhile, to
 * 2 points, and never more than the threads can do; and the total at the
 * end is that of wait4(2).  We may be made to wait between asking the kernel
 * and reading, so it is asked on either side. */
static void cpu(unsigned threads, double share)
{
    struct sampled s;
    struct rusage usage;

    char many[8], part[8];

    (void)snprintf(many, sizeof(many), "%u", threads);
    (void)snprintf(part, sizeof(part), "%.2f", share);

    struct puppet p = puppet_program(program, "burn", many, part);
    uint64_t pid = (uint64_t)p.pid;

    sampled_open(&s, &sampler_process, "",
            &(struct target_plan){ .pids = &pid, .pid_count = 1 }, false);
    CHECK_INT(s.rc, 0);

    uint32_t subject = targets_at(s.targets, 0)->subject;

    puppet_tell(&p, 'b');

    double before_s = scheduled_s(p.pid), weighted = 0, first_s = 0;
    double after_first_s = 0, before_last_s = 0;
    uint64_t start_ns = mono_ns(), last_ns = 0, first_ns = 0, before_ns = 0;

    for (uint64_t tick = 0; tick <= TICKS; tick++) {
        sleep_until(start_ns + tick * (1000000000 / RATE_HZ));
        before_ns = before_ns ? before_ns : mono_ns();
        before_last_s = scheduled_s(p.pid);
        sampled_read(&s);

        uint64_t after_ns = mono_ns();
        const struct reading *r =
                sampled_find(&s, METRIC_process_cpu_cores, subject);
        const struct reading *total =
                sampled_find(&s, METRIC_process_cpu_seconds_total, subject);

        CHECK((tick == 0) == (r == NULL)); /* a rate needs two readings */
        if (r) {
            /* All the time there was, and a tick of the scheduler's, whose
             * clock is not quite ours. */
            double most_s = (double)(after_ns - before_ns) / 1e9;

            CHECK(r->value >= 0);
            CHECK(total->value - first_s <= threads * most_s + 0.01);
            weighted += r->value * (double)(r->time_ns - last_ns) / 1e9;
        }
        first_s = tick ? first_s : total->value;
        after_first_s = tick ? after_first_s : scheduled_s(p.pid);
        last_ns = total->time_ns;
        first_ns = first_ns ? first_ns : last_ns;
    }

    double most_s = scheduled_s(p.pid) - before_s;
    double least_s = before_last_s - after_first_s;
    double passed_s = (double)(last_ns - first_ns) / 1e9;

    CHECK(weighted < most_s + 0.02 * passed_s);
    CHECK(weighted > least_s - 0.02 * passed_s);
    puppet_tell(&p, 's');
    puppet_drop(&p);
    sampled_read(&s);

    double total = sampled_value(&s, METRIC_process_cpu_seconds_total, subject);
    double user =
            sampled_value(&s, METRIC_process_user_cpu_seconds_total, subject);
    double system =
            sampled_value(&s, METRIC_process_system_cpu_seconds_total, subject);

    CHECK(targets_at(s.targets, 0)->ended);
    sampled_read(&s); /* its last figures are told once */
    CHECK_INT(s.batch.count, 0);
    (void)puppet_bury(&p, &usage);

    double told = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);

    /* A zombie has a last step to do, out of its CPU, and wait4(2) tells in
     * microseconds. */
    CHECK(fabs(total - told) < 1e-3);
    CHECK(fabs(user + system - total) < 1e-9);
    CHECK_INT(s.batch.dropped, 0);
    sampled_close(&s);
}

/* --- memory, faults, switches, I/O ------------------------------------------
 */

static void check_growth(struct sampled *s, struct puppet *p, uint32_t subject)
{
    sampled_read(s);

    double resident = sampled_value(s, METRIC_process_resident_bytes, subject);
    double virtual = sampled_value(s, METRIC_process_virtual_bytes, subject);

    puppet_tell(p, 'm');
    sampled_read(s);
    resident =
            sampled_value(s, METRIC_process_resident_bytes, subject) - resident;
    /* Some stack comes with it. */
    CHECK(resident >= PAGES * 4096.0 && resident < (PAGES + 64) * 4096.0);
    CHECK_VALUE(s, process_virtual_bytes, subject, virtual);
    CHECK_VALUE(s, process_threads, subject, 1);
}

static void check_io(struct sampled *s, struct puppet *p, uint32_t subject)
{
    static const enum metric_id metrics[] = { METRIC_process_read_bytes_total,
        METRIC_process_written_bytes_total, METRIC_process_read_calls_total,
        METRIC_process_write_calls_total };
    /* And the order that it was given, and what it answered. */
    static const double want[] = { 7 * 1009 + 1, 7 * 11 + 1, 7 + 1, 7 + 1 };
    double before[4];

    sampled_read(s);
    for (size_t i = 0; i < 4; i++)
        before[i] = sampled_value(s, metrics[i], subject);
    puppet_tell(p, 'i');
    sampled_read(s);
    /* The kernel counts a call when it is over, and its answer is here a
     * moment earlier; what it has when it has ended is exact, below. */
    for (size_t i = 0; i < 4; i++)
        CHECK(fabs(sampled_value(s, metrics[i], subject) - before[i] -
                      want[i]) <= 1);
}

/* What the zombie's own file says, read by somebody else. */
static void check_files(const struct sampled *s, const struct puppet *p,
        uint32_t subject)
{
    static const struct {
        const char *key;
        enum metric_id metric;
    } lines[] = {
        { "rchar: ", METRIC_process_read_bytes_total },
        { "wchar: ", METRIC_process_written_bytes_total },
        { "syscr: ", METRIC_process_read_calls_total },
        { "syscw: ", METRIC_process_write_calls_total },
        { "read_bytes: ", METRIC_process_storage_read_bytes_total },
        { "write_bytes: ", METRIC_process_storage_written_bytes_total },
    };
    char path[64], line[128];
    size_t found = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/io", (int)p->pid);

    FILE *f = fopen(path, "r");

    CHECK(f != NULL);
    while (f && fgets(line, sizeof(line), f))
        for (size_t i = 0; i < LEN(lines); i++)
            if (strncmp(line, lines[i].key, strlen(lines[i].key)) == 0) {
                CHECK(sampled_value(s, lines[i].metric, subject) ==
                        strtod(line + strlen(lines[i].key), NULL));
                found++;
            }
    CHECK_INT(found, LEN(lines));
    if (f)
        (void)fclose(f);
}

/* It does nothing: that is told again and again, its memory now and then, since
 * others may take it. */
static void check_quiet(struct sampled *s, const struct puppet *p,
        uint32_t subject)
{
    double before_s, resident;

    do { /* until it waits for its next order */
        before_s = scheduled_s(p->pid);
        sampled_read(s);
        resident = sampled_value(s, METRIC_process_resident_bytes, subject);
        sampled_read(s);
    } while (scheduled_s(p->pid) != before_s || !(resident > 0));
    CHECK_VALUE(s, process_cpu_cores, subject, 0);

    unsigned without = 0;

    for (; !sampled_find(s, METRIC_process_resident_bytes, subject); without++)
        sampled_read(s);
    CHECK(without > 0);
    CHECK_VALUE(s, process_resident_bytes, subject, resident);
    CHECK_VALUE(s, process_threads, subject, 1);
}

static void totals(void)
{
    struct puppet p = puppet_program(program, "work", NULL, NULL);
    uint64_t pid = (uint64_t)p.pid;
    struct sampled s, io;
    struct rusage usage;
    const struct target_plan plan = { .pids = &pid, .pid_count = 1 };

    puppet_await(&p);
    sampled_open(&s, &sampler_process, "", &plan, false);
    sampled_open(&io, &sampler_process_io, "", &plan, false);

    uint32_t subject = targets_at(s.targets, 0)->subject;

    check_growth(&s, &p, subject);
    check_io(&io, &p, targets_at(io.targets, 0)->subject);
    check_quiet(&s, &p, subject);
    check_io(&io, &p, targets_at(io.targets, 0)->subject);
    puppet_tell(&p, 's');
    puppet_drop(&p);
    sampled_close(&io);
    sampled_read(&s);
    check_files(&s, &p, subject);
    (void)puppet_bury(&p, &usage);
    CHECK(usage.ru_nvcsw >= SWITCHES);
    CHECK_VALUE(&s, process_minor_faults_total, subject, usage.ru_minflt);
    CHECK_VALUE(&s, process_major_faults_total, subject, usage.ru_majflt);

    /* Its last step out of its CPU is a switch. */
    double switches =
            sampled_value(&s, METRIC_process_voluntary_switches_total, subject);

    CHECK(switches == (double)usage.ru_nvcsw ||
            switches == (double)usage.ru_nvcsw - 1);
    CHECK_VALUE(&s, process_involuntary_switches_total, subject,
            usage.ru_nivcsw);
    sampled_close(&s);
}

static void status(void)
{
    struct puppet p = puppet_program(program, "work", NULL, NULL);
    uint64_t pid = (uint64_t)p.pid;
    struct sampled s;

    puppet_await(&p);
    sampled_open(&s, &sampler_process_status, "",
            &(struct target_plan){ .pids = &pid, .pid_count = 1 }, false);

    uint32_t subject = targets_at(s.targets, 0)->subject;

    sampled_read(&s);

    double anonymous =
            sampled_value(&s, METRIC_process_anonymous_bytes, subject);
    double faults =
            sampled_value(&s, METRIC_process_minor_faults_total, subject);
    cpu_set_t allowed;

    puppet_tell(&p, 'm');
    sampled_read(&s);
    faults = sampled_value(&s, METRIC_process_minor_faults_total, subject) -
             faults;
    /* A sanitizer touches more than it is asked to. */
    CHECK(faults >= PAGES && faults < 2 * PAGES);
    CHECK_VALUE(&s, process_nice_level, subject, getpriority(PRIO_PROCESS, 0));
    anonymous = sampled_value(&s, METRIC_process_anonymous_bytes, subject) -
                anonymous;
    CHECK(anonymous >= PAGES * 4096.0 && anonymous < (PAGES + 64) * 4096.0);
    CHECK(sampled_value(&s, METRIC_process_peak_resident_bytes, subject) >=
            PAGES * 4096.0);
    CHECK(sched_getaffinity(p.pid, sizeof(allowed), &allowed) == 0);
    CHECK_VALUE(&s, process_allowed_cores, subject, CPU_COUNT(&allowed));
    puppet_end(&p);
    sampled_read(&s);
    CHECK_INT(s.batch.count, 0);
    sampled_close(&s);
}

/* Its pid is somebody else's now: nothing is read of that one. */
static void reused(void)
{
    struct puppet p = puppet_program(program, "work", NULL, NULL);
    uint64_t pid = (uint64_t)p.pid;
    struct sampled s;

    puppet_await(&p);
    sampled_open(&s, &sampler_process, "",
            &(struct target_plan){ .pids = &pid, .pid_count = 1 }, false);
    sampled_read(&s);
    CHECK(s.batch.count > 0);
    puppet_end(&p);

    pid_t other = puppet_with_pid(p.pid);

    if (other < 0)
        (void)fprintf(stderr, "pid reuse: not as this user\n");
    sampled_read(&s);
    CHECK_INT(s.batch.count, 0);
    CHECK(targets_at(s.targets, 0)->ended);
    if (other > 0) {
        CHECK(kill(other, SIGKILL) == 0);
        CHECK(waitpid(other, NULL, 0) == other);
    }
    sampled_close(&s);
}

static void nobody(void)
{
    struct sampled s;

    sampled_open(&s, &sampler_process, "", NULL, false);
    CHECK_INT(s.rc, -ENODEV);
    sampled_close(&s);
    sampled_open(&s, &sampler_process_io, "", NULL, false);
    CHECK_INT(s.rc, -ENODEV);
    sampled_close(&s);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    program = argv[1];

    cpu(1, 0.26);
    cpu(1, 1);
    cpu(4, 1);
    totals();
    status();
    reused();
    nobody();
    return test_result();
}
