/* watch.c -- looks at processes and devices, again and again. */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/term.h"
#include "cmd/watch_push.h"
#include "cmd/watch_show.h"
#include "cmd/watching.h"
#include "os/clock.h"
#include "os/interrupt.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
        "Usage: ortmeter watch [options] [-- PROGRAM [arguments]]\n"
        "\n"
        "Shows CPU, memory, I/O and more of chosen processes, of the machine\n"
        "and of its devices, until they end, the time is over, or Ctrl-C; "
        "then\n"
        "sums up.  PROGRAM is started and watched with all that it starts.\n"
        "\n"
        "Options:\n"
        "  --pid N            a process; may be repeated\n"
        "  --name GLOB        processes of that name; may be repeated\n"
        "  --children         and the processes that they start\n"
        "  --rate HZ          how often to read and to show; each source as "
        "it\n"
        "                     is usual, and 10 lines a second, if not given\n"
        "  --rate NAME=HZ     how often to read one source; 0: not at all\n"
        "  --duration S       seconds\n"
        "  --profile P        what it may cost: development (10 % of a core,\n"
        "                     the default), testing (5 %), production (2 %)\n"
        "  --max-overhead PCT the same as a number, in percent of a core; "
        "rates\n"
        "                     go down when it costs more\n"
        "  --costly           also what costs much: PSS, sockets, threads\n"
        "  --events           also each context switch, page fault and "
        "request to\n"
        "                     storage of the processes, as lines of JSON and "
        "summed\n"
        "                     up; costs them about a microsecond each\n"
        "  --metric GLOB      only these figures; may be repeated\n"
        "  --json             one line of JSON for each tick, the last one "
        "with\n"
        "                     the summary; above 10 lines a second, those "
        "between\n"
        "                     have only what was read for them, and are "
        "written\n"
        "                     some together\n"
        "  -o FILE            write to FILE\n" PUSH_OPTIONS_HELP
        "  -h, --help         this text\n"
        "\n"
        "Exit code: the program's, where one was started; 128 + N when signal "
        "N\n"
        "ended it.\n"
        "\n"
        "Examples:\n"
        "  ortmeter watch --pid 4711 --rate 100 --duration 10 --json\n"
        "  ortmeter watch --name 'python*' --children\n"
        "  ortmeter watch --events --duration 2 --json --pid 4711\n"
        "  ortmeter watch --profile production --json -o load.jsonl -- "
        "./server\n";

#define SHOWN_HZ 10 /* lines, where nothing else was asked for */
#define TABLE_HZ 2  /* tables at most, for people */
#define PAUSE_NS 100000000
#define FULL_NS  99000000 /* all figures ten times a second */

struct settings {
    struct watching_settings watching;
    struct option_texts metrics;
    double duration_s;
    bool json, events, help;
    const char *out;
    struct push_settings push;
};

/* Where the lines go, and when the next is due. */
struct showing {
    const struct settings *settings;
    struct watch_view view;
    struct watch_events *events; /* NULL: nobody asked */
    struct watch_push *push;     /* the same */
    struct buf text;
    FILE *to;
    bool in_place; /* a table that is drawn over the one before */
    uint64_t next_ns;
    uint64_t period_ns;
    uint64_t full_ns; /* when to write all figures again */
};

static int complain(const struct error *e)
{
    (void)fprintf(stderr, "ortmeter watch: %s\n", e->text);
    return EXIT_FAILED;
}

/* --- showing -------------------------------------------------------------- */

/* False: nobody takes it any more. */
static bool put(struct showing *s)
{
    bool good = fwrite(s->text.p, 1, s->text.len, s->to) == s->text.len &&
                fflush(s->to) == 0;

    buf_clear(&s->text);
    return good;
}

/* Lines that come faster wait for the next full one: who reads them is woken up
 * ten times a second and not at each. */
static bool show(struct showing *s, struct watching *w, uint64_t now_ns)
{
    watching_refresh(w);
    if (s->settings->json) {
        s->view.full = s->period_ns >= FULL_NS || now_ns >= s->full_ns;
        if (s->view.full)
            s->full_ns = now_ns + FULL_NS;
        watch_json(&s->text, &s->view, now_ns);
        s->view.changes_told = sampling_change_count(w->sampling);
    } else {
        if (s->in_place)
            buf_text(&s->text, "\033[H\033[J");
        watch_table(&s->text, &s->view, now_ns);
    }
    s->view.first = false;
    return s->settings->json && !s->view.full ? true : put(s);
}

/* Slower, when the samplers are. */
static bool is_time(struct showing *s, uint64_t now_ns)
{
    double scale =
            s->settings->json ? sampling_scale(s->view.watching->sampling) : 1;
    uint64_t period_ns = (uint64_t)((double)s->period_ns / scale);

    if (now_ns < s->next_ns)
        return false;
    s->next_ns += ((now_ns - s->next_ns) / period_ns + 1) * period_ns;
    return true;
}

/* What has happened since; false: it could not be written. */
static bool take_events(struct showing *s)
{
    if (!s->events)
        return true;
    watch_events_step(s->events, s->settings->json ? &s->text : NULL);
    return !s->text.len || put(s);
}

