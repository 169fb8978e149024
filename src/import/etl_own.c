#include "import/etl_own.h"

#include "base/alloc.h"
#include "base/map.h"
#include "etw/event.h"
#include "etw/guid.h"
#include "etw/live/self.h"
#include "import/import.h"
#include "model/phase.h"

#include <stdlib.h>
#include <string.h>

#define OPCODE_STOP 2
#define FIELDS_MAX  16

struct etl_own {
    struct store *store;
    const struct etw_info *info;
    struct etl_processes *processes;
    struct etl_own_tally tally;
    struct map sessions;  /* the trace's number to the run's */
    struct map operators; /* the same, of those that were added */
    /* An operator ends before its inference does, which gets its number then:
     * `inference` is the trace's until that. */
    struct operator_run *waiting;
    size_t waiting_count, waiting_cap;
};

struct fields {
    struct etw_item items[FIELDS_MAX];
    size_t count;
};

struct etl_own *etl_own_new(struct store *s, const struct etw_info *info,
        struct etl_processes *processes)
{
    struct etl_own *o = alloc_zero(1, sizeof(*o));

    o->store = s;
    o->info = info;
    o->processes = processes;
    return o;
}

/* --- fields ----------------------------------------------------------------
 */

static void keep_field(void *context, const struct etw_item *i)
{
    struct fields *f = context;

    if (!i->depth && i->step == ETW_VALUE && f->count < FIELDS_MAX)
        f->items[f->count++] = *i;
}

static const struct etw_item *field(const struct fields *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->items[i].name, name) == 0)
            return &f->items[i];
    return NULL;
}

static uint64_t number(const struct fields *f, const char *name)
{
    const struct etw_item *i = field(f, name);
    int64_t value = 0;

    if (i)
        (void)etw_item_number(i, &value);
    return (uint64_t)value;
}

/* NULL: there is none.  Valid until the next change of `b`. */
static const char *text(struct buf *b, const struct fields *f, const char *name)
{
    const struct etw_item *i = field(f, name);

    buf_clear(b);
    if (i)
        (void)etw_item_text(b, i);
    return b->len ? buf_cstr(b) : NULL;
}

/* --- events ----------------------------------------------------------------
 */

/* When and where it was, by its stop and its duration. */
struct moment {
    uint32_t process, thread;
    uint64_t start_ns, duration_ns;
};

static struct moment moment_of(struct etl_own *o, const struct etw_record *r,
        const struct fields *f)
{
    int64_t ns = etw_trace_ns(o->info, r->time);
    struct moment m = { .thread = r->tid,
        .duration_ns = number(f, "duration_ns") };
    uint64_t end = ns > 0 ? (uint64_t)ns : 0;

    m.start_ns = end > m.duration_ns ? end - m.duration_ns : 0;
    m.process = etl_process_of(o->processes, r->pid);
    return m;
}

static void take_session(struct etl_own *o, const struct etw_record *r,
        const struct fields *f)
{
    struct moment m = moment_of(o, r, f);
    struct buf model = { 0 };
    uint32_t id = (uint32_t)++o->tally.sessions;

    map_put(&o->sessions, number(f, "session"), id);
    store_add_session(o->store, &(struct session){
                                        .id = id,
                                        .process = m.process,
                                        .model = text(&model, f, "model"),
                                        .start_ns = m.start_ns,
                                        .duration_ns = m.duration_ns,
                                        .thread = m.thread,
                                });
    buf_release(&model);
}

/* Those whose inference ended.  Others, of runs beside it, stay. */
static void add_waiting(struct etl_own *o, uint64_t traced, uint64_t id)
{
    size_t kept = 0;

    for (size_t i = 0; i < o->waiting_count; i++) {
        struct operator_run run = o->waiting[i];

        if (run.inference != traced && traced) {
            o->waiting[kept++] = run;
            continue;
        }
        run.inference = id;
        store_add_operator_run(o->store, &run);
        o->tally.operator_runs++;
    }
    o->waiting_count = kept;
}

static void take_inference(struct etl_own *o, const struct etw_record *r,
        const struct fields *f)
{
    struct moment m = moment_of(o, r, f);
    struct buf error = { 0 };
    const uint64_t *session = map_find(&o->sessions, number(f, "session"));
    uint64_t id = store_add_inference(o->store,
            &(struct inference){
                    .session = session ? (uint32_t)*session : 0,
                    .process = m.process,
                    .thread = m.thread,
                    .flags = number(f, "failed") ? FLAG_FAILED : 0,
                    .start_ns = m.start_ns,
                    .duration_ns = m.duration_ns,
                    .error = text(&error, f, "error"),
            });

    o->tally.inferences++;
    if (number(f, "inference"))
        add_waiting(o, number(f, "inference"), id);
    buf_release(&error);
}

