/* watch.c -- looks at processes and devices, again and again. */
#include "base/json.h"
#include "cmd/alarm.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/push_options.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "cmd/watch/watch_show.h"
#include "cmd/watch/watching.h"
#include "model/host.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/process/child.h"
#include "os/process/interrupt.h"
#include "push/push.h"
#include "store/store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_HZ 10 /* lines, where nothing else was asked for */
#define TABLE_HZ 2  /* tables at most, for people */
#define PAUSE_NS 100000000
#define FULL_NS  99000000 /* all figures ten times a second */

struct settings {
    struct watching_settings watching;
    struct option_texts metrics;
    double duration_s;
    bool json, events;
    const char *out;
    struct push_settings push;
    struct alarm_settings alarm;
};

/* Where the lines go, and when the next is due. */
struct showing {
    const struct settings *settings;
    struct watch_view view;
    struct watch_events *events; /* NULL: nobody asked */
    struct push *push;           /* the same, */
    struct subscriber to_push;
    struct alarm *alarm; /* the same */
    struct subscriber to_alarm;
    struct buf alerts; /* lines that wait */
    struct run run;    /* as what the receivers know us */
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
    if (s->alerts.len)
        buf_add(&s->text, s->alerts.p, s->alerts.len);
    buf_clear(&s->alerts);
    if (s->events)
        watch_events_step(s->events, s->settings->json ? &s->text : NULL);
    return !s->text.len || put(s);
}

