#include "push/push.h"

#include "analyse/generation/generation.h"
#include "analyse/summary.h"
#include "base/alloc.h"
#include "os/clock.h"
#include "os/process/child.h"
#include "push/otlp_push.h"
#include "push/power_wait.h"
#include "push/remote_write.h"
#include "push/url.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct push {
    struct push_plan plan;
    struct otlp_push *otlp;
    struct remote_write *remote_write;
    struct error not_started; /* "": both could be */

    struct run_metrics *figures; /* NULL: the run has not begun */
    struct subject_book subjects;
    struct readings readings;
    struct power_wait power; /* unless there are only readings */
    uint64_t start_ns;       /* of the run, of mono_ns() */
    uint64_t pushed_ns;      /* when it was last time */

    struct otlp_spans spans;
    struct map models; /* session to its model's short name */
    struct generations *generations;
    struct generation_listener listener;
    uint64_t texts;     /* generated so far */
    uint64_t spans_cut; /* that found no room */
    uint64_t last_ns;   /* how long the last sending took */
};

/* --- beginning ------------------------------------------------------------ */

int push_new(struct push **out, const struct push_plan *plan, struct error *e)
{
    int rc = 0;

    *out = NULL;
    if (plan->otlp)
        rc = url_check("--otlp", plan->otlp, e);
    if (!rc && plan->remote_write)
        rc = url_check("--remote-write", plan->remote_write, e);
    if (rc || (!plan->otlp && !plan->remote_write))
        return rc;
    *out = alloc_zero(1, sizeof(**out));
    (*out)->plan = *plan;
    return 0;
}

static const char *model_of(const struct push *p, uint32_t session)
{
    const uint64_t *model = map_find(&p->models, session);

    return model ? (const char *)(uintptr_t)*model : NULL;
}

/* Whether there is somebody to tell, and room. */
static bool room_for_span(struct push *p)
{
    if (!p->otlp)
        return false;
    if (p->spans.count < PUSH_SPANS)
        return true;
    p->spans_cut++;
    return false;
}

static void text_ended(void *to, const struct generation_told *g)
{
    struct push *p = to;

    p->texts++;
    if (room_for_span(p))
        otlp_span_generation(&p->spans, p->texts, g, model_of(p, g->session));
}

/* A receiver that cannot be sent to is no reason not to run. */
static void start_senders(struct push *p)
{
    if (p->plan.otlp)
        (void)otlp_push_start(&p->otlp,
                &(struct otlp_push_plan){
                        .url = p->plan.otlp,
                        .json = p->plan.otlp_json,
                        .headers = p->plan.otlp_headers,
                },
                &p->not_started);
    if (p->plan.remote_write)
        (void)remote_write_start(&p->remote_write, p->plan.remote_write,
                &p->not_started);
}

static void begin(void *to, const struct run *run)
{
    struct push *p = to;

    p->figures = run_metrics_new(run);
    p->start_ns = run->start_mono_ns;
    p->pushed_ns = mono_ns();
    otlp_spans_init(&p->spans,
            &(struct otlp_source){ run_metrics_about(p->figures),
                    p->plan.service });
    p->generations = generations_new(NULL);
    p->listener = (struct generation_listener){
        .waits = true,
        .context = p,
        .ended = text_ended,
    };
    generations_listen(p->generations, &p->listener);
    start_senders(p);
}

/* --- what happens --------------------------------------------------------- */

static void take_process(void *to, const struct process *x)
{
    run_metrics_process(((struct push *)to)->figures, x);
}

static void take_library(void *to, const struct library *l)
{
    run_metrics_library(((struct push *)to)->figures, l);
}

static void take_session(void *to, const struct session *x)
{
    struct push *p = to;

    run_metrics_session(p->figures, x);
    live_phase_add(&p->power.phase, PHASE_OTHER, x->start_ns, x->duration_ns);
    if (x->model && !model_of(p, x->id))
        map_put(&p->models, x->id, (uintptr_t)summary_model_name(x->model));
    if (x->duration_ns && room_for_span(p))
        otlp_span_session(&p->spans, x, model_of(p, x->id));
}

static void take_operators_of(void *to, const struct session *x)
{
    run_metrics_operators_of(((struct push *)to)->figures, x);
}

static void take_traced_sum(void *to, const struct traced_sum *x)
{
    run_metrics_traced(((struct push *)to)->figures, x);
}

static void take_inference(void *to, const struct inference *i)
{
    struct push *p = to;

    run_metrics_inference(p->figures, i);
    live_phase_add(&p->power.phase, (enum phase)i->phase, i->start_ns,
            i->duration_ns);
    if (!(i->flags & FLAG_FAILED))
        generations_add(p->generations, i);
    if (room_for_span(p))
        otlp_span_inference(&p->spans, i, i->number, OTLP_SPAN_ROOT,
                model_of(p, i->session));
}

static void take_section(void *to, const struct section *x)
{
    live_phase_add(&((struct push *)to)->power.phase, (enum phase)x->phase,
            x->start_ns, x->duration_ns);
}

static void take_subject(void *to, const struct subject_entry *x)
{
    subject_book_add(&((struct push *)to)->subjects, x->id, &x->subject);
}

static void take_changes(void *to, const struct reading_list *list)
{
    struct push *p = to;

    for (size_t i = 0; i < list->count; i++) {
        const struct reading *r = &list->items[i];

        if (metric_is_power((enum metric_id)r->metric))
            power_wait_take(&p->power, r);
        else
            readings_take(&p->readings, r);
    }
}

