#include "energy/run_energy.h"

#include "base/compiler.h"
#include "energy/calibrate/calibration.h"
#include "energy/figures.h"
#include "energy/recorder.h"
#include "export/json/energy_json.h"
#include "model/phase.h"
#include "stored.h"
#include "test.h"

#include "energy_truth.h"

#define HOST "{\"hostname\":\"box\",\"cpu\":{\"model\":\"Quux 9\"}}"

/* A run of 20 s: prefill of 300 ms at 60 W, then decodes of 50 ms at 35 W with
 * two operators each, then a rest of 200 ms at 10 W; on two packages, of which
 * the second draws 5 W all the time. */
struct made {
    struct tree tree;
    struct store *store;
    struct run run;
    struct truth truth;
    uint64_t prefills, decodes;
    double prefill_j, decode_j, operator_j[3];
    uint64_t end_ns;
};

static uint64_t add_inference(struct made *m, uint64_t start, uint64_t end,
        enum phase phase)
{
    return store_add_inference(m->store, &(struct inference){ .session = 1,
                                                 .process = 1,
                                                 .thread = 9,
                                                 .phase = (uint8_t)phase,
                                                 .start_ns = start,
                                                 .duration_ns = end - start });
}

static uint64_t work(struct made *m, uint64_t now, uint64_t *seed)
{
    uint64_t end = now + 300 * MS;

    truth_step(&m->truth, now, 60);
    (void)add_inference(m, now, end, PHASE_PREFILL);
    m->prefill_j += 18;
    m->prefills++;
    for (int i = 0; i < 20; i++) {
        uint64_t first = (uint64_t)((25 + 4 * truth_random(seed)) * (double)MS);
        uint64_t second =
                (uint64_t)((18 + 4 * truth_random(seed)) * (double)MS);

        now = end;
        end = now + first + second;
        truth_step(&m->truth, now, 35);
        truth_step(&m->truth, now + first, 50);

        uint64_t number = add_inference(m, now, end, PHASE_DECODE);

        for (uint32_t o = 1; o <= 2; o++)
            store_add_operator_run(m->store,
                    &(struct operator_run){ .inference = number,
                            .operator_id = o,
                            .thread = 9,
                            .start_ns = o == 1 ? now : now + first,
                            .raw_ns = o == 1 ? first : second,
                            .kernel_ns = o == 1 ? first : second,
                            .kernel_known = true });
        m->operator_j[1] += 35 * (double)first / 1e9;
        m->operator_j[2] += 50 * (double)second / 1e9;
        m->decodes++;
    }
    truth_step(&m->truth, end, 10);
    return end + 200 * MS;
}

static void add_zone(struct made *m, uint32_t id, uint32_t parent,
        const char *name)
{
    store_add_subject(m->store, id,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .parent = parent,
                    .name = name,
                    .source = "rapl-powercap" });
}

static void add_readings(struct made *m, uint32_t subject,
        const struct truth *truth, double factor)
{
    uint64_t seed = 5;
    struct truth_counter c = { .period_ns = MS, .read_ns = 10 * MS };
    struct truth_readings r =
            truth_read(truth, &c, 0, m->end_ns + 50 * MS, &seed);

    for (size_t i = 0; i < r.count; i++)
        store_add_reading(m->store,
                &(struct reading){ .time_ns = r.items[i].time_ns,
                        .value = factor * r.items[i].value,
                        .subject = subject,
                        .metric = METRIC_zone_energy_joules_total });
    free(r.items);
}

static void begin(struct made *m)
{
    struct error e = { 0 };
    uint64_t seed = 17, now = 0;

    *m = (struct made){ .tree = tree_open() };
    m->store = stored_open(&m->tree, STORE_WRITE);
    m->run = (struct run){ .started_wall_ns = 1700000000000000000,
        .start_mono_ns = 77,
        .meter_pid = own_pid(),
        .command = "prog",
        .host = HOST,
        .version = "0.0.1" };
    CHECK_INT(store_begin_run(m->store, &m->run, &e), 0);
    store_add_process(m->store, &(struct process){ .id = 1, .pid = 4 });
    store_add_session(m->store, &(struct session){ .id = 1, .process = 1 });
    for (uint32_t o = 1; o <= 2; o++)
        store_add_operator(m->store,
                &(struct operator){ .id = o,
                        .session = 1,
                        .name = o == 1 ? "first" : "second",
                        .op_type = "MatMul",
                        .provider = "CPUExecutionProvider" });
    while (now < 20000 * MS)
        now = work(m, now, &seed);
    m->end_ns = now;
    m->decode_j = m->operator_j[1] + m->operator_j[2];
}

