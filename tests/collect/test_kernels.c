/* test_kernels.c -- operators of traced inferences, from made records. */
#include "kernels_told.h"

#define THREAD 11

static const struct traced_sum *table(uint32_t session)
{
    return &told.traced[session][PHASE_OTHER];
}

/* x -> MatMul (with a weight) -> Relu -> y, as the hook describes it. */
static void describe_pair(uint32_t trace, uint64_t first)
{
    send(kernel(AT(first), 0, "mul", "MatMul", 3));
    send(tensor(AT(first), trace, 0, 0, "x", 2, 3));
    send(tensor(AT(first), trace, TENSOR_CONSTANT, 1, "w", 3, 5));
    send(output(AT(first), trace, 0, "mid"));
    send(kernel(AT(first + 1), 0, NULL, "Relu", 4));
    send(tensor(AT(first + 1), trace, 0, 0, "mid", 2, 5));
    send(tensor(AT(first + 1), trace, TENSOR_OUTPUT, 0, "y", 2, 5));
}

/* From 1000 to 1100: 10 before, 30 and 20, 5 between, 35 after. */
static bool run_pair(uint32_t trace, uint64_t first, uint32_t session,
        uint64_t shapes)
{
    clock_line(trace, THREAD, 1010);
    line(trace, THREAD, AT(first), 30, 30);
    line(trace, THREAD, AT(first + 1), 25, 20);
    traced(trace, THREAD, 2, shapes);
    return over(THREAD, session, 1000, 1100);
}

static void a_pair(void)
{
    begin();
    describe_pair(1, 0);
    CHECK(run_pair(1, 0, 1, 77));
    CHECK(run_pair(2, 0, 1, 77));
    CHECK(run_pair(3, 0, 1, 78)); /* whose shapes nobody read */
    CHECK_INT(told.sums_told, 0); /* not yet */
    kernels_tell(kernels);
    CHECK_INT(told.operator_count, 2);
    CHECK_INT(told.operators_of[1], 1);
    CHECK(operator_named("mul") && operator_named("Relu_4"));
    CHECK_INT(sum_of("mul")->count, 3);
    CHECK_INT(sum_of("mul")->self_ns, 90);
    CHECK_INT(sum_of("Relu_4")->total_ns, 60);
    CHECK_INT(sum_of("Relu_4")->min_ns, 20);
    CHECK_INT(sum_of("Relu_4")->max_ns, 20);
    CHECK(sum_of("Relu_4")->squares == 1200);
    CHECK(strcmp(sum_of("Relu_4")->spread, "[20,3]") == 0);
    CHECK_INT(table(1)->count, 3);
    CHECK_INT(table(1)->run_ns, 300);
    CHECK_INT(table(1)->before_ns, 30);
    CHECK_INT(table(1)->kernels_ns, 150);
    CHECK_INT(table(1)->flow_ns, 0);
    CHECK_INT(table(1)->between_ns, 15);
    CHECK_INT(table(1)->after_ns, 105);
    CHECK_INT(table(1)->operator_runs, 6);
    CHECK_INT(table(1)->cost_ns, 27);
    CHECK_INT(table(1)->shapeless, 1);
    CHECK_INT(table(1)->lost, 0);

    /* What one makes the other reads; a weight is read from nobody. */
    CHECK_INT(told.edge_count, 1);
    CHECK(has_edge("mul", "Relu_4"));
    CHECK_INT(told.tensor_count, 5);
    CHECK(told.tensors[1].is_constant &&
            strcmp(told.tensors[1].shape, "[3,5]") == 0);

    /* The first one's output has the shape that the second one reads. */
    CHECK_INT(told.shape_count, 2);
    CHECK_INT(shape_of("mul", 0)->count, 2);
    CHECK(strcmp(shape_of("mul", 0)->inputs,
                  "[{\"float\":[2,3]},{\"float\":[3,5]}]") == 0);
    CHECK(strcmp(shape_of("mul", 0)->outputs, "[{\"float\":[2,5]}]") == 0);
    CHECK_INT(shape_of("mul", 0)->activation_bytes, 24);
    CHECK_INT(shape_of("mul", 0)->parameter_bytes, 60);
    CHECK_INT(shape_of("mul", 0)->output_bytes, 40);
    CHECK(strcmp(told.operators[operator_named("mul")].outputs,
                  "[{\"float\":[2,5]}]") == 0);

    /* Their timelines, since the run's start. */
    CHECK_INT(told.run_count, 6);
    CHECK_INT(told.runs[1].start_ns, 945);
    CHECK_INT(told.runs[1].kernel_ns, 20);
    CHECK(told.runs[1].kernel_known && told.runs[1].raw_unknown);

    /* Nothing changed: nothing is told. */
    size_t before = told.sums_told;

    kernels_tell(kernels);
    CHECK_INT(told.sums_told, before);
    end();
}

