/* loop.c -- the plainest loop around a model, for `ortmeter bench` to be
 * compared with:
 *
 *     loop ORT MODEL WARMUP COUNT
 *
 * The same inputs and the same options, one intra-op thread; no meter, no
 * threads, nothing but the clock before and after each Run.  Prints the
 * percentiles as JSON. */
#include "base/json.h"
#include "bench/quantile.h"
#include "ort/engine.h"
#include "os/clock.h"
#include "tests/programs/ort_host.h"

#include <stdio.h>
#include <stdlib.h>

enum { OUTPUTS_MAX = 256 };

static double *measure(const struct engine *g, struct ort_session *session,
        const struct inputs *in, uint64_t count)
{
    struct ort_value *out[OUTPUTS_MAX];
    double *took_ns = calloc(count + 1, sizeof(*took_ns));

    if (!took_ns)
        die("no memory");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t start_ns = mono_ns();
        struct ort_status *status = engine_run(g, session, in, out);

        took_ns[i] = (double)(mono_ns() - start_ns);
        if (status)
            die("%s", ORT(engine_api(g), GetErrorMessage)(status));
        engine_drop(g, in, out);
    }
    return took_ns;
}

static void print(double *took_ns, uint64_t count)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    json_object(&j, NULL);
    json_fixed(&j, "p50_us", quantile(took_ns, count, 0.50) / 1e3, 3);
    json_fixed(&j, "p90_us", quantile(took_ns, count, 0.90) / 1e3, 3);
    json_fixed(&j, "p99_us", quantile(took_ns, count, 0.99) / 1e3, 3);
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
}

int main(int argc, char **argv)
{
    const struct engine_setup setup = { .threads = 1, .level = ORT_LEVEL_ALL };
    struct engine *g = NULL;
    struct ort_session *session = NULL;
    struct inputs in;
    struct error e = { 0 };

    if (argc != 5)
        die("use: %s ORT MODEL WARMUP COUNT", argv[0]);

    uint64_t count = number(argv[4]);

    if (!count)
        die("at least one inference");
    if (engine_open(&g, argv[1], &e) ||
            engine_load(&session, g, argv[2], &setup, &e) ||
            inputs_make(&in, engine_api(g), session, engine_memory(g),
                    &(struct dims_wish){ 0 }, &e))
        die("%s", e.text);
    if (in.outputs.count > OUTPUTS_MAX)
        die("more than %d outputs", OUTPUTS_MAX);
    free(measure(g, session, &in, number(argv[3])));

    double *took_ns = measure(g, session, &in, count);

    print(took_ns, count);
    free(took_ns);
    inputs_release(&in);
    engine_unload(g, session);
    engine_close(g);
    return 0;
}
