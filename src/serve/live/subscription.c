#include "serve/live/subscription.h"

#include "base/alloc.h"
#include "base/json_read.h"
#include "os/clock.h"
#include "os/path.h"

#include <stdlib.h>
#include <string.h>

#define SECOND     UINT64_C(1000000000)
#define EVENTS_MAX 1000 /* inferences in a message */

/* --- reading -------------------------------------------------------------- */

/* Takes the place of one that has ended where there is no other. */
static struct told_run *run_of(struct subscription *s, const char *id)
{
    struct told_run *r = NULL;

    for (size_t i = 0; i < s->run_count; i++) {
        if (strcmp(s->runs[i].id, id) == 0)
            return &s->runs[i];
        if (s->runs[i].ended)
            r = &s->runs[i];
    }
    if (s->run_count < SUBSCRIPTION_RUNS)
        r = &s->runs[s->run_count++];
    if (r) {
        *r = (struct told_run){ 0 };
        memcpy(r->id, id, RUN_ID_LEN + 1);
    }
    return r;
}

static bool metric_fits(const char *pattern)
{
    for (size_t i = 0; i < METRIC_IDS; i++)
        if (path_name_fits(metric_table[i].name, pattern))
            return true;
    return false;
}

static const char *read_metrics(struct subscription *s, struct str list,
        const char **code)
{
    struct str value;
    size_t count = 0;
    int rc;

    if (json_kind(list) != '[')
        return "metrics must be a list";
    while ((rc = json_next_element(&list, &value)) > 0) {
        struct buf name = { 0 };
        bool good = json_read_text(&name, value) == 0 && name.len &&
                    name.len < 100 && !strchr(buf_cstr(&name), '\n') &&
                    strlen(buf_cstr(&name)) == name.len &&
                    metric_fits(buf_cstr(&name));

        if (good)
            buf_printf(&s->metrics, "%s\n", buf_cstr(&name));
        buf_release(&name);
        if (!good) {
            *code = "unknown_metric";
            return "metrics must be names of metrics, maybe with *";
        }
        if (++count > 64)
            return "there are more than 64 metrics";
    }
    return rc ? "metrics must be a list" : NULL;
}

static const char *read_events(struct subscription *s, struct str list)
{
    static const char *const names[] = { "\"system\"", "\"inference\"",
        "\"operation\"", "\"event\"" };
    struct str value;
    int rc;

    if (json_kind(list) != '[')
        return "events must be a list";
    while ((rc = json_next_element(&list, &value)) > 0) {
        unsigned found = 0;

        for (unsigned i = 0; i < 4; i++)
            if (str_is(value, names[i]))
                found = 1U << i;
        if (!found)
            return "events are system, inference, operation and event";
        s->events |= found;
    }
    return rc ? "events must be a list" : NULL;
}

static const char *read_run(struct subscription *s, struct live *l,
        struct str value, const char **code)
{
    struct buf name = { 0 };
    char id[RUN_ID_LEN + 1];
    struct told_run *r = NULL;
    bool live;

    (void)json_read_text(&name, value);
    live = strcmp(buf_cstr(&name), "live") == 0;
    if (live)
        s->live = true;
    else if (live_finds(l, buf_cstr(&name), id) && (r = run_of(s, id)))
        r->stored = true;
    buf_release(&name);
    if (live || r)
        return NULL;
    *code = "unknown_run";
    return "runs must be live, last, or ids of runs";
}

static const char *read_runs(struct subscription *s, struct live *l,
        struct str list, const char **code)
{
    struct str value;
    const char *wrong = NULL;
    int rc = -1;

    s->live = false;
    if (json_kind(list) == '[')
        while (!wrong && (rc = json_next_element(&list, &value)) > 0)
            wrong = read_run(s, l, value, code);
    return wrong ? wrong : rc ? "runs must be a list" : NULL;
}

/* A number of an inference, or {"inference":17,"operation":230}. */
static const char *read_cursor(struct live *l, const char *id, struct str value,
        struct live_cursor *out)
{
    struct str key, number;
    uint64_t place[2] = { 0 };
    int rc;

