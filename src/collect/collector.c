#include "collect/collector.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/command/proc_cmdline.h"
#include "base/json.h"
#include "base/map.h"
#include "collect/empty_run.h"
#include "collect/not_followed.h"
#include "collect/rings.h"
#include "collect/trace.h"
#include "collect/web_runtime.h"
#include "model/host.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/path.h"
#include "os/process/child.h"
#include "os/process/pause.h"
#include "os/process/program.h"
#include "os/thread_name.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long to let the rings fill: less when one is filling fast. */
#define POLL_MS       10
#define POLL_NS       10000000
#define POLL_FAST_NS  1000000
#define POLL_EARLY_NS 500000
#define FILLING_FAST  0.2

/* Sums of operators are told so often, in one part of the time in so many. */
#define SUMS_NS   1000000000
#define SUMS_PART 20

/* As large as a ring may become: 4 MB, and where operators are recorded 16. */
#define RECORDS         (1 << 16)
#define RECORDS_FOR_OPS (1 << 18)

/* Processes that are named in a sentence. */
#define NAMED_MAX 8

#define THREADS_MAX 10000 /* that have names */

/* How long a program that was asked to end may take. */
#define PATIENCE_NS UINT64_C(10000000000)

struct named {
    struct buf *out;
    size_t count;
};

struct collector {
    struct collector_plan plan;
    struct subscribers all; /* those who were given, and we who count */
    struct subscriber own, to;
    struct trace *trace;
    struct rings *rings;
    struct child *child;
    struct program program;
    struct run run;
    struct buf command, machine; /* its texts */
    char directory[4096];
    uint64_t poll_ns; /* when to look at the rings next, */
    uint64_t sums_ns; /* and when to tell sums */
    uint64_t inferences;
    struct map pids;    /* of processes, by their ids */
    struct map threads; /* whose names are told, or cannot be */
    struct empty_run seen;
    struct buf note; /* what is to be said of the run */
    atomic_bool stop;
    uint64_t asked_ns; /* when the program was asked to end; 0: it was not */
};

/* --- from the rings through the trace ------------------------------------- */

static void came(void *to, const struct ring_owner *o)
{
    struct collector *c = to;
    uint32_t id = trace_process(c->trace, o->parent, o->start_ns);
    uint64_t start_ns = c->run.start_mono_ns;

    c->seen.processes++;
    map_put(&c->pids, id, o->pid);
    c->to.process(c->to.context,
            &(struct process){
                    .id = id,
                    .pid = o->pid,
                    .parent = o->parent,
                    .start_ns =
                            o->start_ns > start_ns ? o->start_ns - start_ns : 0,
                    .program = o->program,
            });
}

static void gone(void *to, const struct ring_owner *o)
{
    struct collector *c = to;

    c->to.process_end(c->to.context, &(struct process){
                                             .id = o->number,
                                             .hook_ns = o->hook_ns,
                                             .lost = o->lost,
                                             .untimed = o->untimed,
                                             .torn = o->torn,
                                     });
}

static void record(void *to, uint32_t owner, const struct record *r,
        const struct tick_line *clock)
{
    struct collector *c = to;

    trace_take(c->trace, owner, r, clock);
}

/* --- what was seen, for the notes ----------------------------------------- */

static void library(void *to, const struct library *l)
{
    struct collector *c = to;

    *(l->version ? &c->seen.libraries : &c->seen.static_libraries) += 1;
    if (!l->version && l->untraced) {
        free(c->seen.static_reason);
        c->seen.static_reason = alloc_text(l->untraced);
    }
}

static void session(void *to, const struct session *x)
{
    struct collector *c = to;

    c->seen.sessions++;
    c->seen.sessions_failed += x->error != NULL;
}

