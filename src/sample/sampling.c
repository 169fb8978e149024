#include "sample/sampling.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/host.h"
#include "sample/schedule.h"
#include "sample/spending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

/* Readings of one tick: 20 processes have some 800.  It grows between ticks
 * when it is half full. */
#define BATCH_CAP 8192

/* More than this is not held for long. */
#define HELD_MUCH 16384

/* How often to look for processes that come and go: every look reads a line of
 * each process of the machine, unless all were named by their pids. */
#define LOOK_HZ      10
#define LOOK_MUCH_HZ 2

/* However little may be spent, something is read now and then. */
#define LEAST_HZ 0.1
/* What is usually read so often follows the wished rate upwards. */
#define USUAL_HZ 100.0

#define MOST_HZ 10000.0

struct reader {
    struct sampling_source source;
    void *state;
    bool has_own_rate;
};

/* What every tick needs comes first and lies together. */
struct sampling {
    struct schedule schedule; /* of the readers, and of the look */
    struct spending spending;
    struct reading *readings; /* those that are held, and the batch's */
    size_t cap, held;
    struct batch batch;
    size_t look;
    double look_hz;
    struct subjects *subjects;
    struct targets *targets;
    size_t readers;
    struct reader reader[SAMPLING_SOURCES_MAX];
};

/* --- rates ---------------------------------------------------------------- */

static double scaled(double wanted_hz, double scale)
{
    double hz = wanted_hz * scale;
    double least = wanted_hz < LEAST_HZ ? wanted_hz : LEAST_HZ;

    return hz > least ? hz : least;
}

static void apply_scale(struct sampling *s, uint64_t now_ns)
{
    double scale = s->spending.control.scale;

    for (size_t i = 0; i < s->readers; i++) {
        struct reader *r = &s->reader[i];

        if (r->source.rc || r->source.wanted_hz <= 0)
            continue;
        r->source.hz = scaled(r->source.wanted_hz, scale);
        schedule_change(&s->schedule, i, r->source.hz, now_ns);
    }
    if (s->targets)
        schedule_change(&s->schedule, s->look, scaled(s->look_hz, scale),
                now_ns);
}

static double usual_hz(const struct sampler *x, double hz)
{
    double wanted = x->default_hz;

    if (hz > 0 && (x->default_hz >= USUAL_HZ || hz < wanted))
        wanted = hz;
    return x->most_hz > 0 && wanted > x->most_hz ? x->most_hz : wanted;
}

static void wish_rate(struct reader *r, const struct sampling_plan *plan)
{
    const struct sampler *x = r->source.sampler;

    r->source.wanted_hz = usual_hz(x, plan->hz);
    for (size_t i = 0; i < plan->rate_count; i++)
        if (strcmp(plan->rates[i].name, x->name) == 0) {
            double hz = plan->rates[i].hz;

            r->has_own_rate = true;
            r->source.wanted_hz =
                    x->most_hz > 0 && hz > x->most_hz ? x->most_hz : hz;
        }
}

void sampling_change_rate(struct sampling *s, double hz)
{
    for (size_t i = 0; i < s->readers; i++)
        if (!s->reader[i].has_own_rate)
            s->reader[i].source.wanted_hz =
                    usual_hz(s->reader[i].source.sampler, hz);
    apply_scale(s, mono_ns());
}

void sampling_resume(struct sampling *s)
{
    uint64_t now_ns = mono_ns();

    for (size_t i = 0; i < s->readers; i++)
        if (!s->reader[i].source.rc)
            schedule_start(&s->schedule, i, s->reader[i].source.hz, now_ns);
    if (s->targets)
        schedule_start(&s->schedule, s->look, s->look_hz, now_ns);
    apply_scale(s, now_ns);
}

static int check_rates(const struct sampling_plan *plan,
        const struct sampler *const *table, struct error *e)
{
    if (plan->hz < 0 || plan->hz > MOST_HZ)
        return fail(e, -EINVAL, "a rate is at most %g Hz, not %g", MOST_HZ,
                plan->hz);
    for (size_t i = 0; i < plan->rate_count; i++) {
        const struct sampler *const *x = table;

        while (*x && strcmp((*x)->name, plan->rates[i].name) != 0)
            x++;
        if (!*x)
            return fail(e, -EINVAL, "there is no sampler '%s'",
                    plan->rates[i].name);
        if (plan->rates[i].hz < 0 || plan->rates[i].hz > MOST_HZ)
            return fail(e, -EINVAL, "a rate is at most %g Hz, not %g", MOST_HZ,
                    plan->rates[i].hz);
    }
    return 0;
}