static void finish(struct made *m)
{
    struct error e = { 0 };

    stored_flush(m->store);
    m->run.duration_ns = m->end_ns;
    m->run.status = RUN_COMPLETE;
    m->run.ended = true;
    CHECK_INT(store_end_run(m->store, &m->run, &e), 0);
}

static void release(struct made *m)
{
    store_close(m->store);
    truth_release(&m->truth);
    tree_close(&m->tree);
}

/* The machine at rest: 4 W and 5 W. */
static void calibrate(struct made *m)
{
    struct error e = { 0 };
    struct run run = { .started_wall_ns = 1690000000000000000,
        .meter_pid = own_pid(),
        .command = "ortmeter calibrate",
        .tags = CALIBRATION_TAG,
        .host = HOST,
        .version = "0.0.1",
        .duration_ns = 5,
        .ended = true };

    CHECK_INT(store_begin_run(m->store, &run, &e), 0);
    for (uint32_t i = 0; i < 2; i++) {
        /* Numbers are its own; names are what counts. */
        add_zone(m, 8 + i, 0, i ? "package-1" : "package-0");
        store_add_reading(m->store, &(struct reading){ .value = i ? 5 : 4,
                                            .subject = 8 + i,
                                            .metric = METRIC_zone_idle_watts });
    }
    stored_flush(m->store);
    run.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(m->store, &run, &e), 0);
}