/* Where there are only readings: the newest of what is there. */
static void take_readings(void *to, const struct reading_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        readings_take(&((struct push *)to)->readings, &list->items[i]);
}

static void forget_subject(void *to, const struct subject_entry *x)
{
    readings_forget(&((struct push *)to)->readings, x->id);
}

/* --- sending -------------------------------------------------------------- */

/* `until_ns` of the run. */
static void send(struct push *p, uint64_t until_ns)
{
    struct otlp_source source = { run_metrics_about(p->figures),
        p->plan.service };
    struct figure_list list = { 0 };
    uint64_t now_ns = wall_ns();

    run_metrics_meter(p->figures, own_cpu_ns(), own_peak_rss_bytes());
    readings_collect(&p->readings, &p->subjects, &list);
    power_wait_collect(&p->power, &p->subjects, until_ns, &list);
    if (p->plan.only_readings) {
        run_metrics_collect_meter(p->figures, &list);
        figure_list_sort(&list);
    } else {
        run_metrics_collect(p->figures, &list);
    }
    if (p->otlp) {
        otlp_push_metrics(p->otlp, &source, &list, now_ns);
        otlp_push_spans(p->otlp, &p->spans);
    }
    if (p->remote_write)
        remote_write_push(p->remote_write, source.about, &list, now_ns);
    figure_list_release(&list);
}

static void tick(void *to, const uint64_t *now_ns)
{
    struct push *p = to;

    if (*now_ns - p->pushed_ns < p->plan.interval_ns)
        return;
    p->pushed_ns = *now_ns;
    send(p, *now_ns - p->start_ns);
}

/* --- the end -------------------------------------------------------------- */

static void root_span(struct push *p, const struct run *run)
{
    size_t span = otlp_span_begin(&p->spans, &(struct otlp_span){
                                                     .id = OTLP_SPAN_ROOT,
                                                     .end_ns = run->duration_ns,
                                                     .name = "run",
                                             });

    otlp_span_text(&p->spans, "process.command_line",
            run_metrics_about(p->figures)->command);
    if (run->signal || run->exit_code)
        otlp_span_failed(&p->spans, NULL);
    otlp_span_end(&p->spans, span);
}

static void stop_senders(struct push *p, struct buf *told)
{
    struct sender_outcome metrics = { 0 }, spans = { 0 }, samples = { 0 };

    otlp_push_finish(p->otlp); /* they share the time */
    remote_write_finish(p->remote_write);
    otlp_push_stop(p->otlp, &metrics, &spans);
    remote_write_stop(p->remote_write, &samples);
    p->otlp = NULL;
    p->remote_write = NULL;
    if (p->plan.otlp) {
        sender_tell(told, p->plan.otlp, "figures", &metrics);
        sender_tell(told, p->plan.otlp, "spans", &spans);
    }
    if (p->plan.remote_write)
        sender_tell(told, p->plan.remote_write, "samples", &samples);
    if (p->spans_cut)
        buf_printf(told,
                "%s%" PRIu64 " spans were not sent: more than %d between two "
                "pushes.",
                told->len ? " " : "", p->spans_cut, PUSH_SPANS);
    if (p->power.cut)
        buf_printf(told,
                "%s%" PRIu64 " samples of power were not sent: more than %d "
                "waited for their phase.",
                told->len ? " " : "", p->power.cut, POWER_WAIT_MAX);
    if (*p->not_started.text)
        buf_printf(told, "%sNothing could be pushed: %s.", told->len ? " " : "",
                p->not_started.text);
}

static void end(void *to, const struct run_end *x)
{
    struct push *p = to;
    struct buf unheard = { 0 };
    struct summary_tokens sum;
    uint64_t begun_ns = mono_ns();

    run_metrics_end(p->figures);
    generations_finish(p->generations, &sum);
    p->generations = NULL;
    if (p->otlp && !p->plan.only_readings)
        root_span(p, x->run);
    live_phase_end(&p->power.phase);
    send(p, x->run->duration_ns);
    stop_senders(p, x->note ? x->note : &unheard);
    buf_release(&unheard);
    p->last_ns = mono_ns() - begun_ns;
}

uint64_t push_last_ns(const struct push *p)
{
    return p ? p->last_ns : 0;
}

struct subscriber push_subscriber(struct push *p)
{
    if (p->plan.only_readings)
        return (struct subscriber){
            .context = p,
            .begin = begin,
            .subject = take_subject,
            .subject_end = forget_subject,
            .readings = take_readings,
            .tick = tick,
            .end = end,
        };
    return (struct subscriber){
        .context = p,
        .begin = begin,
        .process = take_process,
        .process_end = take_process,
        .library = take_library,
        .session = take_session,
        .operators_of = take_operators_of,
        .inference = take_inference,
        .traced_sum = take_traced_sum,
        .section = take_section,
        .subject = take_subject,
        .changes = take_changes,
        .tick = tick,
        .end = end,
    };
}

void push_free(struct push *p)
{
    struct summary_tokens sum;
    struct buf unheard = { 0 };

    if (!p)
        return;
    stop_senders(p, &unheard);
    buf_release(&unheard);
    if (p->generations)
        generations_finish(p->generations, &sum);
    for (size_t i = 0; i < p->models.cap; i++)
        if (p->models.entries[i].used)
            free((char *)(uintptr_t)p->models.entries[i].value);
    map_release(&p->models);
    otlp_spans_release(&p->spans);
    readings_release(&p->readings);
    power_wait_release(&p->power);
    subject_book_release(&p->subjects);
    run_metrics_free(p->figures);
    free(p);
}
