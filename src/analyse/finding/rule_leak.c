/* rule_leak.c -- memory that grows without end. */
#include "analyse/finding/findings.h"
#include "analyse/finding/leak.h"
#include "base/alloc.h"
#include "model/label.h"

#include <stdlib.h>

/* The memory of the process that the session is in: without that of files, to
 * which the ring belongs that the hook fills. */
struct memory_reader {
    uint32_t process; /* the program's, and its pid */
    uint64_t pid;
    uint32_t subject;  /* 0: not seen yet */
    uint64_t *ends_ns; /* of its inferences, in order */
    size_t end_count, end_cap;
    size_t done; /* inferences at the last reading */
    uint64_t from_ns, to_ns;
    struct leak_point *points;
    size_t count, cap;
};

static void take_inference(void *to, const struct inference *i)
{
    struct memory_reader *r = to;

    if (i->process != r->process)
        return;
    if (r->end_count == r->end_cap) {
        r->end_cap = r->end_cap ? 2 * r->end_cap : 1024;
        r->ends_ns = alloc_resize(r->ends_ns, r->end_cap * sizeof(*r->ends_ns));
    }
    r->ends_ns[r->end_count++] = i->start_ns + i->duration_ns;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct memory_reader *r = to;

    if (x->subject.kind == SUBJECT_PROCESS && x->subject.number == r->pid)
        r->subject = x->id;
}

static void take_reading(void *to, const struct reading *x)
{
    struct memory_reader *r = to;

    if (x->metric != METRIC_process_anonymous_bytes || !r->subject ||
            x->subject != r->subject)
        return;
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 1024;
        r->points = alloc_resize(r->points, r->cap * sizeof(*r->points));
    }
    while (r->done < r->end_count && r->ends_ns[r->done] <= x->time_ns)
        r->done++;
    if (!r->count)
        r->from_ns = x->time_ns;
    r->to_ns = x->time_ns;
    r->points[r->count++] = (struct leak_point){ (double)r->done, x->value };
}

static uint64_t pid_of(const struct summary *s, uint32_t process)
{
    for (size_t i = 0; i < s->process_count; i++)
        if (s->processes[i].id == process)
            return s->processes[i].pid;
    return 0;
}

static void tell(struct findings *f, const struct memory_reader *r,
        const struct leak *l)
{
    struct finding *x = findings_add(f, "leak", FINDING_TROUBLE);
    double hours = (double)(r->to_ns - r->from_ns) / 3600e9;

    buf_text(&x->text, "memory grows without end: by ");
    label_add_bytes(&x->text, l->bytes_each);
    buf_text(&x->text, " an inference, ");
    label_add_bytes(&x->text, l->bytes_each * (double)r->done / hours);
    buf_text(&x->text, " an hour at this pace");
    buf_text(&x->detail,
            "something is kept of every inference: results that are not "
            "released, or a cache without a limit");
    finding_evidence(x, "each", l->bytes_each, "bytes");
    finding_evidence(x, "each_low", l->low, "bytes");
    finding_evidence(x, "each_high", l->high, "bytes");
    finding_evidence(x, "grown", l->grown_bytes, "bytes");
    finding_evidence(x, "looked_at", l->inferences, "inferences");
}

int rule_leak(struct findings *f, const struct finding_case *c, struct error *e)
{
    struct memory_reader r = { .count = 0 };
    struct leak l;

    if (!c->session)
        return 0;
    r.process = c->session->process;
    r.pid = pid_of(c->summary, r.process);

    int rc = store_each_subject(c->store, c->run, take_subject, &r, e);

    if (!rc && r.subject)
        rc = store_each_inference(c->store, c->run, take_inference, &r, e);
    if (r.end_count)
        qsort(r.ends_ns, r.end_count, sizeof(*r.ends_ns), by_time);
    if (!rc && r.end_count)
        rc = store_each_reading(c->store, c->run, take_reading, &r, e);
    if (!rc && r.count) {
        leak_judge(&l, r.points, r.count);
        if (l.verdict == LEAK_FOUND)
            tell(f, &r, &l);
    }
    free(r.ends_ns);
    free(r.points);
    return rc;
}