/* A weight that a kernel packed away has no value, but a shape in the model. */
static void packed_weight(void)
{
    begin();
    send(kernel(AT(0), 0, "mul", "MatMul", 3));
    send(tensor(AT(0), 1, 0, 0, "x", 2, 3));
    send(tensor(AT(0), 1, TENSOR_NO_VALUE, 1, "w", 3, 5));
    send(output(AT(0), 1, 0, "y"));
    clock_line(1, THREAD, 1010);
    line(1, THREAD, AT(0), 30, 30);
    traced(1, THREAD, 1, 9);
    CHECK(over(THREAD, 1, 1000, 1100));
    kernels_tell(kernels);
    CHECK(told.tensors[1].is_constant &&
            strcmp(told.tensors[1].shape, "[3,5]") == 0);
    CHECK(!told.tensors[0].is_constant && !told.tensors[2].is_constant);
    CHECK(strcmp(shape_of("mul", 0)->inputs, "[{\"float\":[2,3]}]") == 0);
    CHECK(!shape_of("mul", 0)->outputs && !shape_of("mul", 0)->output_known);
    end();
}

/* Other shapes of the inputs: the operators have both, with their counts. */
static void other_shapes(void)
{
    begin();
    describe_pair(1, 0);
    CHECK(run_pair(1, 0, 1, 77));
    send(tensor(AT(0), 2, 0, 0, NULL, 4, 3));
    send(tensor(AT(0), 2, 0, 1, NULL, 3, 5));
    send(tensor(AT(1), 2, 0, 0, NULL, 4, 5));
    CHECK(run_pair(2, 0, 1, 78));
    CHECK(run_pair(3, 0, 1, 78));
    CHECK(run_pair(4, 0, 1, 77));
    CHECK(run_pair(5, 0, 1, 0));
    kernels_tell(kernels);
    CHECK_INT(shape_of("mul", 0)->count, 2);
    CHECK_INT(shape_of("mul", 1)->count, 2);
    CHECK(strcmp(shape_of("mul", 1)->outputs, "[{\"float\":[4,5]}]") == 0);
    CHECK_INT(shape_of("mul", 1)->parameter_bytes, 60);
    CHECK(!shape_of("mul", 2));
    CHECK(!shape_of("Relu_4", 1)->outputs); /* nobody reads it */
    CHECK_INT(table(1)->shapeless, 1);
    end();
}

/* A Loop whose body has an If, whose branch has a node that reads what lies
 * outside. */
static void nested(void)
{
    begin();
    send(kernel(AT(1), 0, "source", "Relu", 0));
    send(tensor(AT(1), 1, TENSOR_OUTPUT, 0, "outer", 1, 1));
    send(kernel(AT(2), 0, "loop", "Loop", 1));
    send(output(AT(2), 1, 0, "z"));
    send(kernel(AT(4), AT(3), "leaf", "Add", 0)); /* before its parent */
    send(tensor(AT(4), 1, 0, 0, "outer", 1, 1));
    send(output(AT(4), 1, 0, "leaf_out"));
    send(kernel(AT(3), AT(2), "if", "If", 0));
    send(output(AT(3), 1, 0, "if_out"));
    clock_line(1, THREAD, 1000);
    line(1, THREAD, AT(1), 10, 10); /* to 1010 */
    line(1, THREAD, AT(4), 20, 5);  /* to 1030 */
    line(1, THREAD, AT(3), 2, 10);  /* 1022 to 1032 */
    line(1, THREAD, AT(4), 8, 3);   /* to 1040 */
    line(1, THREAD, AT(3), 1, 5);   /* 1036 to 1041 */
    line(1, THREAD, AT(2), 9, 35);  /* 1015 to 1050 */
    traced(1, THREAD, 6, 0);
    CHECK(over(THREAD, 1, 995, 1060));
    kernels_tell(kernels);
    CHECK_INT(told.operator_count, 4);
    CHECK_INT(told.operators[operator_named("leaf")].parent,
            operator_named("if"));
    CHECK_INT(told.operators[operator_named("if")].parent,
            operator_named("loop"));
    CHECK_INT(told.operators[operator_named("loop")].parent, 0);
    CHECK_INT(sum_of("leaf")->self_ns, 8);
    /* Tracing a kernel took 1, in the time of the one that it ran in. */
    CHECK_INT(sum_of("if")->self_ns, 5 - 1 + 2 - 1);
    CHECK_INT(sum_of("if")->total_ns, 15);
    CHECK_INT(sum_of("loop")->self_ns, 20 - 2);
    CHECK_INT(table(1)->before_ns, 5);
    CHECK_INT(table(1)->kernels_ns, 18);
    CHECK_INT(table(1)->flow_ns, 27 - 4);
    CHECK_INT(table(1)->between_ns, 5 + 4);
    CHECK_INT(table(1)->after_ns, 10);
    CHECK(has_edge("source", "leaf") && has_edge("source", "loop"));
    CHECK(!has_edge("source", "if"));
    for (size_t i = 0; i < told.run_count; i++) {
        static const uint32_t depths[] = { 0, 2, 1, 2, 1, 0 };

        CHECK_INT(told.runs[i].depth, depths[i]);
    }
    end();
}