static uint64_t thread_key(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

static void thread(void *to, const struct note *n)
{
    struct collector *c = to;

    map_put(&c->threads, thread_key(n->process, n->thread), 1);
}

/* What a thread calls itself, when the first inference comes from it; what the
 * program tells of it later stands in its place. */
static void name_thread(struct collector *c, const struct inference *i)
{
    uint64_t key = thread_key(i->process, i->thread);
    const uint64_t *pid = map_find(&c->pids, i->process);
    char name[64];

    if (!pid || c->threads.count >= THREADS_MAX || map_find(&c->threads, key))
        return;
    map_put(&c->threads, key, 1);
    if (thread_name(name, sizeof(name), (uint32_t)*pid, i->thread))
        c->to.thread(c->to.context, &(struct note){ .process = i->process,
                                            .thread = i->thread,
                                            .time_ns = i->start_ns,
                                            .text = name });
}

static void inference(void *to, const struct inference *i)
{
    struct collector *c = to;

    c->inferences++;
    name_thread(c, i);
}

/* --- the program ---------------------------------------------------------- */

/* The hook, and behind it what is preloaded already.  Not into a program that
 * the loader would only complain about. */
static const char *preload(struct buf *out, const char *hook,
        const struct program *p)
{
    const char *already = getenv("LD_PRELOAD");

    if (p->kind == PROGRAM_FOREIGN)
        return already;
    buf_text(out, hook);
    if (already && *already)
        buf_printf(out, ":%s", already);
    return buf_cstr(out);
}

static int set_number(struct rings *r, const char *name, uint64_t n,
        struct error *e)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
    return n ? rings_set(r, name, text, e) : 0;
}

/* What the hook is to know, in the folder: the environment is the program's. */
static int set_all(const struct collector *c, struct error *e)
{
    const struct collector_plan *plan = &c->plan;
    bool ops = plan->ops && strcmp(plan->ops, "off") != 0;
    int rc = set_number(c->rings, "ORTMETER_TICKS",
            rings_ticks_per_us(c->rings), e);

    rings_allow(c->rings, plan->ring_records ? (uint32_t)plan->ring_records
                          : ops              ? RECORDS_FOR_OPS
                                             : RECORDS);
    if (!rc)
        rc = set_number(c->rings, "ORTMETER_RING", plan->ring_records, e);
    if (!rc && plan->ops)
        rc = rings_set(c->rings, "ORTMETER_OPS", plan->ops, e);
    if (!rc && plan->stats)
        rc = set_number(c->rings, "ORTMETER_STATS", plan->stats, e);
    return rc;
}

static int follow(struct collector *c, struct error *e)
{
    int rc = set_all(c, e);

    return rc ? rc : child_follow(&c->child, c->plan.pid, c->plan.until, e);
}

static int start_child(struct collector *c, struct error *e)
{
    const struct collector_plan *plan = &c->plan;
    const char *hook;
    struct buf libraries = { 0 };
    uint64_t time_ns = mono_ns();
    int rc = rings_preload(c->rings, &hook, plan->hook, e);

    if (!rc)
        rc = set_all(c, e);
    if (!rc)
        rc = child_start(&c->child,
                &(struct child_plan){
                        .argv = plan->argv,
                        .variables =
                                (struct child_variable[]){
                                        /* Ours alone; OTEL_* serves the
                                         * program's own SDK, too. */
                                        { "ORTMETER_PASSPHRASE", NULL },
                                        { "ORTMETER_STORE_PASSWORD", NULL },
                                        { "LD_PRELOAD",
                                                preload(&libraries, hook,
                                                        &c->program) },
                                        { "ORTMETER_DIR",
                                                rings_folder(c->rings) },
                                        { 0 },
                                },
                        .relays_signals = !plan->output,
                        .takes_streams = !plan->keeps_streams && !plan->output,
                        .output = plan->output,
                },
                e);
    if (!rc)
        rings_expect(c->rings, child_pid(c->child), plan->argv[0], time_ns);
    buf_release(&libraries);
    return rc;
}

static void describe_run(struct collector *c)
{
    const struct collector_plan *plan = &c->plan;
    struct json j = json_line_into(&c->machine);
    struct host_info host;

    host_read(&host, "");
    host_json(&j, NULL, &host);
    proc_cmdline_argv(&c->command, plan->shown ? plan->shown : plan->argv);
    c->run = (struct run){
        .started_wall_ns = wall_ns(),
        .start_mono_ns = mono_ns(),
        .meter_pid = own_pid(),
        .command = buf_cstr(&c->command),
        .directory = path_current(c->directory, sizeof(c->directory))
                             ? NULL
                             : c->directory,
        .tags = plan->tags,
        .host = buf_cstr(&c->machine),
        .version = ORTMETER_VERSION,
    };
}

