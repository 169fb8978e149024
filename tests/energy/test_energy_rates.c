/* Energy shared by what was computed, or by the cycles that were spent. */
#include "base/compiler.h"
#include "energy/run_energy.h"
#include "stored.h"
#include "test.h"

#include "energy_truth.h"

#include <errno.h>

/* 20 s at 30 W: inferences of 40 ms, of which each second one is looked into
 * and has two operators of 20 ms; then 10 ms of nothing. */
#define WATTS 30.0

struct made {
    struct tree tree;
    struct store *store;
    struct run run;
    uint64_t end_ns;
    double cycles;   /* so far, */
    uint64_t now_ns; /* until then */
    uint64_t inferences;
};

static void read_cycles(struct made *m)
{
    store_add_reading(m->store,
            &(struct reading){ .time_ns = m->now_ns,
                    .value = m->cycles,
                    .subject = 5,
                    .metric = METRIC_process_cycles_total });
}

/* So many cycles a second for a while, read every 10 ms. */
static void spend(struct made *m, uint64_t ns, double per_s, bool counted)
{
    for (uint64_t done = 0; done < ns; done += 10 * MS) {
        m->now_ns += 10 * MS;
        m->cycles += per_s / 100;
        if (counted)
            read_cycles(m);
    }
}

static void infer(struct made *m, bool counted)
{
    uint64_t start = m->now_ns;
    uint64_t number =
            store_add_inference(m->store, &(struct inference){ .session = 1,
                                                  .process = 1,
                                                  .thread = 9,
                                                  .phase = PHASE_DECODE,
                                                  .start_ns = start,
                                                  .duration_ns = 40 * MS });

    for (uint32_t o = 1; o <= 2 && m->inferences % 2; o++)
        store_add_operator_run(m->store,
                &(struct operator_run){
                        .inference = number,
                        .operator_id = o,
                        .thread = 9,
                        .start_ns = start + (o - 1) * 20 * MS,
                        .raw_ns = 20 * MS,
                        .kernel_ns = 20 * MS,
                        .kernel_known = true,
                });
    m->inferences++;
    spend(m, 20 * MS, 1e9, counted);
    spend(m, 20 * MS, 3e9, counted);
    spend(m, 10 * MS, 0.5e9, counted);
}

static void begin(struct made *m, bool counted)
{
    struct error e = { 0 };

    *m = (struct made){ .tree = tree_open() };
    m->store = stored_open(&m->tree, STORE_WRITE);
    m->run = stored_run(m->store, 1700000000000000000);
    store_add_process(m->store, &(struct process){ .id = 1, .pid = 4 });
    store_add_session(m->store, &(struct session){ .id = 1, .process = 1 });
    for (uint32_t o = 1; o <= 2; o++)
        store_add_operator(m->store, &(struct operator){ .id = o,
                                             .session = 1,
                                             .op_type = "MatMul",
                                             .name = o == 1 ? "a" : "b" });
    store_add_subject(m->store, 5,
            &(struct subject){ .kind = SUBJECT_PROCESS,
                    .number = 4,
                    .name = "prog" });
    store_add_subject(m->store, 1,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = "package-0",
                    .source = "rapl-powercap" });
    if (!counted)
        store_add_absence(m->store,
                &(struct absence_note){ METRIC_process_cycles_total, 5,
                        "nobody counts here" });
    while (m->now_ns < 20000 * MS)
        infer(m, counted);
    m->end_ns = m->now_ns;
    /* A counter that is far too slow to tell any of it apart. */
    for (uint64_t at = 0; at <= m->end_ns; at += 500 * MS)
        store_add_reading(m->store,
                &(struct reading){ .time_ns = at,
                        .value = WATTS * (double)at / 1e9,
                        .subject = 1,
                        .metric = METRIC_zone_energy_joules_total });
    stored_flush(m->store);
    m->run.duration_ns = m->end_ns;
    m->run.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(m->store, &m->run, &e), 0);
}

static void release(struct made *m)
{
    store_close(m->store);
    tree_close(&m->tree);
}

static double joules(const struct energy_sum *x)
{
    return (double)x->gross_uj / 1e6;
}

/* The second operator computes three times as much as the first, and an
 * inference that was not looked into what both do. */