/* Kernels on a pool's threads: side by side, or one after the other. */
static void pool_threads(void)
{
    begin();
    describe_pair(1, 0);
    clock_line(1, 5, 1010);
    line(1, 5, AT(0), 30, 30); /* 1010 to 1040 */
    clock_line(1, 6, 1020);
    line(1, 6, AT(1), 40, 40); /* 1020 to 1060 */
    traced(1, THREAD, 2, 0);
    CHECK(over(THREAD, 1, 1000, 1100));
    kernels_tell(kernels);
    CHECK_INT(table(1)->count, 1);
    CHECK_INT(table(1)->beside, 1);
    CHECK_INT(table(1)->beside_run_ns, 100);
    CHECK_INT(table(1)->busy_ns, 50);
    CHECK_INT(table(1)->run_ns, 0);
    CHECK_INT(sum_of("mul")->self_ns, 30);

    clock_line(2, 6, 1050);
    line(2, 6, AT(1), 40, 40);
    clock_line(2, 5, 1010);
    line(2, 5, AT(0), 30, 30);
    traced(2, THREAD, 2, 0);
    CHECK(over(THREAD, 1, 1000, 1100));
    kernels_tell(kernels);
    CHECK_INT(table(1)->count, 2);
    CHECK_INT(table(1)->beside, 1);
    CHECK_INT(table(1)->run_ns, 100);
    CHECK_INT(table(1)->between_ns, 10);
    CHECK_INT(table(1)->after_ns, 10);
    end();
}