static void read_energy(struct run_energy *r, struct made *m)
{
    struct error e = { 0 };

    CHECK_INT(run_energy_read(r, m->store, m->run.row, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
}

static void add_sensors(struct made *m, struct truth *steady)
{
    truth_step(steady, 0, 5);
    add_zone(m, 1, 0, "package-0");
    add_zone(m, 2, 1, "package-0/core");
    add_zone(m, 3, 0, "package-1");
    add_readings(m, 1, &m->truth, 1);
    add_readings(m, 2, &m->truth, 0.6);
    add_readings(m, 3, steady, 1);
}

static void check_json(const struct run_energy *r, const char *has,
        const char *has_not)
{
    struct buf text = { 0 };
    struct json j = json_into(&text);
    struct energy_counts n = { .inferences = 10, .seconds = 20 };

    energy_json(&j, NULL, r, &n, &(struct energy_prices){ .pue = 1 }, true);
    CHECK(strstr(buf_cstr(&text), has) != NULL);
    CHECK(strstr(buf_cstr(&text), has_not) == NULL);
    buf_release(&text);
}

static void measured(void)
{
    struct made m;
    struct truth steady = { 0 };
    struct run_energy r;

    begin(&m);
    add_sensors(&m, &steady);
    finish(&m);
    calibrate(&m);
    read_energy(&r, &m);

    double total =
            truth_joules(&m.truth, m.end_ns) + truth_joules(&steady, m.end_ns);
    struct attribution_lines l = attribution_lines(&r.account.attribution);
    struct energy_sum prefill = run_energy_phase(&r, PHASE_PREFILL);
    struct energy_sum decode = run_energy_phase(&r, PHASE_DECODE);

    CHECK_INT(r.account.counted, 2);
    CHECK(within((double)l.total_uj / 1e6, total, 0.005));
    CHECK_INT(l.idle_uj + l.other_uj + l.unattributed_uj + l.attributed_uj,
            l.total_uj);
    CHECK(within((double)l.idle_uj / 1e6, 9 * (double)m.end_ns / 1e9, 0.005));
    CHECK_INT(r.calibrated_wall_ns, 1690000000000000000);
    CHECK_INT(prefill.count, m.prefills);
    CHECK_INT(decode.count, m.decodes);
    CHECK(within((double)prefill.gross_uj / 1e6,
            m.prefill_j + 5 * prefill.busy_s, 0.02));
    CHECK(within((double)decode.gross_uj / 1e6, m.decode_j + 5 * decode.busy_s,
            0.02));
    CHECK(within((double)prefill.net_uj / 1e6, m.prefill_j - 4 * prefill.busy_s,
            0.02));
    CHECK_INT(prefill.method, READING_MEASURED);
    for (uint32_t o = 1; o <= 2; o++) {
        struct energy_sum x = run_energy_operator(&r, o);

        CHECK_INT(x.count, m.decodes);
        CHECK(within((double)x.gross_uj / 1e6, m.operator_j[o] + 5 * x.busy_s,
                0.03));
    }
    CHECK_INT(run_energy_operator(&r, 3).count, 0);

    /* Single inferences, and all that ended within a stretch. */
    double net = 0, one = run_energy_inference(&r, 1, &net);

    CHECK(within(one, 18 + 5 * 0.3, 0.05));
    CHECK(net < one);
    CHECK(within(run_energy_between(&r, 0, UINT64_MAX),
            (double)(prefill.gross_uj + decode.gross_uj) / 1e6, 0.001));

    /* Every power sample has its phase. */
    size_t seen[PHASE_IDLE + 1] = { 0 };

    for (size_t i = 0; i < r.account.point_count; i++)
        seen[r.account.points[i].phase]++;
    CHECK(seen[PHASE_PREFILL] > 10 && seen[PHASE_DECODE] > 50 &&
            seen[PHASE_IDLE] > 5);
    check_json(&r, "\"adds_up\": true", "no energy source");
    run_energy_release(&r);
    truth_release(&steady);
    release(&m);
}

/* Every other decode was traced, and summed up: the operators have their part
 * of all decodes, the runtime the rest, and all of it adds up. */
static void summed(void)
{
    static const uint64_t self_ms[] = { 0, 26, 13 };
    struct made m;
    struct truth steady = { 0 };
    struct run_energy r;

    begin(&m);
    add_sensors(&m, &steady);
    for (uint32_t o = 1; o <= 2; o++)
        store_add_operator_sum(m.store,
                &(struct operator_sum){ .operator_id = o,
                        .phase = PHASE_DECODE,
                        .count = m.decodes / 2 * o,
                        .total_ns = m.decodes / 2 * self_ms[o] * MS,
                        .self_ns = m.decodes / 2 * self_ms[o] * MS });
    store_add_traced_sum(m.store,
            &(struct traced_sum){ .session = 1,
                    .phase = PHASE_DECODE,
                    .count = m.decodes / 2,
                    .run_ns = m.decodes / 2 * 52 * MS,
                    .kernels_ns = m.decodes / 2 * 39 * MS,
                    .between_ns = m.decodes / 2 * 13 * MS });
    finish(&m);
    calibrate(&m);
    read_energy(&r, &m);

    struct energy_sum decode = run_energy_phase(&r, PHASE_DECODE);

    CHECK(attribution_adds_up(&r.account.attribution));
    CHECK_INT(decode.count, m.decodes);
    CHECK(within((double)decode.gross_uj / 1e6, m.decode_j + 5 * decode.busy_s,
            0.02));
    for (uint32_t o = 1; o <= 2; o++) {
        struct energy_sum x = run_energy_operator(&r, o);
        double share = (double)self_ms[o] / 52;

        CHECK_INT(x.count, m.decodes * o);
        CHECK(within((double)x.gross_uj, share * (double)decode.gross_uj,
                1e-5));
        CHECK(within((double)x.net_uj, share * (double)decode.net_uj, 1e-5));
        CHECK(within(x.busy_s, share * decode.busy_s, 1e-9));
    }
    check_json(&r, "\"adds_up\": true", "no energy source");
    run_energy_release(&r);
    truth_release(&steady);
    release(&m);
}

/* Half of what was not idle was somebody else's. */
static void others(void)
{
    struct made m;
    struct truth steady = { 0 };
    struct run_energy r;

    begin(&m);
    add_sensors(&m, &steady);
    for (uint32_t i = 0; i < 4; i++)
        store_add_subject(m.store, 20 + i,
                &(struct subject){ .kind = SUBJECT_CORE,
                        .number = i,
                        .name = "cpu" });
    store_add_subject(m.store, 30,
            &(struct subject){ .kind = SUBJECT_PROCESS, .name = "prog" });
    for (uint64_t s = 0; s <= m.end_ns / 1000000000; s++) {
        struct rollup busy = { .second = s,
            .metric = METRIC_host_busy_ratio,
            .count = 10,
            .mean = 0.5 };
        struct rollup own = { .second = s,
            .subject = 30,
            .metric = METRIC_process_cpu_cores,
            .count = 10,
            .mean = 1 };

        store_add_rollup(m.store, &busy);
        store_add_rollup(m.store, &own);
    }
    finish(&m);
    read_energy(&r, &m);

    struct attribution_lines l = attribution_lines(&r.account.attribution);

    CHECK(r.account.attribution.other_known);
    CHECK(!r.account.attribution.idle_known);
    CHECK(within((double)l.other_uj, (double)l.total_uj / 2, 0.001));
    CHECK_INT(l.idle_uj, 0);
    run_energy_release(&r);
    truth_release(&steady);
    release(&m);
}

/* No sensor: reasons, and never a number. */
static void absent(void)
{
    struct made m;
    struct run_energy r;

    begin(&m);
    add_zone(&m, 1, 0, "rapl-powercap");
    store_add_absence(m.store,
            &(struct absence_note){ METRIC_zone_energy_joules_total, 1,
                    "there are no zones" });
    finish(&m);
    read_energy(&r, &m);
    CHECK_INT(r.account.counted, 0);
    CHECK_INT(r.reason_count, 1);
    CHECK(r.reason_count &&
            strcmp(r.reasons[0].why, "there are no zones") == 0);
    check_json(&r, "no energy source", "_j\"");
    CHECK_INT(run_energy_phase(&r, PHASE_DECODE).gross_uj, 0);
    run_energy_release(&r);
    release(&m);
}

/* The model, where it was asked for: half busy, 10 W to 50 W. */
static void modelled(void)
{
    struct made m;
    struct run_energy r;

    begin(&m);
    store_add_subject(m.store, 1,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = "cpu",
                    .detail = "idle 10 full 50 low 0.5 high 2: a test",
                    .source = ENERGY_SOURCE_MODEL });
    for (uint64_t s = 1; s < 20; s++)
        store_add_reading(m.store, &(struct reading){ .time_ns = s * 1000 * MS,
                                           .value = 0.5,
                                           .metric = METRIC_host_busy_ratio });
    finish(&m);
    read_energy(&r, &m);
    CHECK_INT(r.account.counted, 1);
    CHECK_INT(r.account.method, READING_MODELLED);
    CHECK(within((double)r.account.attribution.total_uj / 1e6,
            30 * (double)m.end_ns / 1e9, 0.001));
    CHECK(within(r.account.high_factor, 2, 1e-9));
    CHECK_INT(run_energy_phase(&r, PHASES).method, READING_MODELLED);
    check_json(&r, "\"basis\": \"a test\"", "\"measured\"");
    run_energy_release(&r);
    release(&m);
}

/* A meter whose clock is 50 ms behind, and nothing else: its readings are put
 * where the inferences are; unless somebody set its clock.  It tells the mean
 * of the time around each reading.  With a counter of the CPU beside it, that
 * tells how the clocks are apart, and is inside what the meter measures. */
static void metered(bool set, uint64_t period_ns, bool counter)
{
    struct made m;
    struct run_energy r;

    begin(&m);
    store_add_subject(m.store, 1,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = "meter",
                    .detail = set ? "file" ENERGY_METER_SET "0.05 s" : "file",
                    .source = ENERGY_SOURCE_METER });
    for (uint64_t at = 100 * MS; at < m.end_ns; at += period_ns) {
        double joules = truth_joules(&m.truth, at + period_ns / 2) -
                        truth_joules(&m.truth, at - period_ns / 2);

        store_add_reading(m.store,
                &(struct reading){ .time_ns = at - (set ? 0 : 50 * MS),
                        .value = joules * 1e9 / (double)period_ns,
                        .subject = 1,
                        .metric = METRIC_zone_power_watts });
    }
    if (counter) {
        add_zone(&m, 2, 0, "package-0");
        add_readings(&m, 2, &m.truth, 0.8);
    }
    finish(&m);
    read_energy(&r, &m);
    CHECK_INT(r.account.counted, 1);
    CHECK(r.meter_seen && r.meter_set == set && r.meter_aligned == !set);
    CHECK(llabs(r.meter_offset_ns - (set ? 0 : 50) * (int64_t)MS) <
            2 * (int64_t)MS);
    check_json(&r, set ? "\"clock\": \"set by hand\"" : "\"aligned by load\"",
            "no energy source");

    struct energy_sum prefill = run_energy_phase(&r, PHASE_PREFILL);

    struct energy_sum decode = run_energy_phase(&r, PHASE_DECODE);

    CHECK(within((double)prefill.gross_uj / 1e6, m.prefill_j, 0.02));
    CHECK(within((double)decode.gross_uj / 1e6, m.decode_j, 0.02));
    CHECK(within(r.account.mean_watts,
            truth_joules(&m.truth, m.end_ns) * 1e9 / (double)m.end_ns, 0.01));
    run_energy_release(&r);
    release(&m);
}

int main(void)
{
    measured();
    summed();
    others();
    absent();
    modelled();
    metered(false, 20 * MS, false);
    metered(false, 50 * MS, false);
    metered(false, 100 * MS, false);
    metered(true, 20 * MS, false);
    metered(false, 20 * MS, true);
    metered(false, 50 * MS, true);
    return test_result();
}
