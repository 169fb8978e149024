#include "analyse/operators/operator_groups.h"
#include "base/compiler.h"
#include "base/hist.h"
#include "operator_runs.h"

#include <string.h>

/* --- sums of traced inferences -------------------------------------------- */

static void operator_named(uint32_t id, uint32_t session, uint32_t parent,
        const char *name, const char *op_type)
{
    store_add_operator(store, &(struct operator){ .id = id,
                                      .session = session,
                                      .parent = parent,
                                      .name = name,
                                      .op_type = op_type,
                                      .node_index = UINT32_MAX });
}

static void tensor(uint32_t id, bool output, uint16_t index, const char *name,
        bool constant)
{
    store_add_operator_tensor(store,
            &(struct operator_tensor){ .operator_id = id,
                    .is_output = output,
                    .index = index,
                    .name = name,
                    .is_constant = constant });
}

/* Of so many runs that all took the same, in microseconds. */
static void sum(uint32_t id, uint8_t phase, uint64_t count, uint64_t self_us,
        uint64_t total_us)
{
    struct hist_part spread = { 0 };
    struct buf text = { 0 };

    for (uint64_t i = 0; i < count; i++)
        hist_part_add(&spread, self_us * 1000);
    hist_part_write(&spread, &text);
    store_add_operator_sum(store,
            &(struct operator_sum){ .operator_id = id,
                    .phase = phase,
                    .count = count,
                    .total_ns = count * total_us * 1000,
                    .self_ns = count * self_us * 1000,
                    .min_ns = self_us * 1000,
                    .max_ns = self_us * 1000,
                    .squares = (double)count * (double)self_us * 1e3 *
                               (double)self_us * 1e3,
                    .spread = buf_cstr(&text) });
    hist_part_release(&spread);
    buf_release(&text);
}

