/* calibrate.c -- what the machine draws while it does nothing. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/database.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "energy/calibration.h"
#include "energy/idle.h"
#include "energy/recorder.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/interrupt.h"
#include "os/pause.h"
#include "sample/sampling.h"

#include <errno.h>

#define NS_PER_S 1000000000ull

static const char help[] =
        "Usage: ortmeter calibrate [options]\n"
        "\n"
        "Measures what the idle machine draws, so that later runs can tell\n"
        "what they caused (net) from what would have been drawn anyway.\n"
        "Leave the machine alone meanwhile: it waits until the power has\n"
        "settled, measures until it is certain to 1 %, and gives up when\n"
        "somebody works.  The newest calibration of a machine counts for all\n"
        "of its runs in the database.\n"
        "\n"
        "Options:\n"
        "  --json        the result as JSON\n"
        "  --most S      give up after so many seconds (120)\n"
        "  --db FILE     the database to keep it in\n"
        "  -h, --help    this text\n"
        "\n"
        "Exit code: 0 good, 1 no sensor or it failed, 2 wrong usage, 4 the\n"
        "machine was busy or did not settle.\n"
        "\n"
        "Examples:\n"
        "  ortmeter calibrate\n"
        "  ortmeter calibrate --most 300 --json\n";

struct settings {
    bool json, help;
    double most_s;
    const char *db;
};

/* --- measuring ------------------------------------------------------------ */

static enum baseline_state measure(struct idle_meter *m, struct sampling *s)
{
    uint64_t tick_ns = mono_ns() + NS_PER_S;
    enum baseline_state state = BASELINE_SETTLING;

    while (state < BASELINE_DONE && !interrupt_came()) {
        uint64_t next_ns = sampling_next_ns(s);

        (void)sleep_until(next_ns < tick_ns ? next_ns : tick_ns);

        const struct batch *b = sampling_step(s, mono_ns());

        for (size_t i = 0; i < b->count; i++)
            idle_take(m, &b->items[i]);
        if (mono_ns() < tick_ns)
            continue;
        state = idle_tick(m, mono_ns());
        tick_ns += NS_PER_S;
        (void)fprintf(stderr, "\r%s ...   ",
                state == BASELINE_SETTLING ? "settling" : "measuring");
    }
    (void)fputs("\r                \r", stderr);
    return state;
}

static bool has_sensor(const struct sampling *s)
{
    for (size_t i = 0; i < sampling_source_count(s); i++) {
        const struct sampling_source *x = sampling_source_at(s, i);

        if (!x->rc && energy_is_sampler(x->sampler->name))
            return true;
    }
    return false;
}

static int no_sensor(const struct sampling *s)
{
    (void)fputs("ortmeter calibrate: no energy source\n", stderr);
    for (size_t i = 0; i < sampling_source_count(s); i++) {
        const struct sampling_source *x = sampling_source_at(s, i);

        if (x->rc && energy_is_sampler(x->sampler->name))
            (void)fprintf(stderr, "  %-14s %s\n", x->sampler->name,
                    x->why.text);
    }
    return EXIT_FAILED;
}

/* --- keeping -------------------------------------------------------------- */

static void keep_sensors(struct store *store, const struct idle_meter *m,
        const struct subjects *subjects)
{
    for (size_t i = 0; i < idle_count(m); i++) {
        struct idle_sensor x = idle_at(m, i);
        struct subject subject = *subjects_get(subjects, x.subject);

        subject.start_ns = 0;
        store_add_subject(store, x.subject, &subject);
        store_add_reading(store, &(struct reading){ .value = x.watts,
                                         .subject = x.subject,
                                         .metric = METRIC_zone_idle_watts });
    }
}