    if (json_kind(value) != '{') {
        if (str_u64(&place[0], value))
            return "after has numbers";
        *out = live_cursor_at(l, id, place[0]);
        return NULL;
    }
    while ((rc = json_next_member(&value, &key, &number)) > 0) {
        bool operation = str_is(key, "operation");

        if ((!operation && !str_is(key, "inference")) ||
                str_u64(&place[operation], number))
            return "after has numbers, of an inference and an operation";
    }
    *out = (struct live_cursor){ .inference = place[0], .operation = place[1] };
    return rc ? "after has numbers" : NULL;
}

static const char *read_after(struct subscription *s, struct live *l,
        struct str object, const char **code)
{
    struct str key, value;
    int rc = -1;

    if (json_kind(object) == '{')
        while ((rc = json_next_member(&object, &key, &value)) > 0) {
            char name[RUN_ID_LEN + 1] = "", id[RUN_ID_LEN + 1];
            struct told_run *r = NULL;
            const char *wrong;

            if (key.len <= RUN_ID_LEN)
                memcpy(name, key.p, key.len);
            if (live_finds(l, name, id))
                r = run_of(s, id);
            if (!r) {
                *code = "unknown_run";
                return "after names runs by their ids";
            }
            r->stored = true;
            wrong = read_cursor(l, id, value, &r->cursor);
            if (wrong)
                return wrong;
        }
    return rc ? "after must be an object" : NULL;
}

static const char *read_id(struct subscription *s, struct str value)
{
    struct buf text = { 0 };
    bool good = json_read_text(&text, value) == 0 && text.len >= 1 &&
                text.len < sizeof(s->id) && strlen(buf_cstr(&text)) == text.len;

    if (good)
        memcpy(s->id, buf_cstr(&text), text.len + 1);
    buf_release(&text);
    return good ? NULL : "id must be a text of 1 to 64 characters";
}

static const char *read_member(struct subscription *s, struct live *l,
        struct str key, struct str value, const char **code)
{
    if (str_is(key, "type"))
        return NULL;
    if (str_is(key, "id"))
        return read_id(s, value);
    if (str_is(key, "metrics"))
        return read_metrics(s, value, code);
    if (str_is(key, "events"))
        return read_events(s, value);
    if (str_is(key, "runs"))
        return read_runs(s, l, value, code);
    if (str_is(key, "after"))
        return read_after(s, l, value, code);
    if (str_is(key, "buckets")) {
        s->buckets = str_is(value, "true");
        return s->buckets || str_is(value, "false")
                       ? NULL
                       : "buckets must be true or false";
    }
    if (str_is(key, "rate_hz"))
        return str_f64(&s->wanted_hz, value) == 0 && s->wanted_hz >= 0.1 &&
                               s->wanted_hz <= 100
                       ? NULL
                       : "rate_hz must be 0.1 to 100";
    return "there is a member that subscribe does not have";
}

const char *subscription_read(struct subscription *s, struct str message,
        struct live *l, const char **code)
{
    struct str key, value;
    const char *wrong = NULL;

    *s = (struct subscription){ .live = true, .wanted_hz = 10 };
    *code = "bad_message";
    while (!wrong && json_next_member(&message, &key, &value) > 0)
        wrong = read_member(s, l, key, value, code);
    if (!wrong && !s->id[0])
        wrong = "id must be given";
    if (!wrong && !s->metrics.len && !s->events)
        wrong = "metrics and events are both empty";
    s->hz = s->wanted_hz;
    s->window_ns = s->clean_ns = mono_ns();
    if (wrong)
        subscription_release(s);
    return wrong;
}

void subscription_release(struct subscription *s)
{
    for (size_t i = 0; i < s->told_count; i++)
        free(s->told[i].hist);
    free(s->told);
    s->told = NULL;
    s->told_count = 0;
    buf_release(&s->metrics);
}

/* --- values --------------------------------------------------------------- */

static bool is_wanted(const struct subscription *s, const struct live_series *x)
{
    struct str rest = buf_str(&s->metrics), line;

    if (!s->live) {
        bool named = false;

        for (size_t i = 0; i < s->run_count; i++)
            named |= strcmp(s->runs[i].id, x->run_id) == 0;
        if (!named)
            return false;
    }
    while (str_line(&line, &rest)) {
        char pattern[104] = "";

        memcpy(pattern, line.p, line.len);
        if (path_name_fits(x->metric->name, pattern))
            return true;
    }
    return false;
}

