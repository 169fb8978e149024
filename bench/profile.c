/* profile.c -- how fast ONNX Runtime's profiles are read:
 *
 *     profile MEGABYTES ROUNDS
 *
 * Writes a profile of that size into TMPDIR and reads it, in turns, with
 * ort/profile and with python3's json, which is written in C and needs the
 * whole file at once.  Ours reads the file by pieces, as `import` does.  Both
 * include opening the file; python's start is measured apart and taken off. */
#include "ort/profile.h"
#include "base/buf.h"
#include "base/json.h"
#include "bench/quantile.h"
#include "os/clock.h"
#include "os/process/child.h"
#include "tests/programs/ort_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_ROUNDS = 100, PIECE = 1 << 16 };

static void event(struct buf *b, unsigned i)
{
    buf_printf(b,
            "{\"cat\" : \"Node\",\"pid\" :27372,\"tid\" :27372,\"dur\" :%u,"
            "\"ts\" :%u,\"ph\" : \"X\",\"name\" :"
            "\"/model/layers.%u/mlp/gate_proj/MatMul_kernel_time\",\"args\" : "
            "{\"op_name\" : \"MatMul\",\"provider\" : \"CPUExecutionProvider\""
            ",\"parameter_size\" : \"193792\",\"thread_scheduling_stats\" : "
            "{\"main_thread\": {\"thread_pool_name\": \"session-4-intra-op\", "
            "\"thread_id\": \"140520844414080\", \"block_size\": [1], \"core\":"
            " 1, \"Distribution\": 0, \"DistributionEnqueue\": 0, \"Run\": 1, "
            "\"Wait\": 0, \"WaitRevoke\": 0}, \"sub_threads\": "
            "{\"140520001103552\": {\"num_run\": 1, \"core\": 0}}},"
            "\"input_type_shape\" : [{\"float\":[1,4,2048]},{\"float\":"
            "[2048,5632]}],\"mem_in_use_delta\" : \"1280\",\"node_index\" : "
            "\"%u\",\"mem_bytes_in_use\" : \"437504\",\"mem_arena_held\" : "
            "\"1484800\",\"mem_in_use_peak\" : \"437504\","
            "\"mem_requested_in_use_delta\" : \"1028\",\"output_type_shape\" : "
            "[{\"float\":[1,4,5632]}],\"output_size\" : \"90112\","
            "\"mem_bytes_requested_in_use\" : \"437252\",\"activation_size\" : "
            "\"32768\",\"mem_arena_held_delta\" : \"0\"}}",
            i % 977, 100 + 10 * i, i % 32, i % 1000);
}

/* Returns how many events it has. */
static uint64_t write_profile(const char *path, size_t bytes, size_t *written)
{
    FILE *f = fopen(path, "wb");
    uint64_t events = 0;

    if (!f)
        die("cannot write %s", path);
    *written = 0;
    while (*written < bytes) {
        struct buf b = { 0 };

        buf_text(&b, events ? ",\n" : "[\n");
        event(&b, (unsigned)events++);
        *written += fwrite(b.p, 1, b.len, f);
        buf_release(&b);
    }
    *written += fwrite("\n]\n", 1, 3, f);
    if (fclose(f))
        die("cannot write %s", path);
    return events;
}

static void add_up(void *to, const struct profile_event *e)
{
    *(int64_t *)to += e->duration_ns;
}

/* Seconds. */
static double read_ours(const char *path, uint64_t events)
{
    static char piece[PIECE];
    uint64_t start = mono_ns();
    int64_t total_ns = 0;
    struct profile *p = profile_new(add_up, &total_ns);
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f)
        die("cannot read %s", path);
    while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
        profile_feed(p, piece, n);
    if (profile_end(p)->events != events || !total_ns)
        die("events were lost");
    profile_free(p);
    (void)fclose(f);
    return (double)(mono_ns() - start) / 1e9;
}

static double read_python(const char *path)
{
    char program[] = "python3", flag[] = "-c";
    char code[] = "import json, sys\n"
                  "if sys.argv[1]:\n"
                  "    sum(e['dur'] for e in json.load(open(sys.argv[1])))";
    char *argv[] = { program, flag, code, (char *)path, NULL };
    struct child *child;
    struct child_end end;
    struct error e = { 0 };
    uint64_t start = mono_ns();

    if (child_start(&child, &(struct child_plan){ .argv = argv }, &e))
        die("%s", e.text);
    while (!child_wait(child, 1000, &end))
        ;
    child_close(child);
    if (end.exit_code || end.signal)
        die("python3 cannot read the profile");
    return (double)(mono_ns() - start) / 1e9;
}

static void print(size_t bytes, uint64_t events, double ours_s, double python_s)
{
    struct buf text = { 0 };
    struct json j = json_into(&text);
    double megabytes = (double)bytes / 1e6;

    json_object(&j, NULL);
    json_fixed(&j, "megabytes", megabytes, 1);
    json_u64(&j, "events", events);
    json_fixed(&j, "ours_mb_per_s", megabytes / ours_s, 1);
    json_fixed(&j, "python_mb_per_s", megabytes / python_s, 1);
    json_fixed(&j, "ratio", python_s / ours_s, 2);
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
}

int main(int argc, char **argv)
{
    double ours[MOST_ROUNDS], python[MOST_ROUNDS];
    char path[] = "/tmp/profile-XXXXXX";
    size_t bytes;

    if (argc != 3)
        die("use: %s MEGABYTES ROUNDS", argv[0]);

    unsigned long rounds = strtoul(argv[2], NULL, 10);
    int fd = mkstemp(path);

    if (fd < 0 || !rounds || rounds > MOST_ROUNDS)
        die("no file, or no rounds");
    (void)close(fd);

    uint64_t events =
            write_profile(path, strtoul(argv[1], NULL, 10) * 1000000, &bytes);

    for (size_t i = 0; i < rounds; i++) {
        ours[i] = read_ours(path, events);
        python[i] = read_python(path) - read_python("");
    }
    (void)unlink(path);
    print(bytes, events, median(ours, rounds), median(python, rounds));
    return 0;
}