/* Each is lost, and adds to nothing. */
static void lost(void)
{
    begin();
    describe_pair(1, 0);
    CHECK(run_pair(1, 0, 1, 77));
    /* A line too few, */
    clock_line(2, THREAD, 1010);
    line(2, THREAD, AT(0), 30, 30);
    traced(2, THREAD, 2, 77);
    CHECK(!over(THREAD, 1, 1000, 1100));
    /* without its clock, */
    line(3, THREAD, AT(0), 30, 30);
    traced(3, THREAD, 1, 77);
    CHECK(!over(THREAD, 1, 1000, 1100));
    /* of a kernel that nobody knows, */
    clock_line(4, THREAD, 1010);
    line(4, THREAD, AT(9), 30, 30);
    traced(4, THREAD, 1, 77);
    CHECK(!over(THREAD, 1, 1000, 1100));
    /* outside of the inference, */
    CHECK((clock_line(5, THREAD, 1010), line(5, THREAD, AT(0), 30, 30),
            traced(5, THREAD, 1, 77), !over(THREAD, 1, 1000, 1039)));
    CHECK((clock_line(6, THREAD, 999), line(6, THREAD, AT(0), 30, 30),
            traced(6, THREAD, 1, 77), !over(THREAD, 1, 1000, 1100)));
    /* neither beside nor within each other, */
    clock_line(7, THREAD, 1010);
    line(7, THREAD, AT(0), 30, 30);
    line(7, THREAD, AT(1), 10, 20);
    traced(7, THREAD, 2, 77);
    CHECK(!over(THREAD, 1, 1000, 1100));
    /* with its TRACED lost, */
    clock_line(8, THREAD, 1010);
    CHECK(!over(THREAD, 1, 1000, 1100));
    /* and with kernels that may be another one's. */
    clock_line(9, THREAD, 1010);
    line(9, THREAD, AT(0), 30, 30);
    send((struct record){ .kind = RECORD_TRACED,
            .traced = { .trace = 9,
                    .thread = THREAD,
                    .kernels = 1,
                    .doubtful = 3 } });
    CHECK(!over(THREAD, 1, 1000, 1100));
    kernels_tell(kernels);
    CHECK_INT(table(1)->lost, 8);
    CHECK_INT(table(1)->doubtful, 3);
    CHECK_INT(table(1)->count, 1);
    CHECK_INT(sum_of("mul")->count, 1);

    /* One that was never traced is not lost, nor is one that failed. */
    struct kernels_run run = { .process = 1,
        .thread = THREAD,
        .session = 1,
        .identity = 99,
        .end_ns = 100 };

    CHECK(!kernels_close(kernels, &run));
    traced(10, THREAD, 0, 77);
    run.flags = FLAG_TRACED | FLAG_FAILED;
    CHECK(!kernels_close(kernels, &run));
    kernels_tell(kernels);
    CHECK_INT(table(1)->lost, 8);

    /* Nor is one that the program itself gave up. */
    clock_line(11, THREAD, 1010);
    line(11, THREAD, AT(9), 30, 30);
    send((struct record){ .kind = RECORD_TRACED,
            .flags = TRACED_GIVEN_UP,
            .traced.trace = 11 });
    run.flags = 0;
    CHECK(!kernels_close(kernels, &run));
    CHECK(run_pair(11, 0, 1, 77)); /* of its lines none is left */
    kernels_tell(kernels);
    CHECK_INT(table(1)->lost, 8);

    /* What was lost before the session's table was there counts, too. */
    run.flags = FLAG_TRACED;
    run.session = 7;
    run.identity = 0;
    CHECK(!kernels_close(kernels, &run));
    kernels_end(kernels);
    CHECK_INT(table(7)->lost, 1);
    CHECK_INT(told.operators_of[7], 7);
    end();
}

/* Times beyond 32 bits, and a clock in ticks. */
static void long_times(void)
{
    const uint64_t day = UINT64_C(86400) * 1000000000;
    struct tick_line *ticks = alloc_zero(1, sizeof(*ticks));

    begin();
    describe_pair(1, 0);
    clock_line(1, THREAD, day);
    send((struct record){
            .kind = RECORD_LINES,
            .flags = 3,
            .lines = { 1, THREAD,
                    { { LINE_HIGH, 3, 2 }, { AT(0), 50, 40 },
                            { AT(1), 25, 20 } } },
    });
    traced(1, THREAD, 2, 0);
    CHECK(over(THREAD, 1, day - 10, day + (UINT64_C(4) << 32)));
    kernels_tell(kernels);
    CHECK(sum_of("mul")->self_ns == (UINT64_C(2) << 32) + 40);
    CHECK_INT(sum_of("Relu_4")->self_ns, 20);
    CHECK(table(1)->before_ns == (UINT64_C(1) << 32) + 10 + 10);

    tick_line_add(ticks, 0, 1000);
    tick_line_add(ticks, 3000, 2000); /* three ticks a nanosecond */
    clock_line(2, THREAD, 30);
    line(2, THREAD, AT(0), 90, 90);
    line(2, THREAD, AT(1), 75, 60);
    traced(2, THREAD, 2, 0);
    CHECK(kernels_close(kernels, &(struct kernels_run){ .process = 1,
                                         .thread = THREAD,
                                         .session = 1,
                                         .identity = 99,
                                         .flags = FLAG_TRACED,
                                         .start_ns = 1000,
                                         .end_ns = 1100,
                                         .clock = ticks }));
    kernels_tell(kernels);
    CHECK_INT(sum_of("Relu_4")->self_ns, 40);
    CHECK_INT(told.runs[told.run_count - 1].start_ns, 1045);
    free(ticks);
    end();
}

