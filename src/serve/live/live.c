#include "serve/live/live.h"

#include "analyse/summary.h"
#include "base/alloc.h"
#include "export/metrics/prometheus.h"
#include "model/phase.h"
#include "os/clock.h"
#include "serve/answer/run_about.h"
#include "serve/live/live_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_NS   UINT64_C(20000000)    /* between two looks, with clients */
#define IDLE_NS   UINT64_C(250000000)   /* and without */
#define KEEP_NS   UINT64_C(60000000000) /* an ended run stays so long */
#define SILENT_NS UINT64_C(1000000000)
#define AWAY_NS   UINT64_C(400000000) /* longer than we mean to be */
#define LINK_NS                                                   \
    UINT64_C(100000000) /* between two tries to reach a collector \
                         */

/* --- series --------------------------------------------------------------- */

static uint64_t hash_of(const char *text, uint64_t hash)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

static uint32_t series_of(struct live *l, const char *run,
        const struct metric *m, const char *labels, const char *method)
{
    struct live_view *v = &l->view;
    uint64_t hash = hash_of(labels,
            hash_of(run, hash_of(m->name, UINT64_C(14695981039346656037))));
    const uint64_t *found = map_find(&l->series, hash);

    if (found)
        return (uint32_t)*found;
    if (!(v->series_count & (v->series_count - 1)))
        v->series = alloc_resize(v->series,
                (v->series_count ? 2 * v->series_count : 1) *
                        sizeof(*v->series));

    struct live_series *s = &v->series[v->series_count++];

    *s = (struct live_series){ .metric = m, .labels = alloc_text(labels) };
    memcpy(s->run_id, run, sizeof(s->run_id));
    if (method)
        s->method = alloc_text(method);
    map_put(&l->series, hash, v->series_count);
    return (uint32_t)v->series_count;
}

static struct live_value *add_value(struct live *l)
{
    struct live_view *v = &l->view;

    if (v->value_count == l->value_cap) {
        l->value_cap = l->value_cap ? 2 * l->value_cap : 256;
        v->values = alloc_resize(v->values, l->value_cap * sizeof(*v->values));
    }
    v->values[v->value_count] = (struct live_value){ 0 };
    return &v->values[v->value_count++];
}

static void add_figure(struct live *l, const char *run, const struct figure *f)
{
    const struct metric *m = &metric_table[f->metric];
    struct buf labels = { 0 };
    struct json j = json_line_into(&labels);
    struct live_value *v;

    if (m->kind == METRIC_INFO ||
            f->metric == METRIC_inference_duration_seconds)
        return;
    json_object(&j, NULL);
    for (size_t i = 0; i < f->label_count; i++)
        json_text(&j, f->label[i].name, f->label[i].value);
    json_end(&j);
    v = add_value(l);
    v->series = series_of(l, run, m, buf_cstr(&labels),
            f->method == READING_MEASURED ? NULL
                                          : reading_method_name(f->method));
    v->value = f->value;
    if (f->buckets) {
        v->is_histogram = true;
        v->count = f->buckets->count;
        v->sum = buckets_sum(f->buckets);
    }
    buf_release(&labels);
}

static void add_latency(struct live *l, const char *run,
        const struct live_session *s)
{
    struct buf labels = { 0 };
    struct json j = json_line_into(&labels);
    struct live_value *v;
    char number[24];

    if (!s->latency->count)
        return;
    json_object(&j, NULL);
    if (s->model) {
        char *name = summary_model_name(s->model);

        json_text(&j, "model", name);
        free(name);
    }
    json_text(&j, "phase", phase_name((enum phase)s->phase));
    (void)snprintf(number, sizeof(number), "%u", s->id);
    json_text(&j, "session", number);
    json_end(&j);
    v = add_value(l);
    v->series =
            series_of(l, run, &metric_table[METRIC_inference_duration_seconds],
                    buf_cstr(&labels), NULL);
    v->is_histogram = true;
    v->hist = s->latency;
    v->count = s->latency->count;
    v->sum = s->latency->sum / 1e9;
    buf_release(&labels);
}

static void collect(struct live *l)
{
    l->view.value_count = 0;
    for (size_t i = 0; i < l->view.run_count; i++) {
        struct following *f = l->following[i];
        struct figure_list list = { 0 };

        if (f->shown->ended)
            continue;
        readings_collect(&f->readings, &f->book, &list);
        run_metrics_collect(f->figures, &list);
        for (size_t k = 0; k < list.count; k++)
            add_figure(l, f->run.id, &list.items[k]);
        figure_list_release(&list);
        for (size_t k = 0; k < f->session_count; k++)
            add_latency(l, f->run.id, &f->sessions[k]);
    }
}

