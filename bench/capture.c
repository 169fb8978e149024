/* capture.c -- what the meter adds to the inferences of a real model, call by
 * call in one process:
 *
 *     ortmeter run --ops MODE -- unhooked \
 *         capture ORT HOOK MODEL BLOCKS [DIM=N ...]
 *
 * As in overhead.c the program keeps what stands in slot Run before it loads
 * the hook.  A block is four calls on one session: through the hook, past it,
 * past it, and through it; every other block has them the other way round.  So
 * either kind follows each alike, and a machine that becomes slower or quicker
 * meanwhile does so for both.  One in PROFILED_EVERY blocks has a fifth, past
 * the hook on a session that ONNX Runtime profiles itself.
 *
 * Past the hook kernels still come by its entries in their tables.  So there
 * are stretches of calls, too, past the hook: "redirected" with the tables as
 * the hook has them, "untouched" with those that were there before it; of each
 * the median of its calls, without those that warm the caches up.
 *
 * The time is the processor's own, as in the hook: a bare call would have to
 * bring the kernel's clock into the cache, a hooked one not.
 *
 * Prints a line for each call, "hooked", "bare" or "profiled" and how many
 * nanoseconds it took; those of a block in their order.  Then a line for each
 * stretch. */
#include "base/alloc.h"
#include "bench/tables.h"
#include "ort/engine.h"
#include "os/clock.h"
#include "os/ticks.h"
#include "tests/programs/ort_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OUTPUTS_MAX = 256,
    DIMS_MAX = 8,
    WARMUP = 8,
    CALLS = 4,
    PROFILED_EVERY = 7, /* odd: it comes before either kind of block */
    STRETCH_WARMUP = 2,
    STRETCH_CALLS = 5,
    CALLS_OF_THE_API = 200 /* that the hook takes at most */
};

struct bench {
    struct engine *engine;
    struct ort_session *session, *profiled;
    struct inputs in;
    ort_Run bare, hooked;
    struct tables *tables;
    double ns_per_tick;
};

static bool is_bare(uint64_t block, uint64_t call)
{
    bool within = call == 1 || call == 2;

    return block % 2 ? !within : within;
}

static uint64_t time_run(const struct bench *b, struct ort_session *session,
        ort_Run run)
{
    struct ort_value *out[OUTPUTS_MAX] = { NULL };
    const struct inputs *in = &b->in;
    uint64_t start = ticks_now();
    struct ort_status *status = run(session, NULL, in->names,
            (const struct ort_value *const *)in->values, in->count,
            in->output_names, in->outputs.count, out);
    uint64_t took = ticks_now() - start;

    if (status)
        die("%s", ORT(engine_api(b->engine), GetErrorMessage)(status));
    engine_drop(b->engine, in, out);
    return took;
}

/* Printed when all is over: that would be in the way of the next call. */
static void take_blocks(struct bench *b, uint64_t blocks)
{
    uint64_t(*took)[CALLS] = alloc_zero(blocks, sizeof(*took));
    uint64_t *profiled = alloc_zero(blocks, sizeof(*profiled));
    uint64_t start_ns = mono_ns(), start = ticks_now();

    for (uint64_t i = 0; i < blocks; i++) {
        for (uint64_t k = 0; k < CALLS; k++)
            took[i][k] = time_run(b, b->session,
                    is_bare(i, k) ? b->bare : b->hooked);
        if (i % PROFILED_EVERY == 0)
            profiled[i / PROFILED_EVERY] = time_run(b, b->profiled, b->bare);
    }

    b->ns_per_tick =
            (double)(mono_ns() - start_ns) / (double)(ticks_now() - start);

    for (uint64_t i = 0; i < blocks; i++)
        for (uint64_t k = 0; k < CALLS; k++)
            (void)printf("%s %.0f\n", is_bare(i, k) ? "bare" : "hooked",
                    b->ns_per_tick * (double)took[i][k]);
    for (uint64_t i = 0; i < blocks; i += PROFILED_EVERY)
        (void)printf("profiled %.0f\n",
                b->ns_per_tick * (double)profiled[i / PROFILED_EVERY]);
    free(took);
    free(profiled);
}

static uint64_t time_stretch(const struct bench *b, bool untouched)
{
    uint64_t sorted[STRETCH_CALLS];

    tables_put(b->tables, untouched);
    for (int i = 0; i < STRETCH_WARMUP; i++)
        (void)time_run(b, b->session, b->bare);
    for (int i = 0; i < STRETCH_CALLS; i++) {
        uint64_t took = time_run(b, b->session, b->bare);
        int at = i;

        for (; at > 0 && sorted[at - 1] > took; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = took;
    }
    return sorted[STRETCH_CALLS / 2];
}

/* In turns like those of the blocks.  None where no table is another. */
static void take_stretches(const struct bench *b, uint64_t blocks)
{
    uint64_t(*took)[CALLS] = alloc_zero(blocks, sizeof(*took));

    if (tables_compare(b->tables) <= CALLS_OF_THE_API)
        blocks = 0;
    for (uint64_t i = 0; i < blocks; i++)
        for (uint64_t k = 0; k < CALLS; k++)
            took[i][k] = time_stretch(b, is_bare(i, k));
    tables_put(b->tables, false);
    for (uint64_t i = 0; i < blocks; i++)
        for (uint64_t k = 0; k < CALLS; k++)
            (void)printf("%s %.0f\n",
                    is_bare(i, k) ? "untouched" : "redirected",
                    b->ns_per_tick * (double)took[i][k]);
    free(took);
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
    struct engine_setup setup = { .threads = 1, .level = ORT_LEVEL_ALL };
    struct dim_given given[DIMS_MAX];
    struct dims_wish wish = { .given = given };
    struct bench b = { 0 };
    struct error e = { 0 };

    if (argc < 5 || argc > 5 + DIMS_MAX)
        die("use: %s ORT HOOK MODEL BLOCKS [DIM=N ...]", argv[0]);
    for (int i = 5; i < argc; i++)
        given[wish.given_count++] = dim_of(argv[i]);
    if (!ticks_are_steady())
        die("this machine has no steady counter of time");
    if (engine_open(&b.engine, argv[1], &e))
        die("%s", e.text);
    b.bare = ORT(engine_api(b.engine), Run);
    b.tables = tables_remember(engine_api(b.engine));
    if (!b.tables)
        die("ONNX Runtime's tables are not found");
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
    setup.profile = "profile";
    if (engine_load(&b.profiled, b.engine, argv[3], &setup, &e))
        die("%s", e.text);
    for (int i = 0; i < WARMUP; i++) {
        (void)time_run(&b, b.session, b.bare);
        (void)time_run(&b, b.profiled, b.bare);
    }

    take_blocks(&b, number(argv[4]));
    take_stretches(&b, number(argv[4]) / 4);
    tables_free(b.tables);
    inputs_release(&b.in);
    engine_unload(b.engine, b.profiled);
    engine_unload(b.engine, b.session);
    engine_close(b.engine);
    return 0;
}
