#include "cmd/metered.h"

#include "analyse/generation/token_rows.h"
#include "analyse/latency_sums.h"
#include "analyse/operators/save_operators.h"
#include "analyse/run_figures.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "cmd/cli/database.h"
#include "cmd/cli/settings.h"
#include "cmd/cli/source.h"
#include "collect/collector.h"
#include "energy/save.h"
#include "live/activity.h"
#include "live/control_socket.h"
#include "live/loop.h"
#include "live/rollup.h"
#include "os/clock.h"
#include "os/path.h"
#include "push/push.h"
#include "store/subscriber.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METER_OFFSET_MOST_S 86400

/* What sampling the program may cost: a share of one core. */
#define SAMPLING_BUDGET 0.02

/* Who is served reads the database: so rows are written sooner. */
#define SERVED_FLUSH_NS 40000000
/* And at every look at the rings where somebody waits for it; who is told that
 * there is something new, or at least so often that we are well. */
#define HEARD_FLUSH_NS 9000000
#define HEARTBEAT_NS   250000000

static int check_store(const struct metered_settings *s, struct error *e)
{
    struct address a;
    int rc = source_address(&a, s->store, e);

    address_release(&a);
    return rc < 0 ? rc : 0;
}

static double meter_offset_s(const struct metered_settings *s)
{
    double seconds = 0;

    if (s->meter_offset && str_f64(&seconds, str_of(s->meter_offset)))
        return NAN;
    return seconds;
}

static int check_meter(const struct metered_settings *s, struct error *e)
{
    if (s->meter && strcmp(s->meter, "-") != 0 &&
            !str_starts(str_of(s->meter), "tcp:") &&
            path_readable("%s", s->meter))
        return fail(e, -EINVAL,
                "--meter takes a file, a pipe or tcp:HOST:PORT; %s cannot be "
                "read",
                s->meter);
    if (s->meter_offset && !s->meter)
        return fail(e, -EINVAL, "--meter-offset is nothing without --meter");
    if (!(fabs(meter_offset_s(s)) <= METER_OFFSET_MOST_S))
        return fail(e, -EINVAL,
                "--meter-offset takes seconds, at most a day either way, not "
                "'%s'",
                s->meter_offset);
    return 0;
}

int metered_check(const struct metered_settings *s, struct error *e)
{
    if (s->buffer && (s->buffer < 64 || s->buffer > 1 << 24 ||
                             (s->buffer & (s->buffer - 1))))
        return fail(e, -EINVAL,
                "--buffer takes a power of 2 from 64 to 16777216, not %llu",
                (unsigned long long)s->buffer);
    if (s->hz > 10000)
        return fail(e, -EINVAL, "--rate takes at most 10000 Hz, not %g", s->hz);
    if (!control_is_ops(str_of(s->ops)))
        return fail(e, -EINVAL,
                "--ops takes off, auto, all or a number from 1 to %d, not "
                "'%.64s'",
                CONTROL_OPS_MAX, s->ops);
    if (s->stats && strcmp(s->ops, "off") == 0)
        return fail(e, -EINVAL,
                "--stats looks at the operators' outputs: it needs --ops auto, "
                "all or a number");
    if (check_meter(s, e))
        return -EINVAL;
    for (int i = 0; i < s->tags.count; i++)
        if (strchr(s->tags.item[i], ','))
            return fail(e, -EINVAL, "a tag has no comma: --tag '%s'",
                    s->tags.item[i]);
    int rc = check_store(s, e);

    if (!rc)
        rc = push_options_check(&s->push, e);
    return rc ? rc
              : alarm_check(&s->alarm,
                        (struct alarm_sight){ .inferences = true,
                                .samples = s->hz > 0 },
                        e);
}

static void join_tags(struct buf *out, const struct option_texts *tags)
{
    for (int i = 0; i < tags->count; i++)
        buf_printf(out, "%s%s", i ? "," : "", tags->item[i]);
}

static int open_database(struct store **out, const struct metered_settings *s,
        struct error *e)
{
    return database_open_as(out, &s->database, STORE_WRITE, e);
}

/* The recording has a connection to the database of its own: the one is never
 * held up by the other. */
static int start_shipper(struct metered *m, const struct metered_settings *s,
        struct error *e)
{
    struct store *store = NULL;
    struct address a;
    int rc = source_address(&a, s->store, e);

    if (rc <= 0)
        return rc;
    rc = open_database(&store, s, e);
    if (!rc)
        rc = shipper_start(&m->shipper, store, &a, e);
    address_release(&a);
    return rc;
}