static bool finish(struct showing *s, struct watching *w)
{
    uint64_t now_ns = w->tick_ns = mono_ns();

    watching_settle(w);

    bool good = take_events(s);

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
        w->to.tick(w->to.context, &now_ns);
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

static int exit_code(const struct watching *w, const struct showing *s)
{
    if (alarm_count(s->alarm))
        return EXIT_WORSE;
    if (!w->child || !w->ended)
        return EXIT_GOOD;
    return w->end.signal ? 128 + w->end.signal : w->end.exit_code;
}

/* --- receivers ------------------------------------------------------------ */

static int open_push(struct showing *s, struct watching *w, char *const *argv,
        struct error *e)
{
    struct buf machine = { 0 };
    struct json j = json_line_into(&machine);
    struct host_info host;
    int rc = push_options_open(&s->push, &s->settings->push, e);

    if (!rc && s->push)
        rc = store_make_id(s->run.id, e);
    if (rc || !s->push)
        return rc;
    host_read(&host, "");
    host_json(&j, NULL, &host);
    s->run.started_wall_ns = wall_ns();
    s->run.meter_pid = own_pid();
    s->run.command = argv ? argv[0] : "ortmeter watch";
    s->run.host = buf_cstr(&machine);
    s->run.version = ORTMETER_VERSION;
    s->to_push = push_subscriber(s->push);
    watching_tell(w, &s->to_push, &s->run);
    s->run.host = NULL;
    buf_release(&machine);
    return 0;
}

static int open_alarm(struct showing *s, struct watching *w, struct error *e)
{
    int rc = alarm_open(&s->alarm,
            &(struct alarm_plan){
                    .settings = &s->settings->alarm,
                    .zero_wall_ns = w->mono_to_wall_ns,
                    .to = &w->to,
                    .lines = s->settings->json ? &s->alerts : NULL,
            },
            e);

    if (!rc && s->alarm) {
        s->to_alarm = alarm_subscriber(s->alarm);
        subscribers_add(&w->all, &s->to_alarm);
    }
    return rc;
}

/* What the receivers did not get is no failure of the watching. */
static void end_push(struct showing *s, const struct watching *w)
{
    struct buf told = { 0 };

    w->to.end(w->to.context, &(struct run_end){ &s->run, &told });
    if (told.len)
        (void)fprintf(stderr, "ortmeter watch: %s\n", told.p);
    buf_release(&told);
    push_free(s->push);
    alarm_free(s->alarm);
    buf_release(&s->alerts);
}

/* A name that nobody has is a mistake more often than not. */
static void say_unmatched(const struct settings *s, const struct watching *w)
{
    const struct subjects *all = sampling_subjects(w->sampling);

    for (uint32_t i = 0; i < subjects_count(all); i++)
        if (subjects_get(all, i)->kind == SUBJECT_PROCESS)
            return;
    for (int i = 0; i < s->watching.names.count; i++)
        (void)fprintf(stderr,
                "ortmeter watch: no process was named '%.64s' while it "
                "watched\n",
                s->watching.names.item[i]);
}

static int watch_all(const struct settings *s, char *const *argv)
{
    struct error e = { 0 };
    struct showing showing = { .settings = s, .to = stdout };
    struct watching w = { 0 };
    int code = EXIT_FAILED;

    if (s->out && !(showing.to = fopen(s->out, "we"))) {
        (void)fail(&e, -errno, "cannot write %s: %s", s->out, strerror(errno));
        return complain(&e);
    }
    interrupt_catch();
    if (watching_open(&w, &s->watching, argv, &e) ||
            open_alarm(&showing, &w, &e) || open_push(&showing, &w, argv, &e)) {
        (void)complain(&e);
    } else {
        begin(&showing, &w);
        if (watch(&w, &showing))
            code = exit_code(&w, &showing);
        else
            (void)fprintf(stderr, "ortmeter watch: cannot write %s\n",
                    s->out ? s->out : "to stdout");
        say_unmatched(s, &w);
    }
    watch_events_free(showing.events);
    end_push(&showing, &w);
    watching_close(&w);
    interrupt_release();
    buf_release(&showing.text);
    if (s->out && fclose(showing.to))
        code = EXIT_FAILED;
    return code;
}

static const struct option options[] = {
    OPTION_TEXTS("pid", 0, struct settings, watching.pids, "N",
            "a process; may be repeated"),
    OPTION_TEXTS("name", 0, struct settings, watching.names, "GLOB",
            "processes of that name; may be repeated"),
    OPTION_FLAG("children", 0, struct settings, watching.children,
            "and the processes that they start"),
    OPTION_TEXTS("rate", 0, struct settings, watching.rates, "HZ",
            "how often to read and to show; each source as it is usual, and 10 "
            "lines a second, if not given; NAME=HZ: how often to read one "
            "source, 0: not at all"),
    OPTION_REAL("duration", 0, struct settings, duration_s, "S", "seconds"),
    OPTION_CHOICE("profile", 0, struct settings, watching.profile,
            rates_profile_names, "P",
            "what it may cost: development (10 % of a core, the default), "
            "testing (5 %), production (2 %)",
            .rare = true),
    OPTION_REAL("max-overhead", 0, struct settings,
            watching.max_overhead_percent, "PCT",
            "the same as a number, in percent of a core; rates go down when it "
            "costs more",
            .rare = true),
    OPTION_FLAG("costly", 0, struct settings, watching.costly,
            "also what costs much: PSS, sockets, threads", .rare = true),
    OPTION_FLAG("events", 0, struct settings, events,
            "also each context switch, page fault and request to storage of "
            "the processes, as lines of JSON and summed up; costs them about a "
            "microsecond each",
            .rare = true),
    OPTION_TEXTS("metric", 0, struct settings, metrics, "GLOB",
            "only these figures; may be repeated", .rare = true),
    OPTION_FLAG("json", 0, struct settings, json,
            "one line of JSON for each tick, the last one with the summary; "
            "above 10 lines a second, those between have only what was read "
            "for them, and are written some together"),
    OUT_OPTION(struct settings),
    PUSH_OPTIONS(struct settings, push),
    ALARM_OPTIONS(struct settings, alarm),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    double hz;
    int rc = watching_check(&s->watching, &hz, e);

    s->push.only_readings = true;
    if (!rc)
        rc = push_options_check(&s->push, e);
    return rc ? rc
              : alarm_check(&s->alarm, (struct alarm_sight){ .samples = true },
                        e);
}

static int run(const struct cmd_call *c, struct error *e)
{
    (void)e;
    return watch_all(c->settings, c->word_count ? c->words : NULL);
}

const struct cmd cmd_watch = {
    .name = "watch",
    .about = "CPU, memory, I/O and devices of processes, as they go",
    .usage = "[options] [-- PROGRAM [arguments]]",
    .text = "Shows CPU, memory, I/O and more of chosen processes, of the "
            "machine\n"
            "and of its devices, until they end, the time is over, or Ctrl-C; "
            "then\n"
            "sums up; of a process that began before, what it did while "
            "watched.\n"
            "PROGRAM is started and watched with all that it starts; "
            "what it\n"
            "prints goes to stderr, and it ends when watch does.\n",
    .options = options,
    .notes = "Exit code: 3 when an alert was raised; else the program's, where "
             "one was\n"
             "started; 128 + N when signal N ended it.\n",
    .examples = "watch --pid 4711 --rate 100 --duration 10 --json\n"
                "watch --name 'python*' --children\n"
                "watch --alert 'rss_bytes > 2GB for 10s' --pid 4711\n"
                "watch --events --duration 2 --json --pid 4711\n"
                "watch --profile production --json -o load.jsonl -- ./server\n",
    .words_max = CMD_WORDS_ANY,
    .command = true,
    .settings_size = sizeof(struct settings),
    .check = check,
    .defaults = &(const struct settings){ .push = PUSH_SETTINGS },
    .run = run,
};
