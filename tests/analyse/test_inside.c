/* test_inside.c -- the layers of single tokens, and the sections of an
 * inference: names, gaps, and sums to the nanosecond. */
#include "analyse/operators/save_operators.h"

#include "analyse/generation/pipeline.h"
#include "stored.h"

#include <string.h>

#define THREAD 5

static struct store *store;

static void named(uint32_t id, const char *name, const char *op_type)
{
    store_add_operator(store, &(struct operator){ .id = id,
                                      .session = 1,
                                      .name = name,
                                      .op_type = op_type,
                                      .node_index = id });
    store_add_operator_sum(store, &(struct operator_sum){ .operator_id = id,
                                          .phase = PHASE_DECODE,
                                          .count = 1,
                                          .total_ns = 1,
                                          .self_ns = 1 });
}

static void ran(uint64_t inference, uint32_t id, uint64_t start_ns, uint64_t ns)
{
    store_add_operator_run(store, &(struct operator_run){
                                          .inference = inference,
                                          .operator_id = id,
                                          .thread = THREAD,
                                          .start_ns = start_ns,
                                          .raw_unknown = true,
                                          .kernel_ns = ns,
                                          .kernel_known = true,
                                  });
}

static void infer(uint8_t phase, uint64_t start_ns, uint64_t ns)
{
    (void)store_add_inference(store, &(struct inference){ .session = 1,
                                             .process = 1,
                                             .thread = THREAD,
                                             .phase = phase,
                                             .flags = FLAG_TRACED,
                                             .start_ns = start_ns,
                                             .duration_ns = ns });
}

static void told(const char *name, uint8_t phase, uint64_t start_ns,
        uint64_t end_ns, uint32_t thread)
{
    store_add_section(store, &(struct section){ .process = 1,
                                     .thread = thread,
                                     .phase = phase,
                                     .name = name,
                                     .start_ns = start_ns,
                                     .duration_ns = end_ns - start_ns });
}

static void token(uint32_t index, uint64_t time_ns)
{
    store_add_token(store, &(struct token){ .process = 1,
                                   .thread = THREAD,
                                   .index = index,
                                   .id = 7,
                                   .time_ns = time_ns,
                                   .duration_ns = 100,
                                   .probability = 0.5 });
}

/* A prompt and two steps; the second step's operators ran side by side. */
static void make_run(void)
{
    store_add_process(store, &(struct process){ .id = 1, .pid = 9 });
    store_add_session(store, &(struct session){ .id = 1, .process = 1 });
    store_set_operators_of(store, 1, 1);
    named(1, "/model/embed_tokens/Gather", "Gather");
    named(2, "/model/Where", "Where");
    named(3, "/model/layers.0/self_attn/q_proj/MatMul", "MatMul");
    named(4, "/model/layers.1/mlp/down_proj/MatMul", "MatMul");
    named(5, "/model/norm/Mul", "Mul");
    named(6, "/lm_head/MatMul", "MatMul");
    infer(PHASE_PREFILL, 1000, 1000);
    infer(PHASE_DECODE, 3000, 1000);
    infer(PHASE_DECODE, 5000, 1000);
    ran(1, 1, 1010, 90); /* embedding_lookup 1000 to 1100 */
    ran(1, 2, 1150, 50); /* position_embedding to 1200 */
    ran(1, 3, 1210, 190);
    ran(1, 2, 1410, 40);  /* in no layer, while layers run */
    ran(1, 4, 1500, 200); /* layers 1200 to 1700 */
    ran(1, 5, 1720, 80);  /* final_layernorm to 1800 */
    ran(1, 6, 1800, 150); /* lm_head to 1950, kv_cache_store to 2000 */
    ran(2, 1, 3000, 10);
    ran(2, 3, 3010, 20);
    ran(2, 4, 3030, 30);
    ran(2, 6, 3060, 940); /* nothing behind it */
    ran(3, 3, 5000, 20);
    ran(3, 4, 5010, 20);
    told("prefill_complete", PHASE_PREFILL, 900, 2200, THREAD);
    told("sampling", PHASE_DECODE, 4100, 4200, THREAD);
    told("token_1", PHASE_DECODE, 2900, 4300, THREAD);
    told("elsewhere", PHASE_DECODE, 2950, 4250, THREAD + 1);
    token(0, 2150);
    token(1, 4250);
    token(1, 4250); /* of another text, at once */
    token(2, 6000);
}

static int64_t number(const struct tree *t, const char *sql)
{
    return stored_number(t, sql);
}

#define SECTION(name)                                                   \
    " FROM pipeline_sections JOIN texts t ON t.id = section_name WHERE" \
    " t.text = '" name "'"