static bool finish(struct showing *s, struct watching *w)
{
    bool good = take_events(s);
    uint64_t now_ns = w->tick_ns = mono_ns();

    watching_settle(w);
    s->view.last = s->view.full = true;
    if (s->settings->json)
        watch_json(&s->text, &s->view, now_ns);
    else
        watch_summary_text(&s->text, &s->view, now_ns);
    return put(s) && good;
}

static void begin(struct showing *s, const struct watching *w)
{
    double hz = w->hz > 0 ? w->hz : SHOWN_HZ;

    if (!s->settings->json && hz > TABLE_HZ)
        hz = TABLE_HZ;
    s->period_ns = (uint64_t)(1e9 / hz);
    s->next_ns = sampling_next_ns(w->sampling);
    s->in_place = !s->settings->json && term_is_terminal(s->to);
    if (s->settings->events)
        s->events = watch_events_new(w);
    s->view = (struct watch_view){
        .watching = w,
        .events = s->events,
        .metrics = s->settings->metrics,
        .first = true,
        .colours = !s->settings->out && term_colours(s->to),
    };
}

/* --- watching ------------------------------------------------------------- */

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Until it is over; false: what it says could not be written.  A line comes
 * when it is due, whether something new was read or not. */
static bool watch(struct watching *w, struct showing *s)
{
    double duration_s = s->settings->duration_s;
    uint64_t end_ns = duration_s > 0
                              ? w->start_ns + (uint64_t)(1e9 * duration_s)
                              : UINT64_MAX;
    uint64_t now_ns = mono_ns();
    bool good = true;

    while (good && !w->ended && now_ns < end_ns && !interrupt_came()) {
        uint64_t until_ns =
                sooner(s->next_ns, sooner(now_ns + PAUSE_NS, end_ns));
        bool read = watching_step(w, until_ns);

        now_ns = mono_ns();
        watch_push_tick(s->push, now_ns);
        if (!s->view.first) /* the first line says what all this is */
            good = take_events(s);
        if (!good || w->ended || now_ns >= end_ns || !is_time(s, now_ns))
            continue;
        if (!read)
            w->tick_ns = now_ns;
        good = show(s, w, now_ns);
        board_sweep(w->board);
    }
    return finish(s, w) && good;
}

static int exit_code(const struct watching *w)
{
    if (!w->child || !w->ended)
        return EXIT_GOOD;
    return w->end.signal ? 128 + w->end.signal : w->end.exit_code;
}

/* What the receivers did not get is no failure of the watching. */
static void end_push(struct watch_push *push)
{
    struct buf told = { 0 };

    watch_push_close(push, &told);
    if (told.len)
        (void)fprintf(stderr, "ortmeter watch: %s\n", told.p);
    buf_release(&told);
}

static int watch_all(const struct settings *s, char *const *argv)
{
    struct error e = { "" };
    struct showing showing = { .settings = s, .to = stdout };
    struct watching w = { 0 };
    int code = EXIT_FAILED;

    if (s->out && !(showing.to = fopen(s->out, "we"))) {
        (void)fail(&e, -errno, "cannot write %s: %s", s->out, strerror(errno));
        return complain(&e);
    }
    interrupt_catch();
    if (watching_open(&w, &s->watching, argv, &e) ||
            watch_push_open(&showing.push, &s->push, &w, argv, &e)) {
        (void)complain(&e);
    } else {
        begin(&showing, &w);
        if (watch(&w, &showing))
            code = exit_code(&w);
        else
            (void)fprintf(stderr, "ortmeter watch: cannot write %s\n",
                    s->out ? s->out : "to stdout");
    }
    watch_events_free(showing.events);
    end_push(showing.push);
    watching_close(&w);
    interrupt_release();
    buf_release(&showing.text);
    if (s->out && fclose(showing.to))
        code = EXIT_FAILED;
    return code;
}

static int run(int argc, char **argv)
{
    struct settings s = { .watching.profile.all = rates_profile_names,
        .push = PUSH_SETTINGS };
    struct error e = { "" };
    double hz;
    const struct option table[] = {
        { "pid", 0, OPTION_TEXTS, &s.watching.pids },
        { "name", 0, OPTION_TEXTS, &s.watching.names },
        { "children", 0, OPTION_FLAG, &s.watching.children },
        { "rate", 0, OPTION_TEXTS, &s.watching.rates },
        { "duration", 0, OPTION_REAL, &s.duration_s },
        { "profile", 0, OPTION_CHOICE, &s.watching.profile },
        { "max-overhead", 0, OPTION_REAL, &s.watching.max_overhead_percent },
        { "costly", 0, OPTION_FLAG, &s.watching.costly },
        { "events", 0, OPTION_FLAG, &s.events },
        { "metric", 0, OPTION_TEXTS, &s.metrics },
        { "json", 0, OPTION_FLAG, &s.json },
        { NULL, 'o', OPTION_TEXT, &s.out },
        PUSH_OPTIONS(s.push),
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
        return options_fail("watch", &e);
    if (s.help)
        return output_write(NULL, str_of(help), &e) ? complain(&e) : EXIT_GOOD;
    s.push.only_readings = true;
    if (watching_check(&s.watching, &hz, &e) || push_options_check(&s.push, &e))
        return options_fail("watch", &e);
    argv[words + 1] = NULL;
    return watch_all(&s, words ? argv + 1 : NULL);
}

const struct cmd cmd_watch = {
    .name = "watch",
    .about = "CPU, memory, I/O and devices of processes, as they go",
    .help = help,
    .run = run,
};
