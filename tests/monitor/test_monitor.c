/* test_monitor.c -- the C API for other people's programs, used as one. */
#include "ortmeter_monitor.h"

#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITES 1009

/* What the callback saw. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long calls, cpu_samples;
static int wrong_samples;

static void took(void *context, const struct ortmeter_sample *samples,
        size_t count)
{
    (void)pthread_mutex_lock(&lock);
    calls++;
    for (size_t i = 0; i < count; i++) {
        wrong_samples += !samples[i].metric || !samples[i].unit ||
                         !samples[i].timestamp_ns;
        cpu_samples +=
                strcmp(samples[i].metric, "process_cpu_seconds_total") == 0 &&
                samples[i].number == *(const uint64_t *)context;
    }
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

/* Until the callback was called so many times more. */
static void await_calls(unsigned long more)
{
    (void)pthread_mutex_lock(&lock);
    for (unsigned long want = calls + more; calls < want;)
        (void)pthread_cond_wait(&changed, &lock);
    (void)pthread_mutex_unlock(&lock);
}

/* A process that writes so much, says so, and ends when it is told to. */
struct puppet {
    pid_t pid;
    int string;
};

static void play(int in, int out)
{
    char line[1000] = "", c;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    for (int i = 0; i < WRITES; i++)
        if (write(null, line, sizeof(line)) != (ssize_t)sizeof(line))
            _exit(1);
    if (write(out, "x", 1) != 1 || read(in, &c, 1) < 0)
        _exit(1);
    _exit(7);
}

static struct puppet begin_puppet(void)
{
    int down[2], up[2];
    struct puppet p = { 0 };
    char c;