/* --- opening and closing -------------------------------------------------- */

static void open_reader(struct sampling *s, const struct sampler *x,
        const struct sampling_plan *plan, const struct sample_context *context)
{
    struct reader *r = &s->reader[s->readers++];

    (void)schedule_add(&s->schedule);
    r->source.sampler = x;
    wish_rate(r, plan);
    r->state = alloc_zero(1, x->state_size ? x->state_size : 1);
    if (r->source.wanted_hz <= 0)
        r->source.rc = fail(&r->source.why, -ECANCELED, "switched off");
    else
        r->source.rc = x->open(r->state, context, &r->source.why);
}

static void open_readers(struct sampling *s, const struct sampler *const *table,
        const struct sampling_plan *plan, const char *root)
{
    struct host_info host;
    struct sample_context context = {
        .root = root,
        .host = &host,
        .subjects = s->subjects,
        .targets = s->targets,
        .costly = plan->costly,
    };

    host_read(&host, root);
    for (size_t i = 0; i < SAMPLING_SOURCES_MAX && table[i]; i++)
        open_reader(s, table[i], plan, &context);
}

static int open_targets(struct sampling *s, const struct sampling_plan *plan,
        const char *root, struct error *e)
{
    if (!plan->targets)
        return 0;
    s->look_hz = plan->targets->name_count || plan->targets->children
                         ? LOOK_MUCH_HZ
                         : LOOK_HZ;
    return targets_open(&s->targets, root, plan->targets, s->subjects, e);
}

static const char *host_name(char *out, size_t cap, const char *root)
{
    int len = file_read(out, cap - 1, "%s/proc/sys/kernel/hostname", root);

    out[len > 0 ? len : 0] = 0;
    out[strcspn(out, "\n")] = 0;
    return out;
}

static void begin(struct sampling *s, const struct sampling_plan *plan)
{
    uint64_t now_ns = mono_ns();

    /* All begin together, so that ticks coincide where rates allow it. */
    for (size_t i = 0; i < s->readers; i++)
        if (!s->reader[i].source.rc)
            schedule_start(&s->schedule, i, s->reader[i].source.wanted_hz,
                    now_ns);
    s->look = schedule_add(&s->schedule);
    if (s->targets)
        schedule_start(&s->schedule, s->look, s->look_hz, now_ns);
    spending_begin(&s->spending, plan->budget,
            plan->cpu_ns ? plan->cpu_ns : thread_cpu_ns, now_ns);
    apply_scale(s, now_ns);
}

int sampling_open(struct sampling **out, const struct sampling_plan *plan,
        struct error *e)
{
    const struct sampler *const *table =
            plan->table ? plan->table : sampler_table;
    const char *root = plan->root ? plan->root : "";
    int rc = check_rates(plan, table, e);

    if (rc)
        return rc;

    struct sampling *s = alloc_zero(1, sizeof(*s));
    char name[256];

    s->subjects = subjects_new(host_name(name, sizeof(name), root));
    s->cap = BATCH_CAP;
    s->readings = alloc_resize(NULL, s->cap * sizeof(*s->readings));
    rc = open_targets(s, plan, root, e);
    if (rc) {
        sampling_close(s);
        return rc;
    }

    open_readers(s, table, plan, root);
    begin(s, plan);
    *out = s;
    return 0;
}

void sampling_close(struct sampling *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->readers; i++) {
        if (s->reader[i].source.wanted_hz > 0)
            s->reader[i].source.sampler->close(s->reader[i].state);
        free(s->reader[i].state);
    }
    targets_close(s->targets);
    subjects_free(s->subjects);
    free(s->readings);
    spending_end(&s->spending);
    free(s);
}

/* --- ticks ---------------------------------------------------------------- */

uint64_t sampling_next_ns(const struct sampling *s)
{
    return schedule_next_ns(&s->schedule);
}

static void read_one(struct sampling *s, size_t i, uint64_t now_ns)
{
    struct reader *r = &s->reader[i];

    r->source.sampler->read(r->state, &s->batch);
    r->source.reads++;
    r->source.last_ns = now_ns;
    if (!r->source.first_ns)
        r->source.first_ns = now_ns;
    if (!s->spending.metered)
        return;

    uint64_t cost_ns = spending_ask(&s->spending);

    r->source.timed_reads++;
    r->source.timed_ns += cost_ns;
    if (i == s->schedule.fastest)
        s->spending.tick_ns = cost_ns;
}