static void series_json(struct json *j, uint32_t number,
        const struct live_series *x)
{
    json_object(j, NULL);
    json_u64(j, "s", number);
    json_text(j, "metric", x->metric->name);
    json_text(j, "unit", x->metric->unit);
    json_text(j, "kind", metric_kind_name(x->metric->kind));
    json_text(j, "run_id", x->run_id);
    json_raw(j, "labels", x->labels);
    if (x->method)
        json_text(j, "method", x->method);
    json_end(j);
}

static void new_buckets(struct json *j, struct told *t, const struct hist *h)
{
    if (!t->hist)
        t->hist = alloc_zero(1, sizeof(*t->hist));
    json_array(j, "new");
    for (unsigned i = 0; i < HIST_BUCKETS; i++)
        if (h->bucket[i] > t->hist->bucket[i]) {
            json_u64(j, NULL, i);
            json_u64(j, NULL, h->bucket[i] - t->hist->bucket[i]);
        }
    json_end(j);
    *t->hist = *h;
}

static void value_json(struct json *j, const struct subscription *s,
        struct told *t, const struct live_value *v)
{
    json_array(j, NULL);
    json_u64(j, NULL, v->series);
    if (!v->is_histogram) {
        json_real(j, NULL, v->value);
        json_end(j);
        return;
    }
    json_object(j, NULL);
    json_u64(j, "count", v->count);
    json_real(j, "sum", v->sum);
    if (v->hist && s->buckets) {
        new_buckets(j, t, v->hist);
    } else if (v->hist) {
        json_real(j, "p50", hist_median(v->hist) / 1e9);
        if (v->hist->count >= 100)
            json_real(j, "p99", (double)hist_quantile(v->hist, 0.99) / 1e9);
    }
    json_end(j);
    json_end(j);
}

static void make_room(struct subscription *s, size_t count)
{
    if (s->told_count >= count)
        return;
    s->told = alloc_resize(s->told, count * sizeof(*s->told));
    memset(s->told + s->told_count, 0,
            (count - s->told_count) * sizeof(*s->told));
    s->told_count = count;
}

/* Three lists of one walk: series that are new, values that changed, series
 * that are gone.  Returns whether there is anything. */
static bool figures(struct subscription *s, const struct live_view *v,
        struct json *j, bool first)
{
    struct buf told = { 0 }, values = { 0 };
    struct json a = json_line_into(&told), b = json_line_into(&values);
    size_t new = 0, changed = 0, gone = 0;

    make_room(s, v->series_count);
    s->pass++;
    json_array(&a, NULL);
    json_array(&b, NULL);
    for (size_t i = 0; i < v->value_count; i++) {
        const struct live_value *x = &v->values[i];
        const struct live_series *of = &v->series[x->series - 1];
        struct told *t = &s->told[x->series - 1];

        if (!t->known && !is_wanted(s, of))
            continue;
        t->pass = s->pass;
        if (t->known &&
                (x->is_histogram ? t->count == x->count : t->value == x->value))
            continue;
        if (!t->known) {
            new ++;
            series_json(&a, x->series, of);
        }
        changed++;
        value_json(&b, s, t, x);
        t->known = true;
        t->value = x->value;
        t->count = x->count;
    }
    json_end(&a);
    json_end(&b);
    if (first || new)
        json_raw(j, first ? "series" : "new", buf_cstr(&told));
    if (first || changed)
        json_raw(j, "values", buf_cstr(&values));
    for (size_t i = 0; i < s->told_count; i++) {
        if (!s->told[i].known || s->told[i].pass == s->pass)
            continue;
        if (!gone++)
            json_array(j, "gone");
        json_u64(j, NULL, i + 1);
        s->told[i].known = false;
    }
    if (gone)
        json_end(j);
    buf_release(&told);
    buf_release(&values);
    return new || changed || gone;
}

/* --- messages ------------------------------------------------------------- */

static void head(struct json *j, struct subscription *s, const char *type)
{
    json_object(j, NULL);
    json_text(j, "type", type);
    json_text(j, "id", s->id);
    json_u64(j, "seq", s->seq++);
    json_u64(j, "timestamp_ns", wall_ns());
}