static void by_flops(void)
{
    static const struct phase_flops flops[] = { { .in[PHASE_DECODE] = 1e6 },
        { .in[PHASE_DECODE] = 3e6 } };
    const struct energy_key key = { .by = ENERGY_BY_FLOPS,
        .operator_flops = flops,
        .operator_count = LEN(flops) };
    struct error e = { 0 };
    struct run_energy r;
    struct made m;

    begin(&m, false);
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &key, &e), 0);

    struct energy_sum a = run_energy_operator(&r, 1);
    struct energy_sum b = run_energy_operator(&r, 2);
    struct energy_sum rest = run_energy_work(&r, ENERGY_INFERENCE);
    double busy_s = 40e-3 * (double)m.inferences;

    CHECK_INT(r.by, ENERGY_BY_FLOPS);
    CHECK(within(r.by_known, 1, 1e-9));
    CHECK(within(r.inference_flops, 4e6, 1e-9));
    CHECK(within(joules(&b), 3 * joules(&a), 0.01));
    CHECK(within(joules(&rest), joules(&a) + joules(&b), 0.01));
    CHECK(within(joules(&a) + joules(&b) + joules(&rest), WATTS * busy_s,
            0.01));
    CHECK_INT(a.method, READING_APPORTIONED);
    CHECK(attribution_adds_up(&r.account.attribution));
    run_energy_release(&r);
    release(&m);
}

/* What moves data only has no FLOPs; of whom they are not known, time counts.
 */
static void none_and_unknown(void)
{
    static const struct phase_flops flops[] = { { .in[PHASE_DECODE] = 0 },
        { .in[PHASE_DECODE] = NAN } };
    const double session[] = { 5e6 };
    const struct energy_key key = { .by = ENERGY_BY_FLOPS,
        .operator_flops = flops,
        .operator_count = LEN(flops) };
    struct error e = { 0 };
    struct run_energy r;
    struct made m;

    begin(&m, false);
    /* All that is known is a nought. */
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &key, &e), -ENODATA);
    CHECK(strstr(e.text, "--ops") != NULL);

    static const struct phase_flops more[] = { { .in[PHASE_DECODE] = 0 },
        { .in[PHASE_DECODE] = 2e6 } };
    struct energy_key with = key;

    with.session_flops = session;
    with.session_count = LEN(session);
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &with, &e), 0);
    CHECK(r.by_known > 0.7 && r.by_known < 0.8); /* not of the second */
    CHECK(isnan(r.inference_flops));
    CHECK_INT(run_energy_operator(&r, 1).gross_uj, 0);
    CHECK(run_energy_operator(&r, 2).gross_uj > 0);
    run_energy_release(&r);
    with.session_count = 0;
    with.operator_flops = more;
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &with, &e), 0);
    CHECK_INT(run_energy_operator(&r, 1).gross_uj, 0);
    CHECK(run_energy_operator(&r, 2).gross_uj > 0);
    run_energy_release(&r);
    with.operator_count = 0;
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &with, &e), -ENODATA);
    release(&m);
}

/* 1, 3 and 0.5 GHz. */
static void by_cycles(void)
{
    const struct energy_key key = { .by = ENERGY_BY_CYCLES };
    struct error e = { 0 };
    struct run_energy r;
    struct made m;

    begin(&m, true);
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &key, &e), 0);

    struct energy_sum a = run_energy_operator(&r, 1);
    struct energy_sum b = run_energy_operator(&r, 2);

    CHECK_INT(r.by, ENERGY_BY_CYCLES);
    CHECK(within(joules(&b), 3 * joules(&a), 0.03));
    CHECK(attribution_adds_up(&r.account.attribution));
    run_energy_release(&r);
    release(&m);

    begin(&m, false);
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &key, &e), -ENODATA);
    CHECK(strstr(e.text, "not counted") != NULL);
    CHECK(strstr(e.text, "nobody counts here") != NULL);
    release(&m);
}

/* Busy time, asked for by name, is what one gets without asking. */
static void by_busy(void)
{
    const struct energy_key key = { .by = ENERGY_BY_BUSY };
    struct error e = { 0 };
    struct run_energy r, usual;
    struct made m;

    begin(&m, false);
    CHECK_INT(run_energy_read_by(&r, m.store, m.run.row, &key, &e), 0);
    CHECK_INT(run_energy_read(&usual, m.store, m.run.row, &e), 0);
    for (uint32_t o = 1; o <= 2; o++)
        CHECK_INT(run_energy_operator(&r, o).gross_uj,
                run_energy_operator(&usual, o).gross_uj);
    CHECK_INT(r.by, ENERGY_BY_BUSY);
    run_energy_release(&r);
    run_energy_release(&usual);
    release(&m);
}

int main(void)
{
    by_flops();
    none_and_unknown();
    by_cycles();
    by_busy();
    return test_result();
}