/* --- the program ---------------------------------------------------------- */

/* All that has a part in a run, while it goes on. */
struct recording {
    struct collector *collector;
    struct loop *loop; /* NULL: nothing is sampled */
    struct energy_meter *meter;
    struct activity *activity; /* NULL, as the loop */
    struct rollups *rollups;
    struct latency_sums *sums;
    struct push *push;   /* or NULL */
    struct alarm *alarm; /* the same */
    struct store_subscriber store;
    struct subscriber active, rollup, summed, pushed, energy, raised, news, to;
    struct subscribers all;
    struct energy_plan plan;
    bool knows_energy; /* a source told of it, or it is to be modelled */
    char hook[PATH_MAX];
    struct buf tags;
    struct controls *controls;
    struct control_socket *socket; /* NULL: there is no place for one */
    uint64_t flush_ns;             /* how long rows wait when nobody listens */
    uint64_t told_flush_ns, told_ns;
};

static void recording_free(struct recording *r)
{
    if (!r)
        return;
    control_socket_close(r->socket);
    controls_free(r->controls);
    energy_meter_close(r->meter);
    activity_free(r->activity);
    loop_close(r->loop);
    rollups_free(r->rollups);
    latency_sums_free(r->sums);
    collector_close(r->collector);
    push_free(r->push);
    alarm_free(r->alarm);
    buf_release(&r->tags);
    free(r);
}

static void look_for_energy(void *to, const struct reading_list *list)
{
    struct recording *r = to;

    for (size_t i = 0; i < list->count && !r->knows_energy; i++)
        r->knows_energy =
                metric_is_energy((enum metric_id)list->items[i].metric);
}

/* --- how it is recorded ---------------------------------------------------
 *
 * Kept beside the run, for those who ask what its figures are worth. */

static void keep_setting(struct store *s, const char *name, const char *value)
{
    store_add_setting(s, &(struct setting){ name, value });
}

static void keep_settings(struct store *store, const struct metered_settings *s)
{
    char number[32];

    keep_setting(store, "ops", s->ops);
    keep_setting(store, "energy", energy_mode_names[s->energy]);
    (void)snprintf(number, sizeof(number), "%g", s->hz);
    keep_setting(store, "rate_hz", number);
    (void)snprintf(number, sizeof(number), "%llu",
            (unsigned long long)s->stats);
    keep_setting(store, "stats", number);
}

static void keep_rates(struct recording *r)
{
    struct sampling *s = r->loop ? loop_sampling(r->loop) : NULL;

    for (size_t i = 0; s && i < sampling_source_count(s); i++) {
        const struct sampling_source *x = sampling_source_at(s, i);
        double effective = sampling_effective_hz(x);

        store_add_sampler_rate(r->store.store,
                &(struct sampler_rate){
                        .name = x->sampler->name,
                        .wanted_hz = x->wanted_hz,
                        .hz = x->hz,
                        .effective_hz = effective > 0 ? effective : NAN,
                        .reads = x->reads,
                        .missed = x->missed,
                        .reason = x->rc ? x->why.text : NULL,
                });
    }
}

/* What is computed from a run and kept beside it.  What cannot be told is no
 * reason to stop. */
static void derive(void *to, struct run *run)
{
    struct recording *r = to;
    struct store *store = r->store.store;

    keep_rates(r);
    (void)token_rows_keep(store, run->row, NULL);
    if (r->knows_energy)
        (void)energy_save(store, run, NULL);
    (void)save_operators(store, run, NULL);
}

/* Behind the store: what it has committed can be read by others. */
static void tell_news(void *to, const uint64_t *now_ns)
{
    struct recording *r = to;
    bool heard = control_socket_is_heard(r->socket);

    r->store.flush_ns = heard ? HEARD_FLUSH_NS : r->flush_ns;
    if (!heard || (r->store.flushed_ns == r->told_flush_ns &&
                          *now_ns - r->told_ns < HEARTBEAT_NS))
        return;
    r->told_flush_ns = r->store.flushed_ns;
    r->told_ns = *now_ns;
    control_socket_tell(r->socket);
}

/* Those come first that have something to tell at the end.  `active` is filled
 * when there is a loop. */
