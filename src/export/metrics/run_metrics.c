#include "export/metrics/run_metrics.h"

#include "base/alloc.h"
#include "base/json_member.h"
#include "export/metrics/run_metrics_state.h"

#include <stdlib.h>
#include <string.h>

/* --- as it comes ---------------------------------------------------------- */

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

/* Room for one more, zeroed. */
#define GROW(array, count)                                              \
    ((array) = alloc_resize((array), ((count) + 1) * sizeof(*(array))), \
            memset(&(array)[count], 0, sizeof(*(array))), &(array)[(count)++])

/* Ids count from 1 without gaps, unless rows are missing; 0 is of what cannot
 * be said. */
static struct counted_session *session_of(struct run_metrics *f, uint32_t id)
{
    if (id && id <= f->session_count && f->sessions[id - 1].id == id)
        return &f->sessions[id - 1];
    for (size_t i = 0; i < f->session_count; i++)
        if (f->sessions[i].id == id)
            return &f->sessions[i];

    struct counted_session *x = GROW(f->sessions, f->session_count);

    x->id = id;
    return x;
}

static void count(struct counted_session *x, enum metric_id metric,
        uint64_t value, uint64_t times)
{
    struct buckets **b = &x->hist[metric];

    if (!*b) {
        *b = alloc_zero(1, sizeof(**b));
        buckets_init(*b, metric);
    }
    buckets_add(*b, value, times);
}

static void count_duration(struct counted_session *x, const struct inference *i)
{
    count(x, METRIC_inference_duration_seconds, i->duration_ns, 1);
    if (i->phase == PHASE_PREFILL)
        count(x, METRIC_prefill_duration_seconds, i->duration_ns, 1);
    if (i->phase == PHASE_DECODE)
        count(x, METRIC_decode_duration_seconds, i->duration_ns, 1);
}

static void first_token(void *to, uint32_t session, uint64_t texts,
        uint64_t after_ns, bool counts)
{
    struct run_metrics *f = to;

    f->tokens += texts;
    if (counts)
        count(session_of(f, session), METRIC_time_to_first_token_seconds,
                after_ns, texts);
}

static void next_token(void *to, uint32_t session, uint64_t texts,
        uint64_t after_ns, bool counts)
{
    struct run_metrics *f = to;

    f->tokens += texts;
    if (counts)
        count(session_of(f, session), METRIC_time_per_output_token_seconds,
                after_ns, texts);
}

static char *host_name(const char *host)
{
    struct buf name = { 0 };
    bool known = host && json_member_text(&name, str_of(host), "hostname");
    char *text = known ? alloc_text(buf_cstr(&name)) : NULL;

    buf_release(&name);
    return text;
}

struct run_metrics *run_metrics_new(const struct run *run)
{
    struct run_metrics *f = alloc_zero(1, sizeof(*f));

    f->about = (struct run_metrics_about){
        .run = alloc_text(run->id),
        .command = alloc_text(run->command ? run->command : ""),
        .version = alloc_text(run->version ? run->version : ""),
        .host_name = host_name(run->host),
        .started_wall_ns = run->started_wall_ns,
    };
    f->host = copy(run->host);
    f->counting = counting_new();
    f->generations = generations_new(f->counting);
    f->listener = (struct generation_listener){
        .context = f,
        .first = first_token,
        .next = next_token,
    };
    generations_listen(f->generations, &f->listener);
    return f;
}

void run_metrics_counting(struct run_metrics *f, struct counting *c)
{
    counting_free(f->counting);
    f->counting = c;
    f->counting_done = true;
    generations_count_by(f->generations, c);
}

bool run_metrics_counts(const struct run_metrics *f, const struct inference *i)
{
    return !(i->flags & FLAG_FAILED) && counting_of(f->counting, i) != LEFT_OUT;
}

/* --- what tracing costs --------------------------------------------------- */

/* It is told once a second; more than these do not wait for it. */
#define WAITING_MAX 65536

static bool must_wait(const struct run_metrics *f, const struct inference *i)
{
    return inference_is_traced(i) && !f->counting_done &&
           !counting_knows_cost(f->counting, i);
}

/* Those of which it is known by now, or `all`. */
static void settle(struct run_metrics *f, bool all)
{
    size_t kept = 0;

    for (size_t n = 0; n < f->waiting_count; n++) {
        const struct waiting *w = &f->waiting[n];
        struct inference i = { .session = w->session,
            .flags = w->flags,
            .phase = w->phase,
            .duration_ns = w->duration_ns };

        if (!all && must_wait(f, &i))
            f->waiting[kept++] = *w;
        else if (run_metrics_counts(f, &i))
            count_duration(session_of(f, i.session), &i);
    }
    f->waiting_count = kept;
}

static void let_wait(struct run_metrics *f, const struct inference *i)
{
    if (!f->waiting)
        f->waiting = alloc_zero(WAITING_MAX, sizeof(*f->waiting));
    if (f->waiting_count == WAITING_MAX)
        settle(f, true);
    f->waiting[f->waiting_count++] = (struct waiting){ .session = i->session,
        .flags = i->flags,
        .phase = i->phase,
        .duration_ns = i->duration_ns };
}

void run_metrics_traced(struct run_metrics *f, const struct traced_sum *x)
{
    if (f->counting_done)
        return;
    counting_cost(f->counting, x);
    settle(f, false);
}