static void check_sections(const struct tree *t)
{
    static const struct {
        const char *sql;
        int64_t is;
    } cases[] = {
        { "SELECT start_ns" SECTION("embedding_lookup"), 1000 },
        { "SELECT duration_ns" SECTION("embedding_lookup"), 100 },
        { "SELECT start_ns" SECTION("position_embedding"), 1100 },
        { "SELECT duration_ns" SECTION("position_embedding"), 100 },
        { "SELECT duration_ns" SECTION("layers") " AND parent_id = 1", 500 },
        { "SELECT duration_ns" SECTION("final_layernorm"), 100 },
        { "SELECT duration_ns" SECTION("lm_head") " AND parent_id = 1", 150 },
        { "SELECT duration_ns" SECTION("kv_cache_store"), 50 },
        { "SELECT duration_ns" SECTION("embedding"), 10 },
        { "SELECT duration_ns" SECTION("layers") " AND parent_id = 3", 50 },
        { "SELECT duration_ns" SECTION("lm_head") " AND parent_id = 3", 940 },
        { "SELECT count(*)" SECTION("kv_cache_append"), 0 },
        { "SELECT parent_id" SECTION("sampling"), 3 },
        { "SELECT count(*)" SECTION("elsewhere") " AND parent_id IS NULL", 1 },
        /* before, between and behind, 100 each; the last 200 */
        { "SELECT sum(duration_ns)" SECTION("between_sections"), 600 },
        { "SELECT count(*) FROM pipeline_sections p WHERE"
          " number IN (1, 3) AND duration_ns = (SELECT sum(duration_ns)"
          " FROM pipeline_sections c WHERE c.parent_id = p.number)",
                2 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        int64_t got = number(t, cases[i].sql);

        CHECK_INT(got, cases[i].is);
        if (got != cases[i].is)
            (void)fprintf(stderr, "%s\n", cases[i].sql);
    }
}

static void check_tokens(const struct tree *t)
{
    static const struct {
        const char *sql;
        int64_t is;
    } cases[] = {
        { "SELECT layers_ns FROM tokens WHERE number = 1", 500 },
        /* 10 + 10 + 50, and what ran in no layer */
        { "SELECT between_ns FROM tokens WHERE number = 1", 70 },
        { "SELECT outside_ns FROM tokens WHERE number = 1", 40 },
        { "SELECT duration_ns FROM layer_metrics WHERE token_id = 1"
          " AND layer_index = 0",
                190 },
        { "SELECT duration_ns FROM layer_metrics WHERE token_id = 2"
          " AND layer_index = 1",
                30 },
        { "SELECT count(*) FROM layer_metrics WHERE token_id > 2", 0 },
        { "SELECT count(*) FROM layer_metrics WHERE token_id IS NULL", 2 },
        { "SELECT count(*) FROM tokens t WHERE layers_ns = between_ns +"
          " outside_ns + (SELECT sum(duration_ns) FROM layer_metrics l"
          " WHERE l.token_id = t.number)",
                2 },
        { "SELECT count(*) FROM layer_metrics l JOIN component_metrics c"
          " ON c.layer_metric_id = l.id JOIN texts n ON n.id = component_name"
          " WHERE token_id = 1 AND ((layer_index = 0 AND n.text = 'q_proj'"
          " AND c.duration_ns = 190) OR (layer_index = 1 AND"
          " n.text = 'down_proj' AND c.duration_ns = 200))",
                2 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        int64_t got = number(t, cases[i].sql);

        CHECK_INT(got, cases[i].is);
        if (got != cases[i].is)
            (void)fprintf(stderr, "%s\n", cases[i].sql);
    }
}

/* Phases are sums of what is in no other section. */
static void check_pipeline(int64_t row)
{
    struct pipeline p;

    CHECK_INT(pipeline_read(&p, store, row, NULL), 0);
    CHECK_INT(p.phases[PHASE_PREFILL].duration_ns, 1300);
    CHECK_INT(p.phases[PHASE_PREFILL].count, 1);
    CHECK_INT(p.phases[PHASE_DECODE].duration_ns, 2700);
    CHECK_INT(p.total.duration_ns, 4000);
    pipeline_release(&p);
}

int main(void)
{
    struct tree t = tree_open();
    struct error e = { 0 };

    store = stored_open(&t, STORE_WRITE);

    struct run run = stored_run(store, 1);

    make_run();
    stored_flush(store);
    CHECK_INT(save_operators(store, &run, &e), 0);
    stored_flush(store);
    check_sections(&t);
    check_tokens(&t);
    check_pipeline(run.row);
    store_close(store);
    tree_close(&t);
    return test_result();
}
