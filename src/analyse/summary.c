#include "analyse/summary.h"

#include "analyse/generation/generation.h"
#include "analyse/generation/growth.h"
#include "analyse/generation/pipeline.h"
#include "analyse/operators/operator_flops.h"
#include "analyse/verdict/limit_to_bench.h"
#include "analyse/warmup.h"
#include "base/alloc.h"
#include "store/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many of a session's first inferences are looked at for its warm-up. */
#define FIRST_MAX 4096
/* More are counted, and not listed. */
#define LISTED_MAX 10000

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

/* Room for one more in an array. */
#define GROW(array, count)                                              \
    ((array) = alloc_resize((array), ((count) + 1) * sizeof(*(array))), \
            memset(&(array)[count], 0, sizeof(*(array))), &(array)[(count)++])

static void range_add(struct range *r, uint64_t value)
{
    r->min = !r->count || value < r->min ? value : r->min;
    r->max = value > r->max ? value : r->max;
    r->sum += (double)value;
    r->count++;
}

/* --- rows, as they come --------------------------------------------------- */

static void take_run(void *to, const struct run *r)
{
    struct summary *s = to;

    s->run = *r;
    s->run.command = copy(r->command);
    s->run.directory = copy(r->directory);
    s->run.tags = copy(r->tags);
    s->run.host = copy(r->host);
    s->run.version = copy(r->version);
    s->run.note = copy(r->note);
    s->run.experiment = copy(r->experiment);
    s->run.prompt = copy(r->prompt);
    s->run.response = copy(r->response);
    s->run.depth = copy(r->depth);
}

static void take_process(void *to, const struct process *p)
{
    struct summary *s = to;

    *GROW(s->processes, s->process_count) = (struct summary_process){
        .id = p->id,
        .pid = p->pid,
        .parent = p->parent,
        .program = copy(p->program),
        .hook_ns = p->hook_ns,
        .lost = p->lost,
        .untimed = p->untimed,
        .torn = p->torn,
    };
    s->lost += p->lost + p->untimed;
    s->unfinished += p->torn;
    s->hook_ns = p->hook_ns > s->hook_ns ? p->hook_ns : s->hook_ns;
}

static void take_library(void *to, const struct library *l)
{
    struct summary *s = to;

    *GROW(s->libraries, s->library_count) = (struct summary_library){
        .id = l->id,
        .process = l->process,
        .path = copy(l->path),
        .version = copy(l->version),
        .language = copy(l->language),
        .untraced = copy(l->untraced),
    };
}

static bool loaded_before(const struct summary *s, const char *model)
{
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].model && !s->sessions[i].error &&
                strcmp(s->sessions[i].model, model) == 0)
            return true;
    return false;
}

static void take_session(void *to, const struct session *x)
{
    struct summary *s = to;
    bool first = !x->seen_late && x->model && !loaded_before(s, x->model);

    *GROW(s->sessions, s->session_count) = (struct summary_session){
        .id = x->id,
        .process = x->process,
        .library = x->library,
        .model = copy(x->model),
        .model_bytes = x->model_bytes,
        .providers = copy(x->providers),
        .options = copy(x->options),
        .error = copy(x->error),
        .seen_late = x->seen_late,
        .first_load = first,
        .load_ns = x->duration_ns,
    };
}

/* Ids count from 1 without gaps, unless rows are missing. */
static struct summary_session *session_of(struct summary *s, uint32_t id)
{
    if (id && id <= s->session_count && s->sessions[id - 1].id == id)
        return &s->sessions[id - 1];
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].id == id)
            return &s->sessions[i];
    return NULL;
}

static void take_error(struct summary *s, const char *text)
{
    for (size_t i = 0; i < s->error_count; i++)
        if (strcmp(s->errors[i].text, text) == 0) {
            s->errors[i].count++;
            return;
        }
    if (s->error_count < LISTED_MAX)
        *GROW(s->errors, s->error_count) =
                (struct summary_error){ copy(text), 1 };
}

static void keep_first(struct summary_session *x, uint64_t duration_ns)
{
    if (x->first_count == FIRST_MAX)
        return;
    if (!x->first_ns)
        x->first_ns = alloc_zero(FIRST_MAX, sizeof(*x->first_ns));
    x->first_ns[x->first_count++] = duration_ns;
}

/* The longest of those that nobody looked at so closely. */
static void keep_longest(uint64_t *longest_ns, const struct inference *i)
{
    if (!(i->flags & FLAG_STATS) && i->duration_ns > *longest_ns)
        *longest_ns = i->duration_ns;
}

