#include "cmd/watch/watch_events.h"

#include "base/alloc.h"
#include "sample/perf/events.h"

#include <stdlib.h>

#define BATCH       4096
#define BATCHES_MAX 16 /* in one go, of one process: others wait, too */

/* What to ask for, in the order of giving up. */
static const struct wish {
    unsigned wanted;
    const char *without; /* what is missing when this is what we get */
} wishes[] = {
    { EVENTS_SWITCHES | EVENTS_FAULTS | EVENTS_STORAGE, NULL },
    { EVENTS_SWITCHES | EVENTS_FAULTS, "storage" },
    { 0, "all" },
};

struct followed {
    uint32_t subject;
    struct events *stream; /* NULL: it is over, or could not be had */
    unsigned wanted;       /* what is counted; 0: nothing */
    uint64_t count[EVENT_KINDS];
    uint64_t lost;
};

struct reason {
    const char *of; /* "storage", "all" */
    int rc;
    struct error why;
};

struct watch_events {
    const struct watching *watching;
    struct followed *items;
    size_t count, cap;
    struct reason *reasons;
    size_t reason_count;
    struct event batch[BATCH];
};

/* --- following ------------------------------------------------------------ */

/* Of twenty processes that are refused alike, the first speaks for all. */
static void note(struct watch_events *s, const char *of, int rc,
        const struct error *why)
{
    for (size_t i = 0; i < s->reason_count; i++)
        if (s->reasons[i].rc == rc && s->reasons[i].of == of)
            return;
    s->reasons = alloc_resize(s->reasons,
            (s->reason_count + 1) * sizeof(*s->reasons));
    s->reasons[s->reason_count++] = (struct reason){ of, rc, *why };
}

static void follow(struct watch_events *s, const struct target *t)
{
    struct followed f = { .subject = t->subject };
    const struct wish *w = wishes;
    struct error why = { 0 };
    int refused = 0;

    while (w->wanted) {
        int rc = events_open(&f.stream, "", t->pid, w->wanted, &why);

        if (!rc)
            break;
        refused = rc;
        w++;
    }
    if (w->without)
        note(s, w->without, refused, &why);
    f.wanted = w->wanted;
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 16;
        s->items = alloc_resize(s->items, s->cap * sizeof(*s->items));
    }
    s->items[s->count++] = f;
}

static bool is_followed(const struct watch_events *s, uint32_t subject)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].subject == subject)
            return true;
    return false;
}

static void follow_new(struct watch_events *s)
{
    struct targets *targets = sampling_targets(s->watching->sampling);

    for (size_t i = 0; targets && i < targets_count(targets); i++)
        if (!is_followed(s, targets_at(targets, i)->subject))
            follow(s, targets_at(targets, i));
}

struct watch_events *watch_events_new(const struct watching *w)
{
    struct watch_events *s = alloc_zero(1, sizeof(*s));

    s->watching = w;
    follow_new(s);
    return s;
}

void watch_events_free(struct watch_events *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        events_close(s->items[i].stream);
    free(s->items);
    free(s->reasons);
    free(s);
}

/* --- taking --------------------------------------------------------------- */

static void add_line(struct buf *out, const struct event *x,
        uint64_t mono_to_wall_ns)
{
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    json_u64(&j, "timestamp_ns", x->time_ns + mono_to_wall_ns);
    if (x->kind == EVENT_PAGE_FAULT) {
        json_text(&j, "event", "page_fault");
        json_u64(&j, "address", x->value);
    } else if (x->kind == EVENT_STORAGE_ASKED) {
        json_text(&j, "event", "storage");
        json_u64(&j, "bytes", x->value);
    } else {
        json_text(&j, "event", "switch");
        json_text(&j, "how", event_kind_name(x->kind));
    }
    json_u64(&j, "pid", x->pid);
    json_u64(&j, "tid", x->tid);
    json_u64(&j, "cpu", x->cpu);
    json_end(&j);
    buf_char(out, '\n');
}

