#include "analyse/operators/save_operators.h"
#include "energy/save.h"

#include "base/compiler.h"
#include "energy/recorder.h"
#include "model/phase.h"
#include "stored.h"
#include "test.h"

#include "energy_truth.h"

/* Ten seconds: rest of 2 s at 10 W, tokenizing of 1 s at 20 W in a section, a
 * prefill of 1 s at 60 W and 8 decodes of 500 ms at 40 W in another one, a rest
 * of 2 s.  A token is told 1 ms behind each of them.  The memory draws 3 W. */
#define END_NS      (10000 * MS)
#define TOKENS      9
#define SILENT_FROM (7000 * MS)
#define MODELLED    "2" /* READING_MODELLED, in the file */

struct made {
    struct tree tree;
    struct store *store;
    struct run run;
    struct truth cpu, dram;
};

/* In each decode, one after the other. */
static const struct {
    const char *name, *component;
    int layer; /* -1: in none */
    uint64_t ms;
} operators[] = {
    { "/model/layers.0/self_attn/q_proj/MatMul", "q_proj", 0, 100 },
    { "/model/layers.1/mlp/down_proj/MatMul", "down_proj", 1, 300 },
    { "/lm_head/MatMul", "lm_head", -1, 90 },
};

static void add_operators(struct made *m)
{
    for (uint32_t i = 0; i < LEN(operators); i++)
        store_add_operator(m->store,
                &(struct operator){ .id = i + 1,
                        .session = 1,
                        .name = operators[i].name,
                        .op_type = "MatMul",
                        .provider = "CPUExecutionProvider" });
}

/* Sums of all decodes, as the collector keeps them. */
static void sum_up(struct made *m, uint64_t decodes)
{
    struct traced_sum all = { .session = 1,
        .phase = PHASE_DECODE,
        .count = decodes,
        .run_ns = decodes * 496 * MS };

    for (uint32_t i = 0; i < LEN(operators); i++) {
        uint64_t ns = decodes * operators[i].ms * MS;

        store_add_operator_sum(m->store,
                &(struct operator_sum){ .operator_id = i + 1,
                        .phase = PHASE_DECODE,
                        .count = decodes,
                        .total_ns = ns,
                        .self_ns = ns,
                        .min_ns = ns / decodes,
                        .max_ns = ns / decodes });
        all.kernels_ns += ns;
        all.operator_runs += decodes;
    }
    all.after_ns = all.run_ns - all.kernels_ns;
    store_add_traced_sum(m->store, &all);
}

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

static void add_token(struct made *m, uint32_t index, uint64_t end)
{
    store_add_token(m->store, &(struct token){ .process = 1,
                                      .thread = 9,
                                      .index = index,
                                      .time_ns = end + MS });
}

static void begin(struct made *m)
{
    *m = (struct made){ .tree = tree_open() };
    m->store = stored_open(&m->tree, STORE_WRITE);
    m->run = stored_run(m->store, 1700000000000000000);
    store_add_process(m->store, &(struct process){ .id = 1, .pid = 4 });
    store_add_session(m->store, &(struct session){ .id = 1, .process = 1 });
    truth_step(&m->dram, 0, 3);
    truth_step(&m->cpu, 0, 10);
    truth_step(&m->cpu, 2000 * MS, 20);
    truth_step(&m->cpu, 3000 * MS, 60);
    truth_step(&m->cpu, 4000 * MS, 40);
    truth_step(&m->cpu, 8000 * MS, 10);
    store_add_section(m->store, &(struct section){ .process = 1,
                                        .thread = 9,
                                        .phase = PHASE_PRE,
                                        .name = "tokenize",
                                        .start_ns = 2000 * MS,
                                        .duration_ns = 1000 * MS });
    store_add_section(m->store, &(struct section){ .process = 1,
                                        .thread = 9,
                                        .phase = PHASE_DECODE,
                                        .name = "generate",
                                        .start_ns = 4000 * MS,
                                        .duration_ns = 4000 * MS });
    add_operators(m);
    (void)add_inference(m, 3000 * MS, 4000 * MS, PHASE_PREFILL);
    add_token(m, 0, 4000 * MS);
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t start = 4000 * MS + i * 500 * MS + 2 * MS;

        (void)add_inference(m, start, start + 496 * MS, PHASE_DECODE);
        add_token(m, i + 1, start + 496 * MS);
    }
    sum_up(m, 8);
    add_token(m, TOKENS, 9000 * MS); /* that nothing was seen for */
}

static void add_sensor(struct made *m, uint32_t subject, const char *name,
        const struct truth *truth, uint64_t until_ns)
{
    uint64_t seed = 5;
    struct truth_counter c = { .period_ns = MS, .read_ns = 10 * MS };
    struct truth_readings r = truth_read(truth, &c, 0, until_ns, &seed);

    store_add_subject(m->store, subject,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = name,
                    .source = "rapl-powercap" });
    for (size_t i = 0; i < r.count; i++)
        store_add_reading(m->store,
                &(struct reading){ .time_ns = r.items[i].time_ns,
                        .value = r.items[i].value,
                        .subject = subject,
                        .metric = METRIC_zone_energy_joules_total });
    free(r.items);
}