static void add_to_session(struct summary_session *x, const struct inference *i,
        bool counts)
{
    x->thread = !x->inferences || x->thread == i->thread ? i->thread : 0;
    x->inferences++;
    if (i->flags & FLAG_FAILED) {
        x->failed++;
        return;
    }
    keep_longest(&x->longest_ns, i);
    x->total_ns += (double)i->duration_ns;
    if (counts) {
        spread_add(&x->spread, i->duration_ns);
        keep_first(x, i->duration_ns);
    }
    if (i->flags & FLAG_SHAPE)
        range_add(&x->batch, i->batch);
    if (i->flags & FLAG_SEQUENCE)
        range_add(&x->sequence, i->sequence);
    if (i->flags & FLAG_INPUT_BYTES)
        range_add(&x->in_bytes, i->in_bytes);
    if (i->flags & FLAG_OUTPUT_BYTES)
        range_add(&x->out_bytes, i->out_bytes);
}

static void add_to_phase(struct summary *s, const struct inference *i,
        enum counted how)
{
    uint8_t phase = i->phase < PHASES ? i->phase : PHASE_OTHER;
    struct phase_counts *n = &s->phase_counts[phase];
    bool looked_at = i->flags & FLAG_STATS;

    n->inferences++;
    n->traced += inference_is_traced(i) && !looked_at;
    n->looked_at += looked_at;
    n->left_out += how == LEFT_OUT && !looked_at;
    n->marked += how == COUNTED_MARKED;
    keep_longest(&s->phase_longest_ns[phase], i);
    if (how != LEFT_OUT)
        spread_add(&s->phase_spread[phase], i->duration_ns);
    if (i->flags & FLAG_SEQUENCE)
        s->phase_tokens[phase] +=
                (uint64_t)i->sequence * (i->flags & FLAG_SHAPE ? i->batch : 1);
}

void summary_count(struct summary *s, const struct inference *i,
        enum counted how)
{
    s->traced += inference_is_traced(i) && !(i->flags & FLAG_STATS);
    s->looked_at += (i->flags & FLAG_STATS) != 0;
    s->left_out += how == LEFT_OUT && !(i->flags & FLAG_STATS);
    s->marked += how == COUNTED_MARKED;
    keep_longest(&s->longest_ns, i);
    if (how != LEFT_OUT)
        spread_add(&s->spread, i->duration_ns);
    add_to_phase(s, i, how);
    s->samples += i->flags & FLAG_SHAPE ? i->batch : 1;
}

static void add_parts(struct summary_parts *p, const struct inference *i)
{
    if (!i->has_parts)
        return;
    p->count++;
    p->whole_ns += (double)i->duration_ns;
    p->runtime_ns += (double)i->runtime_ns;
    p->gil_ns += (double)i->gil_ns;
}

struct reading_inferences {
    struct summary *summary;
    struct generations *generations;
    struct counting *counting;
    struct growth growth;
};

static void take_inference(void *to, const struct inference *i)
{
    struct reading_inferences *reading = to;
    struct summary *s = reading->summary;
    struct summary_session *x = session_of(s, i->session);
    uint64_t end_ns = i->start_ns + i->duration_ns;
    enum counted how = counting_of(reading->counting, i);

    if (!s->inferences || i->start_ns < s->first_start_ns)
        s->first_start_ns = i->start_ns;
    s->last_end_ns = end_ns > s->last_end_ns ? end_ns : s->last_end_ns;
    s->inferences++;
    if (x)
        add_to_session(x, i, how != LEFT_OUT);
    if (i->has_context) {
        range_add(&s->batch_size, i->batch_size);
        range_add(&s->padding, i->padding);
        range_add(&s->queue_depth, i->queue_depth);
    }
    if (i->flags & FLAG_FAILED) {
        s->failed++;
        if (i->error)
            take_error(s, i->error);
        return;
    }
    summary_count(s, i, how);
    if (how != LEFT_OUT)
        growth_add(&reading->growth, i);
    add_parts(&s->parts, i);
    s->without_cache +=
            (i->flags & (FLAG_SEQUENCE | FLAG_PAST)) == FLAG_SEQUENCE;
    (void)generations_add(reading->generations, i);
}