/* An If with a Conv in it, and what reads both; prefill once, decode twice. */
static void traced(void)
{
    begin();
    store_add_session(store, &(struct session){ .id = 1, .process = 1 });
    store_add_session(store, &(struct session){ .id = 2, .process = 1 });
    store_set_operators_of(store, 1, 1);
    store_set_operators_of(store, 2, 1);
    operator_named(1, 1, 0, "if", "If");
    operator_named(2, 1, 1, "/model/layers.3/mlp/down_proj/MatMul", "MatMul");
    operator_named(3, 1, 0, "", "Add");
    tensor(1, false, 0, "condition", false);
    tensor(1, true, 0, "a", false);
    tensor(2, false, 0, "x", false);
    tensor(2, true, 0, "inner", false);
    tensor(3, false, 0, "a", false);
    tensor(3, false, 1, "model.layers.7.mlp.down_proj.bias", true);
    tensor(3, true, 0, "y", false);
    for (uint32_t i = 0; i < 2; i++)
        store_add_operator_shape(store,
                &(struct operator_shape){ .operator_id = 3,
                        .index = i,
                        .inputs = i ? "[{\"float\":[1,2]}]"
                                    : "[{\"float\":[1,1]}]",
                        .count = 1 + i,
                        .output_known = true,
                        .output_bytes = 8 });
    sum(1, PHASE_PREFILL, 1, 5, 45);
    sum(1, PHASE_DECODE, 2, 1, 11);
    sum(2, PHASE_PREFILL, 1, 40, 40);
    sum(2, PHASE_DECODE, 2, 10, 10);
    sum(3, PHASE_DECODE, 2, 3, 3);
    store_add_traced_sum(store, &(struct traced_sum){ .session = 1,
                                        .phase = PHASE_PREFILL,
                                        .count = 1,
                                        .run_ns = 50000,
                                        .before_ns = 2000,
                                        .kernels_ns = 40000,
                                        .flow_ns = 5000,
                                        .between_ns = 2000,
                                        .after_ns = 1000,
                                        .operator_runs = 2,
                                        .cost_ns = 60 });
    store_add_traced_sum(store, &(struct traced_sum){ .session = 1,
                                        .phase = PHASE_DECODE,
                                        .count = 2,
                                        .run_ns = 30000,
                                        .before_ns = 1000,
                                        .kernels_ns = 26000,
                                        .flow_ns = 2000,
                                        .after_ns = 1000,
                                        .operator_runs = 6,
                                        .cost_ns = 90 });
    read_back();
    CHECK_INT(got.method, OPERATOR_TIMED);
    CHECK_INT(got.count, 3);
    CHECK_INT(got.items[0].id, 2); /* the greatest first */

    const struct operator_times *t = by_id(2)->times;

    CHECK_INT(t[PHASES].count, 3);
    CHECK_US(t[PHASES].self_ns, 60);
    CHECK_US(t[PHASE_DECODE].self_ns, 20);
    CHECK_US(t[PHASE_PREFILL].median_ns, 40);
    CHECK_US(t[PHASES].min_ns, 10);
    CHECK_US(t[PHASES].max_ns, 40);
    CHECK(fabs(t[PHASES].median_ns - 10000) < 100);
    CHECK(fabs(t[PHASES].stddev_ns - 17320.5) < 1);
    CHECK(t[PHASE_DECODE].stddev_ns < 1);
    CHECK(by_id(1)->contains && !by_id(2)->contains);

    /* Where they are: by its name; by a weight; and an If nowhere. */
    CHECK_INT(by_id(2)->place.layer, 3);
    CHECK_INT(by_id(2)->place.component, ARCH_DOWN);
    CHECK_INT(by_id(3)->place.layer, 7);
    CHECK_INT(by_id(1)->place.layer, -1);

    /* One row whatever its shapes; the most frequent first. */
    CHECK_INT(by_id(3)->shape_count, 2);
    CHECK_INT(by_id(3)->shapes[0].count, 2);
    CHECK(strcmp(by_id(3)->shapes[1].inputs, "[{\"float\":[1,1]}]") == 0);

    /* Sessions that share a table have one; and it adds up. */
    const struct operator_table *table = operators_table(&got, 2);

    CHECK_INT(got.table_count, 1);
    CHECK(table && table == operators_table(&got, 1));
    CHECK(!operators_table(&got, 9));

    const struct traced_sum *all = &table->sums[PHASES];

    CHECK_INT(all->count, 3);
    CHECK_INT(all->run_ns, all->before_ns + all->kernels_ns + all->flow_ns +
                                   all->between_ns + all->after_ns);
    CHECK_US(operators_self_ns(&got, 1, PHASES), 66 + 7);
    CHECK_US(table->self_ns[PHASE_DECODE], 28);
    CHECK_INT(got.edge_count, 1);
    CHECK_INT(got.edges[0].from, 1);
    CHECK_INT(got.edges[0].to, 3);
    CHECK_INT(table->width, 1);

    /* Put together: the If is of a type, and in no layer. */
    struct operator_groups g;

    operator_groups_find(&g, &got, 1, PHASE_DECODE, OPERATORS_BY_TYPE);
    CHECK_INT(g.count, 3);
    CHECK(strcmp(g.items[0].op_type, "MatMul") == 0);
    CHECK_US(g.items[0].self_ns, 20);
    CHECK_INT(g.items[0].runs, 2);
    operator_groups_release(&g);
    operator_groups_find(&g, &got, 1, PHASES, OPERATORS_BY_LAYER);
    CHECK_INT(g.count, 2);
    CHECK_INT(g.items[0].at.layer, 3);
    CHECK_INT(g.items[1].at.layer, 7);
    operator_groups_release(&g);
    operator_groups_find(&g, &got, 0, PHASES, OPERATORS_BY_COMPONENT);
    CHECK_INT(g.count, 1); /* down_proj, twice */
    CHECK_INT(g.items[0].operators, 2);
    /* Of 40, 10, 10, 3 and 3 us together. */
    CHECK_INT(g.items[0].runs, 5);
    CHECK(fabs(g.items[0].median_ns - 10000) < 100);
    CHECK(fabs(g.items[0].stddev_ns - 15385.1) < 1);
    CHECK_US(g.items[0].min_ns, 3);
    CHECK_US(g.items[0].max_ns, 40);
    /* What is in none of those shown: the If, then all. */
    CHECK_US(operator_groups_rest_ns(&g, 1, 73000), 7);
    CHECK_US(operator_groups_rest_ns(&g, 0, 73000), 73);
    operator_groups_release(&g);

    operators_drop_table(&got, 1);
    CHECK_INT(got.count, 0);
    CHECK_INT(got.table_count, 0);
    end();
}

/* --- single runs, of imported profiles ------------------------------------ */

struct parts {
    uint64_t run, before, kernels, flow, between, after;
};

static void check_sum(int line, uint32_t session, uint64_t inferences,
        struct parts want)
{
    const struct operator_table *t = operators_table(&got, session);
    const struct traced_sum *x = t ? &t->sums[PHASES] : NULL;
    int before = test_failures;

    CHECK(x != NULL);
    if (x) {
        CHECK_INT(x->count, inferences);
        CHECK_INT(x->run_ns, want.run * 1000);
        CHECK_INT(x->before_ns, want.before * 1000);
        CHECK_INT(x->kernels_ns, want.kernels * 1000);
        CHECK_INT(x->flow_ns, want.flow * 1000);
        CHECK_INT(x->between_ns, want.between * 1000);
        CHECK_INT(x->after_ns, want.after * 1000);
    }
    if (test_failures > before)
        (void)fprintf(stderr, "line %d\n", line);
}
#define SUM(session, inferences, ...) \
    check_sum(__LINE__, session, inferences, (struct parts){ __VA_ARGS__ })