/* An address that comes back never keeps an old name. */
static void address_reuse(void)
{
    begin();
    describe_pair(1, 0);
    CHECK(run_pair(1, 0, 1, 0));
    send((struct record){ .kind = RECORD_KERNEL_END,
            .kernel = { .kernel = AT(0) } });
    clock_line(2, THREAD, 1010);
    line(2, THREAD, AT(0), 30, 30);
    traced(2, THREAD, 1, 0);
    CHECK(!over(THREAD, 1, 1000, 1100)); /* whoever that is */
    send(kernel(AT(0), 0, "other", "Conv", 9));
    clock_line(3, THREAD, 1010);
    line(3, THREAD, AT(0), 30, 30);
    traced(3, THREAD, 1, 0);
    CHECK(over(THREAD, 1, 1000, 1100));

    /* Its end was lost: described anew it is another one, all the same. */
    send(kernel(AT(1), 0, "another", "Conv", 10));
    send(kernel(AT(1), 0, "another", "Conv", 10)); /* by two threads at once */
    clock_line(4, THREAD, 1010);
    line(4, THREAD, AT(1), 30, 30);
    traced(4, THREAD, 1, 0);
    CHECK(over(THREAD, 1, 1000, 1100));
    kernels_tell(kernels);
    CHECK_INT(sum_of("mul")->count, 1);
    CHECK_INT(sum_of("other")->count, 1);
    CHECK_INT(sum_of("Relu_4")->count, 1);
    CHECK_INT(sum_of("another")->count, 1);
    CHECK_INT(told.operator_count, 4);

    /* A kernel of another session's table, under this one's name. */
    clock_line(5, THREAD, 1010);
    line(5, THREAD, AT(1), 30, 30);
    traced(5, THREAD, 1, 0);
    CHECK(!kernels_close(kernels, &(struct kernels_run){ .process = 1,
                                          .thread = THREAD,
                                          .session = 2,
                                          .identity = 5,
                                          .flags = FLAG_TRACED,
                                          .start_ns = 1000,
                                          .end_ns = 1100 }));
    end();
}

/* Twenty sessions of one model are one table, though ONNX Runtime numbers some
 * of the names anew. */
static void twenty_sessions(void)
{
    begin();
    for (uint32_t i = 1; i <= 20; i++) {
        uint64_t at = 10 * i;
        char reorder[40], made[40];

        (void)snprintf(reorder, sizeof(reorder), "mid_token_%u", i);
        (void)snprintf(made, sizeof(made), "ReorderOutput_token_%u", i);
        send(kernel(AT(at), 0, "conv", "Conv", 3));
        send(output(AT(at), i, 0, "conv_out"));
        send(kernel(AT(at + 1), 0, made, "ReorderOutput", 17));
        send(tensor(AT(at + 1), i, 0, 0, "conv_out", 2, 2));
        send(output(AT(at + 1), i, 0, reorder));
        send(kernel(AT(at + 2), 0, NULL, "Relu", 18));
        send(tensor(AT(at + 2), i, 0, 0, reorder, 2, 2));
        send(output(AT(at + 2), i, 0, "y"));
        clock_line(i, THREAD, 1010);
        line(i, THREAD, AT(at), 10, 10);
        line(i, THREAD, AT(at + 1), 10, 10);
        line(i, THREAD, AT(at + 2), 10, 10);
        traced(i, THREAD, 3, 1);
        CHECK(over(THREAD, i, 1000, 1100));
        CHECK_INT(told.operators_of[i], 1);
    }
    kernels_tell(kernels);
    CHECK_INT(told.operator_count, 3);
    CHECK_INT(sum_of("conv")->count, 20);
    CHECK_INT(sum_of("ReorderOutput_token_1")->count, 20);
    CHECK_INT(sum_of("Relu_18")->count, 20);
    CHECK_INT(table(1)->count, 20);
    CHECK_INT(shape_of("Relu_18", 0)->count, 20);
    CHECK(has_edge("conv", "ReorderOutput_token_1"));
    CHECK(has_edge("ReorderOutput_token_1", "Relu_18"));
    CHECK_INT(told.edge_count, 2);
    end();
}