static void take_section(void *to, const struct section *x)
{
    struct summary *s = to;
    char name[SECTION_KIND_MAX];
    struct summary_section *found = NULL;

    section_kind(name, x->name ? x->name : "(name lost)");
    for (size_t i = 0; i < s->section_count && !found; i++)
        if (s->sections[i].phase == x->phase &&
                strcmp(s->sections[i].name, name) == 0)
            found = &s->sections[i];
    if (!found && s->section_count == LISTED_MAX)
        return;
    if (!found) {
        found = GROW(s->sections, s->section_count);
        found->phase = x->phase;
        found->name = copy(name);
    }
    found->count++;
    found->total_ns += x->duration_ns;
}

static void take_token(void *to, const struct token *t)
{
    struct summary *s = to;

    if (t->seen && !(t->probability > 0))
        return; /* seen from the inferences, as `tokens` is */
    s->told_tokens++;
    if (s->item_count < LISTED_MAX)
        *GROW(s->items, s->item_count) = (struct summary_token){
            .index = t->index,
            .id_known = !t->seen,
            .id = t->id,
            .text = copy(t->text),
            .time_ns = t->time_ns,
            .duration_ns = t->duration_ns,
            .probability = t->probability,
            .energy_mj = t->has_energy ? t->energy_mj : NAN,
        };
}

static void take_mark(void *to, const struct note *n)
{
    struct summary *s = to;

    if (s->mark_count < LISTED_MAX)
        *GROW(s->marks, s->mark_count) = (struct summary_note){ n->process,
            n->thread, copy(n->text), n->time_ns };
}

static void take_thread(void *to, const struct note *n)
{
    struct summary *s = to;

    if (s->thread_count < LISTED_MAX)
        *GROW(s->threads, s->thread_count) = (struct summary_note){ n->process,
            n->thread, copy(n->text), n->time_ns };
}

/* --- the whole ------------------------------------------------------------ */

/* Over all sessions that settled. */
static void find_warmup(struct summary *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];
        size_t length;

        if (x->seen_late ||
                !warmup_length(x->first_ns, x->first_count, &length))
            continue;
        s->warmup.known = true;
        s->warmup.count += length;
        for (size_t n = 0; n < length; n++)
            sum += (double)x->first_ns[n];
    }
    if (s->warmup.count)
        s->warmup.mean_ns = sum / (double)s->warmup.count;
}

static void figures(struct spread *spread, uint64_t longest_ns,
        struct spread_figures *out)
{
    if (spread_figures(spread, out))
        out->max = (double)longest_ns;
}

void summary_find_figures(struct summary *s)
{
    figures(&s->spread, s->longest_ns, &s->latency);
    for (size_t i = 0; i < PHASES; i++)
        figures(&s->phase_spread[i], s->phase_longest_ns[i], &s->phase[i]);
}

/* What tracing cost, of all that ran. */
static void find_tracing(struct summary *s, const struct counting *c)
{
    double cost_ns = 0, all_ns = 0;
    uint64_t traced = 0;

    for (size_t i = 0; i < s->session_count; i++) {
        struct summary_session *x = &s->sessions[i];

        x->counted = counting_session(c, x->id);
        if (x->counted.cost_known) {
            s->tracing_known = true;
            traced += x->counted.traced;
            cost_ns += x->counted.cost_ns * (double)x->counted.traced;
        }
        all_ns += x->total_ns;
    }
    if (!s->tracing_known || !traced)
        return;
    s->tracing_ns = cost_ns / (double)traced;
    s->tracing_share = all_ns > 0 ? cost_ns / all_ns : 0;
}

/* From one inference to the next of the same session. */
static void find_jitter(struct summary *s)
{
    double steps = 0;
    uint64_t pairs = 0;

    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        steps += x->spread.steps;
        pairs += x->spread.count ? x->spread.count - 1 : 0;
    }
    s->latency.jitter = pairs ? steps / (double)pairs : 0;
    s->latency.pairs = pairs;
}

static void finish(struct summary *s)
{
    for (size_t i = 0; i < s->session_count; i++)
        figures(&s->sessions[i].spread, s->sessions[i].longest_ns,
                &s->sessions[i].latency);
    summary_find_figures(s);
    find_jitter(s);
    find_warmup(s);
}

static int read_operators(struct summary *out, struct store *s, int64_t run,
        struct error *e)
{
    int rc = operators_read(&out->operators, s, run, e);

