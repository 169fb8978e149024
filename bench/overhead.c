/* overhead.c -- what the hook adds to a Run:
 *
 *     ortmeter run -- unhooked \
 *         overhead ORT HOOK MODEL TENSORS CALLS ROUNDS PAUSE_US
 *
 * How to measure 0.1 % on a machine whose speed changes by 10 % from second to
 * second: in one process, with one session and the same memory, call by call.
 * The program therefore starts without the hook, loads ONNX Runtime, keeps what
 * stands in slot Run, and only then loads the hook, which puts its own function
 * there.  Both pointers work from then on.  Nothing but finding the runtime
 * differs from a preloaded hook, and the collector that empties the ring is the
 * real one, at work in the meantime.
 *
 * A round takes CALLS calls through each of three doors: bare, hooked, and bare
 * again, the control, which shows how far two equal things seem to differ here.
 * The doors' order goes through all six there are, and the stack through
 * sixteen depths: where it happens to lie in its page makes a run of ONNX
 * Runtime up to 1 % faster or slower, and behind the hook it lies elsewhere.
 *
 * TENSORS 0: a run without inputs and outputs.  PAUSE_US: between rounds, for
 * the collector. */
#include "base/json.h"
#include "bench/backlog.h"
#include "bench/quantile.h"
#include "bench/silero.h"
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BARE, HOOKED, CONTROL, DOORS };

/* Figures are taken from each block of rounds; their spread is shown. */
enum { BLOCKS = 25 };

/* A page in all, with the frames' own bytes. */
enum { STACK_STEPS = 16, STACK_STEP = 192 };

struct plan {
    uint64_t calls; /* timed together */
    uint64_t rounds;
    uint64_t pause_us;
};

static uint64_t hooked_calls;

static void enter(const struct host *h, const char *hook, ort_Run door[DOORS])
{
    door[BARE] = door[CONTROL] = ORT(h->api, Run);
    (void)library_open(hook, 0);
    door[HOOKED] = ORT(h->api, Run);
    if (door[HOOKED] == door[BARE])
        die("the hook did not enter: is this under `ortmeter run`?");
}

/* Nanoseconds a call. */
static double time_calls(struct silero *s, ort_Run run, uint64_t calls)
{
    /* Not timed: what a call finds in the caches is what the call before it
     * left there, and in a program that was the same door's. */
    silero_run(s, run);

    uint64_t start = mono_ns();

    for (uint64_t i = 0; i < calls; i++)
        silero_run(s, run);
    return (double)(mono_ns() - start) / (double)calls;
}

/* The same from further down the stack. */
static double time_below(struct silero *s, ort_Run run, uint64_t calls,
        unsigned depth)
{
    volatile char room[STACK_STEP];

    room[0] = 0;

    double ns = depth ? time_below(s, run, calls, depth - 1)
                      : time_calls(s, run, calls);

    return ns + room[0]; /* used until here, so the room is there */
}

static void take_rounds(struct silero *s, ort_Run *const door,
        const struct plan *p, double *took[DOORS])
{
    static const int order[][DOORS] = {
        { BARE, HOOKED, CONTROL },
        { CONTROL, HOOKED, BARE },
        { HOOKED, CONTROL, BARE },
        { BARE, CONTROL, HOOKED },
        { CONTROL, BARE, HOOKED },
        { HOOKED, BARE, CONTROL },
    };
    struct ring ring = backlog_open();

    for (uint64_t i = 0; i < p->rounds; i++) {
        unsigned depth = (unsigned)(i / LEN(order) % STACK_STEPS);

        for (int n = 0; n < DOORS; n++) {
            int d = order[i % LEN(order)][n];

            took[d][i] = time_below(s, door[d], p->calls, depth);
        }
        hooked_calls += p->calls + 1;
        backlog_wait(&ring);
        if (p->pause_us)
            (void)usleep((useconds_t)p->pause_us);
    }
}

static void write_spread(struct json *j, const char *key, double *values)
{
    json_object(j, key);
    json_fixed(j, "median", median(values, BLOCKS), 5);
    json_fixed(j, "p25", quantile(values, BLOCKS, 0.25), 5);
    json_fixed(j, "p75", quantile(values, BLOCKS, 0.75), 5);
    json_end(j);
}

/* One door against the bare one, by the medians of each block. */
static void write_against(struct json *j, const char *key,
        double medians[DOORS][BLOCKS], int door)
{
    double ratio[BLOCKS], added[BLOCKS];

    for (int b = 0; b < BLOCKS; b++) {
        ratio[b] = medians[door][b] / medians[BARE][b];
        added[b] = medians[door][b] - medians[BARE][b];
    }
    json_object(j, key);
    write_spread(j, "ratio", ratio);
    write_spread(j, "added_ns", added);
    json_end(j);
}

static void write_result(double *took[DOORS], const struct plan *p)
{
    static const char *const name[] = { "bare", "hooked", "control" };
    double medians[DOORS][BLOCKS];
    size_t size = (size_t)p->rounds / BLOCKS;
    struct buf text = { 0 };
    struct json json = json_line_into(&text), *j = &json;

    for (int d = 0; d < DOORS; d++)
        for (size_t b = 0; b < BLOCKS; b++)
            medians[d][b] = median(took[d] + b * size, size);

    json_object(j, NULL);
    json_u64(j, "hooked_calls", hooked_calls);
    write_against(j, "hooked_to_bare", medians, HOOKED);
    write_against(j, "control_to_bare", medians, CONTROL);
    for (int d = 0; d < DOORS; d++) {
        json_object(j, name[d]);
        json_fixed(j, "min_ns", quantile(took[d], size * BLOCKS, 0), 2);
        json_fixed(j, "median_ns", median(took[d], size * BLOCKS), 2);
        json_end(j);
    }
    json_end(j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct silero s;
    ort_Run door[DOORS];
    double *took[DOORS];

    if (argc != 8)
        die("use: %s ORT HOOK MODEL TENSORS CALLS ROUNDS PAUSE_US", argv[0]);

    struct plan p = { number(argv[5]), number(argv[6]), number(argv[7]) };

    if (!p.calls || p.rounds < BLOCKS)
        die("at least one call a round, and %d rounds", BLOCKS);
    for (int d = 0; d < DOORS; d++) {
        took[d] = calloc(p.rounds, sizeof(double));
        if (!took[d])
            die("no memory");
    }
    host_open(&h, library_base(library_open(argv[1], 0)));
    enter(&h, argv[2], door);
    silero_open(&s, &h, argv[3]);
    if (!number(argv[4]))
        s.n_in = s.n_out = 0;

    /* First without keeping: caches, clocks, and the ring's memory. */
    take_rounds(&s, door, &(struct plan){ p.calls, p.rounds / 4, p.pause_us },
            took);
    take_rounds(&s, door, &p, took);
    write_result(took, &p);

    silero_close(&s);
    host_close(&h);
    for (int d = 0; d < DOORS; d++)
        free(took[d]);
    return 0;
}