/* Sessions of which nothing is known but what runs in them. */
static void unknown_sessions(void)
{
    begin();
    for (uint32_t i = 1; i <= 4; i++) {
        bool other = i == 3;

        send(kernel(AT(10 * i), 0, "a", other ? "Add" : "Mul", 0));
        send(output(AT(10 * i), i, 0, "y"));
        clock_line(i, THREAD, 1010);
        line(i, THREAD, AT(10 * i), 10, 10);
        traced(i, THREAD, 1, 1);
        CHECK(kernels_close(kernels, &(struct kernels_run){ .process = 1,
                                             .thread = THREAD,
                                             .session = i,
                                             .flags = FLAG_TRACED,
                                             .start_ns = 1000,
                                             .end_ns = 1100 }));
        CHECK_INT(told.operators_of[i], other ? 3 : 1);
    }
    kernels_tell(kernels);
    CHECK_INT(table(1)->count, 3);
    CHECK_INT(table(3)->count, 1);
    end();
}

static void long_chain(void)
{
    enum { COUNT = 10000 };

    begin();
    for (unsigned i = 0; i < COUNT; i++) {
        char from[24], to[24];

        (void)snprintf(from, sizeof(from), "t%u", i);
        (void)snprintf(to, sizeof(to), "t%u", i + 1);
        send(kernel(AT(i), 0, NULL, "Relu", i));
        send(tensor(AT(i), 1, 0, 0, from, 1, 4));
        send(tensor(AT(i), 1, TENSOR_OUTPUT, 0, to, 1, 4));
    }
    for (uint32_t trace = 1; trace <= 40; trace++) {
        clock_line(trace, THREAD, 1000);
        for (unsigned i = 0; i < COUNT; i++)
            line(trace, THREAD, AT(i), 10, 7);
        traced(trace, THREAD, COUNT, 5);
        CHECK(over(THREAD, 1, 1000, 1000 + 10 * COUNT));
    }
    kernels_tell(kernels);
    CHECK_INT(told.operator_count, COUNT);
    CHECK_INT(told.edge_count, COUNT - 1);
    CHECK_INT(table(1)->operator_runs, 40 * COUNT);
    CHECK_INT(table(1)->kernels_ns, 40 * COUNT * 7);
    CHECK_INT(sum_of("Relu_9999")->count, 40);
    CHECK_INT(told.run_count % COUNT, 0); /* whole timelines, and not all */
    CHECK(told.run_count >= 4 * COUNT && told.run_count <= 1 << 18);
    end();
}

/* Of many inferences the first are kept, then ever fewer, and the slow ones. */
static void timelines(void)
{
    uint64_t kept[256];
    size_t count = 0;

    begin();
    describe_pair(1, 0);
    for (uint32_t i = 1; i <= 5000; i++) {
        uint32_t took = i == 3333 ? 5000 : 30 + i % 7;

        clock_line(i, THREAD, 1000);
        line(i, THREAD, AT(0), took, took);
        traced(i, THREAD, 1, 0);
        CHECK(over(THREAD, 1, 1000, 1000 + took));
    }
    for (size_t i = 0; i < told.run_count && count < LEN(kept); i++)
        kept[count++] = told.runs[i].inference;
    CHECK(count >= 14 && count < 64);
    for (size_t i = 0; i < 4; i++)
        CHECK_INT(kept[i], i + 1);
    CHECK_INT(kept[4], 8);

    bool slow = false;

    for (size_t i = 0; i < count; i++)
        slow |= kept[i] == 3333;
    CHECK(slow);
    end();
}

static void activations(void)
{
    begin();
    describe_pair(1, 0);
    send((struct record){
            .kind = RECORD_HEADS,
            .flags = 2,
            .heads = { .kernel = AT(0),
                    .trace = 1,
                    .heads = 2,
                    .head = { { 1.5f, 0.5f, 0.25f }, { 0, 1, 0.75f } } },
    });
    for (uint16_t i = 0; i < 2; i++)
        send((struct record){
                .kind = RECORD_STATS,
                .stats = { .kernel = AT(i),
                        .elements = 1000,
                        .trace = 1,
                        .type = 1,
                        .read = 100,
                        .nans = i ? 100 : 1,
                        .near_zero = 3,
                        .mean_abs = 0.5f,
                        .std_dev = 0.25f,
                        .max_abs = 2,
                        .cost = 77 },
        });
    clock_line(1, THREAD, 1010);
    line(1, THREAD, AT(0), 30, 30);
    line(1, THREAD, AT(1), 25, 20);
    traced(1, THREAD, 2, 9);
    CHECK(kernels_close(kernels, &(struct kernels_run){ .process = 1,
                                         .thread = THREAD,
                                         .session = 1,
                                         .number = 5,
                                         .flags = FLAG_TRACED | FLAG_STATS,
                                         .start_ns = 1000,
                                         .end_ns = 1100 }));
    kernels_tell(kernels);
    CHECK_INT(told.activation_count, 2);
    CHECK_INT(told.activations[0].inference, 5);
    CHECK_INT(told.activations[0].operator_id, operator_named("mul"));
    CHECK_INT(told.activations[0].nans, 1);
    CHECK(told.activations[0].mean_abs == 0.5);
    CHECK_INT(told.activations[0].cost_ns, 77);
    CHECK(strcmp(told.heads, "[1.5,0] [0.5,1] [0.25,0.75]") == 0);
    CHECK(told.activations[1].max_abs != told.activations[1].max_abs);
    /* It was slowed: it counts for no sum, but its shapes are known. */
    CHECK_INT(told.sums_told, 0);
    CHECK_INT(told.shape_count, 2);
    end();
}