    for (size_t i = 0; i < out->operators.table_count; i++) {
        struct operator_table *t = &out->operators.tables[i];

        for (size_t k = 0; k < out->session_count; k++) {
            const struct summary_session *x = &out->sessions[k];
            const struct operator_table *its =
                    operators_table(&out->operators, x->id);

            if (its == t && x->counted.first_traced) {
                t->cold[x->counted.first_phase]++;
                t->cold[PHASES]++;
            }
            if (x->id == t->session)
                operator_flops_fill(&out->operators, out, x);
        }
    }
    if (!rc)
        rc = activations_read(&out->activations, &out->operators, s, run, e);
    return rc;
}

/* --- who was not followed --------------------------------------------------
 */

static struct summary_not_followed *add_not_followed(struct summary *s,
        uint32_t subject)
{
    struct summary_not_followed *x =
            GROW(s->not_followed, s->not_followed_count);

    x->subject = subject;
    return x;
}

/* Any process may turn out to be one: a subject is told before what is missing
 * of it. */
static void take_subject(void *to, const struct subject_entry *x)
{
    struct summary_not_followed *may;

    if (x->subject.kind != SUBJECT_PROCESS)
        return;
    may = add_not_followed(to, x->id);
    may->pid = x->subject.number;
    may->program = copy(x->subject.name);
    may->runtime = copy(x->subject.detail);
}

static void take_absence(void *to, const struct absence_note *a)
{
    struct summary *s = to;
    struct summary_not_followed *x = NULL;

    if (a->metric != METRIC_inferences_total)
        return;
    for (size_t i = 0; i < s->not_followed_count && !x; i++)
        if (s->not_followed[i].subject == a->subject &&
                !s->not_followed[i].reason)
            x = &s->not_followed[i];
    if (!x)
        x = add_not_followed(s, a->subject);
    x->reason = copy(a->reason);
}

static void release_not_followed(struct summary_not_followed *x)
{
    free(x->program);
    free(x->runtime);
    free(x->reason);
}

static void forget_followed(struct summary *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->not_followed_count; i++)
        if (s->not_followed[i].reason)
            s->not_followed[kept++] = s->not_followed[i];
        else
            release_not_followed(&s->not_followed[i]);
    s->not_followed_count = kept;
}

/* --- from the store ------------------------------------------------------- */

/* All that comes as it was told: in one pass. */
static int replay(struct summary *out, struct store *s, int64_t run,
        struct counting *counting, struct error *e)
{
    struct reading_inferences reading = { .summary = out,
        .generations = generations_new(counting),
        .counting = counting };
    const struct subscriber own = { out, .begin = take_run,
        .process = take_process, .library = take_library,
        .session = take_session, .section = take_section, .token = take_token,
        .mark = take_mark, .thread = take_thread, .subject = take_subject,
        .missing = take_absence };
    const struct subscriber inferences = { &reading,
        .inference = take_inference };
    int rc = store_replay(s, run,
            &(struct subscribers){ { &own, &inferences }, 2 }, e);

    forget_followed(out);
    generations_finish(reading.generations, &out->tokens);
    out->tokens.growth_known =
            growth_finish(&reading.growth, &out->tokens.growth);
    if (!rc)
        find_tracing(out, counting);
    return rc;
}

typedef int (*read_energy)(struct run_energy *out, struct store *s, int64_t run,
        struct error *e);

static int read_all(struct summary *out, struct store *s, int64_t run,
        read_energy energy, struct error *e)
{
    struct counting *counting = NULL;

    *out = (struct summary){ .prices.pue = 1, .shown_phase = PHASES };

    int rc = counting_read(&counting, s, run, e);

    if (!rc)
        rc = replay(out, s, run, counting, e);
    if (!rc)
        rc = read_operators(out, s, run, e);
    if (!rc)
        rc = session_devices_read(out, s, run, e);
    if (!rc)
        rc = usage_read(&out->usage, s, run, e);
    if (!rc)
        rc = energy(&out->energy, s, run, e);
    if (!rc) {
        finish(out);
        rc = limit_to_bench(out, s, run, e);
    }
    counting_free(counting);
    if (rc)
        summary_release(out);
    return rc;
}

int summary_read(struct summary *out, struct store *s, int64_t run,
        struct error *e)
{
    return read_all(out, s, run, run_energy_read, e);
}

int summary_read_to_compare(struct summary *out, struct store *s, int64_t run,
        struct error *e)
{
    return read_all(out, s, run, run_energy_read_joules, e);
}

static void release_notes(struct summary_note *notes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(notes[i].text);
    free(notes);
}

