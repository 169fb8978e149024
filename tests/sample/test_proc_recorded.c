/* A recorded /proc of other machines, with its oddities, reads to what stands
 * in it: memory without end, priorities below zero, links that dangle. */
#include "sampled.h"

#include "puppet.h"
#include "tree.h"

static void unpack(const char *archive, const char *folder)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        (void)execlp("tar", "tar", "-xzf", archive, "-C", folder, (char *)NULL);
        _exit(127);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(status, 0);
}

static uint32_t open_all(struct sampled *s, const struct sampler *sampler,
        const char *root, uint64_t pid)
{
    static const char *const all[] = { "*" };

    sampled_open(s, sampler, root,
            &(struct target_plan){ .names = all, .name_count = 1 }, true);
    CHECK_INT(s->rc, 0);
    CHECK_INT(targets_count(s->targets), 3);
    CHECK(!targets_are_here(s->targets));
    sampled_read(s);

    struct target *x = targets_find(s->targets, pid);

    CHECK(x != NULL);
    return x ? x->subject : 0;
}

static void process(const char *root)
{
    struct sampled s;
    uint32_t vim = open_all(&s, &sampler_process, root, 26231);
    uint32_t ata = targets_find(s.targets, 26232)->subject;
    uint32_t load = targets_find(s.targets, 27079)->subject;

    CHECK(strcmp(subjects_get(s.subjects, vim)->name, "vim") == 0);
    CHECK(strcmp(subjects_get(s.subjects, vim)->detail, "vim test.go +10") ==
            0);
    CHECK(!subjects_get(s.subjects, ata)->detail); /* a kernel thread */
    CHECK_VALUE(&s, process_cpu_seconds_total, vim, 17.21);
    CHECK_VALUE(&s, process_user_cpu_seconds_total, vim, 16.77);
    CHECK_VALUE(&s, process_cpu_seconds_total, load, 581.40);
    CHECK_VALUE(&s, process_cpu_seconds_total, ata, 0);
    CHECK_VALUE(&s, process_resident_bytes, vim,
            12547.0 * (double)sysconf(_SC_PAGESIZE));
    CHECK(!sampled_find(&s, METRIC_process_cpu_cores, vim));
    CHECK(strstr(sampled_reason(&s, METRIC_process_cpu_cores, vim), "ticks"));
    sampled_close(&s);
}

static void io(const char *root)
{
    struct sampled s;
    uint32_t vim = open_all(&s, &sampler_process_io, root, 26231);
    uint32_t load = targets_find(s.targets, 27079)->subject;

    CHECK_VALUE(&s, process_read_bytes_total, vim, 750339);
    CHECK_VALUE(&s, process_written_bytes_total, vim, 818609);
    CHECK_VALUE(&s, process_read_calls_total, vim, 7405);
    CHECK_VALUE(&s, process_write_calls_total, vim, 5245);
    CHECK_VALUE(&s, process_storage_read_bytes_total, vim, 1024);
    CHECK_VALUE(&s, process_storage_written_bytes_total, vim, 2048);
    /* Its I/O was not recorded: no number, and why. */
    CHECK(!sampled_find(&s, METRIC_process_read_bytes_total, load));
    CHECK(strstr(sampled_reason(&s, METRIC_process_read_bytes_total, load),
            "No such file"));
    sampled_close(&s);
}

static void parts(const char *root)
{
    struct sampled s;
    uint32_t vim = open_all(&s, &sampler_process_status, root, 26231);
    uint32_t ata = targets_find(s.targets, 26232)->subject;

    CHECK_VALUE(&s, process_minor_faults_total, vim, 32533);
    CHECK_VALUE(&s, process_major_faults_total, vim, 26);
    CHECK_VALUE(&s, process_peak_resident_bytes, vim, 8028 * 1024);
    CHECK_VALUE(&s, process_anonymous_bytes, vim, 2092 * 1024);
    CHECK_VALUE(&s, process_swapped_bytes, vim, 660 * 1024);
    CHECK_VALUE(&s, process_allowed_cores, vim, 8);
    CHECK_VALUE(&s, process_voluntary_switches_total, vim, 4742839);
    CHECK_VALUE(&s, process_involuntary_switches_total, vim, 1727500);
    CHECK_VALUE(&s, process_nice_level, ata, -20);
    CHECK_VALUE(&s, process_priority_level, ata, 0);
    sampled_close(&s);

    vim = open_all(&s, &sampler_process_memory, root, 26231);
    CHECK_VALUE(&s, process_proportional_bytes, vim, 29944.0 * 1024);
    CHECK_VALUE(&s, process_private_bytes, vim, (15548.0 + 14396) * 1024);
    sampled_close(&s);

    vim = open_all(&s, &sampler_process_files, root, 26231);
    CHECK_VALUE(&s, process_open_files, vim, 5);
    sampled_close(&s);
}

static void machine(const char *root)
{
    struct sampled s;

    sampled_open(&s, &sampler_cores, root, NULL, false);
    sampled_read(&s);
    CHECK_INT(subjects_count(s.subjects), 1 + 8);
    CHECK_VALUE(&s, core_user_seconds_total, 1, 445.09);
    CHECK_VALUE(&s, core_system_seconds_total, 1, 210.45 + 0.01 + 34.10);
    CHECK_VALUE(&s, core_idle_seconds_total, 1, 10870.69 + 2.20);
    CHECK_VALUE(&s, core_user_seconds_total, 8, 293.66);
    CHECK_VALUE(&s, host_switches_total, 0, 38014093);
    CHECK_VALUE(&s, host_started_processes_total, 0, 26442);
    CHECK_VALUE(&s, host_running_threads, 0, 2);
    sampled_close(&s);

    sampled_open(&s, &sampler_system_memory, root, NULL, false);
    sampled_read(&s);
    CHECK_VALUE(&s, host_memory_bytes, 0, 15666184.0 * 1024);
    CHECK_VALUE(&s, host_memory_free_bytes, 0, 440324.0 * 1024);
    sampled_close(&s);
}

int main(void)
{
    const char *data = getenv("DATA");
    char archive[512];
    struct tree t;

    (void)snprintf(archive, sizeof(archive), "%s/linux/proc-sample.tar.gz",
            data ? data : SOURCE_ROOT "/../shared/data");
    if (access(archive, R_OK) != 0) {
        (void)printf("there is no recording %s\n", archive);
        return 77;
    }
    t = tree_open();
    unpack(archive, t.root);
    process(t.root);
    io(t.root);
    parts(t.root);
    machine(t.root);
    tree_close(&t);
    return test_result();
}
