/* rule_spinning.c -- threads of ONNX Runtime that wait for the next inference
 * without letting go of their CPUs. */
#include "analyse/finding/findings.h"
#include "base/json_member.h"

#define CORES_LEAST 0.2
#define GAPS_LEAST  0.2 /* of the time no inference runs */
enum { READINGS_LEAST = 20 };

struct cpu_reader {
    const struct finding_case *c;
    uint64_t pid, from_ns, to_ns;
    uint32_t subject; /* 0: not seen yet */
    double sum;
    size_t count;
};

static void take_subject(void *to, const struct subject_entry *x)
{
    struct cpu_reader *r = to;

    if (x->subject.kind == SUBJECT_PROCESS && x->subject.number == r->pid)
        r->subject = x->id;
}

static void take_reading(void *to, const struct reading *x)
{
    struct cpu_reader *r = to;

    if (x->metric != METRIC_process_cpu_cores || !r->subject ||
            x->subject != r->subject || x->time_ns < r->from_ns ||
            x->time_ns > r->to_ns)
        return;
    r->sum += x->value;
    r->count++;
}

static void tell(struct findings *f, double gaps, double cores, double spun)
{
    struct finding *x = findings_add(f, "spinning", FINDING_NOTE);

    buf_printf(&x->text,
            "threads are busy between inferences: at least %.1f cores, in "
            "%.0f %% of the time",
            spun / gaps, 100 * gaps);
    buf_text(&x->detail, "ONNX Runtime's threads wait busily for the next "
                         "inference: session.intra_op.allow_spinning = 0 saves "
                         "their energy and costs some latency");
    finding_evidence(x, "cores", cores, "cores");
    finding_evidence(x, "gaps", gaps, "ratio");
    finding_evidence(x, "spinning", spun, "cores");
}

/* What was used beyond what inferences on all threads can use, and one thread
 * of the program's own between them. */
static void judge(struct findings *f, const struct cpu_reader *r,
        int64_t threads)
{
    const struct finding_case *c = r->c;
    double busy = 0;

    for (size_t i = 0; i < c->count; i++)
        busy += (double)c->inferences[i].duration_ns;
    busy /= (double)(r->to_ns - r->from_ns);

    double gaps = 1 - busy, cores = r->sum / (double)r->count;
    double spun = cores - busy * (double)threads - gaps;

    if (gaps >= GAPS_LEAST && spun >= CORES_LEAST)
        tell(f, gaps, cores, spun);
}

int rule_spinning(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    struct cpu_reader r = { .c = c };
    int64_t threads, spins;

    if (!c->count || !c->session->thread || !c->session->options)
        return 0;

    struct str options = str_of(c->session->options);

    if (str_i64(&threads, json_member(options, "intra_op_num_threads")) ||
            threads < 2)
        return 0; /* ONNX Runtime's own choice is not known */
    if (!str_i64(&spins,
                json_member(options, "session.intra_op.allow_spinning")) &&
            !spins)
        return 0;
    for (size_t i = 0; i < c->summary->process_count; i++)
        if (c->summary->processes[i].id == c->session->process)
            r.pid = c->summary->processes[i].pid;
    r.from_ns = c->inferences[0].start_ns;
    r.to_ns = c->inferences[c->count - 1].start_ns +
              c->inferences[c->count - 1].duration_ns;

    int rc = store_each_subject(c->store, c->run, take_subject, &r, e);

    if (!rc)
        rc = store_each_reading(c->store, c->run, take_reading, &r, e);
    if (!rc && r.count >= READINGS_LEAST && r.to_ns > r.from_ns)
        judge(f, &r, threads);
    return rc;
}