static void release_sessions(struct summary *s)
{
    for (size_t i = 0; i < s->session_count; i++) {
        struct summary_session *x = &s->sessions[i];

        free(x->model);
        free(x->providers);
        free(x->options);
        free(x->error);
        session_device_release(&x->device);
        free(x->first_ns);
        spread_release(&x->spread);
    }
    free(s->sessions);
}

void summary_release(struct summary *s)
{
    run_energy_release(&s->energy);
    free((char *)s->run.command);
    free((char *)s->run.directory);
    free((char *)s->run.tags);
    free((char *)s->run.host);
    free((char *)s->run.version);
    free((char *)s->run.note);
    free((char *)s->run.experiment);
    free((char *)s->run.prompt);
    free((char *)s->run.response);
    free((char *)s->run.depth);
    for (size_t i = 0; i < s->process_count; i++)
        free(s->processes[i].program);
    free(s->processes);
    for (size_t i = 0; i < s->library_count; i++) {
        free(s->libraries[i].path);
        free(s->libraries[i].version);
        free(s->libraries[i].language);
        free(s->libraries[i].untraced);
    }
    free(s->libraries);
    for (size_t i = 0; i < s->not_followed_count; i++)
        release_not_followed(&s->not_followed[i]);
    free(s->not_followed);
    release_sessions(s);
    for (size_t i = 0; i < s->section_count; i++)
        free(s->sections[i].name);
    free(s->sections);
    for (size_t i = 0; i < s->item_count; i++)
        free(s->items[i].text);
    free(s->items);
    for (size_t i = 0; i < s->error_count; i++)
        free(s->errors[i].text);
    free(s->errors);
    release_notes(s->marks, s->mark_count);
    release_notes(s->threads, s->thread_count);
    free(s->sweep.points);
    spread_release(&s->spread);
    operators_release(&s->operators);
    activations_release(&s->activations);
    for (size_t i = 0; i < PHASES; i++)
        spread_release(&s->phase_spread[i]);
    *s = (struct summary){ 0 };
}

/* Whether values of the session's operators were looked at. */
static bool was_looked_at(const struct summary *s, uint32_t session)
{
    const struct operators *o = &s->operators;
    uint32_t table =
            session && session <= o->session_count && o->table_of[session - 1]
                    ? o->table_of[session - 1]
                    : session;

    for (size_t i = 0; i < s->activations.count; i++) {
        const struct operator_figures *f =
                operators_find(o, s->activations.items[i].operator_id);

        if (f && f->session == table)
            return true;
    }
    return false;
}

const char *summary_no_operators(const struct summary *s,
        const struct summary_session *x)
{
    const struct operator_table *t = operators_table(&s->operators, x->id);

    if (!x->inferences || x->aside || (t && t->sums[PHASES].count))
        return NULL;
    for (size_t i = 0; i < s->library_count; i++)
        if (s->libraries[i].id == x->library && s->libraries[i].untraced)
            return s->libraries[i].untraced;
    if (t && t->sums[PHASES].lost)
        return "of every traced inference some lines were lost: try a larger "
               "--buffer";
    if (was_looked_at(s, x->id))
        return "every traced inference was looked at by --stats, which takes "
               "its time between the operators: try a larger N";
    return "none of its inferences was traced: see --ops";
}

/* Where the name of the folder begins that `inner` lies in. */
static const char *folder_of(const char *path, const char *inner)
{
    const char *from = inner;

    while (from > path && !(from < inner - 1 && from[-1] == '/'))
        from--;
    return from;
}

char *summary_model_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    const char *from = file;

    if (strcmp(file, "model.onnx") == 0)
        from = folder_of(path, file);
    /* "phi/onnx/model.onnx": the folder of that name says nothing either. */
    if (strcmp(from, "onnx/model.onnx") == 0 && from > path + 1) {
        struct buf above = { 0 };
        const char *folder = folder_of(path, from);

        buf_add(&above, folder, (size_t)(from - 1 - folder));

        char *short_name = alloc_text(buf_cstr(&above));

        buf_release(&above);
        return short_name;
    }

    char *name = alloc_text(from);
    size_t len = strlen(name);

    if (len > 5 && strcmp(name + len - 5, ".onnx") == 0)
        name[len - 5] = 0;
    return name;
}

const char *summary_no_tokens(const struct summary *s)
{
    if (s->tokens.generations)
        return NULL;
    if (s->tokens.orphans)
        return "the steps that were seen go on with texts whose prompts were "
               "not";
    if (s->without_cache)
        return "the model takes the ids of tokens, but neither takes nor "
               "returns a cache, so no inference shows what text it is of";
    return NULL;
}