/* --- looking -------------------------------------------------------------- */

static void keep_message(void *to, const char *type, const char *run,
        char *json)
{
    struct live *l = to;
    struct live_message *m =
            &l->view.messages[++l->view.last_message % LIVE_MESSAGES];

    free(m->json);
    *m = (struct live_message){ .number = l->view.last_message,
        .type = type,
        .json = json };
    memcpy(m->run_id, run, sizeof(m->run_id));
}

void live_say_error(struct live *l, const char *run_id, const char *code,
        const char *message)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    char id[RUN_ID_LEN + 1] = "";

    (void)snprintf(id, sizeof(id), "%s", run_id);
    json_object(&j, NULL);
    json_text(&j, "type", "error");
    json_fixed(&j, "timestamp", (double)wall_ns() / 1e9, 6);
    json_object(&j, "data");
    if (id[0])
        json_text(&j, "run_id", id);
    json_text(&j, "code", code);
    json_text(&j, "message", message);
    json_end(&j);
    json_end(&j);
    (void)mtx_lock(&l->mutex);
    keep_message(l, "error", id, text.p);
    (void)mtx_unlock(&l->mutex);
}

static void begin(struct live *l, const struct run *r)
{
    if (l->view.run_count == LIVE_RUNS)
        return;
    l->following[l->view.run_count] = following_new(r);
    l->view.runs[l->view.run_count] = l->following[l->view.run_count]->shown;
    l->view.run_count++;
}

static void forget(struct live *l, size_t i)
{
    following_free(l->following[i]);
    l->view.run_count--;
    for (; i < l->view.run_count; i++) {
        l->following[i] = l->following[i + 1];
        l->view.runs[i] = l->view.runs[i + 1];
    }
}

static void take_running(void *to, const struct run_line *x)
{
    struct live *l = to;

    if (x->run->status != RUN_RUNNING)
        return;
    for (size_t i = 0; i < l->view.run_count; i++)
        if (l->view.runs[i]->row == x->run->row)
            return;
    begin(l, x->run);
}

static void take_status(void *to, const struct run *r)
{
    struct following *f = to;

    f->run.status = r->status;
}

/* Whether something is new. */
static bool look_at(struct live *l, struct following *f)
{
    bool was_silent = f->shown->silent;
    uint64_t now = mono_ns();
    size_t found;

    /* A busy machine may keep us from looking: that is no silence of theirs. */
    if (f->looked_ns && now - f->looked_ns > AWAY_NS)
        f->changed_ns += now - f->looked_ns;
    found = following_read(f, l->store, keep_message, l);
    now = f->looked_ns = mono_ns();

    f->run.status = RUN_INTERRUPTED; /* a run that was deleted is no more */
    (void)store_read_run(l->store, f->run.row, take_status, f, NULL);
    if (f->changed_ns > now)
        f->changed_ns = now;
    if (found || now - f->changed_ns < SILENT_NS)
        f->shown->heard_ns = wall_ns();
    f->shown->silent =
            f->run.status == RUN_RUNNING && now - f->changed_ns > SILENT_NS;
    if (f->run.status == RUN_RUNNING)
        return found || was_silent != f->shown->silent;
    /* Its last rows were committed before its end was. */
    while (following_read(f, l->store, keep_message, l))
        ;
    f->shown->ended = true;
    f->shown->silent = false;
    f->ended_ns = mono_ns();
    f->row_ns = 0;
    following_show(f, l->store);
    following_end(f, l->store, keep_message, l);
    return true;
}

static bool look(struct live *l)
{
    struct run_filter running = { .has_status = true,
        .status = RUN_RUNNING,
        .limit = LIVE_RUNS };
    size_t before = l->view.run_count;
    bool new = false;

    (void)store_list_runs(l->store, &running, take_running, l, NULL);
    new = l->view.run_count != before;
    for (size_t i = 0; i < l->view.run_count; i++) {
        struct following *f = l->following[i];

        if (f->shown->ended) {
            if (mono_ns() - f->ended_ns > KEEP_NS)
                forget(l, i--);
            continue;
        }
        if (look_at(l, f)) {
            following_show(f, l->store);
            new = true;
        }
    }
    return new;
}

/* --- collectors ----------------------------------------------------------- */

/* Subscribes to the collectors of all runs, so that they tell what is new when
 * it is; where that cannot be, the database is looked at. */