static void take(struct watch_events *s, struct followed *f, struct buf *lines)
{
    size_t n = BATCH;

    for (int i = 0; i < BATCHES_MAX && n; i++) {
        n = events_read(f->stream, s->batch, BATCH);
        for (size_t k = 0; k < n; k++) {
            f->count[s->batch[k].kind]++;
            if (lines)
                add_line(lines, &s->batch[k], s->watching->mono_to_wall_ns);
        }
    }
    f->lost = events_lost(f->stream);
}

void watch_events_step(struct watch_events *s, struct buf *lines)
{
    const struct subjects *subjects = sampling_subjects(s->watching->sampling);

    follow_new(s);
    for (size_t i = 0; i < s->count; i++) {
        struct followed *f = &s->items[i];

        if (!f->stream)
            continue;

        /* Asked before taking: then what is there is all there will be. */
        bool over = subjects_ended_ns(subjects, f->subject) != 0;

        take(s, f, lines);
        if (!over)
            continue;
        events_close(f->stream);
        f->stream = NULL;
    }
}

/* --- summing up ----------------------------------------------------------- */

static bool is_counted(const struct followed *f, enum event_kind kind)
{
    switch (kind) {
    case EVENT_SWITCHED_IN:
    case EVENT_WAITED:
    case EVENT_PREEMPTED: return f->wanted & EVENTS_SWITCHES;
    case EVENT_PAGE_FAULT: return f->wanted & EVENTS_FAULTS;
    case EVENT_STORAGE_ASKED: return f->wanted & EVENTS_STORAGE;
    case EVENT_KINDS: break;
    }
    return false;
}

void watch_events_json(struct json *j, const struct watch_events *s)
{
    const struct subjects *subjects = sampling_subjects(s->watching->sampling);

    json_array(j, "events");
    for (size_t i = 0; i < s->count; i++) {
        const struct followed *f = &s->items[i];

        if (!f->wanted)
            continue;
        json_object(j, NULL);
        json_u64(j, "pid", subjects_get(subjects, f->subject)->number);
        for (int k = 0; k < EVENT_KINDS; k++)
            if (is_counted(f, (enum event_kind)k))
                json_u64(j, event_kind_name((enum event_kind)k), f->count[k]);
        json_u64(j, "lost", f->lost);
        json_end(j);
    }
    json_end(j);
}

void watch_events_missing_json(struct json *j, const struct watch_events *s)
{
    for (size_t i = 0; i < s->reason_count; i++) {
        json_object(j, NULL);
        json_text(j, "events", s->reasons[i].of);
        json_text(j, "reason", s->reasons[i].why.text);
        json_end(j);
    }
}

void watch_events_text(const struct page *p, const struct watch_events *s,
        uint32_t subject)
{
    static const char *const words[EVENT_KINDS] = {
        [EVENT_SWITCHED_IN] = "switched in",
        [EVENT_WAITED] = "waited",
        [EVENT_PREEMPTED] = "preempted",
        [EVENT_PAGE_FAULT] = "page faults",
        [EVENT_STORAGE_ASKED] = "asked for storage",
    };

    for (size_t i = 0; i < s->count; i++) {
        const struct followed *f = &s->items[i];

        if (f->subject != subject || !f->wanted)
            continue;
        page_label(p, "  events");
        for (int k = 0; k < EVENT_KINDS; k++)
            if (is_counted(f, (enum event_kind)k))
                buf_printf(p->out, "%s %llu, ", words[k],
                        (unsigned long long)f->count[k]);
        buf_printf(p->out, "lost %llu\n", (unsigned long long)f->lost);
    }
}

void watch_events_missing_text(const struct page *p,
        const struct watch_events *s, const char *label)
{
    for (size_t i = 0; i < s->reason_count; i++) {
        page_label(p, label);
        label = "";
        buf_printf(p->out, "events (%s): ", s->reasons[i].of);
        term_text(p->out, s->reasons[i].why.text);
        buf_char(p->out, '\n');
    }
}
