/* flow.c -- control flow within control flow.  Of one inference:
 *
 *     Gather                           1    the first row of x
 *     Loop, three times                1
 *         Equal, If, Identity          3    (is it the second time?)
 *             Add                      1    it is
 *             Mul, Sub                 2    it is not
 *     Scan, over the five rows of x    1
 *         Add, ReduceSum, Less, If     5
 *             Neg or Abs               5    whichever, by the values
 *     Relu                             1
 *
 * 43 operators. */
#include "tools/models/draft.h"
#include "tools/models/model.h"

#define ROW "4"

/* A branch that puts out what one operator makes of a value around it. */
static struct draft *branch_of_one(const char *scope, const char *op,
        const char *value, const char *out)
{
    struct draft *d = draft_new(scope);

    draft_scope(d, "/%s", scope);
    (void)draft_node(d,
            &(struct node){ .name = op, .in = { value }, .out = out });
    draft_output(d, out, DRAFT_FLOAT, ROW);
    return d;
}

static struct draft *second_time(void)
{
    struct draft *d = draft_new("second");

    draft_scope(d, "/second");
    (void)draft_node(d, &(struct node){ .name = "Add",
                                .in = { "loop_in", draft_float(d, 2) },
                                .out = "second_out" });
    draft_output(d, "second_out", DRAFT_FLOAT, ROW);
    return d;
}

static struct draft *other_times(void)
{
    struct draft *d = draft_new("others");
    const char *h;

    draft_scope(d, "/others");
    h = draft_binary(d, "Mul", "loop_in", draft_float(d, 1.5f));
    (void)draft_node(d, &(struct node){ .name = "Sub",
                                .in = { h, draft_float(d, 1) },
                                .out = "others_out" });
    draft_output(d, "others_out", DRAFT_FLOAT, ROW);
    return d;
}

static void add_if(struct draft *d, const char *condition, struct draft *yes,
        struct draft *no, const char *out)
{
    (void)draft_node(d, &(struct node){ .name = "If",
                                .in = { condition },
                                .attr = { attr_graph("then_branch", yes),
                                        attr_graph("else_branch", no) },
                                .out = out });
    draft_free(yes);
    draft_free(no);
}

static struct draft *loop_body(void)
{
    struct draft *d = draft_new("loop");
    const char *time = draft_input(d, "time", DRAFT_INT64, "");
    const char *go_on = draft_input(d, "go_on", DRAFT_BOOL, "");

    (void)draft_input(d, "loop_in", DRAFT_FLOAT, ROW);
    draft_scope(d, "/loop");
    add_if(d, draft_binary(d, "Equal", time, draft_int(d, 1)), second_time(),
            other_times(), "loop_out");
    (void)draft_node(d, &(struct node){ .name = "Identity",
                                .in = { go_on },
                                .out = "still" });
    draft_output(d, "still", DRAFT_BOOL, "");
    draft_output(d, "loop_out", DRAFT_FLOAT, ROW);
    return d;
}

static struct draft *scan_body(void)
{
    struct draft *d = draft_new("scan");
    const char *so_far = draft_input(d, "so_far", DRAFT_FLOAT, ROW);
    const char *row = draft_input(d, "row", DRAFT_FLOAT, ROW);
    const char *sum, *less;

    draft_scope(d, "/scan");
    sum = draft_binary(d, "Add", so_far, row);
    less = draft_node(d, &(struct node){ .name = "ReduceSum",
                                 .in = { sum },
                                 .attr = { attr_int("keepdims", 0) } });
    less = draft_binary(d, "Less", less, draft_float(d, 0));
    add_if(d, less, branch_of_one("below", "Neg", sum, "below_out"),
            branch_of_one("above", "Abs", sum, "above_out"), "scan_out");
    draft_output(d, "scan_out", DRAFT_FLOAT, ROW);
    return d;
}

void flow_write(struct buf *file)
{
    struct draft *d = draft_new("flow");
    struct draft *loop = loop_body(), *scan = scan_body();
    const char *x = draft_input(d, "x", DRAFT_FLOAT, "5 " ROW);
    const char *h;

    draft_scope(d, "/main");
    h = draft_binary(d, "Gather", x, draft_int(d, 0));
    h = draft_node(d, &(struct node){ .name = "Loop",
                              .in = { draft_int(d, 3), "", h },
                              .attr = { attr_graph("body", loop) } });
    h = draft_node(d, &(struct node){ .name = "Scan",
                              .in = { h, x },
                              .attr = { attr_graph("body", scan),
                                      attr_int("num_scan_inputs", 1) } });
    (void)draft_node(d,
            &(struct node){ .name = "Relu", .in = { h }, .out = "y" });
    draft_output(d, "y", DRAFT_FLOAT, ROW);
    draft_write(d, file);
    draft_free(loop);
    draft_free(scan);
    draft_free(d);
}
