/* import_qnn_csv.c -- QNN's own profile as a run.
 *
 * The file tells how long things took, in an order, and not when; so they are
 * laid one behind the other.  An execution of a graph becomes an inference: its
 * duration is the longest time on the outermost level, of which the others are
 * parts, kept as sections.  Operators tell cycles of a clock whose rate is not
 * told: they are kept as cycles. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "import/import.h"
#include "import/qnn_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A duration beyond this, ten years, is nonsense. */
#define US_MAX UINT64_C(315360000000000)

struct part {
    char *name;
    uint64_t duration_ns;
};

struct qnn_import {
    struct store *store;
    struct qnn_csv *reader;
    struct map operators; /* hash to id */
    uint64_t now_ns;      /* so much has been laid out */
    uint64_t node_rows, inferences, operator_runs, untimed;

    /* The execution that is being read. */
    bool open;
    struct map seen; /* hashes of what it has told on the outermost level */
    uint64_t longest_ns;
    size_t longest; /* place of that part */
    struct part *parts;
    size_t part_count, part_cap;
    struct operator_run *runs;
    size_t run_count, run_cap;
};

static bool has(struct str text, const char *what)
{
    return str_find(text, what) != NULL;
}

/* What is done once, before and after all executions. */
static bool is_setup(const struct qnn_row *r)
{
    static const char *const messages[] = { "INIT", "DE-INIT", "FINALIZE",
        "COMPOSE", "CREATE", "LOAD", "PREPARE" };
    static const char *const identifiers[] = { "(finalize)", "(init", "(deinit",
        "(load", "(create", "(context" };

    for (size_t i = 0; i < LEN(messages); i++)
        if (str_starts(r->message, messages[i]))
            return true;
    for (size_t i = 0; i < LEN(identifiers); i++)
        if (has(r->identifier, identifiers[i]))
            return true;
    return false;
}

/* --- sections ------------------------------------------------------------- */

static bool is_time(const struct qnn_row *r)
{
    return r->unit == QNN_UNIT_US && r->has_value && r->value &&
           r->value < US_MAX;
}

/* The message, where the identifier says nothing. */
static char *name_of(const struct qnn_row *r)
{
    struct buf b = { 0 };
    const char *text =
            import_text(&b, r->identifier.len ? r->identifier : r->message);
    char *name = alloc_text(text ? text : "");

    buf_release(&b);
    return name;
}

static void add_section(struct qnn_import *q, const char *name,
        uint64_t duration_ns)
{
    store_add_section(q->store, &(struct section){
                                        .process = 1,
                                        .name = name,
                                        .start_ns = q->now_ns,
                                        .duration_ns = duration_ns,
                                });
}

static void take_setup(struct qnn_import *q, const struct qnn_row *r)
{
    if (r->depth || !is_time(r))
        return;

    char *name = name_of(r);

    add_section(q, name, r->value * 1000);
    q->now_ns += r->value * 1000;
    free(name);
}

static void add_part(struct qnn_import *q, const struct qnn_row *r)
{
    if (q->part_count == q->part_cap) {
        q->part_cap = q->part_cap ? 2 * q->part_cap : 16;
        q->parts = alloc_resize(q->parts, q->part_cap * sizeof(*q->parts));
    }
    q->parts[q->part_count] = (struct part){ name_of(r), r->value * 1000 };
    if (!r->depth && r->value * 1000 > q->longest_ns) {
        q->longest_ns = r->value * 1000;
        q->longest = q->part_count;
    }
    q->part_count++;
}

/* --- operators ------------------------------------------------------------ */

static uint32_t operator_of(struct qnn_import *q, const struct qnn_operator *o)
{
    uint64_t key = import_hash(o->has_id ? (uint64_t)o->id + 1 : 0, o->name);
    const uint64_t *known = map_find(&q->operators, key);
    struct buf name = { 0 };

    if (known)
        return (uint32_t)*known;
    map_put(&q->operators, key, q->operators.count + 1);
    store_add_operator(q->store,
            &(struct operator){
                    .id = (uint32_t)q->operators.count,
                    .session = 1,
                    .name = import_text(&name, o->name),
                    .provider = "QNNExecutionProvider",
                    .node_index = o->has_id ? o->id : UINT32_MAX,
            });
    buf_release(&name);
    return (uint32_t)q->operators.count;
}

static void take_operator(struct qnn_import *q, const struct qnn_row *r,
        const struct qnn_operator *o)
{
    bool cycles = r->unit == QNN_UNIT_CYCLES;

    q->node_rows++;
    if (!r->has_value || r->value > US_MAX ||
            (!cycles && r->unit != QNN_UNIT_US))
        return;
    if (q->run_count == q->run_cap) {
        q->run_cap = q->run_cap ? 2 * q->run_cap : 256;
        q->runs = alloc_resize(q->runs, q->run_cap * sizeof(*q->runs));
    }
    q->runs[q->run_count++] = (struct operator_run){
        .operator_id = operator_of(q, o),
        .in_cycles = cycles,
        .raw_unknown = cycles,
        .cycles = cycles ? r->value : 0,
        .raw_ns = cycles ? 0 : r->value * 1000,
    };
}