/* Whether something besides the fastest is read then. */
static bool is_full(const struct sampling *s, uint64_t tick_ns)
{
    uint64_t until_ns = schedule_horizon_ns(&s->schedule, tick_ns);
    size_t due = 0;

    for (size_t i = 0; i < s->schedule.count; i++)
        due += s->schedule.next_ns[i] <= until_ns;
    return due > 1;
}

static void make_room(struct sampling *s)
{
    if ((s->held + s->batch.count) * 2 > s->cap) {
        s->cap *= 2;
        s->readings = alloc_resize(s->readings, s->cap * sizeof(*s->readings));
    }
    s->batch.items = s->readings + s->held;
    s->batch.cap = s->cap - s->held;
    s->batch.count = 0;
}

/* New ones, and those that ended. */
static void look(struct sampling *s, uint64_t now_ns)
{
    if (s->targets)
        targets_look(s->targets, now_ns);
}

static void finish_step(struct sampling *s, uint64_t now_ns)
{
    if (spending_judge(&s->spending, now_ns))
        apply_scale(s, now_ns);

    uint64_t next_ns = sampling_next_ns(s);

    spending_plan(&s->spending, next_ns,
            s->held > HELD_MUCH || is_full(s, next_ns));
}

static const struct batch *step(struct sampling *s, uint64_t now_ns, bool all)
{
    uint64_t until_ns = schedule_horizon_ns(&s->schedule, now_ns);
    struct schedule *plan = &s->schedule;

    make_room(s);
    s->batch.time_ns = now_ns;
    if (all || plan->next_ns[s->look] <= until_ns)
        look(s, now_ns);
    if (plan->next_ns[s->look] <= until_ns)
        (void)schedule_advance(plan, s->look, now_ns);
    spending_tick(&s->spending, all);
    for (size_t i = 0; i < s->readers; i++) {
        bool due = plan->next_ns[i] <= until_ns;

        if (due)
            s->reader[i].source.missed += schedule_advance(plan, i, now_ns);
        if (due || (all && !s->reader[i].source.rc))
            read_one(s, i, now_ns);
    }
    finish_step(s, now_ns);
    return &s->batch;
}

const struct batch *sampling_step(struct sampling *s, uint64_t now_ns)
{
    return step(s, now_ns, false);
}

const struct batch *sampling_read_all(struct sampling *s, uint64_t now_ns)
{
    return step(s, now_ns, true);
}

bool sampling_is_metered(const struct sampling *s)
{
    return s->spending.metered;
}

void sampling_hold(struct sampling *s)
{
    s->held += s->batch.count;
    s->batch.count = 0;
}

struct batch sampling_held(const struct sampling *s)
{
    return (struct batch){ .items = s->readings, .count = s->held };
}

void sampling_drop(struct sampling *s)
{
    s->held = 0;
}

void sampling_forgive(struct sampling *s)
{
    spending_forgive(&s->spending);
}

void sampling_charge(struct sampling *s)
{
    spending_charge(&s->spending);
}

/* --- telling -------------------------------------------------------------- */

struct subjects *sampling_subjects(struct sampling *s)
{
    return s->subjects;
}

struct targets *sampling_targets(struct sampling *s)
{
    return s->targets;
}

size_t sampling_source_count(const struct sampling *s)
{
    return s->readers;
}

const struct sampling_source *sampling_source_at(const struct sampling *s,
        size_t i)
{
    return &s->reader[i].source;
}

double sampling_read_us(const struct sampling_source *x)
{
    return x->timed_reads ? (double)x->timed_ns / (double)x->timed_reads / 1e3
                          : 0;
}

double sampling_effective_hz(const struct sampling_source *x)
{
    return x->reads > 1 && x->last_ns > x->first_ns
                   ? (double)(x->reads - 1) * NS_PER_S /
                             (double)(x->last_ns - x->first_ns)
                   : 0;
}

size_t sampling_change_count(const struct sampling *s)
{
    return s->spending.changes;
}

const struct rate_change *sampling_change_at(const struct sampling *s, size_t i)
{
    return &s->spending.change[i];
}

double sampling_scale(const struct sampling *s)
{
    return s->spending.control.scale;
}