static void profiled(void)
{
    begin();
    operators_of(1, 1, 2);
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t n = inference(1, 1000 * i, 200, FLAG_PROFILED);

        ran(n, 1, 0, 1000 * i + 22, 40, 0);
        ran(n, 2, 0, 1000 * i + 90, 30, 0);
        ran(n, 1, 0, 1000 * i + 130, 20 + 3 * i, 0);
        (void)inference(1, 1000 * i + 500, 60, 0);
    }
    read_back();
    CHECK_INT(got.method, OPERATOR_PROFILE);
    CHECK_INT(by_id(1)->times[PHASES].count, 6);
    CHECK_US(by_id(1)->times[PHASES].self_ns, 3 * 40 + 20 + 23 + 26);
    CHECK_US(by_id(1)->times[PHASES].min_ns, 20);
    CHECK_US(by_id(1)->times[PHASES].max_ns, 40);
    CHECK_US(by_id(1)->times[PHASES].median_ns, 33);
    SUM(1, 3, 600, 66, 279, 0, 3 * 38, 600 - 66 - 279 - 3 * 38);
    end();
}

/* An If, a Loop in it, and what runs in that. */
static void nested(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 5);
    n = inference(1, 0, 300, FLAG_PROFILED);
    ran(n, 1, 0, 20, 10, 0);
    ran(n, 2, 1, 75, 8, 0);  /* in the If */
    ran(n, 3, 2, 110, 5, 0); /* in the Loop in it */
    ran(n, 3, 2, 130, 5, 0);
    ran(n, 4, 1, 105, 50, 0); /* the Loop */
    ran(n, 5, 0, 70, 120, 0); /* the If */
    ran(n, 1, 0, 240, 10, 0);
    read_back();
    CHECK(!by_id(1)->contains && !by_id(2)->contains && !by_id(3)->contains);
    CHECK(by_id(4)->contains && by_id(5)->contains);
    CHECK_US(by_id(5)->times[PHASES].total_ns, 120);
    CHECK_US(by_id(5)->times[PHASES].self_ns, 120 - 8 - 50);
    CHECK_US(by_id(4)->times[PHASES].self_ns, 40);
    SUM(1, 1, 300, 20, 38, 62 + 40, 90, 50);
    end();
}

/* In parallel, the threads' nodes come in turns. */
static void side_by_side(void)
{
    uint64_t n;
    struct operator_run other = { .operator_id = 2,
        .thread = 2,
        .start_ns = 30000,
        .raw_ns = 40000 };

    begin();
    operators_of(1, 1, 3);
    n = inference(1, 0, 200, FLAG_PROFILED);
    other.inference = n;
    ran(n, 1, 1, 40, 10, 0);
    store_add_operator_run(store, &other);
    ran(n, 3, 0, 30, 60, 0);
    read_back();
    CHECK(!by_id(2)->contains); /* it only came behind it */
    CHECK(by_id(3)->contains);

    const struct traced_sum *x = &operators_table(&got, 1)->sums[PHASES];

    CHECK_INT(x->beside, 1);
    CHECK_INT(x->busy_ns, 60000);
    end();
}

/* Failed ones and those of no session have no account; nor has an operator run
 * whose inference is not known.  Which operators there are is known. */
static void no_account(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 2);
    operators_of(0, 3, 1);
    n = inference(1, 0, 100, FLAG_PROFILED | FLAG_FAILED);
    ran(n, 1, 0, 10, 30, 0);
    n = inference(0, 200, 100, FLAG_PROFILED);
    ran(n, 3, 0, 210, 30, 0);
    ran(0, 1, 0, 400, 30, 0);
    ran(99, 1, 0, 400, 30, 0);
    n = inference(1, 400, 100, FLAG_PROFILED);
    ran(n, 1, 0, 410, 30, 0);
    ran(n, 77, 0, 450, 30, 0); /* which nobody described */
    read_back();
    CHECK_INT(by_id(1)->times[PHASES].count, 4);
    CHECK_INT(by_id(2)->times[PHASES].count, 0);
    CHECK_INT(by_id(3)->times[PHASES].count, 1);
    SUM(1, 1, 100, 10, 30, 0, 0, 60);
    end();
}

int main(void)
{
    traced();
    profiled();
    nested();
    side_by_side();
    no_account();
    return test_result();
}
