#include "cmd/check/check_worker.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "cmd/cmd.h"
#include "ort/engine.h"
#include "ort/status.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARM_UPS        50
#define WARM_UP_MOST_NS UINT64_C(1000000000)

struct worker {
    struct engine *engine;
    struct ort_session *session;
    struct inputs inputs;
    struct ort_value **outputs;
};

/* One inference; 0: it failed, with the reason where one is wanted. */
static uint64_t run_once(struct worker *w, char *why)
{
    uint64_t start_ns = mono_ns();
    struct ort_status *bad =
            engine_run(w->engine, w->session, &w->inputs, w->outputs);
    uint64_t end_ns = mono_ns();

    if (bad) {
        struct buf text = { 0 };

        status_text(&text, engine_api(w->engine), bad);
        if (why)
            (void)snprintf(why, CHECK_WORDS, "cannot be run: %s",
                    buf_cstr(&text));
        buf_release(&text);
        return 0;
    }
    engine_drop(w->engine, &w->inputs, w->outputs);
    return end_ns > start_ns ? end_ns - start_ns : 1;
}

static int prepare(struct worker *w, const struct check_settings *s, int side,
        struct error *e)
{
    const struct engine_setup setup = {
        .provider = s->provider,
        .threads = (uint32_t)s->side_threads[side],
        .level = bench_level(s->levels[side]),
    };
    const struct dims_wish wish = {
        .given = s->dims,
        .given_count = (size_t)s->dim_texts.count,
        .batch = (int64_t)s->batch,
    };
    int rc = engine_open(&w->engine, s->orts[side], e);

    if (!rc)
        rc = engine_load(&w->session, w->engine, s->models[side], &setup, e);
    if (!rc)
        rc = inputs_make(&w->inputs, engine_api(w->engine), w->session,
                engine_memory(w->engine), &wish, e);
    if (!rc)
        w->outputs = alloc_zero(w->inputs.outputs.count + 1,
                sizeof(struct ort_value *));
    return rc;
}

/* Until it is warm; the last tells how long one takes. */
static uint64_t warm_up(struct worker *w, char *why)
{
    uint64_t deadline_ns = mono_ns() + WARM_UP_MOST_NS, ns = 0;

    for (int i = 0; i < WARM_UPS && (i < 2 || mono_ns() < deadline_ns); i++) {
        ns = run_once(w, why);
        if (!ns)
            break;
    }
    return ns;
}

static void answer(struct worker *w)
{
    struct check_question q;

    while (!partner_question(&q, sizeof(q))) {
        uint64_t *ns = alloc_zero(q.count + 1, sizeof(*ns));

        for (uint64_t i = 0; i < q.count; i++)
            ns[i] = run_once(w, NULL);
        if (partner_answer(ns, q.count * sizeof(*ns)))
            q.count = 0; /* nobody listens: the next question will not come */
        free(ns);
    }
}

int check_worker(const struct check_settings *s, int side)
{
    struct worker w = { 0 };
    struct check_hello hello = { 0 };
    struct error e = { 0 };

    if (check_is_single(s))
        (void)partner_pin(); /* else it is a little less steady */

    int rc = prepare(&w, s, side, &e);

    if (rc)
        (void)snprintf(hello.why, sizeof(hello.why), "%s", e.text);
    else
        hello.typical_ns = warm_up(&w, hello.why);
    if (!partner_answer(&hello, sizeof(hello)) && hello.typical_ns)
        answer(&w);
    free((void *)w.outputs);
    inputs_release(&w.inputs);
    engine_unload(w.engine, w.session);
    engine_close(w.engine);
    return hello.typical_ns ? EXIT_GOOD : EXIT_FAILED;
}
