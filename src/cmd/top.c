/* top.c -- the machine, its processes and its models on one screen. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "cmd/cmd.h"
#include "cmd/database.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/top_draw.h"
#include "cmd/top_fill.h"
#include "cmd/top_screen.h"
#include "cmd/watching.h"
#include "os/clock.h"
#include "os/interrupt.h"
#include "os/self.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
        "Usage: ortmeter top [options] [-- PROGRAM [arguments]]\n"
        "\n"
        "Shows the machine, its cores, devices and processes, and the models "
        "that\n"
        "are at work, as they are.  PROGRAM is run under the meter, and "
        "shown\n"
        "with all that it starts; what it prints goes to a file.  Without it,\n"
        "models are those of the newest run that is being recorded.\n"
        "\n"
        "Keys: q quit, space pause, / filter, c m t p n sort, ? help.\n"
        "\n"
        "Options:\n"
        "  --pid N            a process; may be repeated; all if none is "
        "named\n"
        "  --name GLOB        processes of that name; may be repeated\n"
        "  --children         and the processes that they start\n"
        "  --rate HZ          how often to draw; 10 if not given\n"
        "  --profile P        what it may cost: development (10 % of a core,\n"
        "                     the default), testing (5 %), production (2 %)\n"
        "  --max-overhead PCT the same as a number, in percent of a core\n"
        "  --db FILE          the database to look for runs in\n"
        "  -h, --help         this text\n"
        "\n"
        "Environment:\n"
        "  ORTMETER_DB        the database, when --db is not given\n"
        "  NO_COLOR           no colours\n"
        "\n"
        "Examples:\n"
        "  ortmeter top\n"
        "  ortmeter top --name 'node*' --children\n"
        "  ortmeter top -- node app.js\n";

#define DRAW_HZ 10
#define RUNS_NS 500000000 /* how often to look into the database */
#define KEYS_NS 50000000  /* and at the keys */

struct settings {
    struct watching_settings watching;
    const char *db;
    bool help;
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
};

static int complain(const struct error *e)
{
    (void)fprintf(stderr, "ortmeter top: %s\n", e->text);
    return EXIT_FAILED;
}

/* --- the program ---------------------------------------------------------- */

/* What it prints would spoil the screen: the shell sends it to a file. */
static char **metered_argv(char *const *argv, const char *self, const char *log,
        const char *db)
{
    static const char script[] =
            "log=$1; shift; exec \"$@\" >\"$log\" 2>&1 </dev/null";
    const char *front[] = { "sh", "-c", script, "sh", log, self, "run",
        "--quiet", "--rate", "0", db ? "--db" : "--", db ? db : "--", "--" };
    size_t fronts = db ? 13 : 11, words = 0;

    while (argv[words])
        words++;

    char **out = alloc_zero(fronts + words + 1, sizeof(*out));

    for (size_t i = 0; i < fronts; i++)
        out[i] = (char *)front[i];
    for (size_t i = 0; i < words; i++)
        out[fronts + i] = argv[i];
    return out;
}

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

/* --- the screen ----------------------------------------------------------- */

/* It may come into being while we look. */
static void look_for_runs(struct top *t, uint64_t now_ns)
{
    if (now_ns < t->runs_ns)
        return;
    t->runs_ns = now_ns + RUNS_NS;
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

static void live(struct top *t)
{
    struct watching *w = &t->watching;
    uint64_t period_ns = (uint64_t)(1e9 / (w->hz > 0 ? w->hz : DRAW_HZ));

    while (!t->view.quit && !interrupt_came()) {
        uint64_t now_ns = mono_ns();
        bool touched;

        (void)watching_step(w, now_ns + KEYS_NS);
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

static int show(const struct settings *s, char *const *argv, struct error *e)
{
    struct top t = { .db = s->db };
    int rc = watching_open(&t.watching, &s->watching, argv, e);

    if (!rc)
        rc = top_screen_open(e);
    if (!rc) {
        if (gethostname(t.model.host, sizeof(t.model.host) - 1))
            t.model.host[0] = 0;
        live(&t);
        top_screen_close();
    }
    if (t.watching.child && !t.watching.ended)
        child_ask_to_end(t.watching.child);
    watching_close(&t.watching);
    store_close(t.store);
    grid_release(&t.grid);
    free(t.model.process);
    return rc;
}

static int run_top(struct settings *s, char *const *argv)
{
    char self[PATH_MAX], log[PATH_MAX] = "";
    struct error e = { "" };
    char **metered = NULL;
    int rc = 0;

    /* Everybody, unless somebody is named; without what is dear for many. */
    if (!argv && !s->watching.pids.count && !s->watching.names.count) {
        static const char *const less[] = { "perf-software=0",
            "process-sockets=0", "process-files=0", "process-threads=0",
            "process-status=0" };

        s->watching.names.item[s->watching.names.count++] = "*";
        for (size_t i = 0;
                i < LEN(less) && s->watching.rates.count < OPTION_TEXTS_MAX;
                i++)
            s->watching.rates.item[s->watching.rates.count++] = less[i];
    }
    self_raise_file_limit();
    if (argv) {
        rc = self_path(self, sizeof(self));
        if (!rc)
            rc = open_log(log, sizeof(log), &e);
        if (!rc)
            metered = metered_argv(argv, self, log, s->db);
    }
    interrupt_catch();
    if (!rc)
        rc = show(s, metered, &e);
    interrupt_release();
    free(metered);
    if (log[0])
        (void)fprintf(stderr,
                "ortmeter top: what the program printed is in "
                "%s\n",
                log);
    return rc ? complain(&e) : EXIT_GOOD;
}

static int run(int argc, char **argv)
{
    struct settings s = { .watching.profile.all = rates_profile_names };
    struct error e = { "" };
    double hz;
    const struct option table[] = {
        { "pid", 0, OPTION_TEXTS, &s.watching.pids },
        { "name", 0, OPTION_TEXTS, &s.watching.names },
        { "children", 0, OPTION_FLAG, &s.watching.children },
        { "rate", 0, OPTION_TEXTS, &s.watching.rates },
        { "profile", 0, OPTION_CHOICE, &s.watching.profile },
        { "max-overhead", 0, OPTION_REAL, &s.watching.max_overhead_percent },
        { "db", 0, OPTION_TEXT, &s.db },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = {
        .table = table,
        .max_words = INT_MAX,
        .command = true,
    };
    int words = options_parse(&options, argc, argv, &e);

    if (words < 0)
        return options_fail("top", &e);
    if (s.help)
        return output_write(NULL, str_of(help), &e) ? complain(&e) : EXIT_GOOD;
    if (watching_check(&s.watching, &hz, &e))
        return options_fail("top", &e);
    if (!s.watching.rates.count)
        s.watching.rates.item[s.watching.rates.count++] = "10";
    argv[words + 1] = NULL;
    return run_top(&s, words ? argv + 1 : NULL);
}

const struct cmd cmd_top = {
    .name = "top",
    .about = "the machine, its processes and models on one screen",
    .help = help,
    .run = run,
};
