/* calibrate.c -- what the machine draws while it does nothing. */
#include "energy/calibrate/calibrate.h"
#include "base/json.h"
#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "energy/recorder.h"
#include "os/clock.h"
#include "os/process/interrupt.h"
#include "os/process/pause.h"

#include <errno.h>
#include <stdio.h>

struct settings {
    bool json;
    double most_s;
    const char *db;
};

/* --- telling -------------------------------------------------------------- */

static void tell_progress(enum baseline_state state)
{
    (void)fprintf(stderr, "\r%s ...   ",
            state == BASELINE_SETTLING ? "settling" : "measuring");
}

static int no_sensor(const struct sampling *s)
{
    (void)fputs("ortmeter calibrate: no energy source\n", stderr);
    for (size_t i = 0; i < sampling_source_count(s); i++) {
        const struct sampling_source *x = sampling_source_at(s, i);

        if (energy_is_sampler(x->sampler->name))
            (void)fprintf(stderr, "  %-14s %s\n", x->sampler->name,
                    x->rc ? x->why.text : "tells neither joules nor watts");
    }
    return EXIT_FAILED;
}

static int tell(const struct settings *s, const struct calibrate *c,
        struct error *e)
{
    const struct idle_meter *m = calibrate_idle(c);
    struct buf text = { 0 };
    struct json j = json_into(&text);

    if (s->json) {
        json_object(&j, NULL);
        json_int(&j, "schema_version", 1);
        json_array(&j, "idle");
    }
    for (size_t i = 0; i < idle_count(m); i++) {
        struct idle_sensor x = idle_at(m, i);
        const char *name = calibrate_subject(c, x.subject)->name;

        if (!s->json) {
            buf_printf(&text,
                    "%-20s idle %.4g W +- %.2g W, settled in %.0f s\n", name,
                    x.watts, x.error_watts, (double)x.settled_ns / 1e9);
            continue;
        }
        json_object(&j, NULL);
        json_text(&j, "sensor", name);
        json_fixed(&j, "watts", x.watts, 4);
        json_fixed(&j, "error_watts", x.error_watts, 4);
        json_fixed(&j, "settled_s", (double)x.settled_ns / 1e9, 3);
        json_end(&j);
    }
    if (s->json) {
        json_end(&j);
        json_end(&j);
        buf_char(&text, '\n');
    }

    int rc = output_write(NULL, buf_str(&text), e);

    buf_release(&text);
    return rc;
}

/* --- the whole ------------------------------------------------------------ */

static int keep(const struct settings *s, const struct calibrate *c,
        struct error *e)
{
    struct store *store = NULL;
    int rc = database_open(&store, s->db, STORE_WRITE, e);

    if (!rc)
        rc = calibrate_keep(c, store, e);
    store_close(store);
    return rc;
}

static int finish(const struct settings *s, const struct calibrate *c,
        enum baseline_state state)
{
    struct error e = { 0 };

    if (state == BASELINE_BUSY) {
        (void)fprintf(stderr,
                "ortmeter calibrate: the machine is busy: %.0f %% of its CPU "
                "time is in use; stop what runs and try again\n",
                100 * idle_busy(calibrate_idle(c)));
        return EXIT_UNDECIDED;
    }
    if (state != BASELINE_DONE) {
        (void)fputs("ortmeter calibrate: the power did not come to rest\n",
                stderr);
        return EXIT_UNDECIDED;
    }
    if (keep(s, c, &e) || tell(s, c, &e)) {
        (void)fprintf(stderr, "ortmeter calibrate: %s\n", e.text);
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

static void rest_until(uint64_t moment_ns)
{
    (void)sleep_until(moment_ns);
}

static int measure(const struct settings *s, struct calibrate *c)
{
    enum baseline_state state;

    interrupt_catch();

    int rc = calibrate_measure(c, &state);

    (void)fputs("\r                \r", stderr);
    rc = rc ? no_sensor(calibrate_sampling(c)) : finish(s, c, state);
    interrupt_release();
    return rc;
}

static int calibrate(const struct settings *s, struct error *e)
{
    struct calibrate_plan plan = {
        .root = "",
        .rules = baseline_usual,
        .now_ns = mono_ns,
        .until = rest_until,
        .stopped = interrupt_came,
        .tell = tell_progress,
    };
    struct calibrate *c = NULL;

    if (s->most_s > 0)
        plan.rules.most_ns = (uint64_t)(s->most_s * 1e9);

    int rc = calibrate_open(&c, &plan, e);

    if (!rc) {
        rc = measure(s, c);
    } else if (rc == -ENODEV) {
        rc = no_sensor(calibrate_sampling(c));
    }
    calibrate_close(c);
    return rc;
}

static const struct option options[] = {
    OPTION_FLAG("json", 0, struct settings, json, "the result as JSON"),
    OPTION_REAL("most", 0, struct settings, most_s, "S",
            "give up after so many seconds (120)"),
    OPTION_TEXT("db", 0, struct settings, db, "FILE",
            "the database to keep it in", .variable = "ORTMETER_DB"),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    return calibrate(c->settings, e);
}

const struct cmd cmd_calibrate = {
    .name = "calibrate",
    .about = "measure what the idle machine draws",
    .usage = "[options]",
    .text = "Measures what the idle machine draws, so that later runs can "
            "tell\n"
            "what they caused (net) from what would have been drawn anyway.\n"
            "Leave the machine alone meanwhile: it waits until the power has\n"
            "settled, measures until it is certain to 1 %, and gives up when\n"
            "somebody works.  The newest calibration of a machine counts for "
            "all\n"
            "of its runs in the database.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 no sensor or it failed, 2 wrong usage, 4 "
             "the\n"
             "machine was busy or did not settle.\n",
    .examples = "calibrate\n"
                "calibrate --most 300 --json\n",
    .settings_size = sizeof(struct settings),
    .run = run,
};