/* Records that make no sense, in any order: nothing breaks. */
static uint64_t random_state;

static uint32_t any(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static void hostile(void)
{
    static const uint8_t kinds[] = { RECORD_KERNEL, RECORD_TENSOR, RECORD_LINES,
        RECORD_LINES, RECORD_LINES, RECORD_TRACED, RECORD_KERNEL_END,
        RECORD_STATS, RECORD_HEADS, RECORD_RUN };

    random_state = 1;
    begin();
    for (int i = 0; i < 300000; i++) {
        struct record r = { .kind = kinds[any(LEN(kinds))] };
        uint32_t trace = any(6), thread = any(3);

        switch (r.kind) {
        case RECORD_KERNEL:
            r.kernel.kernel = AT(any(9)) + !any(50);
            r.kernel.parent = any(3) ? 0 : AT(any(9));
            r.kernel.op_type = any(4);
            r.kernel.node_index = any(4);
            break;
        case RECORD_KERNEL_END:
            if (!any(4))
                r.kernel.kernel = AT(any(9));
            break;
        case RECORD_TENSOR:
            r = tensor(AT(any(9)), trace, (uint16_t)any(64), (uint16_t)any(4),
                    NULL, any(3), any(3));
            r.tensor.name = any(6);
            r.tensor.type = (uint8_t)any(40);
            r.tensor.rank = (uint8_t)(any(20) ? any(9) : 200);
            break;
        case RECORD_LINES:
            r.flags = (uint16_t)(any(60) ? any(4) : any(70));
            r.lines.trace = trace;
            r.lines.thread = thread;
            for (size_t j = 0; j < RECORD_LINES_EACH; j++)
                r.lines.line[j] = j || any(2)
                                          ? (struct record_line){ AT(any(9)),
                                                any(40), any(30) }
                                          : (struct record_line){ any(16),
                                                any(40), any(50) ? 0 : 1 };
            break;
        case RECORD_TRACED:
            r.traced.trace = trace;
            r.traced.thread = thread;
            r.traced.kernels = any(4);
            r.traced.shapes = any(3);
            break;
        case RECORD_STATS:
            r.stats.trace = trace;
            r.stats.kernel = AT(any(9));
            break;
        default: break;
        }
        if (r.kind == RECORD_RUN)
            (void)kernels_close(kernels,
                    &(struct kernels_run){ .process = 1 + any(2),
                            .thread = thread,
                            .session = any(5),
                            .identity = any(2),
                            .phase = (uint8_t)any(PHASES),
                            .flags = (uint16_t)(any(2) * FLAG_TRACED +
                                                any(2) * FLAG_FAILED * !any(9) +
                                                FLAG_STATS * !any(9)),
                            .start_ns = any(10),
                            .end_ns = any(400) });
        else
            (void)send_to(1 + any(2), r);
        if (told.activation_count > TOLD_SMALL / 2)
            told.activation_count = 0;
        told.run_count = told.run_count > TOLD_RUNS / 2 ? 0 : told.run_count;
        told.edge_count =
                told.edge_count > TOLD_OPERATORS ? 0 : told.edge_count;
    }
    kernels_end(kernels);
    CHECK(told.operator_count > 3);
    CHECK(told.sums_told > 0);
    end();
}

int main(void)
{
    a_pair();
    packed_weight();
    other_shapes();
    nested();
    pool_threads();
    lost();
    long_times();
    address_reuse();
    twenty_sessions();
    unknown_sessions();
    long_chain();
    timelines();
    activations();
    hostile();
    return test_result();
}