    CHECK_INT(pipe(down), 0);
    CHECK_INT(pipe(up), 0);
    p.pid = fork();
    if (p.pid == 0) {
        (void)close(down[1]);
        play(down[0], up[1]);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    CHECK_INT(read(up[0], &c, 1), 1);
    (void)close(up[0]);
    p.string = down[1];
    return p;
}

static void check_refusals(void)
{
    static const char *const no_such[] = { "EVENT_TRACE_FLAG_PROCESS",
        "EVENT_TRACE_FLAG_IMAGE_LOAD", NULL };
    static const char *const some[] = { "EVENT_TRACE_FLAG_PROCESS", NULL };
    struct ortmeter_monitor_config config = ortmeter_monitor_defaults();
    struct ortmeter_monitor *m = NULL;
    struct ortmeter_statistics s;
    struct ortmeter_process p;
    uint64_t nobody = 0x7ffffff0;
    size_t count = 5;

    config.cpu_sampling_interval = 0;
    CHECK_INT(ortmeter_monitor_new(&m, &config), ORTMETER_MONITOR_FAILED);
    CHECK(strstr(ortmeter_monitor_reason(m), "cpu_sampling_interval"));
    ortmeter_monitor_free(m);

    config = ortmeter_monitor_defaults();
    config.target_processes = &nobody;
    config.target_process_count = 1;
    CHECK_INT(ortmeter_monitor_new(&m, &config), ORTMETER_MONITOR_OK);
    CHECK(strcmp(ortmeter_monitor_reason(m), "") == 0);
    CHECK_INT(ortmeter_monitor_get_process(m, nobody, &p),
            ORTMETER_MONITOR_SESSION);
    CHECK_INT(ortmeter_monitor_collect(m, NULL, 0, &count),
            ORTMETER_MONITOR_SESSION);
    CHECK_INT(count, 0);
    CHECK_INT(ortmeter_monitor_statistics(m, 0, "host_busy_ratio", &s),
            ORTMETER_MONITOR_SESSION);
    CHECK_INT(ortmeter_monitor_stop(m), ORTMETER_MONITOR_SESSION);
    CHECK_INT(ortmeter_monitor_start(m), ORTMETER_MONITOR_SESSION);
    CHECK(strlen(ortmeter_monitor_reason(m)) > 0);
    CHECK_INT(ortmeter_monitor_set_kernel_flags(m, no_such),
            ORTMETER_MONITOR_PROVIDER);
    CHECK(strstr(ortmeter_monitor_reason(m), "IMAGE_LOAD"));
    CHECK_INT(ortmeter_monitor_set_kernel_flags(m, some), ORTMETER_MONITOR_OK);
    CHECK_INT(ortmeter_monitor_enable_stack_walking(m, true),
            ORTMETER_MONITOR_PROVIDER);
    CHECK_INT(ortmeter_monitor_enable_stack_walking(m, false),
            ORTMETER_MONITOR_OK);
    ortmeter_monitor_free(m);

    config.enable_stack_walking = true;
    CHECK_INT(ortmeter_monitor_new(&m, &config), ORTMETER_MONITOR_OK);
    CHECK_INT(ortmeter_monitor_start(m), ORTMETER_MONITOR_PROVIDER);
    ortmeter_monitor_free(m);
    ortmeter_monitor_free(NULL);
}

#define HAS(p, field) CHECK(ortmeter_process_has(p, ORTMETER_PROCESS_##field))
#define LACKS(p, field) \
    CHECK(!ortmeter_process_has(p, ORTMETER_PROCESS_##field))

/* One, and what a sanitizer adds. */
static int threads_of(uint64_t pid)
{
    char path[64];
    DIR *folder;
    int count = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    folder = opendir(path);
    CHECK(folder != NULL);
    for (struct dirent *d; folder && (d = readdir(folder));)
        count += d->d_name[0] != '.';
    if (folder)
        (void)closedir(folder);
    return count;
}

static void check_process(struct ortmeter_monitor *m, uint64_t pid)
{
    struct ortmeter_process p;

    CHECK_INT(ortmeter_monitor_get_process(m, pid, &p), ORTMETER_MONITOR_OK);
    CHECK_INT(p.pid, pid);
    CHECK_INT(p.parent_pid, getpid());
    CHECK(strlen(p.name) > 0 && strlen(p.command_line) > 0);
    HAS(&p, create_time_ns);
    LACKS(&p, exit_time_ns);
    LACKS(&p, exit_code);
    HAS(&p, write_bytes);
    CHECK_INT(p.write_bytes, WRITES * 1000 + 1);
    CHECK_INT(p.write_operations, WRITES + 1);
    CHECK_INT(p.thread_count, threads_of(pid));
    CHECK(p.working_set_size > 0 && p.virtual_bytes >= p.working_set_size);
    CHECK(p.peak_working_set >= p.working_set_size);
    CHECK(p.page_faults >= p.hard_faults);
    HAS(&p, context_switches);
    HAS(&p, affinity_mask);
    CHECK(p.affinity_mask != 0);
    CHECK(p.thread_states.known);
    CHECK_INT(p.thread_states.sleeping, threads_of(pid));
    /* What only Windows has is absent, and says why. */
    LACKS(&p, gdi_objects);
    LACKS(&p, session_id);
    CHECK(ortmeter_monitor_why_absent(m, ORTMETER_PROCESS_gdi_objects));
    if (!ortmeter_process_has(&p, ORTMETER_PROCESS_cpu_cycles))
        CHECK(ortmeter_monitor_why_absent(m, ORTMETER_PROCESS_cpu_cycles));
    CHECK_INT(ortmeter_monitor_get_process(m, 0x7ffffff0, &p),
            ORTMETER_MONITOR_FAILED);
}

static void check_lists(struct ortmeter_monitor *m, uint64_t pid)
{
    static struct ortmeter_sample samples[4096];
    struct ortmeter_thread threads[4];
    struct ortmeter_statistics s = { 0 };
    size_t count = 0, mine = 0;

    CHECK_INT(ortmeter_monitor_collect(m, samples, 4096, &count),
            ORTMETER_MONITOR_OK);
    CHECK(count > 10);
    for (size_t i = 0; i < count && i < 4096; i++)
        mine += strcmp(samples[i].kind, "process") == 0 &&
                samples[i].number == pid;
    CHECK(mine > 10);
    CHECK_INT(ortmeter_monitor_get_threads(m, pid, threads, 4, &count),
            ORTMETER_MONITOR_OK);
    CHECK_INT(count, threads_of(pid));
    CHECK_INT(threads[0].tid, pid);
    do { /* it does nothing: its memory is read ten times a second */
        await_calls(1);
        CHECK_INT(ortmeter_monitor_statistics(m, pid, "process_resident_bytes",
                          &s),
                ORTMETER_MONITOR_OK);
    } while (s.count < 3);
    CHECK(s.min > 0 && s.min <= s.mean && s.mean <= s.max);
    CHECK(s.p50 <= s.p95 && s.p95 <= s.p99 && s.p99 <= s.max);
    CHECK_INT(ortmeter_monitor_statistics(m, 0, "host_memory_bytes", &s),
            ORTMETER_MONITOR_OK);
    CHECK_INT(ortmeter_monitor_statistics(m, pid, "no_such_metric", &s),
            ORTMETER_MONITOR_FAILED);
}

/* Its end is noticed, with its exit code and its last figures. */
static void check_end(struct ortmeter_monitor *m, const struct puppet *puppet)
{
    struct ortmeter_process p = { 0 };

    (void)close(puppet->string);
    do {
        await_calls(1);
        CHECK_INT(ortmeter_monitor_get_process(m, (uint64_t)puppet->pid, &p),
                ORTMETER_MONITOR_OK);
    } while (!ortmeter_process_has(&p, ORTMETER_PROCESS_exit_time_ns));
    HAS(&p, exit_code);
    CHECK_INT(p.exit_code, 7);
    CHECK_INT(p.write_bytes, WRITES * 1000 + 1);
    CHECK(p.exit_time_ns > p.create_time_ns);
    CHECK_INT(waitpid(puppet->pid, NULL, 0), puppet->pid);
}

int main(void)
{
    struct ortmeter_monitor_config config = ortmeter_monitor_defaults();
    struct ortmeter_monitor *m = NULL;
    struct puppet puppet = begin_puppet();
    uint64_t pid = (uint64_t)puppet.pid;
    struct ortmeter_process p;

    check_refusals();
    config.target_processes = &pid;
    config.target_process_count = 1;
    config.callback = took;
    config.context = &pid;
    CHECK_INT(ortmeter_monitor_new(&m, &config), ORTMETER_MONITOR_OK);
    CHECK_INT(ortmeter_monitor_start(m), ORTMETER_MONITOR_OK);
    CHECK_INT(ortmeter_monitor_start(m), ORTMETER_MONITOR_SESSION);
    await_calls(5);
    check_process(m, pid);
    check_lists(m, pid);
    CHECK(cpu_samples >= 3);
    CHECK_INT(wrong_samples, 0);
    check_end(m, &puppet);
    CHECK_INT(ortmeter_monitor_stop(m), ORTMETER_MONITOR_OK);
    /* What was read stays. */
    CHECK_INT(ortmeter_monitor_get_process(m, pid, &p), ORTMETER_MONITOR_OK);
    CHECK_INT(p.write_bytes, WRITES * 1000 + 1);
    ortmeter_monitor_free(m);
    return test_result();
}