int collector_open(struct collector **out, const struct collector_plan *plan,
        struct error *e)
{
    struct collector *c = alloc_zero(1, sizeof(*c));
    char path[4096];

    c->plan = *plan;
    program_look(&c->program, plan->argv[0], path, sizeof(path));
    c->seen.name = plan->argv[0];
    c->seen.kind = c->program.kind;
    c->seen.privileged = c->program.privileged;

    int rc = rings_open(&c->rings, plan->folder,
            &(struct rings_sink){ c, came, record, gone }, e);

    if (rc) {
        collector_close(c);
        return rc;
    }
    describe_run(c);
    *out = c;
    return 0;
}

struct run *collector_run(struct collector *c)
{
    return &c->run;
}

int collector_start(struct collector *c, struct subscribers *to,
        struct error *e)
{
    int rc = c->plan.pid ? follow(c, e) : start_child(c, e);

    if (rc)
        return rc;
    c->own = (struct subscriber){
        .context = c,
        .library = library,
        .session = session,
        .inference = inference,
        .thread = thread,
    };
    subscribers_add(to, &c->own);
    c->to = subscriber_to_all(to);
    c->trace = trace_new(&c->to, c->run.start_mono_ns);
    if (c->plan.keeps_timelines)
        trace_keep_timelines(c->trace);
    c->poll_ns = mono_ns() + POLL_FAST_NS;
    c->to.begin(c->to.context, &c->run);
    return 0;
}

uint32_t collector_pid(const struct collector *c)
{
    return child_pid(c->child);
}

const char *collector_folder(const struct collector *c)
{
    return rings_folder(c->rings);
}

void collector_close(struct collector *c)
{
    if (!c)
        return;
    trace_free(c->trace);
    map_release(&c->pids);
    map_release(&c->threads);
    child_close(c->child);
    rings_close(c->rings);
    free(c->seen.static_reason);
    buf_release(&c->command);
    buf_release(&c->machine);
    buf_release(&c->note);
    free(c);
}

/* --- while it runs -------------------------------------------------------- */

/* Sums are told once a second, or as seldom as keeping them takes little of the
 * time. */
static void tell_sums(struct collector *c)
{
    uint64_t begun_ns = mono_ns();

    if (begun_ns < c->sums_ns)
        return;
    trace_tell(c->trace);

    uint64_t took_ns = mono_ns() - begun_ns;

    c->sums_ns = begun_ns + (took_ns * SUMS_PART > SUMS_NS ? took_ns * SUMS_PART
                                                           : SUMS_NS);
}

/* Returns how full the fullest ring was. */
static double empty_rings(struct collector *c)
{
    double full = rings_poll(c->rings);
    uint64_t now_ns;

    tell_sums(c);
    now_ns = mono_ns();
    c->to.tick(c->to.context, &now_ns);
    return full;
}

void collector_stop(struct collector *c)
{
    atomic_store(&c->stop, true);
}

size_t collector_trace(struct collector *c, const char *ops)
{
    uint64_t every = 0;
    uint32_t choice = strcmp(ops, "auto") == 0  ? OPS_AUTO
                      : strcmp(ops, "all") == 0 ? OPS_ALL
                                                : OPS_OFF;

    if (str_u64(&every, str_of(ops)) == 0 && every < OPS_AUTO)
        choice = (uint32_t)every;
    if (choice != OPS_OFF && !c->plan.ring_records)
        rings_allow(c->rings, RECORDS_FOR_OPS);
    return rings_trace(c->rings, choice);
}

void collector_pause(struct collector *c, bool paused)
{
    rings_pause(c->rings, paused);
}

void collector_mark(struct collector *c, const char *text)
{
    c->to.mark(c->to.context,
            &(struct note){ .time_ns = mono_ns() - c->run.start_mono_ns,
                    .text = text });
}

static void ask_to_end(struct collector *c, uint64_t now_ns)
{
    bool patient = !c->asked_ns || now_ns - c->asked_ns <= PATIENCE_NS;

    if (!c->asked_ns || !patient)
        child_signal_end(c->child, !patient);
    if (!c->asked_ns)
        c->asked_ns = now_ns;
}

uint64_t collector_next_ns(const struct collector *c)
{
    return c->poll_ns;
}