/* As session.c does at the end of a program. */
static void finish(struct made *m)
{
    struct error e = { 0 };

    stored_flush(m->store);
    m->run.duration_ns = END_NS;
    m->run.status = RUN_COMPLETE;
    m->run.ended = true;
    CHECK_INT(energy_save(m->store, &m->run, &e), 0);
    CHECK_INT(save_operators(m->store, &m->run, &e), 0);
    stored_flush(m->store);
    CHECK_INT(store_end_run(m->store, &m->run, &e), 0);
}

static void release(struct made *m)
{
    store_close(m->store);
    truth_release(&m->cpu);
    truth_release(&m->dram);
    tree_close(&m->tree);
}

/* --- reading it back ------------------------------------------------------ */

struct back {
    struct section sections[4];
    struct token tokens[TOKENS + 2];
    struct run run;
    size_t section_count, token_count, powers;
    size_t phases[PHASES + 1];
    double phase_mw[PHASES + 1]; /* sums */
    size_t no_gpu, odd;
    double dram_mw;
    size_t measured;
};

static void take_section(void *to, const struct section *x)
{
    struct back *b = to;

    b->sections[b->section_count++] = *x;
}

static void take_token(void *to, const struct token *x)
{
    struct back *b = to;

    b->tokens[b->token_count++] = *x;
}

static void take_run(void *to, const struct run *x)
{
    ((struct back *)to)->run = *x;
}

static void take_power(void *to, const struct power_sample *x)
{
    struct back *b = to;
    unsigned phase = x->phase <= PHASE_IDLE ? x->phase : 0;

    b->powers++;
    b->phases[phase]++;
    b->phase_mw[phase] += x->total_power_mw;
    b->no_gpu += isnan(x->gpu_power_mw) && isnan(x->ane_power_mw);
    b->dram_mw += x->dram_power_mw;
    b->measured += x->method == READING_MEASURED;
    b->odd += !(fabs(x->cpu_power_mw + x->dram_power_mw - x->total_power_mw) <
                1e-6);
}

static void read_back(struct back *b, struct made *m)
{
    struct error e = { 0 };
    int64_t row = m->run.row;

    *b = (struct back){ 0 };
    CHECK_INT(store_each_section(m->store, row, take_section, b, &e), 0);
    CHECK_INT(store_each_token(m->store, row, take_token, b, &e), 0);
    CHECK_INT(store_each_power_sample(m->store, row, take_power, b, &e), 0);
    CHECK_INT(store_read_run(m->store, row, take_run, b, &e), 0);
    CHECK_INT(b->section_count, 2);
    CHECK_INT(b->token_count, TOKENS + 1);
}

static bool mean_is(const struct back *b, unsigned phase, double watts)
{
    return b->phases[phase] &&
           within(b->phase_mw[phase] / (double)b->phases[phase], 1e3 * watts,
                   0.02);
}

static void kept(void)
{
    struct made m;
    struct back b;

    begin(&m);
    add_sensor(&m, 1, "package-0", &m.cpu, END_NS + 50 * MS);
    add_sensor(&m, 2, "dram", &m.dram, END_NS + 50 * MS);
    finish(&m);
    read_back(&b, &m);

    /* 20 + 20 + 60 + 160 + 20 of the CPU, 30 of the memory. */
    CHECK(b.run.has_energy && within(b.run.energy_mj, 310e3, 0.005));
    CHECK_INT(b.run.energy_method, READING_MEASURED);
    CHECK(b.sections[0].has_energy && b.sections[1].has_energy);
    CHECK(within(b.sections[0].energy_mj, 23e3, 0.01));
    CHECK(within(b.sections[1].energy_mj, 172e3, 0.01));
    CHECK(within(b.tokens[0].energy_mj, 63e3, 0.02));
    for (size_t i = 1; i < TOKENS; i++)
        CHECK(within(b.tokens[i].energy_mj, 43e3 * 0.496, 0.02));
    CHECK(!b.tokens[TOKENS].has_energy);

    CHECK_INT(b.powers, 100);
    CHECK_INT(b.no_gpu, b.powers);
    CHECK_INT(b.odd, 0);
    CHECK(within(b.dram_mw / (double)b.powers, 3e3, 0.01));
    CHECK(mean_is(&b, PHASE_IDLE, 13));
    CHECK(mean_is(&b, PHASE_PRE, 23));
    CHECK(mean_is(&b, PHASE_PREFILL, 63));
    CHECK(mean_is(&b, PHASE_DECODE, 43));
    CHECK_INT(b.phases[PHASE_OTHER], 0);
    CHECK_INT(b.measured, b.powers);
    release(&m);
}

struct placed {
    struct layer_metric layers[4];
    struct component_metric components[4];
    size_t layer_count, component_count;
};

static void take_layer(void *to, const struct layer_metric *x)
{
    struct placed *p = to;

    if (p->layer_count < LEN(p->layers))
        p->layers[p->layer_count] = *x;
    p->layer_count++;
}

