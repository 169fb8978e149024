/* Blocks of five operators, each on the whole vector:
 *
 *     x -> Mul c -> Add a -> Div c -> Sub a/c -> Neg -> -x
 *
 * so two blocks give back what went in, but for rounding.  An optimiser that
 * works on single nodes and known patterns finds nothing here, and the answer
 * is known without running anything. */
#include "tools/models/model.h"

#include "tools/models/weights.h"

#define WIDTH       8
#define BLOCK_NODES 5
#define BLOCKS      (CHAIN_NODES / BLOCK_NODES)
#define CONSTANTS   16 /* blocks take turns with these: the file stays small */

struct constants {
    const char *scale;      /* c */
    const char *shift;      /* a */
    const char *shift_back; /* a/c */
};

static struct constants make_constants(struct weights *w, int index)
{
    float scale[WIDTH], shift[WIDTH], back[WIDTH];
    struct constants made;

    for (int i = 0; i < WIDTH; i++) {
        scale[i] = weights_next(w, 1.25f, 0.25f);
        shift[i] = weights_next(w, 0, 1);
        back[i] = shift[i] / scale[i];
    }
    draft_scope(w->draft, "/constants.%d", index);
    made.scale = draft_floats(w->draft, "scale", DIMS(WIDTH), scale);
    made.shift = draft_floats(w->draft, "shift", DIMS(WIDTH), shift);
    made.shift_back = draft_floats(w->draft, "shift_back", DIMS(WIDTH), back);
    return made;
}

void chain_write(struct buf *file)
{
    struct draft *d = draft_new("chain");
    struct weights w = { d, 3 };
    const char *x = draft_input(d, "x", DRAFT_FLOAT, "batch 8");
    struct constants pool[CONSTANTS];

    for (int i = 0; i < CONSTANTS; i++)
        pool[i] = make_constants(&w, i);
    for (int i = 0; i < BLOCKS; i++) {
        const struct constants *c = &pool[i % CONSTANTS];

        draft_scope(d, "/blocks.%d", i);
        x = draft_binary(d, "Mul", x, c->scale);
        x = draft_binary(d, "Add", x, c->shift);
        x = draft_binary(d, "Div", x, c->scale);
        x = draft_binary(d, "Sub", x, c->shift_back);
        x = draft_node(d, &(struct node){ .name = "Neg",
                                  .in = { x },
                                  .out = i == BLOCKS - 1 ? "y" : NULL });
    }
    draft_output(d, "y", DRAFT_FLOAT, "batch 8");
    draft_write(d, file);
    draft_free(d);
}