static int keep(const struct settings *s, const struct idle_meter *m,
        const struct subjects *subjects, uint64_t began_ns, struct error *e)
{
    struct store *store = NULL;
    struct host_info host;
    struct buf host_text = { 0 };
    struct json j = json_line_into(&host_text);

    host_read(&host, "");
    host_json(&j, NULL, &host);

    struct run run = {
        .started_wall_ns = wall_ns(),
        .start_mono_ns = began_ns,
        .duration_ns = mono_ns() - began_ns,
        .meter_pid = own_pid(),
        .command = "ortmeter calibrate",
        .tags = CALIBRATION_TAG,
        .host = buf_cstr(&host_text),
        .version = ORTMETER_VERSION,
        .ended = true,
        .status = RUN_COMPLETE,
    };
    int rc = database_open(&store, s->db, STORE_WRITE, e);

    if (!rc)
        rc = store_begin_run(store, &run, e);
    if (!rc) {
        keep_sensors(store, m, subjects);
        rc = store_flush(store, e);
    }
    run.status = RUN_COMPLETE;
    if (!rc)
        rc = store_end_run(store, &run, e);
    store_close(store);
    buf_release(&host_text);
    return rc;
}

/* --- telling -------------------------------------------------------------- */

static int tell(const struct settings *s, const struct idle_meter *m,
        const struct subjects *subjects, struct error *e)
{
    struct buf text = { 0 };
    struct json j = json_into(&text);

    if (s->json) {
        json_object(&j, NULL);
        json_int(&j, "schema_version", 1);
        json_array(&j, "idle");
    }
    for (size_t i = 0; i < idle_count(m); i++) {
        struct idle_sensor x = idle_at(m, i);
        const char *name = subjects_get(subjects, x.subject)->name;

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

static int finish(const struct settings *s, const struct idle_meter *m,
        struct sampling *sampling, enum baseline_state state, uint64_t began_ns)
{
    const struct subjects *subjects = sampling_subjects(sampling);
    struct error e = { "" };

    if (state == BASELINE_BUSY) {
        (void)fprintf(stderr,
                "ortmeter calibrate: the machine is busy: %.0f %% of its CPU "
                "time is in use; stop what runs and try again\n",
                100 * idle_busy(m));
        return EXIT_UNDECIDED;
    }
    if (state != BASELINE_DONE) {
        (void)fputs("ortmeter calibrate: the power did not come to rest\n",
                stderr);
        return EXIT_UNDECIDED;
    }
    if (keep(s, m, subjects, began_ns, &e) || tell(s, m, subjects, &e)) {
        (void)fprintf(stderr, "ortmeter calibrate: %s\n", e.text);
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

static int calibrate(const struct settings *s)
{
    struct baseline_rules rules = baseline_usual;
    struct sampling *sampling = NULL;
    struct error e = { "" };
    uint64_t began_ns = mono_ns();

    if (s->most_s > 0)
        rules.most_ns = (uint64_t)(s->most_s * 1e9);
    if (sampling_open(&sampling, &(struct sampling_plan){ 0 }, &e)) {
        (void)fprintf(stderr, "ortmeter calibrate: %s\n", e.text);
        return EXIT_FAILED;
    }
    if (!has_sensor(sampling)) {
        int rc = no_sensor(sampling);

        sampling_close(sampling);
        return rc;
    }
    interrupt_catch();

    struct idle_meter *m = idle_new(&rules, began_ns);
    enum baseline_state state = measure(m, sampling);
    int rc = finish(s, m, sampling, state, began_ns);

    interrupt_release();
    idle_free(m);
    sampling_close(sampling);
    return rc;
}

static int run(int argc, char **argv)
{
    struct settings s = { 0 };
    struct error e = { "" };
    const struct option table[] = {
        { "json", 0, OPTION_FLAG, &s.json },
        { "most", 0, OPTION_REAL, &s.most_s },
        { "db", 0, OPTION_TEXT, &s.db },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table };

    if (options_parse(&options, argc, argv, &e) < 0)
        return options_fail("calibrate", &e);
    if (s.help)
        return output_write(NULL, str_of(help), &e) ? EXIT_FAILED : EXIT_GOOD;
    return calibrate(&s);
}

const struct cmd cmd_calibrate = {
    .name = "calibrate",
    .about = "measure what the idle machine draws",
    .help = help,
    .run = run,
};