static void take_component(void *to, const struct component_metric *x)
{
    struct placed *p = to;

    for (size_t i = 0; i < LEN(operators); i++)
        if (strcmp(x->component_name, operators[i].component) == 0)
            p->components[i] = *x;
    p->component_count++;
}

static void read_places(struct placed *p, struct made *m)
{
    struct error e = { 0 };

    *p = (struct placed){ 0 };
    CHECK_INT(store_each_layer(m->store, m->run.row, take_layer, p, &e), 0);
    CHECK_INT(store_each_component(m->store, m->run.row, take_component, p, &e),
            0);
}

/* 40 W of the CPU and 3 W of the memory, as long as each of them ran. */
static void places(void)
{
    struct made m;
    struct placed p;

    begin(&m);
    add_sensor(&m, 1, "package-0", &m.cpu, END_NS + 50 * MS);
    add_sensor(&m, 2, "dram", &m.dram, END_NS + 50 * MS);
    finish(&m);
    read_places(&p, &m);
    CHECK_INT(p.layer_count, 2);
    CHECK_INT(p.component_count, LEN(operators));
    for (size_t i = 0; i < LEN(operators); i++) {
        const struct component_metric *c = &p.components[i];
        double mj = 43 * 8 * (double)operators[i].ms;
        int layer = operators[i].layer;

        CHECK_INT(c->count, 8);
        CHECK_INT(c->duration_ns, 8 * operators[i].ms * MS);
        CHECK(within(c->energy_mj, mj, 0.02));
        CHECK_INT(c->energy_method, READING_MEASURED);
        CHECK_INT(c->layer_metric_id, layer + 1);
        if (layer < 0)
            continue;
        CHECK_INT(p.layers[layer].layer_index, layer);
        CHECK_INT(p.layers[layer].token_id, 0);
        CHECK_INT(p.layers[layer].duration_ns, c->duration_ns);
        CHECK(within(p.layers[layer].energy_mj, c->energy_mj, 1e-9));
        CHECK(isnan(p.layers[layer].activation.mean));
    }
    release(&m);
}

/* The sensor stops at 7 s: what lies behind has no energy, and the run has no
 * total; what lies before stands. */
static void partly(void)
{
    struct made m;
    struct back b;

    begin(&m);
    add_sensor(&m, 1, "package-0", &m.cpu, SILENT_FROM);
    finish(&m);
    read_back(&b, &m);
    CHECK(!b.run.has_energy);
    CHECK(b.sections[0].has_energy && !b.sections[1].has_energy);
    CHECK(within(b.sections[0].energy_mj, 20e3, 0.01));
    for (size_t i = 0; i <= TOKENS; i++)
        CHECK_INT(b.tokens[i].has_energy,
                i < TOKENS && b.tokens[i].time_ns < SILENT_FROM);
    CHECK(b.powers >= 68 && b.powers <= 70);

    struct placed p;

    read_places(&p, &m);
    CHECK_INT(p.layer_count, 2);
    CHECK(isnan(p.layers[0].energy_mj) && isnan(p.components[0].energy_mj));
    CHECK_INT(p.layers[0].duration_ns, 800 * MS);
    release(&m);
}

/* Nothing measures: no energy is written. */
static void absent(void)
{
    struct made m;
    struct back b;

    begin(&m);
    finish(&m);
    read_back(&b, &m);
    CHECK_INT(b.powers, 0);
    CHECK(!b.run.has_energy && !b.sections[0].has_energy &&
            !b.sections[1].has_energy);
    for (size_t i = 0; i <= TOKENS; i++)
        CHECK(!b.tokens[i].has_energy);

    struct placed p;

    read_places(&p, &m);
    CHECK_INT(p.layer_count, 2); /* their times are known */
    CHECK(isnan(p.layers[0].energy_mj));
    CHECK_INT(p.layers[0].duration_ns, 800 * MS);
    release(&m);
}

/* The model's figures say so. */
static void modelled(void)
{
    struct made m;
    struct back b;

    begin(&m);
    store_add_subject(m.store, 1,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = "cpu",
                    .detail = "idle 10 full 50 low 0.5 high 2: a test",
                    .source = ENERGY_SOURCE_MODEL });
    for (uint64_t s = 1; s <= 10; s++)
        store_add_reading(m.store, &(struct reading){ .time_ns = s * 1000 * MS,
                                           .value = 0.5,
                                           .metric = METRIC_host_busy_ratio });
    finish(&m);
    read_back(&b, &m);
    CHECK(b.run.has_energy && within(b.run.energy_mj, 300e3, 0.01));
    CHECK_INT(b.run.energy_method, READING_MODELLED);
    CHECK(b.powers > 5);
    CHECK_INT(b.measured, 0);
    CHECK_INT(stored_number(&m.tree, "SELECT count(*) FROM pipeline_sections"
                                     " WHERE energy_method = " MODELLED),
            2);
    CHECK_INT(stored_number(&m.tree,
                      "SELECT count(*) FROM layer_metrics"
                      " WHERE energy_method = " MODELLED " AND energy_mj > 0"),
            2);
    release(&m);
}

int main(void)
{
    kept();
    places();
    partly();
    absent();
    modelled();
    return test_result();
}