/* --- executions ----------------------------------------------------------- */

static void forget_execution(struct qnn_import *q)
{
    for (size_t i = 0; i < q->part_count; i++)
        free(q->parts[i].name);
    q->part_count = q->run_count = 0;
    q->longest_ns = 0;
    q->open = false;
    map_release(&q->seen);
}

static void close_execution(struct qnn_import *q)
{
    uint64_t number = 0, at_ns = q->now_ns;

    if (!q->open)
        return;
    if (q->longest_ns) {
        number = store_add_inference(q->store,
                &(struct inference){
                        .session = 1,
                        .process = 1,
                        .flags = FLAG_PROFILED,
                        .start_ns = q->now_ns,
                        .duration_ns = q->longest_ns,
                });
        q->inferences++;
    } else {
        q->untimed++;
    }
    for (size_t i = 0; i < q->part_count; i++)
        if (i != q->longest || !q->longest_ns)
            add_section(q, q->parts[i].name, q->parts[i].duration_ns);
    for (size_t i = 0; i < q->run_count; i++) {
        q->runs[i].inference = number;
        q->runs[i].start_ns = at_ns;
        at_ns += q->runs[i].raw_ns;
        store_add_operator_run(q->store, &q->runs[i]);
    }
    q->operator_runs += q->run_count;
    q->now_ns += q->longest_ns;
    forget_execution(q);
}

/* An execution begins with the whole of its time, where the program that ran
 * it tells that; or where something is told again. */
static void look_for_beginning(struct qnn_import *q, const struct qnn_row *r)
{
    uint64_t key = import_hash(import_hash((uint64_t)r->unit, r->message),
            r->identifier);

    if (map_find(&q->seen, key) ||
            (str_is(r->source, "NETRUN") && r->unit == QNN_UNIT_US))
        close_execution(q);
    map_put(&q->seen, key, 1);
}

static void take(void *to, const struct qnn_row *r)
{
    struct qnn_import *q = to;
    struct qnn_operator o;

    if (is_setup(r)) {
        close_execution(q);
        take_setup(q, r);
        return;
    }
    if (!r->depth)
        look_for_beginning(q, r);
    q->open = true; /* also where the beginning is missing */
    if (qnn_operator(&o, r))
        take_operator(q, r, &o);
    else if (r->depth < 2 && is_time(r))
        add_part(q, r);
}

/* --- the importer --------------------------------------------------------- */

static bool recognise(struct str head)
{
    struct str line;

    while (str_line(&line, &head))
        if (qnn_csv_is_heading(line))
            return true;
    return false;
}

static void begin(void *state, struct store *s, struct run *run)
{
    struct qnn_import *q = state;

    (void)run;
    q->store = s;
    q->reader = qnn_csv_new(take, q);
}

static void feed(void *state, const char *bytes, size_t len)
{
    qnn_csv_feed(((struct qnn_import *)state)->reader, bytes, len);
}

static int end(void *state, struct import_tally *out, struct error *e)
{
    struct qnn_import *q = state;
    const struct qnn_csv_tally *t = qnn_csv_end(q->reader);

    (void)e;
    close_execution(q);
    store_add_process(q->store, &(struct process){ .id = 1 });
    store_add_session(q->store, &(struct session){
                                        .id = 1,
                                        .process = 1,
                                        .seen_late = true,
                                });
    out->events = t->rows;
    out->node_events = q->node_rows;
    out->sessions = 1;
    out->inferences = q->inferences;
    out->operators = q->operators.count;
    out->operator_runs = q->operator_runs;
    out->broken = t->broken;
    out->cut_bytes = t->cut_bytes;
    out->cut = t->cut_bytes != 0;
    out->duration_ns = q->now_ns;
    buf_text(&out->note,
            "QNN tells durations, not times: what it tells of is laid one "
            "behind the other here.  ");
    if (t->cut_bytes)
        buf_printf(&out->note,
                "The last line is not ended: its %" PRIu64
                " bytes are left out.  ",
                t->cut_bytes);
    if (q->untimed)
        buf_printf(&out->note, "Of %" PRIu64 " executions no time is told.  ",
                q->untimed);
    return 0;
}

static void release(void *state)
{
    struct qnn_import *q = state;

    forget_execution(q);
    qnn_csv_free(q->reader);
    map_release(&q->operators);
    free(q->parts);
    free(q->runs);
}

const struct importer import_qnn_csv = {
    .name = "qnn_csv",
    .about = "the profile of Qualcomm's QNN",
    .state_size = sizeof(struct qnn_import),
    .recognise = recognise,
    .begin = begin,
    .feed = feed,
    .end = end,
    .release = release,
};
