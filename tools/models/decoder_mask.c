#include "tools/models/decoder.h"

#include <float.h>

/* The size of a [batch, n] tensor's second dimension, a scalar. */
static const char *second_size(struct draft *d, const char *x)
{
    const char *shape = draft_unary(d, "Shape", x);

    return draft_binary(d, "Gather", shape, draft_int(d, 1));
}

/* The numbers from `first` up to and without `end`. */
static const char *range(struct draft *d, const char *first, const char *end)
{
    const char *step = draft_int(d, 1);

    return draft_node(d,
            &(struct node){ .name = "Range", .in = { first, end, step } });
}

/* [tokens, total]: is the key at or before the query?  Both count from the
 * cache's beginning, so it holds with and without a past. */
static const char *causal(struct decoder *m)
{
    struct draft *d = m->draft;
    const char *tokens = second_size(d, m->input_ids);
    const char *total = second_size(d, m->attention_mask);
    const char *past = draft_binary(d, "Sub", total, tokens);
    const char *keys = range(d, draft_int(d, 0), total);
    const char *queries = range(d, past, total);
    const char *column =
            draft_binary(d, "Unsqueeze", queries, draft_ints(d, DIMS(1)));

    return draft_binary(d, "LessOrEqual", keys, column);
}

const char *decoder_mask(struct decoder *m)
{
    struct draft *d = m->draft;

    draft_scope(d, "/model");

    const char *before = causal(m);
    const char *attended =
            draft_node(d, &(struct node){ .name = "Cast",
                                  .in = { m->attention_mask },
                                  .attr = { attr_int("to", DRAFT_BOOL) } });
    const char *keys =
            draft_binary(d, "Unsqueeze", attended, draft_ints(d, DIMS(1, 2)));
    const char *may_look = draft_binary(d, "And", before, keys);
    const char *zero = draft_float(d, 0);
    const char *lowest = draft_float(d, -FLT_MAX);

    return draft_node(d, &(struct node){ .name = "Where",
                                 .in = { may_look, zero, lowest } });
}