static void subscribe(struct recording *r, const struct metered_settings *s)
{
    r->to = subscriber_to_all(&r->all);
    r->rollups = rollups_new(&r->to);
    r->rollup = rollups_subscriber(r->rollups);
    subscribers_add(&r->all, &r->active);
    subscribers_add(&r->all, &r->rollup);
    r->energy = (struct subscriber){ .context = r, .changes = look_for_energy };
    subscribers_add(&r->all, &r->energy);
    r->sums = latency_sums_new(r->store.store);
    r->summed = latency_sums_subscriber(r->sums);
    subscribers_add(&r->all, &r->summed);
    subscribers_add(&r->all, &r->store.to);
    r->raised = alarm_subscriber(r->alarm);
    subscribers_add(&r->all, &r->raised);
    if (r->push) {
        r->pushed = push_subscriber(r->push);
        subscribers_add(&r->all, &r->pushed);
    }
    if (s->also)
        subscribers_add(&r->all, s->also);
    r->news = (struct subscriber){ .context = r, .tick = tell_news };
    subscribers_add(&r->all, &r->news);
}

/* A program that ended at once, or a machine that tells nothing: then there is
 * nothing to sample, which is no reason to stop. */
static void begin_sampling(struct recording *r, double hz)
{
    uint64_t pid = collector_pid(r->collector);
    struct sampling_rate rates[ENERGY_SAMPLERS_MAX];
    struct target_plan targets = {
        .pids = &pid,
        .pid_count = 1,
        .children = true,
    };
    struct sampling_plan sampling = {
        .targets = &targets,
        .hz = hz,
        .budget = SAMPLING_BUDGET,
        .rates = rates,
        .rate_count = energy_rates(rates, &r->plan),
    };

    uint64_t start_ns = collector_run(r->collector)->start_mono_ns;

    if (hz <= 0 || loop_open(&r->loop,
                           &(struct loop_plan){
                                   .sampling = &sampling,
                                   .to = &r->to,
                                   .start_ns = start_ns,
                                   .shares_thread = true,
                           },
                           NULL))
        return;
    r->meter = energy_record(r->loop, &r->plan);
    r->activity = activity_new(r->loop, start_ns);
    r->active = activity_subscriber(r->activity);
    keep_rates(r);
}

static int open_collector(struct recording *r, const struct metered_settings *s,
        char *const *argv, struct error *e)
{
    join_tags(&r->tags, &s->tags);
    return collector_open(&r->collector,
            &(struct collector_plan){
                    .argv = argv,
                    .shown = s->shown,
                    .pid = s->pid,
                    .until = s->until,
                    .folder = s->folder,
                    .hook = r->hook,
                    .tags = r->tags.len ? buf_cstr(&r->tags) : NULL,
                    .ops = s->ops,
                    .keeps_timelines = s->timelines,
                    .stats = s->stats,
                    .ring_records = s->buffer,
                    .keeps_streams = s->keeps_streams,
                    .output = s->output,
                    .waits = s->wait.given,
                    .wait_s = s->wait.number,
            },
            e);
}

/* Lets others steer the run.  Where there is no place for a socket nobody can,
 * which is no reason to stop. */
static void open_socket(struct recording *r, const struct metered_settings *s)
{
    struct control now = { .rate_hz = r->loop ? s->hz : 0 };
    struct error e = { 0 };
    uint64_t every = 0;

    (void)snprintf(now.ops, sizeof(now.ops), "%s", s->ops);
    if (str_u64(&every, str_of(s->ops)) == 0)
        (void)snprintf(now.ops, sizeof(now.ops), "%u", (unsigned)every);
    r->controls = controls_new(&now, s->may_stop);
    if (control_socket_open(&r->socket, collector_run(r->collector)->id,
                r->controls, &e) &&
            s->serving.on)
        (void)fprintf(stderr, "ortmeter: the run cannot be controlled: %s\n",
                e.text);
}

static int open_alarm(struct recording *r, const struct metered_settings *s,
        struct error *e)
{
    const struct run *run = collector_run(r->collector);

    return alarm_open(&r->alarm,
            &(struct alarm_plan){
                    .settings = &s->alarm,
                    .run_id = run->id,
                    .zero_wall_ns = run->started_wall_ns,
                    .to = &r->to,
            },
            e);
}

/* `well` is whether the program could run without us. */
static int start(struct recording *r, const struct metered_settings *s,
        struct store *store, bool *well, struct error *e)
{
    int rc = store_begin_run(store, collector_run(r->collector), e);

