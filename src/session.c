#include "session.h"

#include "analyse/absence.h"
#include "analyse/fusion.h"
#include "analyse/operators.h"
#include "base/command_text.h"
#include "base/json.h"
#include "model/host.h"
#include "ort/trace.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/pause.h"
#include "os/program.h"
#include "push/push.h"
#include "recording.h"
#include "sample/rings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long to let the rings fill: less when one is filling fast. */
#define POLL_MS       10
#define POLL_NS       10000000
#define POLL_FAST_NS  1000000
#define POLL_EARLY_NS 500000
#define FILLING_FAST  0.2

/* What sampling the program may cost: a share of one core. */
#define SAMPLING_BUDGET 0.02

/* Inferences are committed by so many, or after so long. */
#define FLUSH_COUNT 1000
#define FLUSH_NS    200000000

/* Where operators are recorded: 16 MB a process.  A model's first inference
 * that is looked into describes all of them at once. */
#define RECORDS_FOR_OPS (1 << 18)

struct session_state {
    struct store *store;
    struct trace *trace;
    struct rings *rings;
    struct recording *recording; /* or NULL */
    uint64_t start_ns;
    uint64_t flushed_ns;
    uint64_t operators; /* seen */
    struct session_outcome *out;
    struct absence seen;
    struct push *push; /* or NULL */
};

/* --- from the rings through the trace to the store ------------------------ */

static void came(void *to, const struct ring_owner *o)
{
    struct session_state *s = to;
    uint32_t id = trace_process(s->trace, o->parent, o->start_ns);

    struct process p = {
        .id = id,
        .pid = o->pid,
        .parent = o->parent,
        .start_ns = o->start_ns > s->start_ns ? o->start_ns - s->start_ns : 0,
        .program = o->program,
    };

    s->seen.processes++;
    store_add_process(s->store, &p);
    push_process(s->push, &p);
}

static void gone(void *to, const struct ring_owner *o)
{
    struct session_state *s = to;

    struct process p = {
        .id = o->number,
        .hook_ns = o->hook_ns,
        .lost = o->lost,
        .untimed = o->untimed,
        .torn = o->torn,
    };

    store_end_process(s->store, &p);
    push_process(s->push, &p);
}

static void record(void *to, uint32_t owner, const struct record *r)
{
    struct session_state *s = to;

    trace_take(s->trace, owner, r);
}

static void library(void *to, const struct library *l)
{
    struct session_state *s = to;

    *(l->version ? &s->seen.libraries : &s->seen.static_libraries) += 1;
    store_add_library(s->store, l);
    push_library(s->push, l);
}

static void language(void *to, uint32_t id, const char *name)
{
    store_add_language(((struct session_state *)to)->store, id, name);
}

static void made_session(void *to, const struct session *x)
{
    struct session_state *s = to;

    s->seen.sessions++;
    s->seen.sessions_failed += x->error != NULL;
    store_add_session(s->store, x);
    push_session(s->push, x);
}

static void session_end(void *to, uint32_t id, uint64_t time_ns)
{
    store_add_session_end(((struct session_state *)to)->store, id, time_ns);
}

static uint64_t inference(void *to, const struct inference *i)
{
    struct session_state *s = to;
    uint64_t number = store_add_inference(s->store, i);

    s->out->inferences++;
    push_inference(s->push, i, number);
    return number;
}

static void found_operator(void *to, const struct operator* o)
{
    struct session_state *s = to;

    s->operators++;
    store_add_operator(s->store, o);
}

static void ran_operator(void *to, const struct operator_run *r)
{
    store_add_operator_run(((struct session_state *)to)->store, r);
}

/* Only files that lie in the folder of the rings: the name was told by somebody
 * else's process. */
