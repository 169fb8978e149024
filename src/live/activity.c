#include "live/activity.h"

#include "base/alloc.h"
#include "base/map.h"
#include "os/clock.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_NS      UINT64_C(100000000)
#define SLOTS        256 /* that are not told yet, at most */
#define SLOTS_PER_S  10
#define LEAST_LAG_NS UINT64_C(250000000)
#define MOST_LAG_NS  ((SLOTS - 8) * SLOT_NS)
#define STRETCHES    64
#define SESSIONS_MAX 256 /* that are followed at the same time */
#define SECOND_NS    UINT64_C(1000000000)

/* Times are since the run's start, unless they are called mono. */
struct stretch {
    uint64_t start_ns, end_ns;
};

struct busy_session {
    uint32_t id;
    char *model;
    bool begun; /* it had an inference: `subject` is there */
    uint32_t subject;
    uint64_t end_ns; /* 0: it goes on */
    uint64_t longest_ns;
    uint64_t traced;
    uint64_t busy_ns;    /* all that was told */
    uint64_t next;       /* the first slot that is not told */
    bool idle;           /* the slot before it was */
    uint64_t *running;   /* SLOTS: nanoseconds of all inferences in each, */
    uint64_t *busy;      /* and of the time in which one ran or more */
    struct stretch *was; /* STRETCHES: when one ran or more, ascending */
    size_t was_count;
};

/* CPU time that somebody has used, since we looked. */
struct spent {
    struct map last; /* the last reading of each series, as bits */
    double seconds;
};

struct activity {
    struct loop *loop;
    uint64_t start_ns; /* mono */
    struct busy_session *sessions;
    size_t count;
    bool passed_over; /* there were too many sessions */
    struct spent machine, program;
    uint64_t window_ns; /* when the window of others' time began; 0: not yet */
    double window_machine_s, window_program_s;
    uint64_t window_own_ns;
    struct reading others; /* waits to be told, if it has a time */
};

/* --- telling -------------------------------------------------------------- */

static void tell(struct activity *a, enum metric_id metric, uint32_t subject,
        uint64_t time_ns, double value)
{
    loop_take(a->loop, &(struct reading){ .time_ns = a->start_ns + time_ns,
                               .value = value,
                               .subject = subject,
                               .metric = (uint16_t)metric,
                               .method = READING_MEASURED });
}

/* A slot, or as much of it as is over.  What is idle is told once a second. */
static void tell_slot(struct activity *a, struct busy_session *s,
        uint64_t end_ns)
{
    size_t at = s->next % SLOTS;
    uint64_t length_ns = end_ns - s->next * SLOT_NS;
    bool idle = !s->running[at];

    s->next++;
    s->busy_ns += s->busy[at];
    if (!idle || !s->idle || s->next % SLOTS_PER_S == 0) {
        tell(a, METRIC_inferences_in_flight, s->subject, end_ns,
                (double)s->running[at] / (double)length_ns);
        tell(a, METRIC_session_busy_seconds_total, s->subject, end_ns,
                (double)s->busy_ns / 1e9);
        tell(a, METRIC_traced_inferences_total, s->subject, end_ns,
                (double)s->traced);
    }
    s->idle = idle;
    s->running[at] = s->busy[at] = 0;
}

static void tell_until(struct activity *a, struct busy_session *s,
        uint64_t time_ns)
{
    while (s->begun && (s->next + 1) * SLOT_NS <= time_ns)
        tell_slot(a, s, (s->next + 1) * SLOT_NS);
}

static uint64_t lag_of(const struct busy_session *s)
{
    uint64_t lag = s->longest_ns < LEAST_LAG_NS ? LEAST_LAG_NS : s->longest_ns;

    return lag < MOST_LAG_NS ? lag : MOST_LAG_NS;
}

/* --- sessions ------------------------------------------------------------- */

static struct busy_session *find(struct activity *a, uint32_t id)
{
    for (size_t i = a->count; i--;) /* the newest are the busiest */
        if (a->sessions[i].id == id)
            return &a->sessions[i];
    return NULL;
}

static struct subjects *subjects_of(struct activity *a)
{
    return sampling_subjects(loop_sampling(a->loop));
}

