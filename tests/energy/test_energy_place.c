/* A run on a GPU and a CPU, each with a sensor: whose energy it was depends on
 * where the work was done. */
#include "base/compiler.h"
#include "energy/run_energy.h"
#include "stored.h"
#include "test.h"

#include "energy_truth.h"

enum { CPU, GPU, SENSORS };

/* Watts of each sensor while the first operator runs, the second, a session
 * without the GPU, and nothing. */
static const double drawn[SENSORS][4] = {
    [CPU] = { 15, 40, 45, 10 },
    [GPU] = { 200, 25, 20, 20 },
};

struct made {
    struct tree tree;
    struct store *store;
    struct run run;
    struct truth truth[SENSORS];
    double seconds[4];
    uint64_t end_ns;
};

static uint64_t spend(struct made *m, uint64_t now, uint64_t ns, int what)
{
    for (int i = 0; i < SENSORS; i++)
        truth_step(&m->truth[i], now, drawn[i][what]);
    m->seconds[what] += (double)ns / 1e9;
    return now + ns;
}

static uint64_t infer(struct made *m, uint32_t session, uint64_t start,
        uint64_t end)
{
    return store_add_inference(m->store,
            &(struct inference){ .session = session,
                    .process = 1,
                    .thread = 9,
                    .phase = PHASE_OTHER,
                    .start_ns = start,
                    .duration_ns = end - start });
}

static void add_operator_run(struct made *m, uint64_t inference, uint32_t id,
        uint64_t start, uint64_t end)
{
    store_add_operator_run(m->store, &(struct operator_run){
                                             .inference = inference,
                                             .operator_id = id,
                                             .thread = 9,
                                             .start_ns = start,
                                             .raw_ns = end - start,
                                             .kernel_ns = end - start,
                                             .kernel_known = true,
                                     });
}

/* 30 ms on the GPU and 20 ms on the CPU, then 15 ms of a session on the CPU
 * alone, then a rest; all lengths vary. */
static uint64_t work(struct made *m, uint64_t now, uint64_t *seed)
{
    uint64_t ms[4];

    for (size_t i = 0; i < LEN(ms); i++)
        ms[i] = (uint64_t)(8 * truth_random(seed) * (double)MS);

    uint64_t first = spend(m, now, 30 * MS + ms[0], 0);
    uint64_t second = spend(m, first, 20 * MS + ms[1], 1);
    uint64_t third = spend(m, second, 15 * MS + ms[2], 2);
    uint64_t number = infer(m, 1, now, second);

    add_operator_run(m, number, 1, now, first);
    add_operator_run(m, number, 2, first, second);
    (void)infer(m, 2, second, third);
    return spend(m, third, 10 * MS + ms[3], 3);
}

static void add_sensor(struct made *m, int i)
{
    uint64_t seed = 5;
    struct truth_counter c = { .period_ns = MS, .read_ns = 5 * MS };
    struct truth_readings r =
            truth_read(&m->truth[i], &c, 0, m->end_ns + 50 * MS, &seed);

    store_add_subject(m->store, 10 + (uint32_t)i,
            &(struct subject){ .kind = i == GPU ? SUBJECT_DEVICE : SUBJECT_ZONE,
                    .name = i == GPU ? "gpu0" : "package-0",
                    .detail = i == GPU ? "NVIDIA Quux, nvidia" : NULL,
                    .source = i == GPU ? "nvml" : "rapl-powercap" });
    for (size_t k = 0; k < r.count; k++)
        store_add_reading(m->store,
                &(struct reading){ .time_ns = r.items[k].time_ns,
                        .value = r.items[k].value,
                        .subject = 10 + (uint32_t)i,
                        .metric = i == GPU ? METRIC_device_energy_joules_total
                                           : METRIC_zone_energy_joules_total });
    free(r.items);
}

static void begin(struct made *m, const char *provider, const char *options)
{
    char providers[64];
    uint64_t seed = 23, now = 0;

    *m = (struct made){ .tree = tree_open() };
    m->store = stored_open(&m->tree, STORE_WRITE);
    m->run = stored_run(m->store, 1700000000000000000);
    (void)snprintf(providers, sizeof(providers),
            "[\"%s\",\"CPUExecutionProvider\"]", provider);
    store_add_process(m->store, &(struct process){ .id = 1, .pid = 4 });
    store_add_session(m->store, &(struct session){ .id = 1,
                                        .process = 1,
                                        .providers = providers,
                                        .options = options });
    store_add_session(m->store,
            &(struct session){ .id = 2, .process = 1, .providers = "[]" });
    for (uint32_t i = 1; i <= 2; i++)
        store_add_operator(m->store,
                &(struct operator){
                        .id = i,
                        .session = 1,
                        .name = i == 1 ? "mul" : "cut",
                        .op_type = "MatMul",
                        .provider = i == 1 ? provider : "CPUExecutionProvider",
                });
    while (now < 20000 * MS)
        now = work(m, now, &seed);
    m->end_ns = now;
    for (int i = 0; i < SENSORS; i++)
        add_sensor(m, i);
}

