/* rule_threads.c -- more threads than CPUs, or one where CPUs are idle. */
#include "analyse/finding/findings.h"
#include "base/json_member.h"

#define MEAN_LEAST_NS 2e6 /* less is not worth sharing out */
enum { COUNT_LEAST = 30 };

/* A number in a JSON object; -1: it has none. */
static int64_t number_in(struct str object, const char *key)
{
    int64_t n;

    return str_i64(&n, json_member(object, key)) ? -1 : n;
}

static void tell_many(struct findings *f, int64_t threads, int64_t cpus)
{
    struct finding *x = findings_add(f, "threads", FINDING_LOOK);

    buf_printf(&x->text, "the session has %lld threads on %lld CPUs",
            (long long)threads, (long long)cpus);
    buf_text(&x->detail, "those that find no CPU keep the others waiting: set "
                         "intra_op_num_threads to the number of cores, or "
                         "leave it to ONNX Runtime");
    finding_evidence(x, "threads", (double)threads, "threads");
    finding_evidence(x, "cpus", (double)cpus, "cpus");
}

/* The machine's other CPUs had nothing to do. */
static void tell_few(struct findings *f, const struct finding_case *c,
        int64_t cpus)
{
    double idle = (double)cpus * (1 - c->summary->usage.host_busy.mean), ns = 0;

    for (size_t i = 0; i < c->count; i++)
        ns += (double)c->inferences[i].duration_ns;
    if (c->count < COUNT_LEAST || ns < MEAN_LEAST_NS * (double)c->count ||
            !c->summary->usage.host_busy.count || idle < 1 ||
            !c->session->thread)
        return;

    struct finding *x = findings_add(f, "threads", FINDING_NOTE);

    buf_printf(&x->text,
            "the session has one thread, while %.1f of %lld CPUs are idle",
            idle, (long long)cpus);
    buf_text(&x->detail, "with more (intra_op_num_threads) large operators may "
                         "take less time: advise --try measures it");
    finding_evidence(x, "threads", 1, "threads");
    finding_evidence(x, "idle", idle, "cpus");
    finding_evidence(x, "cpus", (double)cpus, "cpus");
}

int rule_threads(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    (void)e;
    if (!c->session || !c->session->options || !c->summary->run.host)
        return 0;

    int64_t threads =
            number_in(str_of(c->session->options), "intra_op_num_threads");
    struct str cpu = json_member(str_of(c->summary->run.host), "cpu");
    int64_t cpus = number_in(cpu, "threads");

    if (threads > cpus && cpus > 0)
        tell_many(f, threads, cpus);
    else if (threads == 1 && cpus > 1)
        tell_few(f, c, cpus);
    return 0;
}