static void take_session(void *to, const struct session *x)
{
    struct activity *a = to;

    if (x->error || find(a, x->id))
        return;
    if (a->count == SESSIONS_MAX) {
        if (!a->passed_over)
            subjects_missing(subjects_of(a), METRIC_inferences_in_flight, 0,
                    "of more than %d sessions at a time, the others are not "
                    "followed",
                    SESSIONS_MAX);
        a->passed_over = true;
        return;
    }
    a->sessions =
            alloc_resize(a->sessions, (a->count + 1) * sizeof(*a->sessions));
    a->sessions[a->count++] = (struct busy_session){
        .id = x->id,
        .model = x->model ? alloc_text(x->model) : NULL,
    };
}

static void release(struct busy_session *s)
{
    free(s->model);
    free(s->running);
    free(s->busy);
    free(s->was);
}

static void forget(struct activity *a, struct busy_session *s)
{
    release(s);
    a->count--;
    memmove(s, s + 1, (size_t)(a->sessions + a->count - s) * sizeof(*s));
}

static void take_session_end(void *to, const struct session *x)
{
    struct busy_session *s = find(to, x->id);

    if (s && !s->begun)
        forget(to, s);
    else if (s)
        s->end_ns = x->end_ns ? x->end_ns : 1;
}

static void begin(struct activity *a, struct busy_session *s, uint64_t start_ns)
{
    s->begun = true;
    s->subject = subjects_add(subjects_of(a),
            &(struct subject){ .kind = SUBJECT_SESSION,
                    .number = s->id,
                    .name = s->model,
                    .source = "hook" });
    s->running = alloc_zero(SLOTS, sizeof(*s->running));
    s->busy = alloc_zero(SLOTS, sizeof(*s->busy));
    s->was = alloc_zero(STRETCHES, sizeof(*s->was));
    s->next = start_ns / SLOT_NS;
}

/* --- inferences ----------------------------------------------------------- */

/* Shares a stretch out to the slots that it lies in.  Returns how much of it
 * comes too late: its slots are told. */
static uint64_t share_out(struct busy_session *s, uint64_t *slots,
        uint64_t start_ns, uint64_t end_ns)
{
    uint64_t told_ns = s->next * SLOT_NS, late_ns = 0;

    if (start_ns < told_ns) {
        late_ns = (end_ns < told_ns ? end_ns : told_ns) - start_ns;
        start_ns = told_ns;
    }
    while (start_ns < end_ns) {
        uint64_t slot = start_ns / SLOT_NS, until_ns = (slot + 1) * SLOT_NS;

        if (until_ns > end_ns)
            until_ns = end_ns;
        slots[slot % SLOTS] += until_ns - start_ns;
        start_ns = until_ns;
    }
    return late_ns;
}

/* Adds what of a stretch no other one has covered, and covers it.  Inferences
 * come nearly in the order of their ends, so the last stretches matter. */
static void cover(struct busy_session *s, uint64_t start_ns, uint64_t end_ns)
{
    struct stretch all = { start_ns, end_ns };
    size_t first = s->was_count, behind;

    while (first && s->was[first - 1].end_ns >= start_ns)
        first--;
    for (behind = first;
            behind < s->was_count && s->was[behind].start_ns <= end_ns;
            behind++) {
        struct stretch *x = &s->was[behind];

        if (start_ns < x->start_ns)
            s->busy_ns += share_out(s, s->busy, start_ns, x->start_ns);
        if (start_ns < x->end_ns)
            start_ns = x->end_ns;
        if (x->start_ns < all.start_ns)
            all.start_ns = x->start_ns;
        if (x->end_ns > all.end_ns)
            all.end_ns = x->end_ns;
    }
    if (start_ns < end_ns)
        s->busy_ns += share_out(s, s->busy, start_ns, end_ns);
    if (behind == first && s->was_count == STRETCHES) {
        if (!first)
            return; /* older than all that is remembered */
        memmove(s->was, s->was + 1, (first - 1) * sizeof(*s->was));
        s->was[first - 1] = all;
        return;
    }
    memmove(s->was + first + 1, s->was + behind,
            (s->was_count - behind) * sizeof(*s->was));
    s->was_count = s->was_count + 1 - (behind - first);
    s->was[first] = all;
}