static void account(struct run_energy *r, struct made *m)
{
    struct error e = { 0 };

    stored_flush(m->store);
    m->run.duration_ns = m->end_ns;
    m->run.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(m->store, &m->run, &e), 0);
    CHECK_INT(run_energy_read(r, m->store, m->run.row, &e), 0);
    CHECK_INT(r->account.counted, 2);
    CHECK(attribution_adds_up(&r->account.attribution));
}

static void release(struct run_energy *r, struct made *m)
{
    run_energy_release(r);
    store_close(m->store);
    for (int i = 0; i < SENSORS; i++)
        truth_release(&m->truth[i]);
    tree_close(&m->tree);
}

static double joules(const struct energy_sum *x)
{
    return (double)x->gross_uj / 1e6;
}

/* All inferences of a session, without their operators. */
static double alone(const struct run_energy *r, uint32_t session)
{
    double sum = 0;

    for (uint32_t i = 1; i < r->class_count; i++)
        if (r->classes[i].work == ENERGY_INFERENCE &&
                r->classes[i].session == session)
            sum += (double)r->account.attribution.classes[i].own_uj / 1e6;
    return sum;
}

/* The operator on the GPU has the GPU's joules, the one on the CPU the CPU's.
 * While one of them runs, what the other device draws is their inference's. The
 * session that has nothing to do with the GPU has nothing of it. */
static void apart(void)
{
    struct made m;
    struct run_energy r;

    begin(&m, "CUDAExecutionProvider", NULL);
    account(&r, &m);

    struct energy_sum first = run_energy_operator(&r, 1);
    struct energy_sum second = run_energy_operator(&r, 2);

    CHECK(within(joules(&first), drawn[GPU][0] * m.seconds[0], 0.02));
    CHECK(within(joules(&second), drawn[CPU][1] * m.seconds[1], 0.02));
    CHECK(within(alone(&r, 1),
            drawn[CPU][0] * m.seconds[0] + drawn[GPU][1] * m.seconds[1], 0.03));
    CHECK(within(alone(&r, 2), drawn[CPU][2] * m.seconds[2], 0.02));

    /* How long they took does not depend on who looks. */
    CHECK(within(first.busy_s, m.seconds[0], 1e-6));
    CHECK(within(second.busy_s, m.seconds[1], 1e-6));

    double net, one = run_energy_inference(&r, 1, &net);

    CHECK(one > 30e-3 * (drawn[GPU][0] + drawn[CPU][0]));
    release(&r, &m);
}

/* Half of the CPU time is somebody else's: so is half of what the CPU draws,
 * and nothing of what the GPU does. */
static void others(void)
{
    struct made m;
    struct run_energy r;

    begin(&m, "CUDAExecutionProvider", NULL);
    for (uint32_t i = 0; i < 2; i++)
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
            .mean = 1 };
        struct rollup own = { .second = s,
            .subject = 30,
            .metric = METRIC_process_cpu_cores,
            .count = 10,
            .mean = 1 };

        store_add_rollup(m.store, &busy);
        store_add_rollup(m.store, &own);
    }
    account(&r, &m);
    CHECK(r.account.attribution.other_known);
    CHECK(within((double)attribution_lines(&r.account.attribution).other_uj /
                         1e6,
            truth_joules(&m.truth[CPU], m.end_ns) / 2, 0.01));
    release(&r, &m);
}

/* A provider whose device nobody found: the GPU that is there fed somebody
 * else's work, or nobody's. */
static void elsewhere(void)
{
    struct made m;
    struct run_energy r;

    begin(&m, "ROCMExecutionProvider", NULL);
    account(&r, &m);

    struct energy_sum first = run_energy_operator(&r, 1);

    CHECK(within(joules(&first), drawn[CPU][0] * m.seconds[0], 0.02));
    CHECK(within(
            (double)attribution_lines(&r.account.attribution).unattributed_uj /
                    1e6,
            truth_joules(&m.truth[GPU], m.end_ns) +
                    drawn[CPU][3] * m.seconds[3],
            0.02));
    release(&r, &m);
}

/* A provider that may compute on any device: what it does is fed by both. */
static void unsure(void)
{
    struct made m;
    struct run_energy r;

    begin(&m, "NewestExecutionProvider", NULL);
    account(&r, &m);

    struct energy_sum first = run_energy_operator(&r, 1);

    CHECK(within(joules(&first), (drawn[GPU][0] + drawn[CPU][0]) * m.seconds[0],
            0.02));
    release(&r, &m);
}

/* OpenVINO was told which device: an NPU, which is not there, and not the GPU.
 * Of an operator it is known by its session. */
static void told(void)
{
    struct made m;
    struct run_energy r;

    begin(&m, "OpenVINOExecutionProvider",
            "{\"ep.openvinoexecutionprovider.device_type\": \"NPU\"}");
    account(&r, &m);

    struct energy_sum first = run_energy_operator(&r, 1);

    CHECK(within(joules(&first), drawn[CPU][0] * m.seconds[0], 0.02));
    release(&r, &m);
}

int main(void)
{
    apart();
    others();
    elsewhere();
    unsure();
    told();
    return test_result();
}