static uint64_t hash_of(const struct buf *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < text->len; i++)
        hash = (hash ^ (unsigned char)text->p[i]) * UINT64_C(1099511628211);
    return hash;
}

/* The newest of the runs that go on, when it changed. */
static bool system_of(struct subscription *s, const struct live_view *v,
        struct json *j)
{
    for (size_t i = v->run_count; i--;) {
        const struct live_run *r = v->runs[i];
        uint64_t hash = hash_of(&r->system);

        if (r->ended || !r->system.len)
            continue;
        if (hash == s->system_hash)
            return false;
        s->system_hash = hash;
        json_raw(j, "system", buf_cstr(&r->system));
        return true;
    }
    return false;
}

static void snapshot(struct subscription *s, const struct live_view *v,
        struct json *j)
{
    head(j, s, "snapshot");
    json_real(j, "rate_hz", s->hz);
    json_array(j, "runs");
    for (size_t i = 0; i < v->run_count; i++) {
        const struct live_run *x = v->runs[i];
        struct told_run *r;

        if (x->ended || !s->live || !x->text.len)
            continue;
        json_raw(j, NULL, buf_cstr(&x->text));
        r = run_of(s, x->id);
        if (r && !r->stored)
            r->cursor = x->newest;
        if (r)
            r->started = true;
    }
    json_end(j);
    if (s->events & SEND_SYSTEM)
        (void)system_of(s, v, j);
    (void)figures(s, v, j, true);
    json_end(j);
    s->began = true;
}

/* `heard_ns` 0: of a run that is not followed. */
static void run_message(struct subscription *s, struct told_run *r,
        const char *event, uint64_t heard_ns, const struct buf *row,
        struct json *j)
{
    r->started = true;
    r->ended |= strcmp(event, "ended") == 0;
    head(j, s, "run");
    json_text(j, "event", event);
    if (heard_ns)
        json_u64(j, "heard_ns", heard_ns);
    if (row->len)
        json_raw(j, "run", buf_cstr(row));
    json_end(j);
}

/* Whether it was told all that it wants of the run. */
static bool has_all(const struct subscription *s, const struct told_run *r,
        const struct live_run *x)
{
    const struct live_cursor *a = &r->cursor, *b = &x->newest;

    return (!(s->events & SEND_INFERENCES) || a->inference >= b->inference) &&
           (!(s->events & SEND_OPERATIONS) || a->operation >= b->operation) &&
           (!(s->events & SEND_EVENTS) ||
                   (a->mark >= b->mark && a->session >= b->session &&
                           a->lost == b->lost));
}

/* That a run began, fell silent, came back or ended; its events come first. */
static bool run_event(struct subscription *s, const struct live_view *v,
        struct json *j)
{
    for (size_t i = 0; i < v->run_count; i++) {
        const struct live_run *x = v->runs[i];
        struct told_run *r = NULL;
        const char *event = NULL;

        for (size_t k = 0; k < s->run_count; k++)
            if (strcmp(s->runs[k].id, x->id) == 0)
                r = &s->runs[k];
        if (!r && s->live && !x->ended)
            r = run_of(s, x->id);
        if (!r || !x->text.len)
            continue;
        if (!r->started && !x->ended)
            event = "started";
        else if (x->ended && !r->ended && has_all(s, r, x))
            event = "ended";
        else if (x->silent != r->silent)
            event = x->silent ? "silent" : "back";
        if (!event)
            continue;
        r->silent = x->silent;
        run_message(s, r, event, x->heard_ns, &x->text, j);
        return true;
    }
    return false;
}

/* That a stored run is at its end. */
static bool stored_end(struct subscription *s, struct live *l, struct json *j)
{
    for (size_t i = 0; i < s->run_count; i++) {
        struct told_run *r = &s->runs[i];
        struct buf row = { 0 };

        if (!r->drained || r->ended)
            continue;
        (void)live_ended_run(l, r->id, &row);
        run_message(s, r, "ended", 0, &row, j);
        buf_release(&row);
        return true;
    }
    return false;
}

/* What is next of a run: up to EVENTS_MAX of each kind.  Returns how many there
 * were of the kind of which there were most. */
