/* top.c -- the machine, its processes and its models on one screen. */
#include "analyse/run_figures.h"
#include "analyse/summary.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/metered.h"
#include "cmd/text/summary_text.h"
#include "cmd/text/term.h"
#include "cmd/top/top_draw.h"
#include "cmd/top/top_fill.h"
#include "cmd/top/top_screen.h"
#include "cmd/watch/watching.h"
#include "live/queue.h"
#include "os/clock.h"
#include "os/process/interrupt.h"
#include "os/process/self.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAW_HZ     10
#define RUNS_NS     500000000 /* how often to look at the models */
#define KEYS_NS     50000000  /* and at the keys */
#define QUEUE_BYTES (4 << 20)

struct settings {
    struct watching_settings watching;
    const char *db;
    struct metered_settings metered; /* of a program of our own */
};

struct top {
    struct watching watching;
    struct store *store; /* NULL: none yet, and `no_store` says why */
    struct error no_store;
    const char *db;
    struct top_model model;
    struct top_view view;
    struct grid grid;
    uint64_t draw_ns, runs_ns; /* when next */

    /* A program of our own.  It is recorded in a thread, which no terminal
     * holds up: what that thread tells comes through a queue. */
    struct metered metered;
    struct queue *queue; /* NULL: there is none */
    struct subscriber to_queue, to_live;
    struct top_live live;
    pthread_t thread;
    char log[PATH_MAX];
};

/* --- the program ---------------------------------------------------------- */

/* What it prints would spoil the screen. */
static int open_log(char *out, size_t cap, struct error *e)
{
    const char *folder = getenv("TMPDIR");
    int fd;

    (void)snprintf(out, cap, "%s/ortmeter-top-XXXXXX",
            folder && *folder ? folder : "/tmp");
    fd = mkstemp(out);
    if (fd < 0)
        return fail(e, -EIO,
                "cannot make a file for what the program prints: %s", out);
    (void)close(fd);
    return 0;
}

/* As `run` would do it, but that the sampling is ours. */
static int run_settings(struct settings *s, struct error *e)
{
    static const struct option table[] = {
        METERED_OPTIONS(struct settings, metered),
        OPTION_END,
    };
    const struct options options = { .table = table };
    struct options_read read;
    char verb[] = "run";
    char *argv[] = { verb, NULL };
    int rc;

    s->metered = (struct metered_settings)METERED_SETTINGS;
    rc = options_parse(&read, s, &options, 1, argv, e);
    s->metered.hz = 0;
    if (s->db)
        s->metered.database.path = s->db;
    return rc ? rc : metered_check(&s->metered, e);
}

static void *follow(void *to)
{
    metered_follow(to);
    return NULL;
}

/* The samplers find the program before it is waited for. */
static int start(struct top *t, struct settings *s, char *const *argv,
        struct error *e)
{
    char pid[16];
    int rc = open_log(t->log, sizeof(t->log), e);

    if (rc)
        return rc;
    t->queue = queue_new(QUEUE_BYTES);
    t->to_queue = queue_subscriber(t->queue);
    t->to_live = top_live_subscriber(&t->live);
    s->metered.output = t->log;
    s->metered.also = &t->to_queue;
    rc = metered_start(&t->metered, &s->metered, argv, e);
    if (rc)
        return rc;
    (void)snprintf(pid, sizeof(pid), "%u", metered_pid(&t->metered));
    if (s->watching.pids.count < OPTION_TEXTS_MAX)
        s->watching.pids.item[s->watching.pids.count++] = pid;
    s->watching.children = true;
    rc = watching_open(&t->watching, &s->watching, NULL, e);
    s->watching.pids.count = 0; /* they are known, and `pid` goes */
    if (rc)
        metered_stop(&t->metered);
    if (pthread_create(&t->thread, NULL, follow, &t->metered)) {
        metered_stop(&t->metered);
        metered_follow(&t->metered);
        metered_close(&t->metered, "top");
        return rc ? rc : fail(e, -EAGAIN, "cannot start a thread");
    }
    return rc;
}

/* --- the screen ----------------------------------------------------------- */

/* It may come into being while we look. */
static void look_for_runs(struct top *t, uint64_t now_ns)
{
    if (now_ns < t->runs_ns)
        return;
    t->runs_ns = now_ns + RUNS_NS;
    if (t->queue) {
        top_fill_live(&t->model, &t->live, now_ns);
        return;
    }
    if (!t->store)
        (void)database_open(&t->store, t->db, STORE_READ, &t->no_store);
    top_fill_runs(&t->model, t->store, &t->no_store, now_ns);
}

static void draw(struct top *t)
{
    int rows, cols;

    top_screen_size(&rows, &cols);
    grid_reset(&t->grid, rows, cols);
    top_draw(&t->grid, &t->model, &t->view);
    top_screen_show(&t->grid);
}

/* True: a key was taken. */
static bool take_keys(struct top *t)
{
    bool any = false;

    for (int key; (key = top_screen_key()) >= 0; any = true)
        top_key(&t->view, key);
    return any;
}

/* What `run` would have ended with. */
static void report(const struct metered *m)
{
    struct summary summary;
    struct buf text = { 0 };

    if (summary_read(&summary, m->store, m->outcome.run.row, NULL))
        return;
    (void)run_figures_save(m->store, &summary, NULL); /* else `list` does it */
    summary_text(&text, &summary, term_colours(stderr));
    (void)fwrite(text.p, 1, text.len, stderr);
    buf_release(&text);
    summary_release(&summary);
}

