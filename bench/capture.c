/* capture.c -- what the meter adds to the inferences of a real model, call by
 * call in one process:
 *
 *     ortmeter run --ops MODE -- env -u LD_PRELOAD \
 *         capture ORT HOOK MODEL ROUNDS [DIM=N ...]
 *
 * As in overhead.c the program keeps what stands in slot Run before it loads
 * the hook.  A round is three calls on one session: bare, through the hook, and
 * bare again, the control, in changing order; so what else the machine does
 * meets all alike.  After a call through the hook one call more goes by
 * untimed: where the hook looked into an inference, the next one finds the
 * caches cold, and that is not the bare door's fault.  It goes through the
 * hook, and its time counts as the hook's.
 *
 * Prints a line for each round, in nanoseconds: bare, hooked, the hooked one
 * after it, control.  Which of them were looked into is in the database, in the
 * same order. */
#include "ort/engine.h"
#include "os/clock.h"
#include "tests/programs/ort_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OUTPUTS_MAX = 256, DIMS_MAX = 8, WARMUP = 8 };

struct bench {
    struct engine *engine;
    struct ort_session *session;
    struct inputs in;
    ort_Run bare, hooked;
};

static uint64_t time_run(const struct bench *b, ort_Run run)
{
    struct ort_value *out[OUTPUTS_MAX] = { NULL };
    const struct inputs *in = &b->in;
    uint64_t start_ns = mono_ns();
    struct ort_status *status = run(b->session, NULL, in->names,
            (const struct ort_value *const *)in->values, in->count,
            in->output_names, in->outputs.count, out);
    uint64_t took_ns = mono_ns() - start_ns;

    if (status)
        die("%s", ORT(engine_api(b->engine), GetErrorMessage)(status));
    engine_drop(b->engine, in, out);
    return took_ns;
}

static void take_round(const struct bench *b, uint64_t i)
{
    uint64_t bare = 0, hooked, after, control = 0;
    bool first = i % 2;

    if (first)
        bare = time_run(b, b->bare);
    else
        control = time_run(b, b->bare);
    hooked = time_run(b, b->hooked);
    after = time_run(b, b->hooked);
    if (first)
        control = time_run(b, b->bare);
    else
        bare = time_run(b, b->bare);
    (void)printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", bare,
            hooked, after, control);
}

/* "width=64" */
static struct dim_given dim_of(const char *text)
{
    const char *equals = strchr(text, '=');

    if (!equals)
        die("%s: not NAME=N", text);
    return (struct dim_given){ { text, (size_t)(equals - text) },
        (int64_t)number(equals + 1) };
}

int main(int argc, char **argv)
{
    const struct engine_setup setup = { .threads = 1, .level = ORT_LEVEL_ALL };
    struct dim_given given[DIMS_MAX];
    struct dims_wish wish = { .given = given };
    struct bench b = { 0 };
    struct error e = { "" };

    if (argc < 5 || argc > 5 + DIMS_MAX)
        die("use: %s ORT HOOK MODEL ROUNDS [DIM=N ...]", argv[0]);
    for (int i = 5; i < argc; i++)
        given[wish.given_count++] = dim_of(argv[i]);
    if (engine_open(&b.engine, argv[1], &e))
        die("%s", e.text);
    b.bare = ORT(engine_api(b.engine), Run);
    (void)library_open(argv[2], 0);
    b.hooked = ORT(engine_api(b.engine), Run);
    if (b.hooked == b.bare)
        die("the hook did not enter: is this under `ortmeter run`?");
    if (engine_load(&b.session, b.engine, argv[3], &setup, &e) ||
            inputs_make(&b.in, engine_api(b.engine), b.session,
                    engine_memory(b.engine), &wish, &e))
        die("%s", e.text);
    if (b.in.outputs.count > OUTPUTS_MAX)
        die("more than %d outputs", OUTPUTS_MAX);
    for (int i = 0; i < WARMUP; i++)
        (void)time_run(&b, b.bare);

    uint64_t rounds = number(argv[4]);

    for (uint64_t i = 0; i < rounds; i++)
        take_round(&b, i);
    inputs_release(&b.in);
    engine_unload(b.engine, b.session);
    engine_close(b.engine);
    return 0;
}