void run_metrics_operators_of(struct run_metrics *f, const struct session *s)
{
    if (!f->counting_done)
        counting_share(f->counting, s->id, s->operators_of);
}

const struct run_metrics_about *run_metrics_about(const struct run_metrics *f)
{
    return &f->about;
}

void run_metrics_process(struct run_metrics *f, const struct process *p)
{
    struct counted_process *known = NULL;

    for (size_t i = 0; i < f->process_count && !known; i++)
        if (f->processes[i].id == p->id)
            known = &f->processes[i];
    if (!known) {
        known = GROW(f->processes, f->process_count);
        known->id = p->id;
        known->pid = p->pid;
        known->program = copy(p->program);
    }
    known->lost = p->lost + p->untimed + p->torn;
    known->hook_ns = p->hook_ns;
}

void run_metrics_library(struct run_metrics *f, const struct library *l)
{
    *GROW(f->libraries, f->library_count) = (struct counted_library){
        .id = l->id,
        .process = l->process,
        .path = copy(l->path),
        .version = copy(l->version),
        .language = copy(l->language),
    };
}

static bool loaded_before(const struct run_metrics *f, const char *path)
{
    for (size_t i = 0; i < f->session_count; i++)
        if (f->sessions[i].path && !f->sessions[i].failed &&
                strcmp(f->sessions[i].path, path) == 0)
            return true;
    return false;
}

/* ["A","B"] as A,B. */
static char *bare_list(const char *json)
{
    struct buf out = { 0 };

    for (const char *c = json; c && *c; c++)
        if (!strchr("[]\" ", *c))
            buf_char(&out, *c);

    char *text = out.len ? alloc_text(buf_cstr(&out)) : NULL;

    buf_release(&out);
    return text;
}

void run_metrics_session(struct run_metrics *f, const struct session *s)
{
    bool first = !s->seen_late && s->model && !loaded_before(f, s->model);
    struct counted_session *x = session_of(f, s->id);

    x->first_load = first;
    x->seen_late = s->seen_late;
    x->failed = s->error != NULL;
    x->load_ns = s->duration_ns;
    x->path = copy(s->model);
    x->model = s->model ? summary_model_name(s->model) : NULL;
    x->providers = bare_list(s->providers);
}

static void count_context(struct counted_session *x, const struct inference *i)
{
    if (i->has_context) {
        count(x, METRIC_inference_batch_samples, i->batch_size, 1);
        count(x, METRIC_inference_padding_samples, i->padding, 1);
        count(x, METRIC_inference_queue_requests, i->queue_depth, 1);
    } else if (i->flags & FLAG_SHAPE) {
        count(x, METRIC_inference_batch_samples, i->batch, 1);
    }
    if (i->flags & FLAG_SEQUENCE)
        count(x, METRIC_inference_sequence_tokens, i->sequence, 1);
    if (i->flags & FLAG_PAST)
        count(x, METRIC_inference_past_tokens, i->past, 1);
    if (i->flags & FLAG_INPUT_BYTES)
        count(x, METRIC_inference_input_bytes, i->in_bytes, 1);
    if (i->flags & FLAG_OUTPUT_BYTES)
        count(x, METRIC_inference_output_bytes, i->out_bytes, 1);
}

void run_metrics_inference(struct run_metrics *f, const struct inference *i)
{
    struct counted_session *x = session_of(f, i->session);

    x->inferences++;
    if (i->flags & FLAG_FAILED) {
        x->errors++;
        return;
    }
    if (!f->counting_done)
        counting_add(f->counting, i);
    if (must_wait(f, i))
        let_wait(f, i);
    else if (run_metrics_counts(f, i))
        count_duration(x, i);
    count_context(x, i);
    if (i->has_parts) {
        count(x, METRIC_inference_runtime_seconds, i->runtime_ns, 1);
        count(x, METRIC_inference_gil_wait_seconds, i->gil_ns, 1);
    }
    if (f->generations)
        generations_add(f->generations, i);
}

void run_metrics_meter(struct run_metrics *f, uint64_t cpu_ns,
        uint64_t rss_bytes)
{
    f->meter_cpu_ns = cpu_ns;
    f->meter_rss_bytes = rss_bytes;
}

/* --- the end -------------------------------------------------------------- */

void run_metrics_end(struct run_metrics *f)
{
    struct summary_tokens sum;

    settle(f, true);
    if (f->generations)
        generations_finish(f->generations, &sum);
    f->generations = NULL;
}

static void release_session(struct counted_session *x)
{
    for (int i = 0; i < METRIC_IDS; i++)
        free(x->hist[i]);
    free(x->model);
    free(x->path);
    free(x->providers);
}

void run_metrics_free(struct run_metrics *f)
{
    if (!f)
        return;
    run_metrics_end(f);
    counting_free(f->counting);
    for (size_t i = 0; i < f->process_count; i++)
        free(f->processes[i].program);
    for (size_t i = 0; i < f->library_count; i++) {
        free(f->libraries[i].path);
        free(f->libraries[i].version);
        free(f->libraries[i].language);
    }
    for (size_t i = 0; i < f->session_count; i++)
        release_session(&f->sessions[i]);
    free(f->processes);
    free(f->libraries);
    free(f->sessions);
    free(f->waiting);
    free(f->host);
    free(f->about.run);
    free(f->about.command);
    free(f->about.version);
    free(f->about.host_name);
    free(f);
}