static void take_section(struct etl_own *o, const struct etw_record *r,
        const struct fields *f)
{
    struct moment m = moment_of(o, r, f);
    struct buf name = { 0 }, phase = { 0 };
    const char *named = text(&name, f, "name");

    (void)text(&phase, f, "phase");

    uint8_t number_of_phase = 0;

    for (int p = 0; p < PHASES; p++)
        if (phase.len && strcmp(phase_name((enum phase)p), phase.p) == 0)
            number_of_phase = (uint8_t)p;
    store_add_section(o->store, &(struct section){
                                        .process = m.process,
                                        .thread = m.thread,
                                        .phase = number_of_phase,
                                        .name = named ? named : "",
                                        .start_ns = m.start_ns,
                                        .duration_ns = m.duration_ns,
                                });
    buf_release(&name);
    buf_release(&phase);
}

static uint32_t operator_of(struct etl_own *o, const struct fields *f)
{
    const uint64_t *known = map_find(&o->operators, number(f, "operator"));
    const uint64_t *session = map_find(&o->sessions, number(f, "session"));
    struct buf name = { 0 }, type = { 0 }, provider = { 0 };

    if (known)
        return (uint32_t)*known;

    uint32_t id = (uint32_t)++o->tally.operators;

    store_add_operator(o->store,
            &(struct operator){
                    .id = id,
                    .session = session ? (uint32_t)*session : 0,
                    .name = text(&name, f, "name"),
                    .op_type = text(&type, f, "op_type"),
                    .provider = text(&provider, f, "provider"),
                    .node_index = UINT32_MAX,
            });
    map_put(&o->operators, number(f, "operator"), id);
    buf_release(&name);
    buf_release(&type);
    buf_release(&provider);
    return id;
}

static void take_operator(struct etl_own *o, const struct etw_record *r,
        const struct fields *f)
{
    struct moment m = moment_of(o, r, f);

    if (o->waiting_count == o->waiting_cap) {
        o->waiting_cap = o->waiting_cap ? 2 * o->waiting_cap : 64;
        o->waiting =
                alloc_resize(o->waiting, o->waiting_cap * sizeof(*o->waiting));
    }
    o->waiting[o->waiting_count++] = (struct operator_run){
        .inference = number(f, "inference"),
        .operator_id = operator_of(o, f),
        .thread = m.thread,
        .depth = (uint32_t)number(f, "depth"),
        .start_ns = m.start_ns,
        .kernel_ns = m.duration_ns,
        .raw_unknown = true,
        .kernel_known = true,
    };
}

static void take_mark(struct etl_own *o, const struct etw_record *r,
        const struct fields *f)
{
    struct moment m = moment_of(o, r, f);
    struct buf name = { 0 };
    const char *said = text(&name, f, "text");

    store_add_mark(o->store, &(struct note){
                                     .process = m.process,
                                     .thread = m.thread,
                                     .text = said ? said : "",
                                     .time_ns = m.start_ns,
                             });
    o->tally.marks++;
    buf_release(&name);
}

void etl_own_end(struct etl_own *o)
{
    add_waiting(o, 0, 0);
}

void etl_own_take(struct etl_own *o, const struct etw_record *r)
{
    struct etw_self self;
    struct fields f = { .count = 0 };
    bool stop = r->opcode == OPCODE_STOP;

    if (r->kind != ETW_EVENT || !guid_is(r->guid, &etw_own_provider) ||
            !etw_self_parse(&self, r))
        return;
    (void)etw_self_walk(&self, r, keep_field, &f);
    if (strcmp(self.name, "Mark") == 0)
        take_mark(o, r, &f);
    else if (!stop)
        return;
    else if (strcmp(self.name, "Session") == 0)
        take_session(o, r, &f);
    else if (strcmp(self.name, "Inference") == 0)
        take_inference(o, r, &f);
    else if (strcmp(self.name, "Section") == 0)
        take_section(o, r, &f);
    else if (strcmp(self.name, "Operator") == 0)
        take_operator(o, r, &f);
}

const struct etl_own_tally *etl_own_tally(const struct etl_own *o)
{
    return &o->tally;
}

void etl_own_free(struct etl_own *o)
{
    if (!o)
        return;
    map_release(&o->sessions);
    free(o->waiting);
    map_release(&o->operators);
    free(o);
}
