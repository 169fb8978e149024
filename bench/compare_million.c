/* compare_million.c -- how long it takes to compare two runs of half a million
 * inferences each: what is read from the store, and the arithmetic alone. */
#include "analyse/verdict/judgement.h"
#include "base/alloc.h"
#include "os/clock.h"
#include "os/process/child.h"

#include <stdio.h>
#include <stdlib.h>

#define INFERENCES 500000

static void make_run(struct store *s, int64_t *row, uint64_t seed)
{
    struct run r = {
        .started_wall_ns = seed,
        .start_mono_ns = 77,
        .meter_pid = own_pid(),
        .command = "prog",
        .version = "0",
    };
    struct error e = { 0 };
    uint64_t x = seed * 88172645463325252u + 1;

    if (store_begin_run(s, &r, &e))
        abort();
    store_add_session(s, &(struct session){ .id = 1, .model = "m.onnx" });
    for (uint64_t i = 0; i < INFERENCES; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (void)store_add_inference(s,
                &(struct inference){ .session = 1,
                        .process = 1,
                        .start_ns = i * 200000,
                        .duration_ns = 100000 + x % 10000 });
        if (i % 1000 == 0 && store_flush(s, &e))
            abort();
    }
    r.status = RUN_COMPLETE;
    if (store_flush(s, &e) || store_end_run(s, &r, &e))
        abort();
    *row = r.row;
}

/* What others want of the processor is not in it. */
static double seconds_since(uint64_t start_ns)
{
    return (double)(own_cpu_ns() - start_ns) / 1e9;
}

int main(int argc, char **argv)
{
    char path[4096];
    int64_t rows[2];
    struct store *s = NULL, *other = NULL;
    struct error e = { 0 };
    struct judgement j;

    (void)snprintf(path, sizeof(path), "%s/million.db",
            argc > 1 ? argv[1] : "/tmp");
    if (store_open(&s, path, STORE_WRITE, &e)) {
        (void)fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    make_run(s, &rows[0], 1);
    make_run(s, &rows[1], 2);
    if (store_open(&other, path, STORE_READ, &e)) /* as `compare` does */
        return 1;

    uint64_t start_ns = own_cpu_ns(), wall_start_ns = mono_ns();

    if (judgement_make(&j, &(struct judgement_runs){ s, &rows[0], 1 },
                &(struct judgement_runs){ other, &rows[1], 1 },
                &(struct judgement_want){ .least = 0 }, &e))
        return 1;

    double all = seconds_since(start_ns);
    double wall = (double)(mono_ns() - wall_start_ns) / 1e9;

    start_ns = own_cpu_ns();
    for (int side = 0; side < 2; side++) {
        struct judged_input *in = &j.side[side].inputs[0];

        judged_input_measure(in, 0, in->count);
    }
    (void)printf("a million inferences compared: %.2f s, at most 1; of the "
                 "processor %.2f s, of which the arithmetic %.2f s\n",
            wall, all, seconds_since(start_ns));
    judgement_release(&j);
    store_close(other);
    store_close(s);
    return 0;
}