static void link_all(struct live *l)
{
    static const char greeting[] = "{\"subscribe\":true}";
    uint64_t now = mono_ns();

    if (now - l->linked_ns < LINK_NS)
        return;
    l->linked_ns = now;
    for (size_t i = 0; i < l->view.run_count; i++)
        if (!l->view.runs[i]->ended)
            (void)local_links_add(l->links, l->view.runs[i]->id, greeting,
                    sizeof(greeting) - 1);
}

/* Waits until then, or until one of them says something. */
static void listen_until(struct live *l, uint64_t until_ns)
{
    char message[LOCAL_MESSAGE_MAX], name[LOCAL_NAME_MAX];
    int len;

    while ((len = local_links_take(l->links, message, name, until_ns)) !=
            -ETIMEDOUT) {
        until_ns = 0; /* the others that are there already */
        for (size_t i = 0; len > 0 && i < l->view.run_count; i++)
            if (strcmp(l->view.runs[i]->id, name) == 0)
                l->following[i]->changed_ns = mono_ns();
    }
}

static void run(void *to)
{
    struct live *l = to;
    int64_t seen = -1;
    uint64_t looked = 0;

    while (!atomic_load(&l->stops)) {
        bool busy = atomic_load(&l->listeners) > 0;
        int64_t state = store_state(l->store);
        uint64_t now = mono_ns();

        if (state != seen || now - looked > IDLE_NS) {
            seen = state;
            looked = now;
            (void)mtx_lock(&l->mutex);
            if (look(l)) {
                collect(l);
                l->view.tick++;
            }
            (void)mtx_unlock(&l->mutex);
        }
        if (busy) {
            link_all(l);
            l->changed(l->to);
        } else {
            local_links_drop(l->links);
        }
        listen_until(l, mono_ns() + (busy ? BUSY_NS : IDLE_NS));
    }
}

/* --- for others ----------------------------------------------------------- */

int live_start(struct live **out,
        int (*open_store)(void *context, struct store **out,
                enum store_mode mode, struct error *e),
        void *context, void (*changed)(void *to), void *to, struct error *e)
{
    struct live *l = alloc_zero(1, sizeof(*l));
    int rc;

    l->open_store = open_store;
    l->context = context;
    l->changed = changed;
    l->to = to;
    l->links = local_links_new();
    (void)mtx_init(&l->mutex, mtx_plain);
    rc = open_store(context, &l->store, STORE_READ, e);
    if (!rc)
        rc = thread_start(&l->thread, run, l);
    if (rc) {
        live_stop(l);
        return rc;
    }
    *out = l;
    return 0;
}

void live_stop(struct live *l)
{
    if (!l)
        return;
    atomic_store(&l->stops, true);
    thread_join(l->thread);
    while (l->view.run_count)
        forget(l, l->view.run_count - 1);
    for (size_t i = 0; i < l->view.series_count; i++) {
        free(l->view.series[i].labels);
        free(l->view.series[i].method);
    }
    for (size_t i = 0; i < LIVE_MESSAGES; i++)
        free(l->view.messages[i].json);
    free(l->view.series);
    free(l->view.values);
    map_release(&l->series);
    local_links_free(l->links);
    store_close(l->store);
    for (size_t i = 0; i < LIVE_NAMES; i++)
        names_release(&l->names[i].names);
    store_close(l->reader);
    mtx_destroy(&l->mutex);
    free(l);
}

const struct live_view *live_lock(struct live *l)
{
    (void)mtx_lock(&l->mutex);
    return &l->view;
}

void live_unlock(struct live *l)
{
    (void)mtx_unlock(&l->mutex);
}

void live_listeners(struct live *l, int more)
{
    (void)atomic_fetch_add(&l->listeners, more);
}

void live_prometheus(struct live *l, struct buf *out)
{
    const struct run_metrics_about *about[LIVE_RUNS];
    struct figure_list list[LIVE_RUNS] = { { 0 } };
    size_t count;

    (void)mtx_lock(&l->mutex);
    count = l->view.run_count;
    for (size_t i = 0; i < count; i++) {
        const struct following *f = l->following[i];

        about[i] = run_metrics_about(f->figures);
        readings_collect(&f->readings, &f->book, &list[i]);
        run_metrics_collect(f->figures, &list[i]);
    }
    if (count)
        prometheus_runs(out, about, list, count);
    for (size_t i = 0; i < count; i++)
        figure_list_release(&list[i]);
    (void)mtx_unlock(&l->mutex);
}