static size_t add_run(struct subscription *s, struct live *l,
        struct told_run *r, struct json *j)
{
    static const struct {
        unsigned wanted;
        const char *key;
        live_reading *read;
    } kinds[] = {
        { SEND_INFERENCES, "inferences", live_inferences },
        { SEND_OPERATIONS, "operations", live_operations },
        { SEND_EVENTS, "events", live_happenings },
    };
    size_t most = 0;

    if (!(s->events & SEND_INFERENCES)) /* operations need not wait for them */
        r->cursor.inference = UINT64_MAX;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct buf list = { 0 };
        size_t count = 0;

        if (s->events & kinds[i].wanted)
            count = kinds[i].read(l, r->id, &r->cursor, EVENTS_MAX, &list);
        if (list.len) {
            json_array(j, kinds[i].key);
            json_raw(j, NULL, buf_cstr(&list));
            json_end(j);
        }
        most = count > most ? count : most;
        buf_release(&list);
    }
    return most;
}

/* The next run that has something; they take turns.  Returns whether there may
 * be more at once. */
static bool add_events(struct subscription *s, struct live *l, struct json *j,
        bool *any)
{
    for (size_t i = 0; i < s->run_count; i++) {
        struct told_run *r = &s->runs[s->turn++ % s->run_count];
        size_t count;

        if (r->ended)
            continue;
        r->over |= r->stored && live_ended_run(l, r->id, NULL);
        count = add_run(s, l, r, j);
        r->drained = r->over && !count;
        if (count) {
            *any = true;
            return count >= EVENTS_MAX || s->run_count > 1;
        }
    }
    return false;
}

static bool delta(struct subscription *s, struct live *l, struct buf *out,
        uint64_t now_ns)
{
    size_t before = out->len;
    struct json j = json_line_into(out);
    const struct live_view *v;
    bool any = false, more = false;
    uint64_t seq = s->seq;

    head(&j, s, "delta");
    v = live_lock(l);
    if (v->tick != s->tick) {
        s->tick = v->tick;
        any = figures(s, v, &j, false);
        if (s->events & SEND_SYSTEM)
            any |= system_of(s, v, &j);
    }
    live_unlock(l);
    more = add_events(s, l, &j, &any);
    json_end(&j);
    if (!any && now_ns - s->sent_ns < SECOND) {
        out->len = before;
        s->seq = seq;
        return false;
    }
    s->sent_ns = more ? 0 : now_ns;
    return true;
}

static void notice(struct subscription *s, struct json *j)
{
    head(j, s, "notice");
    json_text(j, "code", s->restored ? "rate_restored" : "slow_client");
    json_text(j, "message",
            s->restored ? "you keep up again"
                        : "you take messages too slowly: there will be fewer");
    json_real(j, "rate_hz", s->hz);
    json_real(j, "wanted_hz", s->wanted_hz);
    json_end(j);
    s->tell_rate = false;
}

bool subscription_next(struct subscription *s, struct live *l, struct buf *out,
        uint64_t now_ns)
{
    struct json j = json_line_into(out);
    const struct live_view *v;
    bool said = false;

    if (s->tell_rate) {
        notice(s, &j);
        return true;
    }
    v = live_lock(l);
    if (!s->began) {
        snapshot(s, v, &j);
        s->tick = v->tick;
        said = true;
    } else {
        said = run_event(s, v, &j);
    }
    live_unlock(l);
    if (said || stored_end(s, l, &j))
        return true;
    if (s->sent_ns && (double)(now_ns - s->sent_ns) < 1e9 / s->hz)
        return false;
    return delta(s, l, out, now_ns);
}

void subscription_tick(struct subscription *s, bool choked, uint64_t now_ns)
{
    s->ticks++;
    s->merged += choked;
    if (choked)
        s->clean_ns = now_ns;
    if (now_ns - s->clean_ns > 10 * SECOND && s->hz < s->wanted_hz) {
        s->hz = 2 * s->hz < s->wanted_hz ? 2 * s->hz : s->wanted_hz;
        s->clean_ns = now_ns;
        s->tell_rate = s->restored = true;
    }
    if (now_ns - s->window_ns < 2 * SECOND)
        return;
    if (2 * s->merged > s->ticks && s->hz > 1) {
        s->hz = s->hz / 2 > 1 ? s->hz / 2 : 1;
        s->tell_rate = true;
        s->restored = false;
    }
    s->ticks = s->merged = 0;
    s->window_ns = now_ns;
}