static void read_file(void *to, const char *path,
        void (*feed)(void *to, const void *bytes, size_t len), void *reader)
{
    struct session_state *s = to;
    size_t len = strlen(rings_folder(s->rings));
    char bytes[65536];
    ssize_t n;

    if (strncmp(path, rings_folder(s->rings), len) != 0 || path[len] != '/' ||
            strchr(path + len + 1, '/'))
        return;

    /* Without waiting, if somebody put a pipe there. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return;
    while ((n = read(fd, bytes, sizeof(bytes))) > 0)
        feed(reader, bytes, (size_t)n);
    (void)close(fd);
    (void)unlink(path);
}

static void section(void *to, const struct section *x)
{
    struct session_state *s = to;

    store_add_section(s->store, x);
    push_section(s->push, x);
}

static void token(void *to, const struct token *t)
{
    store_add_token(((struct session_state *)to)->store, t);
}

static void mark(void *to, const struct note *n)
{
    store_add_mark(((struct session_state *)to)->store, n);
}

static void thread(void *to, const struct note *n)
{
    store_add_thread(((struct session_state *)to)->store, n);
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

/* A program built with gcc's AddressSanitizer refuses to start when anything
 * was loaded before its runtime, unless it is told not to look. */
static const char *asan_options(struct buf *out)
{
    const char *already = getenv("ASAN_OPTIONS");

    if (already && *already)
        buf_printf(out, "%s:", already);
    buf_text(out, "verify_asan_link_order=0");
    return buf_cstr(out);
}

static int start_child(struct child **out, const struct session_state *s,
        const struct session_plan *plan, const struct program *program,
        struct error *e)
{
    uint64_t ring_records = plan->ring_records;
    uint32_t ticks_per_us = rings_ticks_per_us(s->rings);
    char records[24], ticks[24];
    struct buf libraries = { 0 }, asan = { 0 };

    if (!ring_records && plan->ops && strcmp(plan->ops, "off") != 0)
        ring_records = RECORDS_FOR_OPS;
    (void)snprintf(records, sizeof(records), "%llu",
            (unsigned long long)ring_records);
    (void)snprintf(ticks, sizeof(ticks), "%u", ticks_per_us);

    int rc = child_start(out, plan->argv,
            (struct child_variable[]){
                    { "LD_PRELOAD", preload(&libraries, plan->hook, program) },
                    { "ASAN_OPTIONS", asan_options(&asan) },
                    { "ORTMETER_DIR", rings_folder(s->rings) },
                    { "ORTMETER_RING", ring_records ? records : NULL },
                    { "ORTMETER_TICKS", ticks_per_us ? ticks : NULL },
                    { "ORTMETER_OPS", plan->ops },
                    { 0 },
            },
            e);
    buf_release(&libraries);
    buf_release(&asan);
    return rc;
}

static int begin_run(struct session_state *s, const struct session_plan *plan,
        struct error *e)
{
    struct buf command = { 0 }, machine = { 0 };
    struct json j = json_line_into(&machine);
    struct host_info host;
    char directory[4096];

    host_read(&host, "");
    host_json(&j, NULL, &host);
    command_text(&command, plan->argv);
    s->start_ns = mono_ns();
    s->out->run = (struct run){
        .started_wall_ns = wall_ns(),
        .start_mono_ns = s->start_ns,
        .meter_pid = own_pid(),
        .command = buf_cstr(&command),
        .directory = getcwd(directory, sizeof(directory)),
        .tags = plan->tags,
        .host = buf_cstr(&machine),
        .version = ORTMETER_VERSION,
    };

    int rc = store_begin_run(s->store, &s->out->run, e);

    if (!rc)
        push_begin(s->push, &s->out->run);
    buf_release(&command);
    buf_release(&machine);
    return rc;
}

/* --- while it runs, and after --------------------------------------------- */

static void flush(struct session_state *s, bool now)
{
    if (!now && store_waiting(s->store) < FLUSH_COUNT &&
            mono_ns() - s->flushed_ns < FLUSH_NS)
        return;
    s->flushed_ns = mono_ns();
    if (!s->out->record_failed && store_flush(s->store, &s->out->why))
        s->out->record_failed = true;
}

/* A program that ended at once, or a machine that tells nothing: then there is
 * nothing to sample, which is no reason to stop. */
static void begin_sampling(struct session_state *s, struct child *child,
        const struct session_plan *session)
{
    double hz = session->hz;
    struct recording_plan plan = {
        .store = s->store,
        .start_ns = s->start_ns,
        .pid = child_pid(child),
        .hz = hz,
        .budget = SAMPLING_BUDGET,
        .push = s->push,
        .energy = session->energy,
    };

    if (hz > 0 && recording_open(&s->recording, &plan, NULL) == 0)
        sleep_sharply();
}

/* When to wake up next: for the rings, or for the samplers. */
static uint64_t next_ns(const struct session_state *s, uint64_t poll_ns)
{
    uint64_t sample_ns =
            s->recording ? recording_next_ns(s->recording) : UINT64_MAX;

    return sample_ns < poll_ns ? sample_ns : poll_ns;
}

/* The rings are also emptied a little early when we are awake anyway. */
static void tick(struct session_state *s, uint64_t *poll_ns)
{
    uint64_t now_ns = mono_ns();

    if (now_ns + POLL_EARLY_NS >= *poll_ns) {
        bool fast = rings_poll(s->rings) > FILLING_FAST;

        *poll_ns = now_ns + (fast ? POLL_FAST_NS : POLL_NS);
        flush(s, false);
        push_tick(s->push, mono_ns());
    }
    if (s->recording)
        recording_step(s->recording);
}

static void watch(struct session_state *s, struct child *child)
{
    uint64_t poll_ns = mono_ns() + POLL_FAST_NS;
    struct child_end end;

    while (!child_ends_by(child, next_ns(s, poll_ns)))
        tick(s, &poll_ns);
    if (s->recording)
        recording_finish(s->recording);
    while (!child_wait(child, POLL_MS, &end))
        ;
    s->out->run.ended = true;
    s->out->run.exit_code = end.exit_code;
    s->out->run.signal = end.signal;
    s->out->run.peak_rss_bytes = end.peak_rss_bytes;
    s->out->run.user_cpu_ns = end.user_cpu_ns;
    s->out->run.system_cpu_ns = end.system_cpu_ns;
    s->out->run.duration_ns = mono_ns() - s->start_ns;
}

/* Why nothing was seen, what was left out, why recording stopped. */
static void take_notes(struct session_state *s, struct buf *out, size_t alive)
{
    s->seen.failed = s->out->run.signal || s->out->run.exit_code;
    if (!s->out->inferences)
        absence_explain(out, &s->seen);
    if (alive)
        buf_printf(out,
                "%s%zu of its processes still run; what they do from now on is "
                "not recorded.",
                out->len ? " " : "", alive);
    if (s->out->record_failed)
        buf_printf(out, "%sRecording stopped early: %s.", out->len ? " " : "",
                s->out->why.text);
}

/* --- what operators read from each other, as the model's file has it ------ */

struct edging {
    struct session_state *session;
    struct operators operators;
};

static void add_edge(void *to, const struct operator_edge *x)
{
    store_add_operator_edge(((struct edging *)to)->session->store, x);
}

/* A file that is gone by now, or is no model of ours, has no edges to tell. */
static void add_session_edges(void *to, const struct session *x)
{
    struct edging *edging = to;

    if (x->model)
        (void)fusion_edges(&edging->operators, x->id, x->model, add_edge,
                edging, NULL);
}

static void add_edges(struct session_state *s)
{
    struct edging edging = { .session = s };

    if (s->operators && !operators_read_names(&edging.operators, s->store,
                                s->out->run.row, NULL))
        (void)store_each_session(s->store, s->out->run.row, add_session_edges,
                &edging, NULL);
    operators_release(&edging.operators);
}

static void end_run(struct session_state *s)
{
    struct run *run = &s->out->run;
    struct buf note = { 0 };
    struct error why;

    rings_look(s->rings);
    (void)rings_poll(s->rings);

    size_t alive = rings_alive(s->rings);

    s->seen.unreadable = rings_odd(s->rings) > 0;
    s->seen.refused = rings_refused(s->rings);
    rings_close(s->rings);
    s->rings = NULL;
    flush(s, true);
    add_edges(s);
    if (s->recording && !s->out->record_failed)
        recording_keep_energy(s->recording, run);
    flush(s, true);
    take_notes(s, &note, alive);
    push_end(s->push, run, &note);
    run->note = note.len ? buf_cstr(&note) : NULL;
    run->status = s->out->record_failed ? RUN_FAILED : RUN_COMPLETE;
    run->meter_cpu_ns = own_cpu_ns();
    run->meter_rss_bytes = own_peak_rss_bytes();
    if (store_end_run(s->store, run, &why) && !s->out->record_failed) {
        s->out->record_failed = true;
        s->out->why = why;
    }
    run->note = run->command = run->directory = run->host = NULL;
    buf_release(&note);
}

int session_run(struct session_outcome *out, struct store *store,
        const struct session_plan *plan, struct error *e)
{
    struct session_state s = { .store = store, .out = out, .push = plan->push };
    struct program program;
    struct child *child = NULL;
    char path[4096];

    *out = (struct session_outcome){ 0 };
    program_look(&program, plan->argv[0], path, sizeof(path));
    s.seen.name = plan->argv[0];
    s.seen.kind = program.kind;
    s.seen.privileged = program.privileged;

    int rc = rings_open(&s.rings,
            &(struct rings_sink){ &s, came, record, gone }, e);

    if (!rc)
        rc = begin_run(&s, plan, e);
    if (!rc && (rc = start_child(&child, &s, plan, &program, e)))
        store_cancel_run(store);
    if (!rc) {
        s.trace = trace_new(&(struct trace_sink){ .context = &s,
                                    .library = library,
                                    .language = language,
                                    .session = made_session,
                                    .session_end = session_end,
                                    .inference = inference,
                                    .found_operator = found_operator,
                                    .ran_operator = ran_operator,
                                    .read_file = read_file,
                                    .section = section,
                                    .token = token,
                                    .mark = mark,
                                    .thread = thread },
                s.start_ns);
        push_start(s.push);
        begin_sampling(&s, child, plan);
        watch(&s, child);
        end_run(&s);
    }
    recording_close(s.recording);
    trace_free(s.trace);
    child_close(child);
    rings_close(s.rings);
    return rc;
}