static void take_inference(void *to, const struct inference *i)
{
    struct activity *a = to;
    struct busy_session *s = find(a, i->session);
    uint64_t end_ns = i->start_ns + i->duration_ns;

    if (!s)
        return;
    if (!s->begun)
        begin(a, s, i->start_ns);
    if (end_ns >= (s->next + SLOTS) * SLOT_NS)
        tell_until(a, s, end_ns - (SLOTS - 1) * SLOT_NS);
    s->traced += (i->flags & FLAG_TRACED) != 0;
    if (s->longest_ns < i->duration_ns)
        s->longest_ns = i->duration_ns;
    (void)share_out(s, s->running, i->start_ns, end_ns);
    cover(s, i->start_ns, end_ns);
}

/* --- others --------------------------------------------------------------- */

/* Both begin with the first reading of each series. */
static void spend(struct spent *x, const struct reading *r)
{
    uint64_t key = (uint64_t)r->subject << 16 | r->metric, bits;
    const uint64_t *last = map_find(&x->last, key);
    double before;

    if (last) {
        memcpy(&before, last, sizeof(before));
        if (r->value > before)
            x->seconds += r->value - before;
    }
    memcpy(&bits, &r->value, sizeof(bits));
    map_put(&x->last, key, bits);
}

/* A second is over: the kernel's steps are small in it. */
static void close_window(struct activity *a, uint64_t now_ns)
{
    uint64_t own_ns = own_cpu_ns();
    double seconds = (double)(now_ns - a->window_ns) / 1e9;
    double others = a->machine.seconds - a->window_machine_s -
                    (a->program.seconds - a->window_program_s) -
                    (double)(own_ns - a->window_own_ns) / 1e9;

    if (a->window_ns)
        a->others = (struct reading){ .time_ns = now_ns,
            .value = others > 0 ? others / seconds : 0 };
    a->window_ns = now_ns;
    a->window_machine_s = a->machine.seconds;
    a->window_program_s = a->program.seconds;
    a->window_own_ns = own_ns;
}

static void take_readings(void *to, const struct reading_list *list)
{
    struct activity *a = to;
    uint64_t time_ns = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct reading *r = &list->items[i];

        switch ((enum metric_id)r->metric) {
        case METRIC_core_user_seconds_total:
        case METRIC_core_system_seconds_total:
            time_ns = r->time_ns;
            spend(&a->machine, r);
            break;
        case METRIC_process_cpu_seconds_total: spend(&a->program, r); break;
        default: break;
        }
    }
    if (time_ns >= a->window_ns + SECOND_NS || (time_ns && !a->window_ns))
        close_window(a, time_ns);
}

/* --- in the loop ---------------------------------------------------------- */

static void poll(void *to)
{
    struct activity *a = to;
    uint64_t now_ns = mono_ns() - a->start_ns;

    if (a->others.time_ns)
        tell(a, METRIC_others_cpu_cores, 0, a->others.time_ns, a->others.value);
    a->others.time_ns = 0;
    for (size_t i = a->count; i--;) {
        struct busy_session *s = &a->sessions[i];
        uint64_t lag_ns = lag_of(s);

        if (now_ns > lag_ns)
            tell_until(a, s, now_ns - lag_ns);
        if (s->end_ns && s->next * SLOT_NS > s->end_ns) {
            subjects_end(subjects_of(a), s->subject, a->start_ns + s->end_ns);
            forget(a, s);
        }
    }
}

/* Nothing more comes. */
static void end(void *to, const struct run_end *x)
{
    struct activity *a = to;
    uint64_t now_ns = mono_ns() - a->start_ns;

    (void)x;
    for (size_t i = 0; i < a->count; i++) {
        struct busy_session *s = &a->sessions[i];

        tell_until(a, s, now_ns);
        if (s->begun && s->next * SLOT_NS < now_ns)
            tell_slot(a, s, now_ns);
    }
}

struct activity *activity_new(struct loop *l, uint64_t start_ns)
{
    struct activity *a = alloc_zero(1, sizeof(*a));

    a->loop = l;
    a->start_ns = start_ns;
    loop_add_feed(l, &(struct loop_feed){ .context = a, .poll = poll });
    return a;
}

void activity_free(struct activity *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->count; i++)
        release(&a->sessions[i]);
    free(a->sessions);
    map_release(&a->machine.last);
    map_release(&a->program.last);
    free(a);
}

struct subscriber activity_subscriber(struct activity *a)
{
    return (struct subscriber){
        .context = a,
        .session = take_session,
        .session_end = take_session_end,
        .inference = take_inference,
        .readings = take_readings,
        .end = end,
    };
}