static void live(struct top *t)
{
    struct watching *w = &t->watching;
    uint64_t period_ns = (uint64_t)(1e9 / (w->hz > 0 ? w->hz : DRAW_HZ));

    while (!t->view.quit && !interrupt_came() && !top_screen_gone()) {
        uint64_t now_ns = mono_ns();
        bool touched;

        (void)watching_step(w, now_ns + KEYS_NS);
        if (t->queue)
            (void)queue_take(t->queue, &t->to_live);
        touched = take_keys(t);
        now_ns = mono_ns();
        if (now_ns < t->draw_ns && !touched)
            continue;
        if (now_ns >= t->draw_ns)
            t->draw_ns = now_ns + period_ns;
        if (!t->view.paused) {
            watching_settle(w);
            top_fill(&t->model, w, now_ns);
            look_for_runs(t, now_ns);
            board_sweep(w->board);
        }
        draw(t);
    }
}

/* Asks the program to end, if it has not. */
static int end_program(struct top *t, bool reports)
{
    const struct run *run = &t->metered.outcome.run;
    int code;

    metered_stop(&t->metered);
    (void)pthread_join(t->thread, NULL);
    if (t->metered.outcome.record_failed)
        (void)fprintf(stderr, "ortmeter top: %s; recording stopped early\n",
                t->metered.outcome.why.text);
    if (reports)
        report(&t->metered);
    code = run->signal ? 128 + run->signal : run->exit_code;
    metered_close(&t->metered, "top");
    return code;
}

static int show(struct top *t, struct settings *s, char *const *argv,
        struct error *e)
{
    int rc = top_screen_open(e);

    if (rc)
        return rc;
    rc = argv ? start(t, s, argv, e)
              : watching_open(&t->watching, &s->watching, NULL, e);
    if (!rc) {
        if (gethostname(t->model.host, sizeof(t->model.host) - 1))
            t->model.host[0] = 0;
        live(t);
    }
    top_screen_close();
    return rc;
}

/* Everybody, unless somebody is named; without what is dear for many. */
static void watch_everybody(struct watching_settings *s)
{
    static const char *const less[] = { "perf-software=0", "process-sockets=0",
        "process-files=0", "process-threads=0", "process-status=0" };

    if (s->pids.count || s->names.count)
        return;
    s->names.item[s->names.count++] = "*";
    for (size_t i = 0; i < LEN(less) && s->rates.count < OPTION_TEXTS_MAX; i++)
        s->rates.item[s->rates.count++] = less[i];
}

static int run_top(struct settings *s, char *const *argv, struct error *e)
{
    struct top *t = alloc_zero(1, sizeof(*t));
    int code = EXIT_GOOD;

    t->db = s->db;
    if (!argv)
        watch_everybody(&s->watching);
    self_raise_file_limit();
    interrupt_catch();

    int rc = show(t, s, argv, e);

    if (t->metered.store)
        code = end_program(t, !rc);
    interrupt_release();
    if (t->log[0])
        (void)fprintf(stderr,
                "ortmeter top: what the program printed is in "
                "%s\n",
                t->log);
    watching_close(&t->watching);
    store_close(t->store);
    queue_free(t->queue);
    grid_release(&t->grid);
    free(t->model.process);
    free(t);
    return rc ? rc : code;
}

static const struct option options[] = {
    OPTION_TEXTS("pid", 0, struct settings, watching.pids, "N",
            "a process; may be repeated; all if none is named"),
    OPTION_TEXTS("name", 0, struct settings, watching.names, "GLOB",
            "processes of that name; may be repeated"),
    OPTION_FLAG("children", 0, struct settings, watching.children,
            "and the processes that they start"),
    OPTION_TEXTS("rate", 0, struct settings, watching.rates, "HZ",
            "how often to draw; 10 if not given"),
    OPTION_CHOICE("profile", 0, struct settings, watching.profile,
            rates_profile_names, "P",
            "what it may cost: development (10 % of a core, the default), "
            "testing (5 %), production (2 %)"),
    OPTION_REAL("max-overhead", 0, struct settings,
            watching.max_overhead_percent, "PCT",
            "the same as a number, in percent of a core"),
    OPTION_TEXT("db", 0, struct settings, db, "FILE",
            "the database to look for runs in", .variable = "ORTMETER_DB"),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    double hz;

    int rc = watching_check(&s->watching, &hz, e);

    return rc || !c->word_count ? rc : run_settings(s, e);
}

static int run(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;

    if (!s->watching.rates.count)
        s->watching.rates.item[s->watching.rates.count++] = "10";
    return run_top(s, c->word_count ? c->words : NULL, e);
}

const struct cmd cmd_top = {
    .name = "top",
    .about = "the machine, its processes and models on one screen",
    .usage = "[options] [-- PROGRAM [arguments]]",
    .text = "Shows the machine, its cores, devices and processes, and the "
            "models that\n"
            "are at work, as they are.  PROGRAM is run under the meter, and "
            "shown\n"
            "with all that it starts; what it prints goes to a file.  Without "
            "it,\n"
            "models are those of the newest run that is being recorded.\n"
            "\n"
            "It ends with its terminal, by Ctrl-C or SIGTERM, and with it the "
            "program;\n"
            "then comes the report of the run, and the program's exit code is "
            "ours.\n"
            "\n"
            "Keys: q quit, space pause, / filter, c m t p n sort, ? help.\n",
    .options = options,
    .notes = "Environment:\n"
             "  NO_COLOR           no colours\n",
    .examples = "top\n"
                "top --name 'node*' --children\n"
                "top -- node app.js\n",
    .words_max = CMD_WORDS_ANY,
    .command = true,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