    *well = rc != 0;
    if (rc)
        return rc;
    store_subscribe(&r->store, store);
    if (s->serving.on)
        r->store.flush_ns = SERVED_FLUSH_NS;
    r->flush_ns = r->store.flush_ns;
    r->store.derive = derive;
    r->store.derive_context = r;
    r->plan = (struct energy_plan){
        .mode = (enum energy_mode)s->energy,
        .given = s->watts,
        .meter = s->meter,
        .meter_offset_given = s->meter_offset != NULL,
        .meter_offset_s = meter_offset_s(s),
    };
    rc = open_alarm(r, s, e);
    if (!rc) {
        subscribe(r, s);
        keep_settings(store, s);
        rc = collector_start(r->collector, &r->all, e);
    }
    if (rc)
        store_cancel_run(store);
    else
        begin_sampling(r, s->hz);
    if (!rc)
        open_socket(r, s);
    r->knows_energy = r->loop && r->plan.mode == ENERGY_MODEL;
    return rc;
}

int metered_start(struct metered *out, const struct metered_settings *s,
        char *const *argv, struct error *e)
{
    struct recording *r = alloc_zero(1, sizeof(*r));
    bool well = true;
    int rc = 0;

    *out = (struct metered){ 0 };
    if (settings_hook_path(r->hook, sizeof(r->hook)))
        rc = fail(e, -ENOENT,
                "libortmeter.so is neither beside ortmeter nor in its ../lib: "
                "build or install it");
    if (!rc)
        rc = open_database(&out->store, s, e);
    if (!rc) {
        well = false;
        rc = start_shipper(out, s, e);
    }
    if (!rc)
        rc = push_options_open(&r->push, &s->push, e);
    if (!rc) {
        well = true;
        rc = open_collector(r, s, argv, e);
    }
    if (!rc)
        rc = start(r, s, out->store, &well, e);
    out->running = r;
    if (rc) {
        struct shipper_outcome nothing;

        recording_free(r);
        shipper_stop(out->shipper, 0, mono_ns() + SHIPPER_LAST_NS, &nothing);
        store_close(out->store);
        *out = (struct metered){ .outcome.program_is_well = well };
    }
    return rc;
}

void metered_follow(struct metered *m)
{
    struct recording *r = m->running;

    loop_run(r->loop, r->collector, r->controls);

    struct run *run = collector_run(r->collector);

    run->note = run->command = run->directory = run->host = run->tags = NULL;
    m->outcome = (struct metered_outcome){
        .run = *run,
        .inferences = r->store.inferences,
        .kept = r->store.kept,
        .record_failed = r->store.failed,
        .why = r->store.why,
        .alerts = alarm_count(r->alarm),
        .sending_ns = push_last_ns(r->push),
    };
}

uint32_t metered_pid(const struct metered *m)
{
    return collector_pid(m->running->collector);
}

const char *metered_folder(const struct metered *m)
{
    return collector_folder(m->running->collector);
}

const char *metered_id(const struct metered *m)
{
    return collector_run(m->running->collector)->id;
}

void metered_stop(struct metered *m)
{
    collector_stop(m->running->collector);
}

/* The outer one's hook leaves a program alone that another meter starts. */
static void tell_of_outer(void)
{
    if (getenv("ORTMETER_DIR"))
        (void)fprintf(stderr, "ortmeter: this meter runs inside another one, "
                              "which does not see the program\n");
}

int metered_run(struct metered *out, const struct metered_settings *s,
        char *const *argv, struct error *e)
{
    struct serving *serving = NULL;
    int rc = 0;

    tell_of_outer();
    if (s->serving.on)
        rc = serving_start(&serving, &s->serving, &s->database, NULL, e);
    if (rc) {
        *out = (struct metered){ .outcome.program_is_well = true };
        return rc;
    }
    rc = metered_start(out, s, argv, e);
    if (rc)
        serving_stop(serving);
    if (!rc) {
        out->serving = serving;
        metered_follow(out);
        recording_free(out->running);
        out->running = NULL;
    }
    return rc;
}

void metered_close(struct metered *m, const char *verb)
{
    recording_free(m->running);
    serving_settle(m->serving);
    serving_stop(m->serving);

    struct shipper_outcome sent;
    uint64_t left_ns = shipper_left_ns(m->outcome.sending_ns);

    if (m->shipper)
        (void)run_figures_complete(m->store, NULL); /* they go with it */
    shipper_stop(m->shipper, m->outcome.run.row, mono_ns() + left_ns, &sent);
    if (sent.failed)
        (void)fprintf(stderr,
                "ortmeter %s: %s; the run is kept and is sent with the next, "
                "or by 'ortmeter ship'\n",
                verb, sent.why.text);
    store_close(m->store);
    *m = (struct metered){ 0 };
}