bool collector_ends_by(struct collector *c, uint64_t mono_moment_ns)
{
    return child_ends_by(c->child, mono_moment_ns);
}

/* The rings are also emptied a little early when we are awake anyway. */
void collector_step(struct collector *c)
{
    uint64_t now_ns = mono_ns();

    if (now_ns + POLL_EARLY_NS < c->poll_ns)
        return;
    if (atomic_load(&c->stop))
        ask_to_end(c, now_ns);
    c->poll_ns =
            now_ns + (empty_rings(c) > FILLING_FAST ? POLL_FAST_NS : POLL_NS);
}

/* --- and after ------------------------------------------------------------ */

static void take_end(struct collector *c)
{
    struct child_end end;

    while (!child_wait(c->child, POLL_MS, &end))
        ;
    c->run.ended = end.told;
    c->run.exit_code = end.exit_code;
    c->run.signal = end.signal;
    c->run.peak_rss_bytes = end.peak_rss_bytes;
    c->run.user_cpu_ns = end.user_cpu_ns;
    c->run.system_cpu_ns = end.system_cpu_ns;
    c->run.duration_ns = mono_ns() - c->run.start_mono_ns;
}

/* Goes on until it is known of each process whether it is followed; and for
 * those that the program left behind, as long as was asked for. */
static void wait_for_others(struct collector *c)
{
    const struct collector_plan *plan = &c->plan;
    uint64_t end_ns = plan->wait_s > 0
                              ? mono_ns() + (uint64_t)(1e9 * plan->wait_s)
                              : UINT64_MAX;

    rings_look(c->rings);
    (void)rings_poll(c->rings);
    while (!child_asked_to_end(c->child) &&
            (rings_arriving(c->rings) ||
                    (plan->waits && rings_alive(c->rings) &&
                            mono_ns() < end_ns))) {
        (void)sleep_until(mono_ns() + POLL_NS);
        (void)empty_rings(c);
    }
}

static void name_alive(void *to, const struct ring_owner *o)
{
    struct named *n = to;

    if (n->count++ < NAMED_MAX)
        buf_printf(n->out, "%s%u (%s)", n->count > 1 ? ", " : "", o->pid,
                o->program);
}

static void note_alive(const struct collector *c, struct buf *out)
{
    struct buf names = { 0 };
    struct named n = { .out = &names };

    rings_each_alive(c->rings, name_alive, &n);
    if (n.count)
        buf_printf(out,
                "%s%zu of its processes still run, and what they do from now "
                "on is not recorded: %s%s. With --wait they are waited for.",
                out->len ? " " : "", n.count, buf_cstr(&names),
                n.count > NAMED_MAX ? ", ..." : "");
    buf_release(&names);
}

/* Why nothing was seen, and what was left out.  The last that is in the rings
 * comes when they are closed. */
static void end_rings(struct collector *c)
{
    struct buf others = { 0 };

    c->seen.failed = c->run.signal || c->run.exit_code;
    c->seen.unreadable = rings_malformed(c->rings) > 0;
    not_followed_report(&others, &c->seen, &c->to, c->rings);
    if (!c->plan.pid) /* else it is meant to go on */
        note_alive(c, &others);
    rings_close(c->rings);
    c->rings = NULL;
    trace_end(c->trace);
    if (!c->inferences) {
        struct buf web = { 0 };

        if (!c->seen.libraries && web_runtime_find(&web, c->plan.argv))
            c->seen.web = buf_cstr(&web);
        empty_run_explain(&c->note, &c->seen);
        c->seen.web = NULL;
        buf_release(&web);
    }
    if (others.len)
        buf_printf(&c->note, "%s%s", c->note.len ? " " : "", buf_cstr(&others));
    buf_release(&others);
}

void collector_finish(struct collector *c)
{
    struct run *run = &c->run;

    take_end(c);
    wait_for_others(c);
    end_rings(c);
    c->to.end(c->to.context, &(struct run_end){ run, &c->note });
    run->note = c->note.len ? buf_cstr(&c->note) : NULL;
    run->status = run->signal ? RUN_KILLED : RUN_COMPLETE;
    run->meter_cpu_ns = own_cpu_ns();
    run->meter_rss_bytes = own_peak_rss_bytes();
    c->to.close(c->to.context, run);
}
