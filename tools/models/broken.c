/* broken.c -- x -> Abs -> Add 1 -> Neg -> Sqrt, of what is less than nothing,
 * -> Add x: a model that goes wrong in its middle. */
#include "tools/models/draft.h"
#include "tools/models/model.h"

void broken_write(struct buf *file)
{
    struct draft *d = draft_new("broken");
    const char *x = draft_input(d, "x", DRAFT_FLOAT, "batch 64");
    const char *h;

    draft_scope(d, "/first");
    h = draft_binary(d, "Add", draft_unary(d, "Abs", x), draft_float(d, 1));
    h = draft_unary(d, "Neg", h);
    draft_scope(d, "/middle");
    h = draft_unary(d, "Sqrt", h);
    draft_scope(d, "/last");
    (void)draft_node(d,
            &(struct node){ .name = "Add", .in = { h, x }, .out = "y" });
    draft_output(d, "y", DRAFT_FLOAT, "batch 64");
    draft_write(d, file);
    draft_free(d);
}
